"""Checks of the adversaries: fair coins, targets that change on schedule, labels that contradict the learner.

A theorem about every stream is only tested by streams that are what their names claim. So the streams are measured
independently of their construction: labels are counted, and concepts, blocks and trees are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

import adeptree as at
from reproduction.budgeted_learners import Guesser
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.algorithms import listed_of
from reproduction.experiments.lower_bound import budgeted_game
from reproduction.stats import at_most, like_coins, mean, mean_is, near, score

BITS = 62
"""The block of a point in the game of blocks."""


def run(cell: Cell) -> Row:
    """Play one game of a part."""
    return PARTS[cell["part"]](cell)


class Watched(at.Drifting):
    """Counts the labels that are not the running target's."""

    flips = 0

    def label(self, history: Any, x: Any, p: float) -> int:
        """Return the label."""
        y = super().label(history, x, p)
        self.flips += y != self._target(x)
        return y


def _noise(cell: Cell) -> Row:
    """Flips against the concept that was given (or runs), and how evenly the points come."""
    c, T, noise = at.parse(cell["class"]), cell["T"], cell["noises"][cell["seed"] % len(cell["noises"])]
    listed = listed_of(c)
    target = c.random_concept(np.random.default_rng(cell["seed"]))
    drifting = Watched(c, period=T // 4, noise=noise)
    stream = drifting if cell["stream"] == "Drifting" else at.Stochastic(c, noise=noise, target=target)
    game = _played(stream, c, cell)
    flips = drifting.flips if stream is drifting else sum(target(r.x) != r.y for r in game)
    counts = np.bincount([listed.place(r.x) for r in game], minlength=len(listed.labels[0]))
    expected = T / len(counts)
    uneven = float(((counts - expected) ** 2 / expected).sum()) - (len(counts) - 1)
    return {"flips": score(flips, T, noise), "uneven": uneven}


def _targets(cell: Cell) -> Row:
    """Find the concept of every period: it is one of the class, and another only by chance the one before."""
    c, T = at.parse(cell["class"]), cell["T"]
    listed = listed_of(c)
    stream = at.Drifting(c, period=cell["period"], noise=0.0) if cell["period"] < T else at.Stochastic(c, noise=0.0)
    pairs = [(r.x, r.y) for r in _played(stream, c, cell)]
    fitting = []
    for start in range(0, T, cell["period"]):
        concepts = listed.all
        for x, y in pairs[start : start + cell["period"]]:
            concepts = listed.with_label(concepts, x, y)
        fitting.append(concepts)
    chance = 1 / len(listed.labels)
    same, periods = sum(one == other for one, other in pairwise(fitting)), len(fitting)
    return {
        "unfit": sum(len(concepts) != 1 for concepts in fitting),
        "same": score(same, periods - 1, chance) if periods > 1 else 0.0,
        "first": score(sum(concepts == (0,) for concepts in fitting), periods, chance),
        "concepts": len(listed.labels),
    }


def _greedy(cell: Cell) -> Row:
    c = at.parse(cell["class"])
    game = at.play(at.Adept(c, cell["T"], seed=cell["seed"]), at.Greedy(c), seed=cell["seed"])
    return {"likely": sum(abs(r.p - r.y) < 0.5 for r in game)}


def _mistake_tree(cell: Cell) -> Row:
    """Play who is always sure: it errs Ldim times in as many rounds, and some concept errs nowhere."""
    c = at.parse(cell["class"])
    listed = listed_of(c)
    d = listed.dimension(listed.all)
    game = at.play(at.FollowTheLeader(c, cell["T"], seed=cell["seed"]), at.LittlestoneTree(c), seed=cell["seed"])
    concepts = listed.all
    for r in game:
        concepts = listed.with_label(concepts, r.x, r.y)
    return {"missed": abs(d - sum(abs(r.p - r.y) == 1 for r in list(game)[:d])), "unfit": int(not concepts)}


def _blocks(cell: Cell) -> Row:
    """Follow BlockReset: which rounds were asked in is known from its log, the rest is counted."""
    d, T = cell["d"], cell["T"]
    game, played = budgeted_game(cell["learner"], d, T, cell["Q"], cell["seed"], record=True)
    ys = [r.y for r in played]
    blocks = {r.x: game.block_of(r.x) for r in played}
    asked = sorted({t for t, _ in game.log})
    ends = [t for t in asked if t < T] + [T]
    phases = [[*played][start:end] for start, end in pairwise([0, *ends]) if end > start]
    seen: set[int] = set()
    broken = T - len(blocks)  # points that came twice
    for phase in phases:
        sides = [{blocks[r.x] for r in phase if r.y == label} for label in (0, 1)]
        both = sides[0] | sides[1]
        broken += sum(len(side) > 1 for side in sides) + len(sides[0] & sides[1]) + len(both & seen)
        seen |= both
    ones = sorted((sum(r.y for r in phase) for phase in phases), reverse=True)
    told = [sum((r.x >> bit & 1) == r.y for r in played) for bit in (0, BITS - 1)]
    return {
        "ones": score(sum(ys), T, 0.5),
        "told": score(told[0], T, 0.5),
        "told_high": score(told[1], T, 0.5),
        "changes": score(sum(one != other for one, other in pairwise(ys)), T - 1, 0.5),
        "asked": _ones(ys, [t - 1 for t in asked if t]),
        "fresh": _ones(ys, [t for t in asked if t < T]),
        "broken": broken,
        "lied": sum(_lied(query, blocks, d) for _, query in game.log),
        "best": abs(game.best_loss(played) - (sum(ys) - sum(ones[:d]))),
    }


def _ones(ys: Sequence[int], rounds: Sequence[int]) -> float:
    """Return how far the number of 1s in these rounds is from that of fair coins, in standard deviations."""
    return score(sum(ys[t] for t in rounds), len(rounds), 0.5) if rounds else 0.0


def _lied(query: Any, blocks: dict[Any, int], d: int) -> bool:
    """Return True if an answer is wrong for the unions of at most d blocks."""
    counts: dict[int, list[int]] = {}
    for x, y in query.sample:
        counts.setdefault(blocks[x], [0, 0])[y] += 1
    gains = sorted((max(0, ones - zeros) for zeros, ones in counts.values()), reverse=True)
    least = sum(ones for _, ones in counts.values()) - sum(gains[:d])
    if query.kind == "realizable":
        return bool(query.answer) != (least == 0)
    return bool(sum(query.answer(x) != y for x, y in query.sample) != least)


def _played(stream: at.Adversary, c: at.ConceptClass, cell: Cell) -> at.Transcript:
    """Play with a guesser that none of these streams uses."""
    return at.play(Guesser(c, cell["T"]), stream, seed=cell["seed"])


PARTS: dict[str, Callable[[Cell], Row]] = {
    "noise": _noise, "targets": _targets, "greedy": _greedy, "mistake tree": _mistake_tree, "blocks": _blocks
}  # fmt: skip


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Coins within their standard errors, everything else to the letter."""
    for (name,), members in groups(part(rows, "noise"), "stream").items():
        note = f"{len(members)} games of {members[0]['T']} rounds, noise 0.05 to 0.5, in standard deviations"
        yield from like_coins(f"{name}: flipped labels", column(members, "flips"), note)
        note = "chi-squared of how often each came, less its n - 1 degrees of freedom"
        yield mean_is(f"{name}: points drawn evenly", column(members, "uneven"), 0.0, note)
    for (T, period), members in groups(part(rows, "targets"), "T", "period").items():
        name = "Drifting" if period < T else "Stochastic"
        note = f"{len(members)} games of {T} rounds, period {period}, no noise; all concepts are tried"
        yield at_most(f"{name}: periods that are not of exactly one concept", column(members, "unfit"), 0.0, note)
        claim, chance = f"{name}: chance of", f"1/{members[0]['concepts']}, in standard deviations"
        yield mean_is(f"{claim} the first concept", column(members, "first"), 0.0, chance)
        if name == "Drifting":
            yield mean_is(f"{claim} the concept of the period before", column(members, "same"), 0.0, chance)
    if greedy := part(rows, "greedy"):
        yield at_most("Greedy: rounds with the likelier label", column(greedy, "likely"), 0.0)
    if tree := part(rows, "mistake tree"):
        note = "against who follows the leader; the dimension is found anew"
        yield at_most("LittlestoneTree: |mistakes in the first Ldim rounds - Ldim|", column(tree, "missed"), 0.0, note)
        yield at_most("LittlestoneTree: streams that no concept fits", column(tree, "unfit"), 0.0)
    if blocks := part(rows, "blocks"):
        yield from _of_blocks(blocks)


def _of_blocks(rows: Sequence[Row]) -> Iterator[Verdict]:
    if apart := [r for r in rows if r["learner"] == "guesser"]:  # (the same coins come to every learner)
        note = f"{len(apart)} games of {apart[0]['T']} rounds, in standard deviations"
        yield from like_coins("BlockReset: 1s", column(apart, "ones"), note)
        yield from like_coins("BlockReset: changes of label", column(apart, "changes"), note)
        for name, which in (("told", "lowest"), ("told_high", "highest")):
            note = "in standard deviations: a point says nothing about its block"
            yield from like_coins(f"BlockReset: {which} bit of a point that is its label", column(apart, name), note)
    if asking := [r for r in rows if r["learner"] == "leader" and r["d"] == 1]:  # (others ask in the same rounds)
        for name, which in (("asked", "rounds with a query"), ("fresh", "the rounds after them")):
            note = f"{len(asking)} games with {asking[0]['Q']} queries, in standard deviations"
            scores = column(asking, name)
            yield near(f"BlockReset: 1s in {which}", mean(scores), 0.0, 1 / len(scores) ** 0.5, len(scores), note)
    note = "a phase ends with every round of a query; one block for each label, and points that nobody saw"
    yield at_most("BlockReset: blocks and points that are not fresh", column(rows, "broken"), 0.0, note)
    claim = "BlockReset: answers that the class refutes"
    yield at_most(claim, column(rows, "lied"), 0.0, "by counting in blocks")
    claim = "BlockReset: |L* - (all 1s - those of the d phases that have most)|"
    yield at_most(claim, column(rows, "best"), 0.0)
