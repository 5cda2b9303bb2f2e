"""Beyond the paper: ADEPT without T and M has less regret than with them, and a bound after every round."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import adeptree as at
from adeptree.families.listed import EnumerableClass
from adeptree.games.adversaries import History
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import adversary, played
from reproduction.stats import ERRORS, ROUNDING, at_most, mean, standard_error

AGAINST_HEDGE = 1.3
"""The claim: at most this multiple of the regret of Hedge over all concepts (docs/evidence/regret.md)."""
PARTS = 20
"""Number of comparisons of bound and regret along a stream."""


def run(cell: Cell) -> Row:
    """Play one stream."""
    parts = {"compare": _compare, "bound": _hard, "narrow": _narrow, "losing": _losing}
    return parts[cell["part"]](cell, at.parse(cell["class"]))


def _compare(cell: Cell, concept_class: at.ConceptClass) -> Row:
    T, seed = cell["T"], cell["seed"]
    xs, ys = _stream(cell, concept_class)
    paper, learner = at.Adept(concept_class, T, seed=seed), at.Adept(concept_class, seed=seed)
    share, step = 0.0, -(-T // PARTS)
    curves: dict[str, list[float]] = {"t": [], "paper": [], "anytime": [], "bound": []}
    for start in range(0, T, step):
        for player in (paper, learner):
            player.learn_many(xs[start : start + step], ys[start : start + step])
        share = max(share, _share(learner))
        for name, value in zip(curves, (learner.rounds, paper.regret, learner.regret, learner.bound), strict=True):
            curves[name].append(value)
    formula = at.bounds.regret(T, paper.mistake_bound or 0)
    row: Row = {"regret": learner.regret, "paper": paper.regret, "bound": learner.bound, "formula": formula}
    row["share"] = share
    if isinstance(concept_class, EnumerableClass):
        hedge = at.Hedge(concept_class, seed=seed)
        hedge.learn_many(xs, ys)
        row["hedge"] = hedge.regret
    return row | ({"curves": curves} if seed == 0 else {})


def _stream(cell: Cell, concept_class: at.ConceptClass) -> tuple[list[Any], list[int]]:
    """Return the whole stream: these adversaries do not look at the learner."""
    oblivious = adversary(cell["stream"], concept_class, cell["T"])
    oblivious.start(cell["T"], cell["seed"])
    xs, ys = [], []
    for _ in range(cell["T"]):
        xs.append(oblivious.instance(History()))
        ys.append(oblivious.label(History(), xs[-1], 0.5))
    return xs, ys


def _losing(cell: Cell, concept_class: at.ConceptClass) -> Row:
    """Measure what is known to be lost: against the paper's learner, told T and M, and against a constant answer."""
    xs, ys = _stream(cell, concept_class)
    paper, learner = (at.Adept(concept_class, T, seed=cell["seed"]) for T in (cell["T"], None))
    for player in (paper, learner):
        player.learn_many(xs, ys)
    constant = min(sum(ys), len(ys) - sum(ys))
    over = learner.expected_loss - constant
    return {"regret": learner.regret, "paper": paper.regret, "over_constant": over, "share": _share(learner)}


def _hard(cell: Cell, concept_class: at.ConceptClass) -> Row:
    T = cell["T"]
    learner = at.Adept(concept_class, seed=cell["seed"])
    played(learner, cell)
    rule = learner.rate_rule  # the default without a horizon: adaptive
    # Theorem A, (II): the cost of mixing, in terms of the price that the rate assumes.
    mixing = learner.gap / (0.725 * (rule.state()["kappa"] * T) ** 0.5 + 0.5)
    row: Row = {"regret": learner.regret, "bound": learner.bound, "share": _share(learner), "mixing": mixing}
    row["promised"] = learner.regret / (learner.in_advance or math.inf)
    return row


def _narrow(cell: Cell, concept_class: at.ConceptClass) -> Row:
    """Keep only this number of paths, and check the certificate."""
    xs, ys = _stream(cell, concept_class)
    learner = at.Adept(concept_class, max_width=cell["max_width"], seed=cell["seed"])
    learner.learn_many(xs, ys)
    said = learner.certificate()
    best = concept_class.erm(list(zip(xs, ys, strict=True)))
    lost = said.best_loss - sum(best(x) != y for x, y in zip(xs, ys, strict=True))
    return {
        "regret": said.regret,
        "share": _share(learner),
        "dropped": said.dropped_mass,
        "lost": lost,
        "wrong": float(bool(said.best_is_kept) and lost > 0),
    }


def _share(learner: at.Adept) -> float:
    """Return the regret as a share of what is proven for it now."""
    regret, bound = learner.regret, learner.bound
    if bound > 0:
        return regret / bound
    return math.inf if regret > ROUNDING else 0.0


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Compare means with the paper's learner and with Hedge, and every single run with its own bound."""
    note = f"{PARTS} times along each stream, and on random labels, drifting, greedy"
    yield at_most("expected regret / bound of the certificate", column(rows, "share"), 1 + ROUNDING, note)
    if compared := part(rows, "compare"):
        yield from _compared(compared)
    if hard := part(rows, "bound"):
        note = "the same streams; thresholds(n=255), intervals(n=32), conjunctions(n=5), blocks(d=2)"
        yield at_most("expected regret / what was promised in advance", column(hard, "promised"), 1.0, note)
        claim = "cost of mixing / (0.725 sqrt(kappa T) + 1/2)"
        yield at_most(claim, column(hard, "mixing"), 1.0, "docs/theory/anytime.md, Theorem A")
    if narrow := part(rows, "narrow"):
        claim = "certificates that call a kept rule best where a dropped one is better"
        note = f"max_width 2, 8, 128; mean prior mass dropped {mean(column(narrow, 'dropped')):.2g}"
        yield at_most(claim, column(narrow, "wrong"), 0.0, note)


def _compared(rows: Sequence[Row]) -> Iterator[Verdict]:
    for (spec,), members in groups(rows, "class").items():
        yield _against("paper", f"the paper's with T and M known, {_short(spec)}", members, 1.0)
    known = [r for r in rows if r["class"].startswith("thresholds")]
    yield _against("hedge", "Hedge's over all concepts, thresholds", known, AGAINST_HEDGE)
    halves = [r["bound"] / r["formula"] for r in rows]
    claim = "bound of the certificate / sqrt(T M ln(eT/M) / 2)"
    yield at_most(claim, halves, 0.5, "the same streams; the learner is told neither T nor M")


def _against(other: str, whose: str, rows: Sequence[Row], most: float) -> Verdict:
    """Check that the total regret of all streams is at most this multiple of the other's, with significance.

    Streams of one seed share their coins, so seeds are what is independent.
    """
    by_seed = groups(rows, "seed").values()
    totals = [(sum(column(some, "regret")), sum(column(some, other))) for some in by_seed]
    ratio = sum(ours for ours, _ in totals) / sum(theirs for _, theirs in totals)
    # The standard error of a ratio of sums.
    error = standard_error([ours - ratio * theirs for ours, theirs in totals]) / mean([theirs for _, theirs in totals])
    bound = most - ERRORS * error
    cases = groups(rows, "class", "stream", "T")
    ratios = [mean(column(members, "regret")) / mean(column(members, other)) for members in cases.values()]
    spec, stream, T = list(cases)[ratios.index(max(ratios))]
    note = f"{most:g} less {ERRORS} standard errors; largest on {_short(spec)}, {stream}, T = {T}: {max(ratios):.2f}"
    claim = f"regret / {whose}, all streams together"
    return Verdict(claim, "<=", bound, ratio, ratio, error, len(rows), ratio <= bound, note)


def _short(spec: str) -> str:
    return "stumps" if spec.startswith("stumps") else spec
