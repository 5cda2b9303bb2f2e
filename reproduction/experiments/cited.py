"""The learners that the corollary cites, compared with Ghost: mistakes against made-up classes, calls and regret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

import adeptree as at
from adeptree.core.seeds import stream as random_stream
from adeptree.families.registry import default_base
from adeptree.ghost.trees import has_tree
from adeptree.roles.frontier import Query
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import random_pairs
from reproduction.experiments.oracle_efficiency import Listening, stream
from reproduction.ghost_adversary import MadeUp
from reproduction.stats import ROUNDING, at_least, at_most
from reproduction.voting_learners import Consistent, MajorityPruning, WeightedVote

LEARNERS: dict[str, Any] = {
    "Ghost": at.Ghost,
    "MajorityPruning": MajorityPruning,
    "WeightedVote": lambda d: WeightedVote(),
    "Consistent": lambda d: Consistent(),
    "Ghost without d": lambda d: at.Ghost(),
}
PROVEN = {
    "Ghost": (0, 2, 9, 67), "Ghost without d": (0, 2, 11, 78), "MajorityPruning": (1, 271, 69_903, 17_895_695)
}  # fmt: skip
"""M by the dimension, in numbers of the papers and the proof: not by the code that is on trial."""
FORCED = {"full": (0, 2, 9, 27), "constant": (0, 2, 6, 14)}
"""The mistakes that MadeUp(d, strategy) forces on every learner, by the theorems."""
CAP = 300
"""Rounds of a probing game: more than the largest mistake bound for d = 1, 271."""
TRIES = 12
"""Number of random labellings of the ghosts per round, besides three that are always tried."""


GREED = (1.0, 0.0, 0.5, 0.9)
"""Probability of the labelling with the fewest wrong ghosts, by the seed; else a random one."""


class Probing(MadeUp):
    """Tries what the learner would say before it decides on the ghosts' labels; it has no plan, but luck."""

    @property
    def points(self) -> int:
        """As many as there are rounds."""
        return self.rounds

    def ideas(self, rng: np.random.Generator) -> Iterator[list[int]]:
        """Return ways to label the ghosts that keep the dimension: all alike, as thresholds, at random, few unlike."""
        n, everyone = len(self._truth), (1 << len(self._rows())) - 1
        past = [sum((row >> x & 1) << i for i, row in enumerate(self._rows())) for x in range(n)]
        tried = [[0] * n, [1] * n, [1 - y for y in self._truth]]
        for _ in range(TRIES):
            odd = rng.random(n) < rng.choice([0.5, 0.25, 1.5 / (n + 1)])
            tried.append((odd ^ (rng.random() < 0.5)).astype(int).tolist())
        for labels in tried:
            now = sum(label << i for i, label in enumerate([0, 1, *labels]))  # (the truth takes both)
            if not has_tree([*past, now], everyone, self.d + 1):
                yield labels

    def offer(self, labels: Sequence[int]) -> None:
        """Let the ghosts say that at the running point."""
        place = len(self._truth)
        past = (1 << place) - 1
        self._ghosts = [row & past | label << place for row, label in zip(self._ghosts, labels, strict=True)]


def probed(base: at.BaseLearner, d: int, seed: int) -> int:
    """Return how often a learner errs, in every round up to CAP, against an adversary that tries what it would say."""
    rng, game = random_stream(seed, "probing"), Probing(d)
    game.start(CAP, seed)
    state: Any = base.start()
    for t in range(CAP):
        x, found = game.instance([]), []
        for labels in game.ideas(rng):
            game.offer(labels)
            predicted = base.bind(game.oracle).predict(state, x)
            found.append((sum(label == predicted for label in labels), float(rng.random()), labels))
        if not found:
            return t
        greedy = rng.random() < GREED[seed % len(GREED)]
        game.offer((min(found) if greedy else found[int(rng.integers(len(found)))])[2])
        learner = base.bind(game.oracle)
        state = learner.update(state, x, game.label([], x, learner.predict(state, x)))
    return CAP


def forced(base: at.BaseLearner, d: int, strategy: str) -> Row:
    """Count how often a learner errs against MadeUp(d); look at the class made, and at the answers it was given."""
    game = MadeUp(d, strategy, record=True)
    game.start(game.points, 0)
    learner = base.bind(game.oracle)
    state, mistakes = learner.start(), 0
    with suppress(at.errors.MistakeBoundExceeded):  # (Ghost says it if the dimension is not kept)
        for _ in range(game.points):
            x = game.instance([])
            predicted = learner.predict(state, x)
            y = game.label([], x, predicted)
            state, mistakes = learner.update(state, x, y), mistakes + (predicted != y)
    columns = [sum(row[x] << i for i, row in enumerate(game.table)) for x in range(len(game.table[0]))]
    everyone = (1 << len(game.table)) - 1
    dimension = next(k for k in range(len(columns)) if not has_tree(columns, everyone, k + 1))
    return {"mistakes": mistakes, "dimension": dimension, "refuted": sum(_refuted(game, q) for _, q in game.log)}


def _refuted(game: MadeUp, query: Query) -> bool:
    """Return True if the final class would answer differently."""
    places = [(game.place(x), y) for x, y in query.sample]
    return bool(query.answer) != any(all(row[place] == y for place, y in places) for row in game.table)


def run(cell: Cell) -> Row:
    """Play one cell of a part."""
    if cell["part"] == "calls":
        return calls(cell)
    if cell["part"] == "regret":
        return regrets(cell)
    base = LEARNERS[cell["learner"]](cell["d"])
    if cell["part"] == "probing":
        with suppress(at.errors.MistakeBoundExceeded):
            return {"mistakes": probed(base, cell["d"], cell["seed"])}
        return {"mistakes": CAP}  # the dimension was kept, so who says it is not has lost
    return forced(base, cell["d"], cell["strategy"])


class Alone:
    """A base learner without its row form: one state per path, and separate queries."""

    def __init__(self, base: at.BaseLearner, oracle: Listening) -> None:
        bound: Any = base.bind(at.OracleClass(realizable=oracle))
        self.start, self.predict, self.update = bound.start, bound.predict, bound.update


def calls(cell: Cell) -> Row:
    """Count what reaches the oracle: with the base on rows, with the class's own, and with the base on single paths."""
    concept_class = at.parse(cell["class"])
    base = LEARNERS[cell["learner"]](concept_class.littlestone_dimension)
    xs, ys = zip(*stream(concept_class, cell["T"], cell["seed"]), strict=True)
    apart, heard = Listening(concept_class), []
    for one in (base, default_base(concept_class), Alone(base, apart)):
        oracle = Listening(concept_class)
        asked = at.OracleClass(realizable=oracle, strategy="paper", repeats="ask")
        at.Adept(asked, prior="kt", base=one).learn_many(xs, ys)
        heard.append(oracle)
    return {
        "added": heard[0].calls - heard[1].calls,
        "apart": len(apart.samples),
        "strange": len(apart.samples - heard[1].samples),
    }


def regrets(cell: Cell) -> Row:
    """Compare a cited base with the class's own, by the paper's prior with the cited M, and by the KT prior."""
    concept_class, T = at.parse(cell["class"]), cell["T"]
    base = LEARNERS[cell["learner"]](concept_class.littlestone_dimension)
    pairs = random_pairs(
        [concept_class.random_instance(np.random.default_rng([cell["seed"], t])) for t in range(T)], T, 0
    )
    xs, ys = zip(*pairs, strict=True)
    M = base.mistake_bound or T
    answers = {}
    for name, one in (("cited", base), ("own", default_base(concept_class))):
        for prior, options in (("paper", {"horizon": T, "mistake_bound": M}), ("kt", {"prior": "kt"})):
            learner = at.Adept(concept_class, base=one, engine="paths", **options)
            answers[name, prior] = np.asarray(learner.learn_many(xs, ys))
            if (name, prior) == ("cited", "kt"):
                regret, bound = learner.regret, learner.bound
    gaps = {prior: float(np.abs(answers["cited", prior] - answers["own", prior]).max()) for prior in ("paper", "kt")}
    return {"M": M, "blind": gaps["paper"], "seeing": gaps["kt"], "regret": regret, "bound": bound}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Mistakes within their bounds and where none exists without end; no call; the paper's prior is blind at M >= T."""
    for (strategy, d), members in groups(part(rows, "made up"), "strategy", "d").items():
        note = f"{', '.join(row['learner'] for row in members)}: each errs at every point"
        claim = f"mistakes against MadeUp({d}, {strategy}), every learner"
        yield at_least(claim, column(members, "mistakes"), FORCED[strategy][d], note)
    if made := part(rows, "made up"):
        over = [float(row["dimension"] - row["d"]) for row in made]
        yield at_most(
            "Littlestone dimension of the class that MadeUp(d) made, less d", over, 0.0, "counted by its trees"
        )
        claim = "answers of MadeUp that its class refutes in the end"
        yield at_most(claim, column(made, "refuted"), 0.0, "every answer to every learner")
    for (learner, d), members in groups(part(rows, "probing"), "learner", "d").items():
        mistakes = column(members, "mistakes")
        claim = f"mistakes against probing adversaries, d = {d}, {learner}"
        if learner == "Consistent":
            yield at_least(claim, mistakes, CAP, "it has no bound: the game is over before it has learnt")
        else:
            note = "its proven M" if learner in PROVEN else "no constant is known; it ends before the game does"
            yield at_most(claim, mistakes, PROVEN[learner][d] if learner in PROVEN else CAP - 1, note)
    for (learner,), members in groups(part(rows, "calls"), "learner").items():
        yield at_most(f"oracle calls added by {learner}", column(members, "added"), 0.0, "on every path of ADEPT")
    if asked := part(rows, "calls"):
        note = f"of {sum(row['apart'] for row in asked)} different samples that they would ask about path by path"
        yield at_most("samples in question for a cited base, and not for ADEPT", column(asked, "strange"), 0.0, note)
    if regret := part(rows, "regret"):
        yield at_most("p by the paper's prior at M >= T, less that of another base", column(regret, "blind"), ROUNDING)
        claim = "p by the KT prior, less that of another base"
        yield at_least(claim, column(regret, "seeing"), ROUNDING, "largest difference, beyond rounding")
        shares = [row["regret"] / row["bound"] for row in regret]
        yield at_most("expected regret / what the KT prior proves, cited bases", shares, 1.0)
