"""Classes behind a SAT solver (extra ``sat``): ready-made encodings, and a small way to state your own."""

from adeptree.solvers.sat.bit_encodings import DecisionList, DecisionLists, DecisionTree, DecisionTrees, Dnf, KTermDnf
from adeptree.solvers.sat.dfas import Dfa, Dfas
from adeptree.solvers.sat.encoding import AddClause, Encoding, Model, NewVar
from adeptree.solvers.sat.sat_class import SatClass

__all__ = [
    "AddClause",
    "DecisionList",
    "DecisionLists",
    "DecisionTree",
    "DecisionTrees",
    "Dfa",
    "Dfas",
    "Dnf",
    "Encoding",
    "KTermDnf",
    "Model",
    "NewVar",
    "SatClass",
]
