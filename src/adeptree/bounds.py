"""Every formula of the paper as a function; the docstring names its theorem.

Letters follow the paper: T rounds, M mistakes of the base learner, d_vc the VC dimension,
N = sum_{j <= M} C(T, j) experts, L* the best loss in hindsight.
"""

from __future__ import annotations

import math


def sauer(t: int, d_vc: int) -> int:
    """Sauer's lemma: at most this many labellings of t distinct points are realizable.

    >>> sauer(10, 1), sauer(10, 2), sauer(3, 5)
    (11, 56, 8)
    """
    return sum(math.comb(t, i) for i in range(min(t, d_vc) + 1))


def experts(T: int, M: int) -> int:
    """Algorithm 1: the number N of mistake schedules, sum_{j <= M} C(T, j).

    >>> experts(4, 2)
    11
    """
    return sum(math.comb(T, j) for j in range(min(T, M) + 1))


def log_experts_bound(T: int, M: int) -> float:
    """Main theorem: ln N <= M ln(eT/M), with M replaced by T when it is larger; 0 for M = 0.

    >>> round(log_experts_bound(1000, 3), 3)
    20.427
    """
    m = min(M, T)
    return m * math.log(math.e * T / m) if m else 0.0


def paper_rate(T: int, M: int) -> float:
    """Algorithm 2: the learning rate eta = sqrt(8 M ln(eT/M) / T).

    >>> paper_rate(100, 0)
    0.0
    """
    return math.sqrt(8 * log_experts_bound(T, M) / T)


def regret(T: int, M: int) -> float:
    """Main theorem (regret): sqrt(T M ln(eT/M) / 2) bounds the expected regret of ADEPT.

    >>> round(regret(1000, 10), 1)
    167.4
    """
    return math.sqrt(T * log_experts_bound(T, M) / 2)


def regret_at_rate(T: int, log_experts: float, rate: float) -> float:
    """Lemma "Survival of the Optimal Expert" at any constant rate: ln N / eta + eta T / 8.

    >>> round(regret_at_rate(1000, 50.0, 0.5), 1)
    162.5
    """
    return log_experts / rate + rate * T / 8


def first_order_regret(best_loss: int, log_experts: float) -> float:
    """Corollary "Instance-Dependent Bound", with explicit constants: max{2.63 sqrt(ln N (L* + 1)), 5.3 ln N}.

    >>> first_order_regret(0, 10.0)
    53.0
    """
    return max(2.63 * math.sqrt(log_experts * (best_loss + 1)), 5.3 * log_experts)


def hedge_regret(T: int, concepts: int) -> float:
    """Hedge over a finite class with its tuned constant rate: sqrt(T ln|C| / 2).

    >>> round(hedge_regret(1000, 256), 1)
    52.7
    """
    return math.sqrt(T * math.log(concepts) / 2)


def queries(widths: list[int]) -> int:
    """Main theorem (queries): 2 x width asked a round, given the width *before* each round.

    >>> queries([1, 2, 3])
    12
    """
    return 2 * sum(widths)
