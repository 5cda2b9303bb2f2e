"""Every formula of the paper as a function; the docstring names its theorem.

Letters follow the paper: T rounds, M mistakes of the base learner, d_vc the VC dimension,
N = sum_{j <= M} C(T, j) experts, L* the best loss in hindsight.
"""

from __future__ import annotations

import math
from bisect import bisect_right

from adeptree.theory.checked_formulas import of_numbers
from adeptree.theory.lower_bounds import dimension_lower_bound as dimension_lower_bound
from adeptree.theory.lower_bounds import forced_mistakes as forced_mistakes
from adeptree.theory.lower_bounds import query_lower_bound as query_lower_bound


@of_numbers
def sauer(t: int, d_vc: int) -> int:
    """Sauer's lemma: at most this many labellings of t distinct points are realizable.

    >>> sauer(10, 1), sauer(10, 2), sauer(3, 5)
    (11, 56, 8)
    """
    return sum(math.comb(t, i) for i in range(min(t, d_vc) + 1))


@of_numbers
def experts(T: int, M: int) -> int:
    """Algorithm 1: the number N of mistake schedules, sum_{j <= M} C(T, j).

    >>> experts(4, 2)
    11
    """
    return sauer(T, M)


@of_numbers
def log_experts_bound(T: int, M: int) -> float:
    """Main theorem: ln N <= M ln(eT/M), with M replaced by T when it is larger; 0 for M = 0.

    >>> round(log_experts_bound(1000, 3), 3)
    20.427
    """
    m = min(M, T)
    return m * math.log(math.e * T / m) if m else 0.0


@of_numbers
def tuned_rate(T: int, log_experts: float) -> float:
    """The constant rate at which ln N / eta + eta T / 8 is least: sqrt(8 ln N / T).

    >>> tuned_rate(100, 2.0)
    0.4
    """
    return math.sqrt(8 * log_experts / T)


@of_numbers
def paper_rate(T: int, M: int) -> float:
    """Algorithm 2: the learning rate eta = sqrt(8 M ln(eT/M) / T).

    >>> paper_rate(100, 0)
    0.0
    """
    return tuned_rate(T, log_experts_bound(T, M))


@of_numbers
def regret(T: int, M: int) -> float:
    """Main theorem (regret): sqrt(T M ln(eT/M) / 2) bounds the expected regret of ADEPT.

    >>> round(regret(1000, 10), 1)
    167.4
    """
    return math.sqrt(T * log_experts_bound(T, M) / 2)


@of_numbers
def regret_at_rate(T: int, log_experts: float, rate: float, scale: float = 1.0) -> float:
    """Lemma "Survival of the Optimal Expert" at any constant rate: ln N / eta + eta T / 8.
    Rounds that weigh up to ``scale`` give ln N / eta + eta T scale^2 / 8 (``docs/theory/anytime.md``).

    >>> round(regret_at_rate(1000, 50.0, 0.5), 1)
    162.5
    """
    return log_experts / rate + rate * T * scale**2 / 8


@of_numbers
def first_order_regret(best_loss: float, log_experts: float, on_grid: bool = False) -> float:
    """Corollary "Instance-Dependent Bound", with explicit constants: max{2.63 sqrt(ln N (L* + 1)), 5.3 ln N}.
    With the rate on a 5 % grid of L* + 1 they are 2.66 and 5.36 (``docs/theory/anytime.md``, section 5).

    >>> first_order_regret(0, 10.0), first_order_regret(0, 10.0, on_grid=True)
    (53.0, 53.6)
    """
    root, linear = (2.66, 5.36) if on_grid else (2.63, 5.3)
    return max(root * math.sqrt(log_experts * (best_loss + 1)), linear * log_experts)


@of_numbers
def first_order_regret_in_advance(T: int, log_experts: float, on_grid: bool = False) -> float:
    """Corollary "Instance-Dependent Bound" for any stream of T rounds: the largest min{bound(L*), T - L*}.

    >>> first_order_regret_in_advance(100, 2.0), round(first_order_regret_in_advance(10_000, 2.0), 1)
    (31.0, 365.1)
    """
    # bound(L*) grows, T - L* falls: the last L* at which the first is the smaller
    low = bisect_right(range(1, T + 1), 0.0, key=lambda L: first_order_regret(L, log_experts, on_grid) - (T - L))
    here = min(first_order_regret(low, log_experts, on_grid), T - low)
    return float(max(here, T - low - 1))


@of_numbers
def kt_cost(T: int, M: int) -> float:
    """Price of the KT prior for a path with at most M mistakes in at most T contested rounds: ln(1/pi) is at most min{T
    ln 2, M ln(eT/M)} + ln(T)/2 + ln 2 (``docs/theory/anytime.md``).

    >>> round(kt_cost(1000, 8), 3)
    50.774
    """
    if T == 0:
        return 0.0
    return min(T * math.log(2), log_experts_bound(T, M)) + math.log(T) / 2 + math.log(2)


@of_numbers
def anytime_regret(t: int, price: float) -> float:
    """Beyond the paper: regret at the rate 2 sqrt(K_t/t) on a 5 % grid, K_t the largest price, for all t at once:
    sqrt(K_t t) (1 + sqrt(1.05)) / 2 (``docs/theory/anytime.md``).

    >>> round(anytime_regret(1000, kt_cost(1000, 8)), 1)
    228.1
    """
    return math.sqrt(price * t) * (1 + math.sqrt(1.05)) / 2


@of_numbers
def adaptive_constant(price: float, floor: float = 0.5) -> float:
    """C of Theorem A (``docs/theory/anytime.md``): sqrt(1.05)/2 max{phi(x'), phi(2)}, phi(z) = sqrt(z) + 1/sqrt(z).

    >>> [round(adaptive_constant(100.0, x), 4) for x in (1 / 2, 1 / 4, 1 / 8)]
    [1.0869, 1.2809, 1.6303]
    """
    x = min(2.0, max(floor, 4 / max(price, 2.0)))
    return math.sqrt(1.05) / 2 * max(math.sqrt(z) + 1 / math.sqrt(z) for z in (x, 2.0))


@of_numbers
def adaptive_regret_in_advance(t: int, price: float, floor: float = 0.5) -> float:
    """Beyond the paper: regret at the rate "adaptive" if the largest price is K, for all t at once: C sqrt(K t) + K/8 +
    1/2 with C = 1.087 if the rate uses half of K (Theorem A of ``docs/theory/anytime.md``).

    >>> round(adaptive_regret_in_advance(2000, math.log(1025) + math.log(3)), 1)
    139.2
    """
    K = max(2.0, price)
    return adaptive_constant(K, floor) * math.sqrt(K * t) + K / 8 + 0.5


@of_numbers
def late_regret_at_rate(labels: int, overlaps: int, price: float, rate: float) -> float:
    """Beyond the paper: regret with late labels, at a constant rate with a prior that loses no mass: K/eta + eta (n +
    2D)/8 for n labels and D overlaps, pairs of rounds that waited together (Theorem C of ``docs/theory/anytime.md``).

    >>> round(late_regret_at_rate(1000, 10_000, 8.0, 0.05), 1)
    291.2
    """
    return price / rate + rate * (labels + 2 * overlaps) / 8


@of_numbers
def late_adaptive_regret(answers: int, overlaps: int, open_at_change: int, price: float, floor: float = 0.5) -> float:
    """Beyond the paper: regret with late labels, at the rate "adaptive" with a prior that loses no mass: C sqrt(K V) +
    (K/4 + 1)(1 + 42 d) + d with V = answers + 2 overlaps, d the most tickets open at a change of the rate (Theorem D of
    ``docs/theory/anytime.md``). The factor 42 is the proof's.

    >>> late_adaptive_regret(1000, 0, 0, 8.0) < late_adaptive_regret(1000, 5000, 1, 8.0)
    True
    """
    K, V, d = max(2.0, price), answers + 2 * overlaps, open_at_change
    return adaptive_constant(K, floor) * math.sqrt(K * V) + (K / 4 + 1) * (1 + 42 * d) + d


TILTS = tuple((2.0 ** (1 - i), 8 / ((i + 8) * (i + 9))) for i in range(40))
"""lambda_i = 2^(1-i) and its weight w_i in Theorem E of ``docs/theory/anytime.md``.

:meta hide-value:
"""


@of_numbers
def excess(variance: float, delta: float, scale: float = 1.0) -> float:
    """Theorem E (``docs/theory/anytime.md``): the excess of drawn over expected losses, at all times at once. With
    probability at least 1 - delta, drawn losses never exceed their expectation by more than this function of the sum of
    w^2 p (1 - p) so far. No round weighs more than ``scale``.

    >>> [round(excess(Q, 0.05), 1) for Q in (1, 25, 2500)]
    [4.6, 18.3, 174.5]
    """
    Q, wanted = variance / scale**2, math.log(1 / delta)

    def log_mixture(S: float) -> float:
        logs = [math.log(w) + tilt * S - (math.expm1(tilt) - tilt) * Q for tilt, w in TILTS]
        top = max(logs)
        return top + math.log(sum(math.exp(log - top) for log in logs))

    low, high = 0.0, min(((math.expm1(tilt) - tilt) * Q + wanted - math.log(w)) / tilt for tilt, w in TILTS)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if log_mixture(middle) <= wanted else (low, middle)
    return scale * high


@of_numbers
def hedge_regret(T: int, concepts: int) -> float:
    """Hedge over a finite class with its tuned constant rate: sqrt(T ln|C| / 2).

    >>> round(hedge_regret(1000, 256), 1)
    52.7
    """
    return math.sqrt(T * math.log(concepts) / 2)


def queries(widths: list[int]) -> int:
    """Main theorem (queries): 2 x width queries per round, from the width *before* each round.

    >>> queries([1, 2, 3])
    12
    """
    return 2 * sum(widths)


@of_numbers
def ftpl_regret(T: int, points: int, log_concepts: float, noise: float) -> float:
    """FTPL with two-sided geometric noise e^(-noise |k|) on n known points: (1 - e^-noise) T + E max_c.

    It is not in the paper; the proof is in ``reproduction.perturbed_leader``. The second term is bounded by the moment
    generating function, min_s (ln N + n ln E e^(s k)) / 2s, about sqrt(n ln N) / noise.

    >>> round(ftpl_regret(1000, 16, 2.83, 0.08), 1)
    164.4
    """
    a = math.exp(-noise)

    def log_mgf(s: float) -> float:
        return 2 * math.log(1 - a) - math.log(1 - a * math.exp(s)) - math.log(1 - a * math.exp(-s))

    tilts = (noise * i / 100 for i in range(1, 100))
    return (1 - a) * T + min((log_concepts + points * log_mgf(s)) / (2 * s) for s in tilts)


@of_numbers
def commits(T: int, c: float) -> int:
    """Theorem "Oracle-Regret Tradeoff": the K = floor(T^c) rounds that are committed, at least one.

    >>> commits(1000, 0.5), commits(100, 0.5)
    (31, 10)
    """
    return max(1, math.floor(math.pow(T, c) + 1e-9))


@of_numbers
def tradeoff_regret(T: int, c: float, ld: int, M: int) -> float:
    """Theorem "Oracle-Regret Tradeoff": T^(1 - c/2) sqrt(ld + (M+1) ln(eT)), up to a constant that the theorem does not
    state.

    >>> round(tradeoff_regret(1000, 1.0, 1, 1), 1)
    129.7
    """
    return math.pow(T, 1 - c / 2) * math.sqrt(ld + (M + 1) * math.log(math.e * T))


@of_numbers
def tradeoff_queries(T: int, c: float, d_vc: int) -> int:
    """Theorem "Oracle-Regret Tradeoff" (queries), exactly: 2 T Sauer(K), K = floor(T^c).

    >>> tradeoff_queries(100, 0.5, 1)
    2200
    """
    return 2 * T * sauer(commits(T, c), d_vc)


@of_numbers
def total_queries(T: int, d_vc: int) -> int:
    """Corollary on total oracle efficiency, exactly: 2 Sauer(t - 1) per round, summed over T rounds.

    >>> total_queries(4, 1), total_queries(100, 1)
    (20, 10100)
    """
    # sum_{t < T} C(t, i) = C(T, i + 1): no loop over the rounds.
    return 2 * sum(math.comb(T, i + 1) for i in range(d_vc + 1))
