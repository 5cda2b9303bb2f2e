"""Past the paper: ADEPT without T and M has less regret than with them, and a bound of its own at every moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from adeptree.experiments.experiment import Cell, Experiment, Row, Verdict, by_level, column, grid, groups, part
from adeptree.experiments.played_streams import adversary, played
from adeptree.experiments.stats import at_most, mean
from adeptree.families.listed import EnumerableClass
from adeptree.families.specs import parse
from adeptree.learners import Adept, Hedge
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory import bounds

STREAMS = ("realizable", "noise 10%", "noise 30%")
THRESHOLDS = ("thresholds(n=255)", "thresholds(n=4095)")
STUMPS = f"stumps(cuts={ {name: list(range(1, 11)) for name in 'abcd'} })"
CLASSES = (*THRESHOLDS, "blocks(d=2)", STUMPS)
HARD_STREAMS = ("random labels", "drifting", "greedy")
HARD_CLASSES = ("thresholds(n=255)", "intervals(n=32)", "conjunctions(n=5)", "blocks(d=2)")

LONG = 1000
"""From this many rounds on, the learner must clearly win on thresholds."""
CLEARLY = 0.75
AGAINST_HEDGE = 1.3
PARTS = 20
"""How often the bound is compared with the regret along a stream."""
ROUNDING = 1e-9


def settings(level: str) -> list[Cell]:
    """Three learners on the same streams; and streams made to hurt, for the bound alone."""
    compared = [
        {"part": "compare", "class": spec, "stream": STREAMS, "T": _horizons(level, spec)}
        for spec in by_level(level, ("thresholds(n=255)", "blocks(d=2)"), CLASSES)
    ]
    classes = by_level(level, HARD_CLASSES[:1], HARD_CLASSES)
    horizons = by_level(level, [20, 60], [30, 300], [30, 300, 3000])
    hard = {"part": "bound", "class": classes, "stream": HARD_STREAMS, "T": horizons}
    streams = by_level(level, STREAMS[1:2], STREAMS)
    narrow = {"part": "narrow", "class": THRESHOLDS[-1], "stream": streams, "T": LONG, "max_width": (8, 32, 128)}
    return (
        grid(by_level(level, 2, 3, 16), *compared)
        + grid(by_level(level, 1, 1, 8), hard)
        + grid(by_level(level, 1, 2, 8), narrow)
    )


def _horizons(level: str, spec: str) -> list[int]:
    quick = [300, LONG] if spec in THRESHOLDS else [300]
    return list(by_level(level, [300], quick, [300, 1000, 3000, 10_000, 20_000]))


def run(cell: Cell) -> Row:
    """Play one stream."""
    concept_class = parse(cell["class"])
    return {"compare": _compare, "bound": _hard, "narrow": _narrow}[cell["part"]](cell, concept_class)


def _compare(cell: Cell, concept_class: ConceptClass) -> Row:
    T, seed = cell["T"], cell["seed"]
    xs, ys = _stream(cell, concept_class)
    paper, learner = Adept(concept_class, T, seed=seed), Adept(concept_class, seed=seed)
    share, step = 0.0, -(-T // PARTS)
    curves: dict[str, list[float]] = {"t": [], "paper": [], "anytime": [], "bound": []}
    for start in range(0, T, step):
        for player in (paper, learner):
            player.learn_many(xs[start : start + step], ys[start : start + step])
        share = max(share, _share(learner))
        for name, value in zip(curves, (learner.rounds, paper.regret, learner.regret, learner.bound), strict=True):
            curves[name].append(value)
    row: Row = {
        "regret": learner.regret,
        "paper": paper.regret,
        "bound": learner.bound,
        "formula": bounds.regret(T, paper.mistake_bound or 0),
        "share": share,
    }
    if isinstance(concept_class, EnumerableClass):
        hedge = Hedge(concept_class, seed=seed)
        hedge.learn_many(xs, ys)
        row["hedge"] = hedge.regret
    if seed == 0:
        row["curves"] = curves
    return row


def _stream(cell: Cell, concept_class: ConceptClass) -> tuple[list[Any], list[int]]:
    """Return the whole stream: these adversaries do not look at the learner."""
    oblivious = adversary(cell["stream"], concept_class, cell["T"])
    oblivious.start(cell["T"], cell["seed"])
    xs, ys = [], []
    for _ in range(cell["T"]):
        xs.append(oblivious.instance([]))
        ys.append(oblivious.label([], xs[-1], 0.5))
    return xs, ys


def _hard(cell: Cell, concept_class: ConceptClass) -> Row:
    T = cell["T"]
    learner = Adept(concept_class, seed=cell["seed"])
    played(learner, cell)
    rule = learner.rate_rule  # the default without a horizon: adaptive
    # Theorem A, (II): what mixing costs, in terms of the price that the rate reckons with.
    mixing = learner.gap / (0.725 * (rule.state()["kappa"] * T) ** 0.5 + 0.5)
    row: Row = {"regret": learner.regret, "bound": learner.bound, "share": _share(learner), "mixing": mixing}
    row["promised"] = learner.regret / (learner.in_advance or math.inf)
    return row


def _narrow(cell: Cell, concept_class: ConceptClass) -> Row:
    """Keep only so many paths, and see what the certificate says of it."""
    xs, ys = _stream(cell, concept_class)
    learner = Adept(concept_class, max_width=cell["max_width"], seed=cell["seed"])
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


def _share(learner: Adept) -> float:
    """Return the regret as a share of what is proven for it now."""
    regret, bound = learner.regret, learner.bound
    if bound > 0:
        return regret / bound
    return math.inf if regret > ROUNDING else 0.0


def check(rows: Sequence[Row]) -> list[Verdict]:
    """Compare means with the paper's learner and with Hedge, and every single run with its own bound."""
    compared = part(rows, "compare")
    hard = part(rows, "bound")
    verdicts = []
    for (spec,), members in groups(compared, "class").items():
        verdicts.append(_against("paper", f"the paper's with T and M known, {_short(spec)}", members, 1.0))
    known = [r for r in compared if r["class"] in THRESHOLDS]
    long = [r for r in known if r["T"] >= LONG]
    if long:
        verdicts.append(_against("paper", f"the paper's, thresholds, T >= {LONG}", long, CLEARLY))
    verdicts.append(_against("hedge", "Hedge's over all concepts, thresholds", known, AGAINST_HEDGE))
    halves = [r["bound"] / r["formula"] for r in compared]
    claim = "bound of the certificate / sqrt(T M ln(eT/M) / 2)"
    verdicts.append(at_most(claim, halves, 0.5, "the same streams; the learner is told neither T nor M"))
    note = f"{PARTS} times along each stream, and on {', '.join(HARD_STREAMS)}"
    verdicts.append(at_most("expected regret / bound of the certificate", column(rows, "share"), 1 + ROUNDING, note))
    narrow = part(rows, "narrow")
    kept = f"max_width 8, 32, 128 of {LONG} paths; mean prior mass dropped {mean(column(narrow, 'dropped')):.2g}"
    claim = "certificates that call a kept rule best where a dropped one is better"
    verdicts.append(at_most(claim, column(narrow, "wrong"), 0.0, kept))
    note = f"the same streams; {', '.join(HARD_CLASSES)}"
    verdicts.append(at_most("expected regret / what was promised in advance", column(hard, "promised"), 1.0, note))
    note = "docs/anytime.md, Theorem A"
    verdicts.append(at_most("cost of mixing / (0.725 sqrt(kappa T) + 1/2)", column(hard, "mixing"), 1.0, note))
    return verdicts


def _against(other: str, whose: str, rows: Sequence[Row], bound: float) -> Verdict:
    """Say that the mean regret is at most this multiple of the other's mean, on each stream and for each T."""
    cases = groups(rows, "class", "stream", "T")
    ratios = [mean(column(members, "regret")) / mean(column(members, other)) for members in cases.values()]
    spec, stream, T = list(cases)[ratios.index(max(ratios))]
    note = f"means over {min(map(len, cases.values()))} seeds; worst: {_short(spec)}, {stream}, T = {T}"
    return at_most(f"mean regret / {whose}", ratios, bound, note)


def _short(spec: str) -> str:
    return "stumps" if spec == STUMPS else spec


CLAIM = "Without T and M the regret is smaller than with them, near Hedge's over all concepts, and certified."
EXPERIMENT = Experiment("anytime", "Past the paper: docs/anytime.md, Theorem A", CLAIM, settings, run, check)
