"""Decision games: random learners with review, feedback, drift and segments; each number they state is recounted.

``python tests/support/decision_games.py 10000`` plays the long form and prints each false claim.
"""

from __future__ import annotations

import math
import pickle
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import adeptree as at
from adeptree.core.errors import InvalidArgument, NoBetterThanACoin, PromiseEnded
from adeptree.theory.decide import largest_review

RULES: dict[str, Callable[[], at.ConceptClass]] = {
    "grid": lambda: at.Thresholds(9).on("a"),
    "floats": lambda: at.RealThresholds().on("a"),
    "intervals": lambda: at.Intervals(9).on("a"),
    "real intervals": lambda: at.RealIntervals().on("a"),
    "unions": lambda: at.IntervalUnions(9, 2).on("a"),
    "stumps": lambda: at.RealStumps(["a", "b"]),
    "blocks": lambda: at.BlockUnions(2).on("a"),
    "listed": lambda: at.FiniteClass([[0, 0, 1, 1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0, 1, 1, 0], [0] * 9]).on("a"),
    "experts": lambda: at.Experts("b", "c", at=4),
    "table": lambda: at.TableStumps(["b", "c"]),
    "table thresholds": lambda: at.TableThresholds(["c"]),
    "a | b": lambda: at.Thresholds(9).on("a") | at.Experts("b", "c", at=4),
    "a | b | c": lambda: at.RealThresholds().on("a") | at.TableStumps(["b", "c"]) | at.Experts("a", at=6),
}
SEGMENTS, SWITCHES, POOL = "xyz", 3, 9


@cache
def pool(seed: int) -> list[dict[str, Any]]:
    """Return rows; every one has ``a``, some miss ``b`` or ``c``."""
    rng = random.Random(seed)
    places = rng.sample(range(9), 9) if rng.random() < 0.7 else [rng.randrange(9) for _ in range(POOL)]
    found = []
    for a in places:
        row: dict[str, Any] = {"a": a, "b": rng.randrange(9)}
        if rng.random() < 0.8:
            row["c"] = rng.choice([None, 1, 3, 6, 8])
        found.append(row)
    return found


@cache
def labellings(name: str, seed: int) -> Any:
    """Return what each rule says of the pool, a row per labelling."""
    learner = at.Adept(RULES[name]())
    for row in pool(seed):
        learner.learn(row, 1)
    near = learner.rules_within(1e9, 100_000)
    return np.unique([[int(one.rule(row)) for row in pool(seed)] for one in near], axis=0)


def some_options(rng: random.Random, only: str = "") -> dict[str, Any]:
    """Return options, of which some do not go together."""
    costs = rng.choice([(1, 1), (1, 1), (5, 1), (1, 5), (0.2, 0.7), (100, 3)])
    c = largest_review(*costs) * rng.choice([0.01, 0.2, 0.3, 0.6, 0.95, 0.999])
    how: dict[str, Any] = {"policy": rng.choice(["fewest", "fewest", "cheapest"])}
    if rng.random() < 0.15:
        how["at_most"] = rng.choice([0, 2, 9])
    if rng.random() < 0.3:
        how["delay"] = rng.choice([1, 2, 6])
    elif rng.random() < 0.15:
        how = {"promise": "drawn"}
    plain = rng.random() < 0.3
    chosen: dict[str, Any] = {
        "costs": costs,
        "review": rng.choice([None, c, at.Review(c), at.Review(c, **how)]),
        "feedback": "all" if rng.random() < 0.6 else rng.choice(["reviewed", "asked"]),
        "drift": rng.choice([False, True, "sharing"]),
        "by": rng.choice([None, "tenant"]),
        "horizon": rng.choice([None, None, 400]),
        "prior": rng.choice([None, None, None, "kt", "uniform", "mixed"]),
        "rate": rng.choice([None] * 5 + ["anytime", "adaptive", 0.3 / max(costs), 2.0 / max(costs)]),
        "max_weight": 1 if plain else rng.choice([1, 3, 0.2]),
        "seed": rng.randrange(1 << 30),
    }
    if chosen["by"] is not None and rng.random() < 0.6:
        chosen["segments"] = rng.choice([1, 2, 3, 3, 3, 5])
    if chosen["feedback"] == "asked" and rng.random() < 0.3:
        chosen["max_labels"] = 30
    return chosen


class Claims:
    """The losses of every rule and sequence, and of the learner, counted apart."""

    def __init__(self, name: str, seed: int) -> None:
        self.says = labellings(name, seed)
        n = len(self.says)
        self.lost = {segment: np.zeros(n) for segment in SEGMENTS}
        self.best = np.zeros((SWITCHES + 1, n))
        self.paid = self.drawn = 0.0

    def charge(self, i: int, segment: str, y: int, costs: Any, unit: float) -> None:
        """Charge the rules for a round that counts so much."""
        wrong = (self.says[:, i] != y) * (unit * (costs[0] if y else costs[1]))
        self.lost[segment] += wrong
        if unit > 0:
            least = self.best.min(axis=1)
            self.best[1:] = np.minimum(self.best[1:], least[:-1, np.newaxis])
        self.best += wrong

    def pooled(self) -> Any:
        return sum(self.lost.values())


class Game:
    """A learner, an opponent that reads p, and the order in which labels come."""

    def __init__(self, name: str, number: int, folder: Path) -> None:
        self.rng = rng = random.Random(f"{name} {number}")
        self.pool_seed = rng.randrange(12)
        self.rows, self.folder = pool(self.pool_seed), folder
        self.claims = Claims(name, self.pool_seed)
        self.options: dict[str, Any] = {}
        while True:
            self.options = some_options(rng)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NoBetterThanACoin)
                    self.learner = at.Adept(RULES[name](), **self.options)
                break
            except InvalidArgument:
                continue
        self.by, self.partial = self.options["by"] is not None, self.options["feedback"] != "all"
        self.late = rng.choice(["prompt", "prompt", "any", "first", "last", "steady", "worst"])
        self.opponent = rng.choice(["coin", "against", "greedy", "sure", "steer", "flips", "rule", "zeros"])
        self.over = rng.random() < 0.1 and not self.partial and self.learner.rate != "lanes"
        self.waiting = list[tuple[at.Ticket, int, str, int]]()
        self.count, self.unit = 3 if rng.random() < 0.7 else 1, self.learner.max_weight

    def weight(self) -> float:
        if self.options["max_weight"] == 1 and self.rng.random() < 0.7:
            return 1.0
        most = self.unit * (4 if self.over and self.rng.random() < 0.05 else 1)
        return float(most * self.rng.choice([1, 1, 0.5, self.rng.random(), 1e-6, 0]))

    def pick(self, t: int) -> tuple[int, str, int]:
        """Return a row, a segment and a label; the label may depend on p and r, and not on the action."""
        rng, learner, n = self.rng, self.learner, len(self.rows)
        i, segment = rng.randrange(n), SEGMENTS[rng.randrange(self.count)]
        if self.opponent in ("greedy", "steer", "sure"):
            best, found = -math.inf, (i, segment, 0)
            goal = rng.choice([0.5, 0.01, 0.05, 0.3, 0.99])
            for i in rng.sample(range(n), min(n, 5)):
                ticket = learner.preview(self.row(i, segment))
                for y in (0, 1):
                    if self.opponent == "greedy":
                        worth = self.cost(ticket, y)
                        pooled = self.claims.lost[segment] if self.by else self.claims.pooled()
                        wrong = self.claims.says[:, i] != y
                        after = (pooled + wrong * learner.costs[1 - y]).min() - pooled.min()
                        worth -= after
                    else:
                        worth = -abs(ticket.p - goal) + (1e-9 if (ticket.p < 0.5) == y else 0)
                        worth += rng.random() if self.opponent == "sure" and (ticket.p < 0.5) == y else 0
                    if worth > best:
                        best, found = worth, (i, segment, y)
            return found
        p = learner.predict_proba(self.row(i, segment))
        if self.opponent == "against":
            return i, segment, int(p < 0.5)
        if self.opponent == "coin":
            return i, segment, rng.randrange(2)
        if self.opponent == "zeros":
            return i, segment, int(rng.random() < 0.03)
        k = (t // 40 if self.opponent == "flips" else 0) * 7 + self.pool_seed + SEGMENTS.index(segment) * self.by
        return i, segment, int(self.claims.says[k % len(self.claims.says), i]) ^ int(rng.random() < 0.05)

    def row(self, i: int, segment: str) -> dict[str, Any]:
        return {**self.rows[i], "tenant": segment} if self.by else self.rows[i]

    def cost(self, ticket: at.Ticket, y: int) -> float:
        a, b = self.learner.costs
        review = 0.0 if self.learner.review is None else ticket.r * self.learner.review.cost
        return float(review + ((1 - ticket.p - ticket.r) * a if y else ticket.p * b))

    def settle(self, which: int) -> None:
        ticket, i, segment, y = self.waiting.pop(which)
        weight = self.weight()
        self.learner.learn(ticket, y, weight=weight)
        unit = weight / ticket.q
        costs = self.learner.costs
        self.claims.paid += unit * self.cost(ticket, y)
        self.claims.charge(i, segment, y, costs, unit)

    def play(self, rounds: int) -> Iterator[str]:
        """Play; yield every claim that is false."""
        self.shown = 0.0
        for t in range(rounds):
            i, segment, y = self.pick(t)
            ticket = self.learner.answer(self.row(i, segment))
            if ticket.ask:
                self.waiting.append((ticket, i, segment, y))
            if self.late == "prompt":
                while self.waiting:
                    self.settle(0)
            elif self.late == "steady":
                delay = 0 if self.learner.review is None else self.learner.review.delay
                while len(self.waiting) > delay:
                    self.settle(0)
            elif self.waiting and (self.rng.random() < 0.8 or len(self.waiting) > 12):
                self.settle(self.choose())
            if t % 7 == 0 or t > rounds - 3 or self.rng.random() < 0.1:
                yield from self.false()
            if self.rng.random() < 0.02:
                self.learner = self.copied()
        while self.waiting and self.rng.random() < 0.98:
            self.settle(self.choose())
            yield from self.false()
        yield from self.false()

    def choose(self) -> int:
        if self.late == "first":
            return 0
        if self.late == "last":
            return len(self.waiting) - 1
        if self.late == "worst":
            return max(range(len(self.waiting)), key=lambda k: self.cost(self.waiting[k][0], self.waiting[k][3]))
        return self.rng.randrange(len(self.waiting))

    def copied(self) -> at.Adept:
        if self.rng.random() < 0.5:
            return pickle.loads(pickle.dumps(self.learner))  # type: ignore[no-any-return]
        self.learner.save(self.folder / "learner")
        return at.load(self.folder / "learner")  # type: ignore[return-value]

    def false(self) -> Iterator[str]:
        """Compare all that is stated with a recount."""
        learner, claims, told = self.learner, self.claims, self.learner.certificate()
        pooled = claims.pooled()
        best = sum(lost.min() for lost in claims.lost.values()) if self.by else pooled.min()
        slack = 1e-9 * (1 + abs(claims.paid) + pooled.max())
        if abs(learner.expected_loss - claims.paid) > slack:
            yield f"expected {learner.expected_loss}, counted {claims.paid}"
        if abs(learner.best_loss - best) > slack:
            yield f"best loss {learner.best_loss}, counted {best}"
        regret = claims.paid - best
        if regret > learner.bound + slack:
            yield f"regret {regret} > bound {learner.bound}"
        if self.by:
            if abs(told.pooled_loss - pooled.min()) > slack:
                yield f"pooled loss {told.pooled_loss}, counted {pooled.min()}"
            if claims.paid - pooled.min() > told.pooled_bound + slack:
                yield f"pooled regret {claims.paid - pooled.min()} > {told.pooled_bound}"
            for name, _, loss in learner.by_segment():
                if abs(loss - claims.lost[name].min()) > slack:
                    yield f"segment {name}: {loss}, counted {claims.lost[name].min()}"
        if learner.drift_of is not None:
            for m, least in enumerate(claims.best.min(axis=1)):
                if claims.paid - least > learner.sequence_bound(m) + slack and (m or not self.by):
                    yield f"regret {claims.paid - least} to {m} changes > {learner.sequence_bound(m)}"
        if self.partial:
            return
        if learner.in_advance is not None and regret > learner.in_advance + slack:
            yield f"regret {regret} > {learner.in_advance} in advance"
        if told.forever is not None and told.in_advance is not None and regret > told.forever + slack:
            yield f"regret {regret} > {told.forever} forever"
        if told.final is not None and not self.waiting and learner.rounds == learner.horizon:
            if regret > told.final + slack:
                yield f"regret {regret} > final {told.final}"


def false_claims(games: int, first: int = 0, rounds: int = 100) -> list[str]:
    """Return the false claims of this many games, the rules in turn."""
    found, names = list[str](), list(RULES)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", PromiseEnded)
        for number in range(first, first + games):
            game = Game(names[number % len(names)], number, Path(folder))
            try:
                claims = list(game.play(rounds))
            except Exception as error:  # (no error is right here)
                claims = [repr(error)]
                if "-v" in sys.argv:
                    import traceback

                    traceback.print_exc()
            if claims:
                what = f"{game.late}, {game.opponent}, {game.options}"
                found.append(f"{names[number % len(names)]}, game {number}: {claims[0]} ({len(claims)}); {what}")
    return found


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    told = false_claims(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    sys.stdout.write("\n".join([*told, f"{count} games, {len(told)} with false claims\n"]))
