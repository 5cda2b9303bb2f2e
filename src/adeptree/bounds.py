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


def first_order_regret(best_loss: int, log_experts: float, on_grid: bool = False) -> float:
    """Corollary "Instance-Dependent Bound", with explicit constants: max{2.63 sqrt(ln N (L* + 1)), 5.3 ln N}.

    With the rate on a 5 % grid of L* + 1 they are 2.66 and 5.36 (``docs/anytime.md``, section 5).

    >>> first_order_regret(0, 10.0), first_order_regret(0, 10.0, on_grid=True)
    (53.0, 53.6)
    """
    root, linear = (2.66, 5.36) if on_grid else (2.63, 5.3)
    return max(root * math.sqrt(log_experts * (best_loss + 1)), linear * log_experts)


def kt_cost(T: int, M: int) -> float:
    """What the KT prior costs a path with at most M mistakes in at most T contested rounds: at least ln(1/pi).

    min{T ln 2, M ln(eT/M)} + ln(T)/2 + ln 2 (``docs/anytime.md``).

    >>> round(kt_cost(1000, 8), 3)
    50.774
    """
    if T == 0:
        return 0.0
    return min(T * math.log(2), log_experts_bound(T, M)) + math.log(T) / 2 + math.log(2)


def anytime_regret(t: int, M: int) -> float:
    """Past the paper: the KT prior at the rate 2 sqrt(kappa_t/t) on a 5 % grid of t, for all t at once.

    sqrt(kappa_t t) (1 + sqrt(1.05)) / 2 with kappa_t = ``kt_cost(t, M)`` (``docs/anytime.md``).

    >>> round(anytime_regret(1000, 8), 1)
    228.1
    """
    return math.sqrt(kt_cost(t, M) * t) * (1 + math.sqrt(1.05)) / 2


def adaptive_regret(t: int, cost: float, kappa: float = 2.0, price: float = 0.0) -> float:
    """Past the paper: the rate "adaptive", which knows neither T nor M, against a path whose prior costs ``cost``.

    cost (1/4 + 0.363 sqrt(t/kappa)) + 0.725 sqrt(max(kappa, cost, price) t) + 1/2 for all t at once, kappa being what
    the rate first reckons with and ``price`` what it reckons with now (``docs/anytime.md``, section 4).

    >>> round(adaptive_regret(1000, kt_cost(1000, 8)), 1)
    588.7
    """
    spread = cost * (0.25 + 0.363 * math.sqrt(t / kappa))
    return spread + 0.725 * math.sqrt(max(kappa, cost, price) * t) + 0.5


def adaptive_regret_in_advance(t: int, M: int) -> float:
    """Past the paper: what the rate "adaptive" promises in advance where a mistake bound M is known, for all t at once.

    1.752 sqrt(K t) + K/4 + 1/2 with K = max{2, ``kt_cost(t, M)``} (``docs/anytime.md``, section 4).

    >>> round(adaptive_regret_in_advance(1000, 8), 1)
    408.0
    """
    K = max(2.0, kt_cost(t, M))
    return 1.752 * math.sqrt(K * t) + K / 4 + 0.5


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


def query_lower_bound(T: int, Q: int, d: int) -> float:
    """Theorem "Lower Bound for Bounded Query Algorithms": T/2 min{1, d/(Q+1)} - Q/2.

    Some class of VC and Littlestone dimension d, behind an oracle that breaks its ties against the learner,
    costs every learner with at most Q queries that much expected regret. Negative (says nothing) once Q(Q+1) > dT.

    >>> query_lower_bound(1000, 0, 1), query_lower_bound(1000, 9, 2)
    (500.0, 95.5)
    """
    return T / 2 * min(1.0, d / (Q + 1)) - Q / 2


def ftpl_regret(T: int, points: int, log_concepts: float, noise: float) -> float:
    """FTPL with two-sided geometric noise e^(-noise |k|) on n known points: (1 - e^-noise) T + E max_c.

    Not from the paper; the proof is in ``adeptree.learners.leaders``. The second term is bounded through the
    moment generating function, min_s (ln N + n ln E e^(s k)) / 2s, about sqrt(n ln N) / noise.

    >>> round(ftpl_regret(1000, 16, 2.83, 0.08), 1)
    164.4
    """
    a = math.exp(-noise)

    def log_mgf(s: float) -> float:
        return 2 * math.log(1 - a) - math.log(1 - a * math.exp(s)) - math.log(1 - a * math.exp(-s))

    tilts = (noise * i / 100 for i in range(1, 100))
    return (1 - a) * T + min((log_concepts + points * log_mgf(s)) / (2 * s) for s in tilts)


def commits(T: int, c: float) -> int:
    """Theorem "Oracle-Regret Tradeoff": the K = floor(T^c) rounds that are committed, at least one.

    >>> commits(1000, 0.5), commits(100, 0.5)
    (31, 10)
    """
    return max(1, math.floor(math.pow(T, c) + 1e-9))


def tradeoff_regret(T: int, c: float, ld: int, M: int) -> float:
    """Theorem "Oracle-Regret Tradeoff": T^(1 - c/2) sqrt(ld + (M+1) ln(eT)), up to the constant that it hides.

    >>> round(tradeoff_regret(1000, 1.0, 1, 1), 1)
    129.7
    """
    return math.pow(T, 1 - c / 2) * math.sqrt(ld + (M + 1) * math.log(math.e * T))


def tradeoff_queries(T: int, c: float, d_vc: int) -> int:
    """Theorem "Oracle-Regret Tradeoff" (queries), exactly: 2 T Sauer(K), K = floor(T^c).

    >>> tradeoff_queries(100, 0.5, 1)
    2200
    """
    return 2 * T * sauer(commits(T, c), d_vc)


def total_queries(T: int, d_vc: int) -> int:
    """Corollary on total oracle efficiency, exactly: 2 Sauer(t - 1) a round, summed over T rounds.

    >>> total_queries(4, 1), total_queries(100, 1)
    (20, 10100)
    """
    # sum_{t < T} C(t, i) = C(T, i + 1): no loop over the rounds.
    return 2 * sum(math.comb(T, i + 1) for i in range(d_vc + 1))
