"""The lower bounds on regret; ``bounds`` exports them too."""

from __future__ import annotations

import math

from adeptree.theory.checked_formulas import of_numbers


@of_numbers
def query_lower_bound(T: int, Q: int, d: int) -> float:
    """Theorem "Lower Bound for Bounded Query Algorithms": T/2 min{1, d/(Q+1)} - Q/2.

    Some class of VC and Littlestone dimension d, behind an oracle that breaks its ties against the learner, costs every
    learner with at most Q queries that much expected regret. It is negative (vacuous) if Q(Q+1) > dT.

    >>> query_lower_bound(1000, 0, 1), query_lower_bound(1000, 9, 2)
    (500.0, 95.5)
    """
    return T / 2 * min(1.0, d / (Q + 1)) - Q / 2


@of_numbers
def forced_mistakes(d: int) -> int:
    """Beyond the paper: a learner that knows a class of Littlestone dimension d by its oracle alone can be forced to
    err 3^d times for d >= 2, and twice for d = 1, whatever its queries (``docs/theory/lower-bound.md``).

    >>> [forced_mistakes(d) for d in range(5)]
    [0, 2, 9, 27, 81]
    """
    return int(3**d) if d > 1 else 2 * d


@of_numbers
def dimension_lower_bound(T: int, d: int) -> float:
    """Beyond the paper: regret that a class of Littlestone dimension d, known by its oracle alone, forces on every
    learner in T rounds, for any number of queries: (m/2) E|S_n| for m = 3^d points (2 for d = 1) of n coins each, n odd
    and nm <= T. About sqrt(T m / 2 pi) (``docs/theory/lower-bound.md``).

    >>> round(dimension_lower_bound(90, 2), 3), round(dimension_lower_bound(10_000, 3), 1)
    (11.074, 207.1)
    """
    points = min(forced_mistakes(d), T)
    if not points:
        return 0.0
    coins = max(1, T // points - (T // points + 1) % 2)
    # E|S_n| = n C(n-1, (n-1)/2) / 2^(n-1) = 3/2 * 5/4 * 7/6 * ...
    return points / 2 * math.prod(1 + 1 / (2 * k) for k in range(1, (coins + 1) // 2))
