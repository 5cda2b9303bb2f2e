"""Wild games: random learners, rates, weights and label orders, and a learner that is saved and copied on the way.

``python tests/support/wild_games.py 10000`` plays the long form and prints each refusal.
"""

from __future__ import annotations

import copy
import pickle
import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import adeptree as at
from adeptree import research
from adeptree.core.errors import InvalidArgument, NoBetterThanACoin
from adeptree.oracles import ClassOracle
from reproduction.perturbed_leader import FollowThePerturbedLeader
from reproduction.rand_soa import RandSOA
from reproduction.unknown_order import UnknownOrder

LINE = at.Thresholds(12)
CLASSES: dict[str, Callable[[], at.ConceptClass]] = {
    "thresholds": lambda: at.Thresholds(30),
    "intervals": lambda: at.Intervals(12),
    "real thresholds": at.RealThresholds,
    "real intervals": at.RealIntervals,
    "unions": lambda: at.IntervalUnions(12, 2),
    "real unions": lambda: at.RealIntervalUnions(2),
    "real steps": at.RealSteps,
    "stumps": lambda: at.Stumps(cuts={"a": [0.2, 0.5], "b": [0.4]}),
    "real stumps": lambda: at.RealStumps(["a", "b"]),
    "blocks": lambda: at.BlockUnions(2),
    "conjunctions": lambda: at.Conjunctions(4),
    "disjunctions": lambda: at.Disjunctions(4),
    "parities": lambda: at.Parities(4),
    "finite": lambda: at.Intervals(6).to_finite(),
    "table stumps": lambda: at.parse("table_stumps(features=['a', 'b'])"),
    "table thresholds": lambda: at.parse("table_thresholds(features=['a', 'b'])"),
    "table intervals": lambda: at.parse("table_intervals(features=['a', 'b'])"),
    "table unions": lambda: at.parse("table_unions(features=['a', 'b'], m=2)"),
    "table steps": lambda: at.parse("table_steps(features=['a', 'b'])"),
    "on column": lambda: at.Intervals(12).on("a"),
    "experts": lambda: at.Experts("a", "b"),
    "union": lambda: (
        at.Thresholds(9).on("a") | at.Experts("a", "b", at=4) | at.parse("table_stumps(features=['a', 'c'])")
    ),
    "oracle": lambda: at.OracleClass(find=ClassOracle(LINE).find, littlestone_dimension=4, name="line"),
}
ADEPTS = tuple(f"adept on {name}" for name in CLASSES)
OTHERS: dict[str, Callable[[random.Random], Any]] = {
    "lazy": lambda rng: at.LazyAdept(some_class(rng), 50, exponent=rng.choice([0.4, 0.7, 1.0])),
    "drift, paths": lambda rng: at.Adept(
        some_class(rng), drift=True, engine="paths", rate=rng.choice([None, 0.3, 5.0])
    ),
    "drift": lambda rng: at.Adept(
        at.Thresholds(9), drift=rng.random() < 0.5 or "sharing", rate=rng.choice([None, 0.3])
    ),
    "hedge": lambda rng: at.Hedge(some_list(rng), rng.choice([None, 50]), rate=rng.choice([None, "first-order", 9.0])),
    "leader": lambda rng: at.FollowTheLeader(some_class(rng), 50),
    "perturbed leader": lambda rng: FollowThePerturbedLeader(LINE, 50, draws=rng.choice([1, 5])),
    "rand soa": lambda rng: RandSOA(at.Thresholds(3), rng.choice([0, 1])),
    "transductive": lambda rng: research.Transductive(LINE, list(range(12)) * 5, rng.choice([None, 50])),
    "unknown order": lambda rng: UnknownOrder(LINE, list(range(12)) * 5),
}
"""Every other kind of learner that can be saved."""
REVIEWS = (0.05, at.Review(0.1, at_most=3), at.Review(0.02, "cheapest", delay=2), at.Review(0.05, promise="drawn"))
ROUNDS = 18
FRACTIONS = (0.1, 0.7, 0.2, 1 / 3, 1e-9, 2.5, 0.0, 1, 1, 3)


def some_class(rng: random.Random) -> at.ConceptClass:
    return CLASSES[rng.choice(["thresholds", "intervals", "blocks", "conjunctions", "finite"])]()


def some_list(rng: random.Random) -> at.ConceptClass:
    return CLASSES[rng.choice(["thresholds", "parities", "stumps", "finite"])]()


def some_adept(c: at.ConceptClass, rng: random.Random) -> at.Adept:
    """Return an Adept of random settings that go together."""
    while True:
        chosen: dict[str, Any] = {
            "horizon": rng.choice([None, 60]),
            "rate": rng.choice([None, "paper", "first-order", "anytime", "adaptive", 0.01, 0.5, 4.0, 50.0, 1e5]),
            "prior": rng.choice([None, None, "paper", "kt", "mixed", "uniform"]),
            "engine": rng.choice(["auto", "auto", "collapsed", "paths"]),
            "costs": rng.choice([(1, 1), (1, 1), (5, 1), (0.2, 0.7), (0, 1), (1000, 0.1)]),
            "max_weight": rng.choice([1, 1, 0.3, 10, 1e-3, 1000]),
            "review": rng.choice([None, None, *REVIEWS]),
            "seed": rng.randrange(9),
        }
        if rng.random() < 0.15 or chosen["engine"] == "paths":  # (steps have 2^rounds of them)
            chosen["max_width"] = rng.choice([1, 4, 9, 60])
        try:
            return at.Adept(c, **chosen)
        except InvalidArgument:
            continue


def made(kind: str, rng: random.Random) -> Any:
    """Return a learner of a kind."""
    if kind in OTHERS:
        return OTHERS[kind](rng)
    return some_adept(CLASSES[kind.removeprefix("adept on ")](), rng)


def heaviest(learner: Any) -> float:
    """Return the largest weight that the learner takes with either label."""
    if isinstance(learner, at.Adept) and learner.rate == "lanes":
        return float(learner.max_weight)
    return float(1e6 * min(1.0, learner.scale) / max(1.0, *learner.costs))


class Stream:
    """Points and labels in one of several orders."""

    def __init__(self, c: at.ConceptClass, rng: random.Random) -> None:
        self.rng, points = rng, np.random.default_rng(rng.randrange(1 << 30))
        asked = c.oracle is not None
        self.points = [int(points.integers(12)) if asked else c.random_instance(points) for _ in range(ROUNDS)]
        order = rng.choice(["any", "few", "sorted", "reversed"])
        if order == "few":
            self.points = [rng.choice(self.points[:4]) for _ in range(ROUNDS)]
        elif order != "any" and not isinstance(self.points[0], dict):
            self.points.sort(key=repr, reverse=order == "reversed")
        self.order = rng.choice(["coin", "zeros", "ones", "in turn", "step", "against", "by point", "rare"])
        self.turn = rng.randrange(ROUNDS)

    def label(self, t: int, x: Any, p: float) -> int:
        """Return the label of round t."""
        return {
            "coin": self.rng.randrange(2),
            "zeros": 0,
            "ones": 1,
            "in turn": t % 2,
            "step": int(t >= self.turn),
            "against": int(p < 0.5),
            "by point": sum(repr(x).encode()) % 2,
            "rare": int(self.rng.random() < 0.1),
        }[self.order]


class Game:
    """One learner, which plays, and is now and then saved, loaded, copied and pickled."""

    def __init__(self, kind: str, seed: int, folder: Path) -> None:
        self.rng = random.Random(f"{kind} {seed}")
        self.path = folder / "learner"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoBetterThanACoin)
            self.learner = made(kind, self.rng)
        c = self.learner.concept_class
        self.given = c if c.oracle is not None else None
        self.stream = Stream(c, self.rng)
        self.weighs = isinstance(self.learner, at.Adept)
        self.waiting: list[Any] = []
        self.late = self.rng.random() < 0.4

    def weight(self) -> float:
        """Return a fractional, tiny or huge weight that the learner takes."""
        most = heaviest(self.learner)
        drawn = most ** self.rng.uniform(-1, 1) if most > 1 else most * self.rng.random()
        # At the present rate this is what takes a rule out of, or to the edge of, what a double holds.
        decisive = self.rng.uniform(0, 800) / (self.learner.learning_rate or 1.0)
        return float(min(most, self.rng.choice([*FRACTIONS, drawn, most, decisive, decisive, decisive])))

    def play(self) -> None:
        """Play all rounds, and check the files and copies on the way."""
        moments = {self.rng.randrange(ROUNDS), self.rng.choice([ROUNDS // 2, ROUNDS - 1])}
        for t, x in enumerate(self.stream.points):
            self._round(t, x)
            if t in moments:
                self.check(x)

    def _round(self, t: int, x: Any) -> None:
        weighed = self.weighs and self.rng.random() < 0.8
        settled = None
        if self.late and self.rng.random() < 0.5:
            self.waiting.append(self.learner.answer(x))
            if self.rng.random() < 0.5:
                return
            settled = self.waiting.pop(self.rng.randrange(len(self.waiting)))
            if self.rng.random() < 0.1:
                self.learner.give_up(settled)
                return
        y = self.stream.label(t, x, self.learner.predict_proba(x))
        if settled is not None or self.rng.random() < 0.7:
            named = {"weight": self.weight()} if weighed else {}
            self.learner.learn(x if settled is None else settled, y, **named)
        else:
            self.learner.learn_many([x, x], [y, y], **({"weights": [self.weight(), self.weight()]} if weighed else {}))

    def check(self, x: Any) -> None:
        """Saved learners load, and copies are equal; the game continues with one of them."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # (no round is played)
            self.learner.save(self.path)
            twins = [at.load(self.path, concept_class=self.given)]
            twins.append(copy.deepcopy(self.learner))
            if self.given is None:
                twins.append(pickle.loads(pickle.dumps(self.learner)))
        for twin in twins:
            assert facts(twin, x) == facts(self.learner, x)
        self.learner = self.rng.choice([self.learner, *twins])


def facts(learner: Any, x: Any) -> list[Any]:
    """Return what must be the same to the last bit."""
    said = [
        learner.rounds,
        learner.answered,
        learner.waiting,
        learner.expected_loss.hex(),
        float(learner.best_loss).hex(),
    ]
    rule = "" if learner.concept_class.oracle else str(learner.best_rule())  # (an oracle's answers are not saved)
    return [*said, learner.bound, rule, learner.predict_proba(x).hex(), learner.best_loss >= 0]


def refusals(kinds: list[str], games: int, first: int = 0) -> list[str]:
    """Return the exceptions of this many games, the kinds in turn."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + games):
            kind = kinds[number % len(kinds)]
            try:
                Game(kind, number, Path(folder)).play()
            except Exception as error:  # (an error of any kind is a refusal)
                found.append(f"{kind}, game {number}: {error!r}")
                if "-v" in sys.argv:
                    import traceback

                    found.append(traceback.format_exc())
    return found


if __name__ == "__main__":
    every = [*ADEPTS, *OTHERS]
    warnings.simplefilter("ignore")  # of heavy rounds, which are meant
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    told = refusals(every, count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write("\n".join([*told, f"{count} games, {len(told)} refusals\n"]))
