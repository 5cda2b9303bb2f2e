"""Quantities that the theorems name: S_A(t), Q_A(t), the family F, and the oracle calls of Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.registry import base_for
from adeptree.families.specs import base_named
from reproduction.asking_learners import QUERIES, Asking, Pairwise, calls_of_experts, calls_one_by_one
from reproduction.class_family import Family, Pairs, drawn_classes, every_class, every_order
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.cited import LEARNERS
from reproduction.experiments.games import random_pairs
from reproduction.experiments.oracle_efficiency import Listening
from reproduction.stats import at_least, at_most, exponent

TARGETS = 3
"""Concepts that label the points of a memory game."""
S: dict[str, tuple[str, Callable[[int, int], float]]] = {
    "Bisection": ("2", lambda t, f: 2),
    "NearestLabel": ("2", lambda t, f: 2),
    "Elimination": ("1", lambda t, f: 1),
    "DefaultZero": ("VC", lambda t, f: 2),
    "GaussianElimination": ("n", lambda t, f: 8),
    "CellVote": ("4 per column", lambda t, f: 8),
    "Perceptron": ("dimension + 2", lambda t, f: 4),
    "SOA": ("|C|", lambda t, f: 128),
    "Halving": ("|C|", lambda t, f: 128),
    "IntervalSearch": ("t + 5", lambda t, f: t + 5),
    "NearestEnds": ("t + 6", lambda t, f: t + 6),
    "NearestPoint": ("2 t", lambda t, f: 2 * t),
    "BestSoFar": ("5 t", lambda t, f: 5 * t),
    "Ghost": ("2 t + f (t + 1) + 60", lambda t, f: 2 * t + f * (t + 1) + 60),
    "Consistent": ("2 t + f (t + 1)", lambda t, f: 2 * t + f * (t + 1)),
    "WeightedVote": ("2 t + f (t + 1) + 1", lambda t, f: 2 * t + f * (t + 1) + 1),
    "MajorityPruning": ("2 t + f (t + 1) + 2", lambda t, f: 2 * t + f * (t + 1) + 2),
}
"""S_A(t) in values (numbers, labels, points), read from each learner's code; f is its number of virtual functions."""


def run(cell: Cell) -> Row:
    """Play one cell of a part."""
    return {"memory": _memory, "asking": _asking, "family": _family, "experts": _experts}[cell["part"]](cell)


# --- S_A(t) ------------------------------------------------------------------------------------------


def values(state: Any) -> int:
    """Return how many values a state holds; an int of many bits counts for each 64 of them.

    >>> values(((0.5, "red"), 1)), values(1 << 70), values(None)
    (3, 2, 0)
    """
    if isinstance(state, np.ndarray) and state.dtype != object:
        return int(state.size)
    if isinstance(state, (tuple, list, np.ndarray)):
        return sum(map(values, state))
    if isinstance(state, dict):
        return sum(map(values, state.values()))
    if isinstance(state, int):
        return max(1, -(-state.bit_length() // 64))
    return int(state is not None)


def _base(cell: Cell, c: at.ConceptClass) -> Any:
    name = cell["base"]
    return base_for(LEARNERS[name](c.littlestone_dimension) if name in LEARNERS else base_named(name), c)


def _functions(state: Any) -> int:
    return len(getattr(state, "functions", getattr(state, "ghosts", ())))


def _memory(cell: Cell) -> Row:
    """Run the learner on histories that some concept labels, and inside ADEPT on random labels."""
    c, T = at.parse(cell["class"]), cell["T"]
    base, rng = _base(cell, c), np.random.default_rng([cell["seed"], cell["T"]])
    name = type(base).__name__
    share, most = 0.0, 0
    for _ in range(TARGETS):
        target, state = c.random_concept(rng), base.start()
        for t in range(1, T + 1):
            x = c.key(c.random_instance(rng))
            state = base.update(state, x, int(target(x)))
            size = values(state)
            share, most = max(share, size / S[name][1](t, _functions(state))), max(most, size)
    learner = at.Adept(c, prior="kt", base=base, engine="paths")
    kept = 0.0
    for t in range(1, cell["rows"] + 1):
        learner.learn(c.random_instance(rng), int(rng.integers(2)))
        state = learner.engine.as_paths().base_rows.state()
        functions = max((np.shape(state[k])[-1] for k in ("functions", "ghosts") if k in state), default=0)
        kept = max(kept, values(state) / (learner.width * S[name][1](t, functions)))
    return {"learner": name, "share": share, "most": most, "kept": kept}


# --- Q_A(t) ------------------------------------------------------------------------------------------


def _asking(cell: Cell) -> Row:
    """Run ADEPT with a base learner that asks for itself, path by path, and count both."""
    c, T, name = at.parse(cell["class"]), cell["T"], cell["base"]
    own, adepts = Listening(c), Listening(c)
    base: Any = Pairwise(own) if name == "Pairwise" else Asking(LEARNERS[name](c.littlestone_dimension), own)
    known = at.OracleClass(realizable=adepts, strategy="paper", repeats="ask")
    learner = at.Adept(known, prior="kt", base=base)
    points: list[Any] = list(range(T)) if c.spec_name == "blocks" else list(c.instances())  # type: ignore[attr-defined]
    allowed = most = 0
    share = 0.0
    for x, y in random_pairs(points, T, cell["seed"]):
        states, before = learner.engine.as_paths().base_rows.states, own.calls
        each = [QUERIES[name](state) for state in states]
        allowed, most = allowed + sum(each), max(most, *each)
        asked, width = learner.queries.asked, learner.width
        learner.learn(x, y)
        now = learner.queries.asked - asked + own.calls - before
        share = max(share, now / (width * (2 + max(each))))
    return {
        "d_vc": c.vc_dimension, "asked": learner.queries.asked, "heard": adepts.calls, "own": own.calls,
        "allowed": allowed, "most": most, "share": share, "total": learner.queries.asked + own.calls,
    }  # fmt: skip


# --- The family F ------------------------------------------------------------------------------------


FAMILIES: dict[str, Callable[[Cell], Family]] = {
    "every class": lambda cell: every_class(cell["points"], cell["d"]),
    "every order": lambda cell: every_order(cell["points"]),
    "drawn": lambda cell: drawn_classes(cell["points"], cell["d"], cell["number"], cell["seed"]),
}


def _family(cell: Cell) -> Row:
    """Take Q_T and the regret as maxima over a family of which the learner knows the dimension alone."""
    family = FAMILIES[cell["family"]](cell)
    T, beyond = cell["points"], 0.0
    base = at.Ghost(family.littlestone)

    def asked(c: at.ConceptClass, pairs: Pairs) -> float:
        nonlocal beyond
        learner = at.Adept(at.OracleClass(realizable=c.realizable), T, base=base)
        learner.learn_many(*zip(*pairs, strict=True))
        beyond = max(beyond, learner.regret / at.bounds.regret(T, learner.mistake_bound or 0))
        return float(learner.queries.asked)

    def streams(c: at.ConceptClass) -> list[Pairs]:
        rng = np.random.default_rng([cell["seed"], T])
        points = list(range(T))
        orders: list[Any] = [points, rng.permutation(T).tolist(), rng.integers(T, size=T).tolist()]
        return [[(x, int(rng.integers(2))) for x in some] for some in orders]

    most, games = family.most(asked, streams)
    return {"name": family.name, "d_vc": family.d_vc, "most": most, "games": games, "beyond": beyond}


# --- Algorithm 1's oracle calls ----------------------------------------------------------------------


def _experts(cell: Cell) -> Row:
    """Count what the experts of Algorithm 1 ask, each for its own base learner, and compute what ADEPT may ask."""
    c, T = at.parse(cell["class"]), cell["T"]
    d = c.littlestone_dimension or 0
    base = at.Ghost(d).bind(c)
    xs = [x for x, _ in random_pairs(list(range(T)), T, cell["seed"])]
    row: Row = {"d": d, "M": base.mistake_bound, "calls": calls_of_experts(c, base, xs)}
    row["asked"] = at.bounds.total_queries(T, c.vc_dimension or 0)
    if T <= cell["literal"]:
        row["apart"] = abs(row["calls"] - calls_one_by_one(c, at.Ghost(d), xs))
    return row


# --- Checks ------------------------------------------------------------------------------------------


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """States within their formulas, queries within |V| (2 + Q_A), Q_T over families, and what pruning saves."""
    for (learner,), members in groups(part(rows, "memory"), "learner").items():
        spec, T = ", ".join(dict.fromkeys(r["class"] for r in members)), max(r["T"] for r in members)
        note = f"S_A(t) = {S[learner][0]}; {max(r['most'] for r in members)} values at most, t <= {T}, {spec}"
        yield at_most(f"values of a state of {learner} / S_A(t)", column(members, "share"), 1.0, note)
    if memory := part(rows, "memory"):
        note = "the arrays of all paths, with every base learner"
        yield at_most("values kept for all paths / width x S_A(t)", column(memory, "kept"), 1.0, note)
    yield from _of_asking(part(rows, "asking"))
    for (name,), members in groups(part(rows, "family"), "name").items():
        bound = at.bounds.total_queries(members[0]["points"], members[0]["d_vc"])
        most, games = max(column(members, "most")), sum(r["games"] for r in members)
        note = f"{games} games, T = {members[0]['points']}; the learner knows the dimension alone"
        claim = f"Q_T over the family / 2 x sum of Sauer's numbers, {name}"
        if members[0]["family"] == "drawn":
            yield at_most(claim, [most / bound], 1.0, note)
        else:
            yield Verdict(claim, "=", 1.0, most / bound, most / bound, 0.0, games, abs(most / bound - 1) < 1e-9, note)
    if family := part(rows, "family"):
        yield at_most("largest regret over a family / its bound", column(family, "beyond"), 1.0, "Ghost(d)")
    yield from _of_experts(part(rows, "experts"))


def _of_asking(rows: Sequence[Row]) -> Iterator[Verdict]:
    if not rows:
        return
    note = "of every path before each round; each round"
    yield at_most("queries of ADEPT and A / |V| (2 + max Q_A(t))", column(rows, "share"), 1.0, note)
    for (name,), members in groups(rows, "base").items():
        shares = [r["own"] / r["allowed"] for r in members]
        most = max(r["most"] for r in members)
        yield at_most(f"queries of {name} / sum of Q_A over paths", shares, 1.0, f"Q_A up to {most}")
        for (spec,), some in groups(members, "class").items():
            horizons, d = sorted({r["T"] for r in some}), some[0]["d_vc"]
            by_T = [max(r["total"] for r in some if r["T"] == T) for T in horizons]
            # Q_A <= most of that T, so |V| (2 + Q_A) summed over rounds grows no faster than its own sum of Sauer's.
            allowed = [
                (1 + max(r["most"] for r in some if r["T"] == T) / 2) * at.bounds.total_queries(T, d) for T in horizons
            ]
            shares = [total / bound for total, bound in zip(by_T, allowed, strict=True)]
            slope = exponent(horizons, by_T)
            most_slope = exponent(horizons, allowed)
            note = f"T = {horizons[0]}..{horizons[-1]}; exponent {slope:.2f} in T, {most_slope:.2f} allowed"
            yield at_most(f"queries in all / 2 sum of Sauer's numbers x (1 + Q_A/2), {name}, {spec}", shares, 1.0, note)
    apart = [abs(r["heard"] - r["asked"]) for r in rows]
    yield at_most("calls heard less those that ADEPT counts", apart, 0.0, "its own, path by path")


def _of_experts(rows: Sequence[Row]) -> Iterator[Verdict]:
    for (spec,), members in groups(rows, "class").items():
        horizons, d, M = sorted({r["T"] for r in members if "apart" not in r}), members[0]["d"], members[0]["M"]
        calls = [max(r["calls"] for r in members if r["T"] == T) for T in horizons]
        asked = [max(r["asked"] for r in members if r["T"] == T) for T in horizons]
        slope = exponent(horizons, calls)
        note = (
            f"Ghost({d}), M = {M}, T = {horizons[0]}..{horizons[-1]}: {calls[-1]:.3g} calls, "
            f"ADEPT at most {asked[-1]:.3g} (exponent {exponent(horizons, asked):.2f})"
        )
        yield at_least(f"exponent in T of the oracle calls of Algorithm 1, {spec}", [slope], float(M), note)
    if apart := [float(r["apart"]) for r in rows if "apart" in r]:
        yield at_most("calls of Algorithm 1: walked together less one expert at a time", apart, 0.0)
