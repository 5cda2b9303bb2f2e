"""Which set of at most d blocks is best in hindsight."""

from __future__ import annotations

import numpy as np

from adeptree.core.types import IntArray
from adeptree.roles.engine import Leader
from adeptree.theory.priors import Prior


def best_blocks(gains: IntArray, d: int) -> list[int]:
    """Return the at most d blocks with the largest positive gains, the earliest among equals, in order of arrival.

    >>> best_blocks(np.array([1, 0, 2, 1, -3]), 2)
    [0, 2]
    """
    order = np.argsort(-gains, kind="stable")[:d]
    return sorted(order[gains[order] > 0].tolist())


def leader_of(gains: IntArray, d: int, prior: Prior, rounds: int, loss: int) -> Leader:
    """Return the leader: among the best sets, one with the largest prior mass.

    A block of gain 0 may be in a best set or not. Sets of fewer than d blocks met all blocks as contested
    ones; a set of d only those up to its last member, so there the earliest blocks have the largest mass.

    >>> from adeptree.theory.priors import KTPrior
    >>> best = leader_of(np.array([1, 0, 0]), 3, KTPrior(), rounds=3, loss=0)
    >>> best.mistakes, best.contested, round(best.log_prior, 6)
    (3, 3, -1.163151)
    """
    chosen = best_blocks(gains, d)
    spare = np.flatnonzero(gains == 0).tolist()[: d - len(chosen)]
    sizes = np.arange(len(chosen), len(chosen) + len(spare) + 1)
    contested = np.full(len(sizes), len(gains))
    if sizes[-1] == d:
        contested[-1] = max([*chosen, *spare]) + 1
    masses = prior.log_mass(rounds, sizes, contested) - prior.log_total
    best = int(masses.argmax())
    return Leader(loss, int(sizes[best]), int(contested[best]), float(masses[best]))
