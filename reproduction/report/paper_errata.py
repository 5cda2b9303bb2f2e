"""Errata of the paper (``paper_errata.toml``), each with the numbers that the experiments of this run give."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adeptree.theory import bounds
from reproduction.experiment import Row, column, groups, part
from reproduction.experiments.lower_bound import by_budget, telling
from reproduction.stats import fitted, mean

Measured = dict[str, Any]
"""The inserted text; empty if the rows show nothing."""


class Finding(NamedTuple):
    """One place of the paper: what it says, what is right, and what was measured."""

    where: str
    text: str
    measured: str


def findings(rows: dict[str, list[Row]]) -> list[Finding]:
    """Return the findings whose experiment was run."""
    return [
        _finding(told, MEASURE[name](rows[told["experiment"]])) for name, told in ERRATA if told["experiment"] in rows
    ]


def _finding(told: dict[str, str], measured: Measured) -> Finding:
    says = told["measured"].format(**measured) if measured else told["otherwise"]
    return Finding(told["where"], told["text"], says)


def _same_distribution(rows: Sequence[Row]) -> Measured:
    small = part(rows, "experts")
    plain, deleting = max(column(small, "gap_to_classic")), max(column(small, "gap_to_deleting"))
    return {"games": len(small), "plain": plain, "deleting": deleting}


def _query_proof(rows: Sequence[Row]) -> Measured:
    extra = max(row["calls"] - row["calls_of_natural_base"] for row in rows)
    return {"share": max(column(rows, "worst_share")), "extra": extra}


def _exponents(rows: Sequence[Row]) -> Measured:
    shown = []
    for (d,), members in groups(part(rows, "asked"), "d_vc").items():
        slopes = [fitted(some, "asked")[0] for some in groups(members, "class", "base").values()]
        shown.append(f"{min(slopes):.2f} to {max(slopes):.2f} for VC dimension {d}")
    return {"slopes": "; ".join(shown)}


def _small_horizons(rows: Sequence[Row]) -> Measured:
    beyond = [row for row in rows if row["M"] > row["T"]]
    if not beyond:
        return {}
    M, T = max(((row["M"], row["T"]) for row in beyond), key=lambda pair: pair[0] / pair[1])
    share = max(row["regret"] / bounds.regret(row["T"], row["M"]) for row in beyond)
    sizes = {"formula": M * math.log(math.e * T / M), "experts": math.log(bounds.experts(T, M))}
    return {"runs": len(beyond), "M": M, "T": T, "share": share, **sizes}


def _adaptive_rate(rows: Sequence[Row]) -> Measured:
    adaptive = [row for row in rows if row["rate"] == "first-order"]
    share = max(row["regret"] / bounds.first_order_regret(row["best_loss"], row["log_experts"]) for row in adaptive)
    growing = part(rows, "growth")
    largest = max(row["T"] for row in growing)
    upper = groups([row for row in growing if row["T"] >= largest / 4], "rate")
    slopes = {
        name: fitted(upper[(rate,)], "mistakes")[0] for name, rate in (("adaptive", "first-order"), ("paper", "paper"))
    }
    return {"share": share, "upper": largest // 4, **slopes}


def _hidden_constants(rows: Sequence[Row]) -> Measured:
    measured, formulas = part(rows, "regret"), {}
    for (T, c), members in groups(measured, "T", "c").items():
        formulas[c] = bounds.tradeoff_regret(T, c, members[0]["littlestone"], members[0]["M"])
    T = measured[0]["T"]
    vacuous = ", ".join(str(c) for c in sorted(formulas) if formulas[c] >= T / 2)
    share = max(row["regret"] / formulas[row["c"]] for row in measured)
    return {"T": T, "vacuous": vacuous or "none", "share": share}


def _adversarial_ties(rows: Sequence[Row]) -> Measured:
    """Describe how close the learners came to the lower bound, if it is not vacuous."""
    ratios: dict[str, float] = {}
    below = 0
    for (d, learner), members in groups(rows, "d", "learner").items():
        at = by_budget(members)
        below += sum(not verdict.held for verdict in at.values())
        ratios |= {f"the {learner} at d = {d}, Q = {Q}": at[Q].ratio for Q in telling(d, at)}
    name = min(ratios, key=lambda who: ratios[who], default="")
    return {"below": below, "name": name, "ratio": ratios[name]} if ratios else {}


def _losses(rows: Sequence[Row]) -> Measured:
    """Name the configurations in which the default learner loses, on average over seeds."""
    to_paper, to_constant = [], []
    for (spec, stream, T), members in groups(part(rows, "losing"), "class", "stream", "T").items():
        name = f"{spec.split('(cuts')[0]}, {stream}, T = {T}"
        ours, paper, over = (mean(column(members, each)) for each in ("regret", "paper", "over_constant"))
        if ours > paper:
            to_paper.append(f"{name}: {ours:.1f} for {paper:.1f}")
        if over > 0:
            to_constant.append(f"{name}: {over:.1f} more")
    return {"paper": "; ".join(to_paper) or "nowhere", "constant": "; ".join(to_constant) or "nowhere"}


ERRATA = list(tomllib.loads(Path(__file__).with_name("paper_errata.toml").read_text(encoding="utf-8")).items())
MEASURE: dict[str, Callable[[Sequence[Row]], Measured]] = {
    "same_distribution": _same_distribution,
    "query_proof": _query_proof,
    "exponents": _exponents,
    "small_horizons": _small_horizons,
    "adaptive_rate": _adaptive_rate,
    "hidden_constants": _hidden_constants,
    "adversarial_ties": _adversarial_ties,
    "losses": _losses,
}
