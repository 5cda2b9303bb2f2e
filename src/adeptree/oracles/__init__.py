"""Oracles as objects: weak consistency and ERM, and layers that count, cache, budget, time, record and check.

>>> from adeptree import Thresholds
>>> oracle = Counting(Caching(ClassOracle(Thresholds(8))))
>>> oracle.realizable_many([[(3, 1)], [(3, 1)]]), oracle.queries, oracle.misses
([True, True], 2, 1)
"""

from adeptree.oracles.chain import Asking, Counting, FunctionOracle, Layer
from adeptree.oracles.layers import Budgeting, Caching, Checking, TimeLimit, Timing
from adeptree.oracles.recording import Recording, Replaying
from adeptree.oracles.sharding import Workers
from adeptree.oracles.sources import ClassErm, ClassOracle, ErmAsConsistency, FunctionErm, RealizableErm, RestrictedErm
from adeptree.roles.oracle import ConsistencyOracle, ErmOracle, Kind, Oracle

__all__ = [
    "Asking",
    "Budgeting",
    "Caching",
    "Checking",
    "ClassErm",
    "ClassOracle",
    "ConsistencyOracle",
    "Counting",
    "ErmAsConsistency",
    "ErmOracle",
    "FunctionErm",
    "FunctionOracle",
    "Kind",
    "Layer",
    "Oracle",
    "RealizableErm",
    "Recording",
    "Replaying",
    "RestrictedErm",
    "TimeLimit",
    "Timing",
    "Workers",
]
