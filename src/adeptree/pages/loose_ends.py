"""Where the paper is loose, and what the experiments of this very run show about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from adeptree.experiments.experiment import Row, column, groups, part
from adeptree.experiments.lower_bound import by_budget, telling
from adeptree.experiments.stats import fitted
from adeptree.theory import bounds


class Finding(NamedTuple):
    """One place of the paper: what it says, what is right, and what was measured."""

    where: str
    text: str
    measured: str


def findings(rows: dict[str, list[Row]]) -> list[Finding]:
    """Return the findings whose experiment was run."""
    return [make(rows[name]) for name, make in MADE if name in rows]


def _same_distribution(rows: Sequence[Row]) -> Finding:
    small = part(rows, "experts")
    plain, deleting = max(column(small, "gap_to_classic")), max(column(small, "gap_to_deleting"))
    return Finding(
        'Sec. "ADEPT": identical distribution to Algorithm 1',
        "ADEPT does not predict with the distribution of Algorithm 1 once pruning bites. It equals Algorithm 1 "
        "with every "
        "expert deleted as soon as its labels stop being realizable. The regret proof needs no more than that: the "
        'potential does not increase (the paper says "strictly decreases").',
        f"largest difference in P over {len(small)} games: {deleting:.1e} with the deletion, {plain:.2f} without.",
    )


def _query_proof(rows: Sequence[Row]) -> Finding:
    share = max(column(rows, "worst_share"))
    extra = max(r["calls"] - r["calls_of_natural_base"] for r in rows)
    return Finding(
        'Corollary "Total Oracle Efficiency": proof of the query bound',
        "The proof says that every query is the active prefix or one of its two extensions. An oracle-only learner "
        "looks at virtual functions, which are other realizable labellings. Correct: every query extends some "
        "realizable labelling of the earlier points by one point, if virtual functions commit on every point in "
        "order; the count is 2 × (realizable labellings), with answers shared between paths.",
        f"distinct queries in a round were at most {share:.2f} of that number, and Ghost added {extra} calls.",
    )


def _exponents(rows: Sequence[Row]) -> Finding:
    asked = part(rows, "asked")
    shown = []
    for (d,), members in groups(asked, "d_vc").items():
        slopes = [fitted(some, "asked")[0] for some in groups(members, "class", "base").values()]
        shown.append(f"{min(slopes):.2f} to {max(slopes):.2f} for VC dimension {d}")
    return Finding(
        'Corollary "Total Oracle Efficiency" and Sec. "Tradeoffs": exponents',
        'The corollary states O(t^(VC+1)) queries "per round"; its proof, and the total of O(T^(VC+1)), give '
        "O(t^VC) per round. Sec. 4.1's O(T^VC) ERM queries should read O(T^(VC+1)) weak-consistency queries. For t ≤ "
        "VC the number is 2^t.",
        f"fitted exponents of all queries in T: {'; '.join(shown)}.",
    )


def _small_horizons(rows: Sequence[Row]) -> Finding:
    beyond = [r for r in rows if r["M"] > r["T"]]
    if not beyond:
        measured = "no run of this report had M > T."
    else:
        one = max(beyond, key=lambda r: r["M"] / r["T"])
        formula = one["M"] * math.log(math.e * one["T"] / one["M"])
        share = max(r["regret"] / bounds.regret(r["T"], r["M"]) for r in beyond)
        measured = (
            f"{len(beyond)} runs had M > T; at M = {one['M']}, T = {one['T']} the paper's M ln(eT/M) is {formula:.0f}, "
            f"while ln N = {math.log(bounds.experts(one['T'], one['M'])):.1f}. With min(M, T) the regret was at most "
            f"{share:.2f} of the bound."
        )
    return Finding(
        "Algorithm 2: the rate at M = 0 and at M > T",
        "η = √(8 M ln(eT/M) / T) is 0 · ln ∞ at M = 0 and the root of a negative number at M > eT; (eT/M)^M bounds "
        "the number of experts only for M ≤ T. Here M = 0 means one path and η = 0, and M is replaced by min(M, T).",
        measured,
    )


def _adaptive_rate(rows: Sequence[Row]) -> Finding:
    adaptive = [r for r in rows if r["rate"] == "first-order"]
    share = max(r["regret"] / bounds.first_order_regret(r["best_loss"], r["log_experts"]) for r in adaptive)
    largest = max(r["T"] for r in rows if r["part"] == "growth")
    upper = [r for r in rows if r["part"] == "growth" and r["T"] >= largest / 4]
    slopes = {rate: fitted(some, "mistakes")[0] for (rate,), some in groups(upper, "rate").items()}
    return Finding(
        'Corollary "Instance-Dependent Bound": the constant in η',
        "η ∝ 1/√(L*+1) needs the constant √(ln N) and a cap: η = min(1/2, √(ln N / (L*+1))). Then the adaptive "
        "analysis survives pruning, with regret at most max(2.63 √((L*+1) ln N), 5.3 ln N). Weights must be "
        "recomputed from integer losses in every round.",
        f"regret was at most {share:.2f} of this bound; on realizable streams the mistakes from T = {largest // 4} on "
        f"fit T^{slopes['first-order']:.2f}, against T^{slopes['paper']:.2f} with Algorithm 2's constant rate.",
    )


def _hidden_constants(rows: Sequence[Row]) -> Finding:
    measured = part(rows, "regret")
    one = measured[0]
    cs = sorted({r["c"] for r in measured})
    vacuous = [c for c in cs if bounds.tradeoff_regret(one["T"], c, one["littlestone"], one["M"]) >= one["T"] / 2]
    share = max(r["regret"] / bounds.tradeoff_regret(r["T"], r["c"], r["littlestone"], r["M"]) for r in measured)
    return Finding(
        'Theorem "Oracle-Regret Tradeoff": hidden constants',
        "The constant of the uniform law of large numbers is hidden; the introduction has M where the theorem has M "
        "+ 1; the regret-transfer display lacks 1/T. Capacities and rate need the horizon K = floor(T^c) and min(M, "
        "K), every commitment of an unsampled round is rolled back, and the prediction never looks at whether its "
        "round is sampled. The bound says nothing unless K is much larger than Ldim + M log T.",
        f"at T = {one['T']} the formula with constant 1 exceeds T/2 for c = {', '.join(map(str, vacuous)) or 'none'}; "
        f"measured regret was at most {share:.2f} of it. On random labels (not used here) regret cannot depend on c: "
        "every learner errs T/2 times in expectation.",
    )


def _adversarial_ties(rows: Sequence[Row]) -> Finding:
    return Finding(
        'Theorem "Lower Bound": whose oracle it is',
        "The ERM oracle must break its ties against the learner: it never names a block that will be used later, and "
        "points are fresh. A fixed tie-break such as the lowest-numbered block would leak the next phase. The "
        "comparator for general d picks the d phases with the most positives. Here the adversary owns the oracle and "
        "makes blocks only when a phase opens.",
        _closest(rows),
    )


def _closest(rows: Sequence[Row]) -> str:
    """Say how close the learners came to the lower bound, where it says more than T/2."""
    ratios: dict[str, float] = {}
    below = 0
    for (d, learner), members in groups(rows, "d", "learner").items():
        at = by_budget(members)
        below += sum(not verdict.held for verdict in at.values())
        ratios |= {f"the {learner} at d = {d}, Q = {Q}": at[Q].ratio for Q in telling(d, at)}
    if not ratios:
        return "no run of this report had a budget at which the bound says something."
    name = min(ratios, key=lambda who: ratios[who])
    return (
        f"{below} mean regrets lay below the bound by more than three standard errors; the closest was {name}, with "
        f"{ratios[name]:.2f} times the bound."
    )


MADE: tuple[tuple[str, Callable[[Sequence[Row]], Finding]], ...] = (
    ("soa-memory", _same_distribution),
    ("oracle-efficiency", _query_proof),
    ("queries", _exponents),
    ("oracle-efficiency", _small_horizons),
    ("first-order", _adaptive_rate),
    ("tradeoff", _hidden_constants),
    ("lower-bound", _adversarial_ties),
)
