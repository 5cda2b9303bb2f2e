"""Classes behind a SAT solver (extra ``sat``): ready-made encodings, and a small way to state your own."""

from adeptree.classes.sat.base import SatClass
from adeptree.classes.sat.dfas import Dfa, Dfas
from adeptree.classes.sat.dnf import Dnf, KTermDnf
from adeptree.classes.sat.encoding import AddClause, Encoding, Model, NewVar
from adeptree.classes.sat.lists import DecisionList, DecisionLists
from adeptree.classes.sat.trees import DecisionTree, DecisionTrees

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
