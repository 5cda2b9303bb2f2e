"""Classes with a SAT solver as oracle (extra ``sat``): ready-made encodings, and the interface for your own."""

from adeptree.solvers.sat.bit_encodings import DecisionList as DecisionList
from adeptree.solvers.sat.bit_encodings import DecisionLists as DecisionLists
from adeptree.solvers.sat.bit_encodings import DecisionTree as DecisionTree
from adeptree.solvers.sat.bit_encodings import DecisionTrees as DecisionTrees
from adeptree.solvers.sat.bit_encodings import Dnf as Dnf
from adeptree.solvers.sat.bit_encodings import KTermDnf as KTermDnf
from adeptree.solvers.sat.dfas import Dfa as Dfa
from adeptree.solvers.sat.dfas import Dfas as Dfas
from adeptree.solvers.sat.encoding import AddClause as AddClause
from adeptree.solvers.sat.encoding import Encoding as Encoding
from adeptree.solvers.sat.encoding import Model as Model
from adeptree.solvers.sat.encoding import NewVar as NewVar
from adeptree.solvers.sat.sat_class import SatClass as SatClass
