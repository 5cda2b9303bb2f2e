"""The bounds of the library against a second writing of their formulas: a wrong constant shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from math import ceil, comb, e, exp, floor, log, sqrt

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, groups
from reproduction.stats import ROUNDING, at_most

Pair = tuple[float, float]
"""The value of the library and the value of the statement."""


def _ln_n(T: int, M: int) -> float:
    m = min(M, T)  # more mistakes than rounds are as many as rounds
    return m * log(e * T / m)


def _kt(T: int, M: int) -> float:
    return min(T * log(2), _ln_n(T, M)) + log(T) / 2 + log(2)


def _adaptive(T: int, K: float) -> float:
    """Theorem A of docs/theory/anytime.md with x = 1/2 and K >= 8: C = sqrt(1.05)/2 (sqrt(2) + 1/sqrt(2))."""
    return sqrt(1.05) / 2 * (sqrt(2) + 1 / sqrt(2)) * sqrt(K * T) + K / 8 + 1 / 2


def _in_advance(T: int, M: int) -> Pair:
    """The promise of the paper's learner: ln N / eta + eta T / 8 at the rate of Algorithm 2, and at most T."""
    learner = at.Adept(at.Thresholds(2**M - 1), T)
    eta = sqrt(8 * _ln_n(T, M) / T)
    experts = sum(comb(T, j) for j in range(min(M, T) + 1))
    return learner.in_advance or 0.0, min(T, log(experts) / eta + eta * T / 8)


def _anytime_in_advance(T: int, M: int) -> Pair:
    """The promise of the default learner: no path costs more than min(KT's price, ln |C|) + ln 3."""
    learner = at.Adept(at.Thresholds(2**M - 1))
    K = max(2.0, min(_kt(T, M), M * log(2)) + log(3))
    x = min(2.0, max(1 / 2, 4 / K))
    constant = sqrt(1.05) / 2 * max(sqrt(x) + 1 / sqrt(x), sqrt(2) + 1 / sqrt(2))
    return learner.bound_after(T) or 0.0, min(T, constant * sqrt(K * T) + K / 8 + 1 / 2)


def _first_order_promise(T: int, M: int) -> Pair:
    """The promise of the first-order rate for a stream with L* = T/100, on paths."""
    learner = at.Adept(at.Thresholds(2**M - 1), T, rate="first-order", engine="paths")
    ln_n = log(sum(comb(T, j) for j in range(M + 1)))

    def proven(L: int) -> float:
        return max(2.63 * sqrt(ln_n * (L + 1)), 5.3 * ln_n)

    # For any stream the regret is at most T - L* too, so the worst L* is where the two bounds meet.
    anyway = max(min(proven(L), T - L) for L in range(T + 1))
    return learner.bound_for(T // 100) or 0.0, min(anyway, proven(T // 100))


def _coins(T: int, M: int) -> Pair:
    """(m/2) E|S_n| of m = 3^d points (2 for d = 1) and n odd coins each, the mean of |S_n| taken from its chances."""
    d = min(M, 4)
    m = min(2 if d == 1 else 3**d, T)
    n = next(n for n in range(T // m, 0, -1) if n % 2)
    if n > 999:  # beyond that the probabilities underflow
        return 0.0, 0.0
    mean = sum(comb(n, k) * abs(2 * k - n) for k in range(n + 1)) / 2**n
    return at.bounds.dimension_lower_bound(T, d), m / 2 * mean


def _excess(T: int, M: int) -> Pair:
    """The least S with sum w_i exp(lambda_i S - (e^lambda_i - lambda_i - 1) Q) = 1/delta, at Q = T and delta = 2^-M."""
    S = at.bounds.excess(T, 2.0**-M)
    tilts = [2.0 ** (1 - i) for i in range(40)]
    logs = [log(8 / ((i + 8) * (i + 9))) + t * S - (exp(t) - t - 1) * T for i, t in enumerate(tilts)]
    return max(logs) + log(sum(exp(value - max(logs)) for value in logs)), M * log(2)


def _perturbed(T: int, M: int) -> Pair:
    """FTPL's promise for noise M/2 on n = 4M points and 2^M concepts; the chance of k is e^-noise|k|, scaled."""
    noise, points = M / 2, 4 * M
    said = at.bounds.ftpl_regret(T, points, M * log(2), noise)
    return said, (1 - exp(-noise)) * T + _most_perturbed(M * log(2), points, noise)


@cache
def _most_perturbed(log_concepts: float, points: int, noise: float) -> float:
    numbers = range(-600, 601)
    whole = sum(exp(-noise * abs(k)) for k in numbers)
    tilts = [noise * i / 100 for i in range(1, 91)]
    means = {s: sum(exp(s * k - noise * abs(k)) for k in numbers) / whole for s in tilts}
    return min((log_concepts + points * log(mean)) / (2 * s) for s, mean in means.items())


# Each over T and a dimension or number of mistakes; written as the paper (or the page named) writes it.
FORMULAS: dict[str, Callable[[int, int], Pair]] = {
    "main theorem: sqrt(T M ln(eT/M) / 2)": lambda T, M: (at.bounds.regret(T, M), sqrt(T * _ln_n(T, M) / 2)),
    "Algorithm 2: eta = sqrt(8 M ln(eT/M) / T)": lambda T, M: (at.bounds.paper_rate(T, M), sqrt(8 * _ln_n(T, M) / T)),
    "Algorithm 1: N = sum C(T, j), j <= M": lambda T, M: (
        float(at.bounds.experts(T, M)), float(sum(comb(T, j) for j in range(M + 1)))
    ),
    "survival lemma: ln N / eta + eta T / 8": lambda T, M: (
        at.bounds.regret_at_rate(T, float(M), 0.25), 4 * M + T / 32
    ),
    "width lemma: Sauer's number": lambda T, M: (
        float(at.bounds.sauer(T, M)), float(sum(comb(T, i) for i in range(M + 1)))
    ),
    "total queries: 2 x sum of Sauer's numbers": lambda T, M: (
        float(at.bounds.total_queries(T, M)), 2.0 * sum(comb(t, i) for t in range(T) for i in range(M + 1))
    ),
    "instance-dependent bound: max(2.63 sqrt(ln N (L* + 1)), 5.3 ln N)": lambda T, M: (
        at.bounds.first_order_regret(T, float(M)), max(2.63 * sqrt(M * (T + 1)), 5.3 * M)
    ),
    "tradeoff: K = floor(T^c)": lambda T, M: (float(at.bounds.commits(T, 1 / M)), float(floor(T ** (1 / M) + 1e-9))),
    "tradeoff: T^(1-c/2) sqrt(Ldim + (M+1) ln(eT))": lambda T, M: (
        at.bounds.tradeoff_regret(T, 0.4, M, M), T**0.8 * sqrt(M + (M + 1) * log(e * T))
    ),
    "tradeoff: 2 T Sauer(K) queries": lambda T, M: (
        float(at.bounds.tradeoff_queries(T, 0.5, M)),
        2.0 * T * sum(comb(floor(sqrt(T) + 1e-9), i) for i in range(M + 1)),
    ),
    "lower bound: T/2 min(1, d/(Q+1)) - Q/2": lambda T, M: (
        at.bounds.query_lower_bound(T, ceil(T / 50), M), T / 2 * min(1, M / (ceil(T / 50) + 1)) - ceil(T / 50) / 2
    ),
    "KT's price: min(T ln 2, M ln(eT/M)) + ln(T)/2 + ln 2": lambda T, M: (at.bounds.kt_cost(T, M), _kt(T, M)),
    "Theorem A: 1.087 sqrt(K T) + K/8 + 1/2": lambda T, M: (
        at.bounds.adaptive_regret_in_advance(T, 8.0 + M), _adaptive(T, 8.0 + M)
    ),
    "queries of a game: 2 x the width before each round": lambda T, M: (
        float(at.bounds.queries(list(range(M, T + M)))), float(T * (T + 2 * M - 1))
    ),
    "FTPL on n points: (1 - e^-noise) T + min over s of (ln N + n ln E e^(s k)) / 2s": _perturbed,
    "the same on a grid of 5 %: max(2.66 sqrt(ln N (L* + 1)), 5.36 ln N)": lambda T, M: (
        at.bounds.first_order_regret(T, float(M), True), max(2.66 * sqrt(M * (T + 1)), 5.36 * M)
    ),
    "rate of the clock: sqrt(K t) (1 + sqrt(1.05)) / 2": lambda T, M: (
        at.bounds.anytime_regret(T, float(M)), sqrt(M * T) * (1 + sqrt(1.05)) / 2
    ),
    "Hedge over a listed class: sqrt(T ln|C| / 2)": lambda T, M: (
        at.bounds.hedge_regret(T, 2**M), sqrt(T * M * log(2) / 2)
    ),
    "forced mistakes: 3^d, and 2 for d = 1": lambda T, M: (
        float(at.bounds.forced_mistakes(M)), float(2 if M == 1 else 3**M)
    ),
    "the dimension's bound: (m/2) E|S_n|": _coins,
    "late labels at one rate: K/eta + eta (n + 2D)/8": lambda T, M: (
        at.bounds.late_regret_at_rate(T, 3 * T, float(M), 0.25), 4 * M + (T + 6 * T) / 32
    ),
    "late labels at the adaptive rate: Theorem D": lambda T, M: (
        at.bounds.late_adaptive_regret(T, T, M, 8.0 + M),
        _adaptive(3 * T, 8.0 + M) - (8 + M) / 8 - 1 / 2 + ((8 + M) / 4 + 1) * (1 + 42 * M) + M,
    ),
    "drawn losses: Theorem E": _excess,
    "promised by Adept(c, T) in advance": _in_advance,
    "promised by Adept(c) in advance": _anytime_in_advance,
    'promised by rate="first-order" at L* = T/100': _first_order_promise,
}  # fmt: skip


def run(cell: Cell) -> Row:
    """Compare one formula over all sizes."""
    pairs = [FORMULAS[cell["formula"]](T, M) for T, M in product(cell["sizes"], range(1, 9))]
    return {"worst": max(abs(said - meant) / max(1e-9, abs(meant)) for said, meant in pairs), "values": len(pairs)}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Nothing but rounding lies between the two."""
    for (formula,), members in groups(rows, "formula").items():
        values = [float(row["worst"]) for row in members]
        sizes = members[0]["sizes"]
        note = f"{members[0]['values']} values, T = {sizes[0]}..{sizes[-1]}; relative difference"
        yield at_most(formula, values, ROUNDING, note)
