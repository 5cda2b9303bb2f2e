"""Oracles as objects: weak consistency and ERM, and layers that count, cache and budget.

>>> from adeptree import Thresholds
>>> oracle = Counting(Caching(ClassOracle(Thresholds(8))))
>>> oracle.realizable_many([[(3, 1)], [(3, 1)]]), oracle.queries, oracle.misses
([True, True], 2, 1)
"""

from adeptree.oracles.chain import Asking as Asking
from adeptree.oracles.chain import Counting as Counting
from adeptree.oracles.chain import FunctionOracle as FunctionOracle
from adeptree.oracles.chain import Layer as Layer
from adeptree.oracles.layers import Budgeting as Budgeting
from adeptree.oracles.layers import Caching as Caching
from adeptree.oracles.layers import TimeLimit as TimeLimit
from adeptree.oracles.sharding import Workers as Workers
from adeptree.oracles.sources import ClassErm as ClassErm
from adeptree.oracles.sources import ClassOracle as ClassOracle
from adeptree.oracles.sources import ErmAsConsistency as ErmAsConsistency
from adeptree.oracles.sources import FunctionErm as FunctionErm
from adeptree.roles.oracle import ConsistencyOracle as ConsistencyOracle
from adeptree.roles.oracle import ErmOracle as ErmOracle
from adeptree.roles.oracle import Kind as Kind
from adeptree.roles.oracle import Oracle as Oracle
