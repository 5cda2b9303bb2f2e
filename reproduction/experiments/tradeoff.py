"""Theorem "Oracle-Regret Tradeoff": T^(1 + c VC) queries for regret of order T^(1 - c/2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import played, played_on_new_points
from reproduction.stats import ERRORS, at_most, exponent, fitted, mean, mean_is, near, spread, standard_error

DRAWS = 200
"""Sets of commits that are drawn, to know how far an exponent may be off."""


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner."""
    concept_class = at.parse(cell["class"])
    learner = at.LazyAdept(concept_class, cell["T"], exponent=cell["c"], seed=cell["seed"])
    counted = cell["part"] == "calls"
    game = played_on_new_points(learner, concept_class, cell) if counted else played(learner, cell)
    return {
        "K": learner.commits,
        "d_vc": concept_class.vc_dimension,
        "littlestone": concept_class.littlestone_dimension,
        "M": learner.inner.mistake_bound,
        "asked": learner.queries.asked,
        "regret": game.regret,
    }


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Calls within 2 T Sauer(K) and of the right exponent; regret falls as c grows."""
    for (spec, c), members in groups(part(rows, "calls"), "class", "c").items():
        d, horizons = members[0]["d_vc"], sorted({r["T"] for r in members})
        own = exponent(horizons, [expected_calls(T, at.bounds.commits(T, c), d) for T in horizons])
        note = f"T = {horizons[0]}..{horizons[-1]}; of the exact expectation, towards 1 + c VC = {1 + c * d:.1f}"
        claim = f"exponent of calls in T, c = {c}, {spec}"
        slope, _ = fitted(members, "asked")
        yield near(claim, slope, own, exponent_error(members, c, d), len(members), note)
    shares = [r["asked"] / at.bounds.tradeoff_queries(r["T"], r["c"], r["d_vc"]) for r in rows]
    yield at_most("calls / 2 T Sauer(K, VC)", shares, 1.0, "K = floor(T^c) commits")
    if calls := part(rows, "calls"):
        yield _expected(calls)
    for (stream,), members in groups(part(rows, "regret"), "stream").items():
        yield _falls(stream, members)
        yield _formula(stream, members)


def expected_calls(T: int, K: int, d: int) -> float:
    """Return the exact expectation of the calls on different points of a class that reaches Sauer's number.

    Before round t, r of the K commits have been drawn, with E C(r, i) = C(K, i) C(t-1, i) / C(T, i); summed over
    the rounds, 2 Sauer(r) gives 2 sum_{i <= d} C(K, i) (T - i) / (i + 1).

    >>> expected_calls(T=10, K=10, d=1) == at.bounds.total_queries(10, 1)
    True
    """
    return 2 * sum(math.comb(K, i) * (T - i) / (i + 1) for i in range(d + 1))


def exponent_error(rows: Sequence[Row], c: float, d: int) -> float:
    """Return the standard error of the fitted exponent: what the drawn commits give it, drawn here many times over."""
    numbers = {T: len(members) for (T,), members in groups(rows, "T").items()}
    away = {T: math.log(T) - mean([math.log(T) for T in numbers]) for T in numbers}
    whole, rng, variance = sum(a * a for a in away.values()), np.random.default_rng(0), 0.0
    for T, number in numbers.items():
        K = at.bounds.commits(T, c)
        sizes = np.array([at.bounds.sauer(r, d) for r in range(K + 1)], dtype=float)
        commits = [np.sort(rng.choice(T, K, replace=False)) for _ in range(DRAWS)]
        # Number of rounds with Sauer(r) paths, after r commits.
        calls = [float(np.diff(at_, prepend=-1, append=T - 1) @ sizes) for at_ in commits]
        variance += (away[T] / whole * spread(calls) / mean(calls)) ** 2 / number
    return math.sqrt(variance)


def _expected(rows: Sequence[Row]) -> Verdict:
    """Check that the mean number of calls is as expected."""
    # Games of one seed commit at the same times whatever the class, so seeds are what is independent.
    shares = [
        mean([r["asked"] / expected_calls(r["T"], r["K"], r["d_vc"]) for r in members])
        for members in groups(rows, "seed").values()
    ]
    note = "2 sum C(K, i) (T - i) / (i + 1), i <= VC: what the theorem's O() stands for on different points"
    return mean_is("calls / their exact expectation", shares, 1.0, note)


def _falls(stream: str, rows: Sequence[Row]) -> Verdict:
    """Check that the mean regret falls from each c to the next, up to three standard errors."""
    by_c = {key[0]: column(members, "regret") for key, members in sorted(groups(rows, "c").items())}
    steps = list(by_c.values())
    rises = [
        mean(later) - mean(sooner) - ERRORS * math.hypot(standard_error(sooner), standard_error(later))
        for sooner, later in itertools.pairwise(steps)
    ]
    # From the first c to the last the fall must be beyond doubt, not just possible.
    doubt = ERRORS * math.hypot(standard_error(steps[0]), standard_error(steps[-1]))
    held = max(rises) <= 0 and mean(steps[-1]) + doubt < mean(steps[0])
    shown = ", ".join(f"{c}: {mean(values):.0f} ± {standard_error(values):.0f}" for c, values in by_c.items())
    claim = f"mean regret at the largest c / at the smallest, {stream}"
    ratio = mean(steps[-1]) / mean(steps[0])
    note = f"T = {rows[0]['T']}; mean regret by c: {shown}"
    return Verdict(claim, "<=", 1.0, ratio, ratio, 0.0, len(rows), held, note)


def _formula(stream: str, rows: Sequence[Row]) -> Verdict:
    """Compare with the theorem's formula; its constant is hidden, and 1 suffices here."""
    shares = [r["regret"] / at.bounds.tradeoff_regret(r["T"], r["c"], r["littlestone"], r["M"]) for r in rows]
    note = "T^(1-c/2) sqrt(Ldim + (M+1) ln(eT)), the hidden constant taken as 1"
    return at_most(f"expected regret / formula of the theorem, {stream}", shares, 1.0, note)
