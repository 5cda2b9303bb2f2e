"""The proven mistake bound M(d) of the ghost learner."""

from __future__ import annotations

from functools import cache

from adeptree.ghost import two_of_two as exact
from adeptree.ghost.blueprints import cost
from adeptree.ghost.majority import robust_cost
from adeptree.ghost.requirements import both_sides

COVERING_PLANS_UP_TO = 4
"""Stages of larger dimension use recursive majority: searching covering plans for them takes too long."""


def stage_bound(dimension: int) -> int:
    """Return T(D): after so many plan mistakes in the stage of dimension D, (D|D) holds.

    >>> [stage_bound(dimension) for dimension in range(1, 6)]
    [1, 6, 57, 944, 38618]
    """
    if dimension == 2:
        return exact.MISTAKES
    if dimension <= COVERING_PLANS_UP_TO:
        return cost(both_sides(dimension))
    return robust_cost(dimension, 1)


@cache
def mistake_bound(d: int) -> int:
    """Return M(d), the number of mistakes that ``Ghost(d)`` never exceeds if the class has Ldim <= d.

    It is the sum of T(D) + 1 over the stages D = d, ..., 1: each ends with its one SOA mistake.

    >>> [mistake_bound(d) for d in range(6)]
    [0, 2, 9, 67, 1012, 39631]
    """
    return 0 if d == 0 else stage_bound(d) + 1 + mistake_bound(d - 1)
