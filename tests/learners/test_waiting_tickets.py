"""Tickets that wait, come late, expire or never get a label: every number stays true, or is withdrawn."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import adeptree as at
from adeptree.roles.engine import Engine

pytestmark = pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")

N, SEGMENTS = 6, "ab"
S = at.Thresholds(N).on("s")
UNION = S | at.Experts("m")
T = 30
FULL: dict[str, Callable[[int], at.Adept]] = {
    "plain": lambda seed: at.Adept(S, costs=(2, 1), seed=seed),
    "horizon": lambda seed: at.Adept(S, T, seed=seed),
    "constant": lambda seed: at.Adept(S, T, rate=0.5, prior="kt", seed=seed),
    "review": lambda seed: at.Adept(S, costs=(2, 1), review=0.3, seed=seed),
    "review, horizon": lambda seed: at.Adept(S, T, review=0.2, prior="uniform", seed=seed),
    "review, cheapest": lambda seed: at.Adept(S, review=at.Review(0.2, "cheapest"), seed=seed),
    "review, few": lambda seed: at.Adept(S, T, review=at.Review(0.2, at_most=5), seed=seed),
    "review, delay": lambda seed: at.Adept(S, T, review=at.Review(0.2, delay=2), seed=seed),
    "drift": lambda seed: at.Adept(S, drift=True, seed=seed),
    "drift, horizon": lambda seed: at.Adept(S, T, drift=True, seed=seed),
    "drift, constant": lambda seed: at.Adept(S, T, drift=True, rate=0.5, seed=seed),
    "drift, review": lambda seed: at.Adept(S, T, drift=True, review=0.2, seed=seed),
    "by": lambda seed: at.Adept(S, T, by="t", segments=2, seed=seed),
    "by, review": lambda seed: at.Adept(S, T, by="t", segments=2, review=0.2, seed=seed),
    "by, drift": lambda seed: at.Adept(S, by="t", segments=2, drift=True, seed=seed),
    "by, drift, review": lambda seed: at.Adept(S, by="t", segments=2, drift=True, review=0.2, seed=seed),
    "union": lambda seed: at.Adept(UNION, T, seed=seed),
    "union, review": lambda seed: at.Adept(UNION, T, review=0.2, seed=seed),
    "union, drift": lambda seed: at.Adept(UNION, drift=True, seed=seed),
}
FEW: dict[str, Callable[[int], at.Adept]] = {
    "reviewed": lambda seed: at.Adept(S, review=0.2, feedback="reviewed", seed=seed),
    "reviewed, horizon": lambda seed: at.Adept(S, T, costs=(2, 1), review=0.3, feedback="reviewed", seed=seed),
    "reviewed, drift": lambda seed: at.Adept(S, T, review=0.2, feedback="reviewed", drift=True, seed=seed),
    "reviewed, by": lambda seed: at.Adept(S, T, review=0.2, feedback="reviewed", by="t", segments=2, seed=seed),
    "asked": lambda seed: at.Adept(S, feedback="asked", seed=seed),
    "asked, horizon": lambda seed: at.Adept(S, T, costs=(2, 1), feedback="asked", seed=seed),
    "asked, few": lambda seed: at.Adept(S, T, feedback="asked", max_labels=8, seed=seed),
    "asked, fast": lambda seed: at.Adept(S, T, rate=2.0, feedback="asked", max_labels=20, seed=seed),
    "asked, drift": lambda seed: at.Adept(S, T, feedback="asked", drift=True, seed=seed),
    "asked, by": lambda seed: at.Adept(S, T, feedback="asked", by="t", segments=2, seed=seed),
    "asked, union": lambda seed: at.Adept(UNION, T, feedback="asked", seed=seed),
}
FATES = ("prompt", "late", "last first", "never", "given up", "expired")


def labels(kind: str, learner: at.Adept, x: int, t: int, ticket: at.Ticket) -> int:
    """Return the label: of a rule that changes, against the answer, or always the same."""
    if kind == "against":
        return int(ticket.p < 0.5 * (1 - ticket.r))
    return int(x >= 3) if kind == "rule" and t < T // 2 else int(x >= 3 and kind == "rule" and t % 3 > 0)


class Open(NamedTuple):
    """A ticket that waits: since which round, and of which row and label."""

    since: int
    row: dict[str, Any]
    ticket: at.Ticket
    y: int


class Game:
    """A stream in which tickets have a fate, and the losses of all rules in the order of the labels."""

    def __init__(self, learner: at.Adept, kind: str, fate: str, seed: int) -> None:
        self.learner, self.kind, self.fate, self.rng = learner, kind, fate, random.Random(seed)
        self.rules = N + 1 + (learner.rules is UNION)
        self.lost: list[tuple[str, list[float]]] = []  # in the order of the labels: segment, losses of all rules
        self.true = np.zeros((2, self.rules))
        self.paid = self.seen = 0.0
        self.finals, self.checks = list[float](), 0

    def losses(self, row: dict[str, Any], y: int) -> list[float]:
        cost = self.learner.costs[1 - y]
        says = [int(row["s"] >= cut) for cut in range(N + 1)]
        return [cost * (one != y) for one in ([*says, int(row["m"] >= 0.5)] if self.rules > N + 1 else says)]

    def cost(self, ticket: at.Ticket, y: int) -> float:
        review = 0.0 if self.learner.review is None else self.learner.review.cost
        return self.learner.costs[1 - y] * (max(0.0, 1 - ticket.p - ticket.r) if y else ticket.p) + ticket.r * review

    def settle(self, one: Open) -> None:
        self.learner.learn(one.ticket, one.y)
        q = one.ticket.q  # (where labels of some rounds only are seen, losses are estimates)
        self.seen += self.cost(one.ticket, one.y) / q
        self.lost.append((one.row["t"], [loss / q for loss in self.losses(one.row, one.y)]))
        self.check()

    def play(self) -> Game:
        waiting: list[Open] = []
        for t in range(T):
            row: dict[str, Any] = {"s": self.rng.randrange(N), "t": self.rng.choice(SEGMENTS), "m": self.rng.random()}
            ticket = self.learner.answer(row)
            y = labels(self.kind, self.learner, row["s"], t, ticket)
            self.paid += self.cost(ticket, y)
            self.true[SEGMENTS.index(row["t"])] += self.losses(row, y)
            if ticket.ask:
                waiting.append(Open(t, row, ticket, y))
            self.check()
            waiting = self.decide(t, waiting)
        if self.fate in ("late", "last first"):
            for one in waiting:
                self.settle(one)
        self.check()
        return self

    def decide(self, t: int, waiting: list[Open]) -> list[Open]:
        """Settle or give up some of the tickets, return the rest."""
        if self.fate == "last first" and len(waiting) > 4:
            self.settle(waiting.pop())
        rest = []
        for one in waiting:
            harmless = self.cost(one.ticket, one.y) < 0.4 and one.since % 4
            if self.fate == "prompt" or (self.fate == "late" and self.rng.random() < 0.3):
                self.settle(one)
            elif self.fate in ("never", "given up", "expired") and not harmless:
                self.settle(one)
            elif self.fate == "given up" or (self.fate == "expired" and t - one.since > 5):
                self.learner.give_up(one.ticket)
                self.check()
            else:
                rest.append(one)
        return rest

    def best(self, switches: int) -> float:
        """Return the least loss of a sequence of rules, in the order of the labels."""
        found = [[0.0] * self.rules for _ in range(switches + 1)]
        for _, losses in self.lost:
            for m in range(switches, -1, -1):
                before = min(found[m - 1]) if m else math.inf
                found[m] = [min(had, before) + lost for had, lost in zip(found[m], losses, strict=True)]
        return min(map(min, found))

    def check(self) -> None:
        self.checks += 1
        if self.checks % (29 if self.learner.partial else 5) == 0 or self.learner.ended:
            self.compare()

    def compare(self) -> None:
        learner, told = self.learner, self.learner.certificate()
        slack = 1e-9 * (1 + learner.rounds)
        assert type(told.bound) is float and told.regret <= told.bound + slack
        assert told.expected_loss == pytest.approx(self.seen, abs=1e-7)
        by_segment = [[losses for name, losses in self.lost if name == one] for one in SEGMENTS]
        single = [sum(min(map(sum, zip(*each, strict=True)), default=0.0) for each in by_segment), self.best(0)]
        best = min(single) if learner.by else single[1]
        regret = self.seen - best
        if learner.drift_of is None or not learner.by:
            assert told.best_loss == pytest.approx(best, abs=1e-7)
        for most in (told.bound, *(() if learner.partial else (told.in_advance, told.forever))):
            assert most is None or regret <= most + slack
        if told.pooled_bound is not None:
            assert self.seen - single[1] <= told.pooled_bound + slack
        for m, most in [] if learner.by else [*(told.switches or ()), (2, learner.sequence_bound(2))]:
            assert self.seen - self.best(m) <= most + slack
        for m in (1, 2, 3) if learner.by and told.switches else ():
            assert self.seen - self.best(m) <= learner.sequence_bound(m) + slack
        if told.final is not None and ("if labels come" not in str(told) or self.fate == "prompt"):
            self.finals.append(told.final)
        if learner.answered == learner.horizon:
            assert all(regret <= final + slack for final in self.finals)


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("mode", FULL)
def test_every_number_is_true_of_the_labels_that_came(mode: str, fate: str) -> None:
    for seed, kind in enumerate(("against", "rule")):
        Game(FULL[mode](seed), kind, fate, seed).play()


@pytest.mark.parametrize(
    ("mode", "fate"), [("plain", "last first"), ("constant", "last first"), ("asked, fast", "late")]
)
def test_the_games_see_a_bound_without_the_cost_of_late_labels(
    mode: str, fate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven = Engine.proven
    monkeypatch.setattr(Engine, "proven", lambda self, *how: proven(self, *how) - self.kernel.ledger.drift)
    with pytest.raises(AssertionError):
        for seed in range(9):
            Game((FULL | FEW)[mode](seed), "against", fate, seed).play()


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("mode", FEW)
def test_on_average_every_number_is_true_or_withdrawn(mode: str, fate: str) -> None:
    """Against every rule fixed in advance; a label that did not come withdraws what is known on average."""
    for kind in ("against", "zeros"):
        regrets, bounds = [], list[float]()
        for seed in range(25):
            game = Game(FEW[mode](seed), kind, fate, seed).play()
            told = game.learner.certificate()
            missing = [ticket for ticket in game.learner.tickets if ticket.id < game.learner.answered]
            if missing or game.learner.tickets.given_up.number:
                assert told.average_bound is None and told.in_advance is None and told.forever is None
            elif told.average_bound is not None:
                own = game.true.min(1, keepdims=True) if game.learner.by else game.true[:, :0]
                regrets.append(game.paid - np.append(game.true.sum(0), own.sum(0)))
                bounds.append(told.average_bound)
        if fate in ("prompt", "late", "last first"):
            assert len(bounds) == 25
            margin = np.array(bounds)[:, None] - np.array(regrets)
            assert (margin.mean(0) >= -4 * margin.std(0) / 5).all()


def test_verdicts_that_wait_withdraw_what_is_known_on_average() -> None:
    """The label is always 0 and never comes: before, the number stayed at 16 while the cost grew to 283."""
    learner = at.Adept(at.Thresholds(1), 1000, review=0.2, feedback="reviewed", seed=3)
    tickets: list[at.Ticket] = []
    while not tickets or not learner.late:
        ticket = learner.answer(0)
        tickets += [ticket] if ticket.ask else []
        told = learner.certificate()  # (the verdict of the last answer may still come at once)
        assert (told.average_bound is None) == (told.in_advance is None) == learner.late
    assert "1 label that the learner wanted did not come, or not yet" in told.in_advance_note
    assert told.forever is None and told.final is None and learner.bound_after(1000) is None
    before, settled = learner.ledger.beyond_mix, 0.0
    for ticket in tickets:
        learner.learn(ticket, 0)
    told, settled = learner.certificate(), learner.ledger.excess
    price = learner.prior.price(learner.answered) or 0.0
    assert told.in_advance is None
    assert told.average_bound == pytest.approx(price / learner.learning_rate + before + settled)


def test_after_the_last_label_each_case_counts_also_if_labels_were_late() -> None:
    learner = at.Adept(at.Thresholds(1), 1000, feedback="asked", max_labels=2)
    for ticket in [learner.answer(0), learner.answer(0)]:  # (the second is late)
        learner.learn(ticket, 1)
    before = learner.certificate().average_bound
    cost = sum(learner.answer(0).p for _ in range(100))  # (the label is 0 from now on)
    told = learner.certificate()
    assert learner.late and before is not None and told.average_bound is not None
    assert cost > before and told.average_bound >= before + cost


def test_what_is_known_before_the_first_late_label_is_kept() -> None:
    """Late labels may depend on coins: only rounds from then on may count as they were settled."""
    learner = at.Adept(at.Thresholds(4), 300, feedback="asked", seed=2)
    learner.learn_many([t % 4 for t in range(60)], [t % 4 >> 1 for t in range(60)])
    sums, excess, waiting = learner.ledger.beyond_mix, learner.ledger.excess, 0
    while waiting < 2:
        learner.predict_proba(1)
        sums += learner.preview(1).q > 0 and learner._kernel.beyond_mix if not learner.waiting else 0.0
        waiting += learner.answer(1).ask
    assert learner.late and learner.ledger.beyond_mix == pytest.approx(sums - excess)
    for ticket in list(learner.tickets):
        learner.learn(ticket, 1)
    price = learner.prior.price(learner.answered) or 0.0
    known = price / learner.learning_rate + sums + learner.ledger.excess - excess
    assert learner.certificate().average_bound == pytest.approx(known)


def test_an_answer_that_waits_too_long_ends_the_guarantee_of_review() -> None:
    learner = at.Adept(at.Thresholds(8), 50, review=at.Review(0.2, delay=2))
    first = learner.answer(3)
    for label in range(3):
        assert learner.in_advance is not None and learner.certificate().forever is None
        learner.learn(4, label % 2)
    told = learner.certificate()
    assert told.in_advance is None and told.final == pytest.approx(told.regret + 47)
    assert "whatever rounds come, with weights up to 1, if labels come as announced" in str(told)
    assert "3 labels came after an answer that waits for its own; delay=2 was announced" in told.in_advance_note
    learner.learn(first, 1)
    assert "3 labels came between an answer and its own; delay=2 was announced" in learner.certificate().in_advance_note


@pytest.mark.parametrize("mode", FEW)
def test_on_average_nothing_is_above_what_all_cases_can_cost(mode: str) -> None:
    """As long as the price alone is more than that; with late labels such a number is never replaced by a smaller."""
    learner, seen = FEW[mode](1), 0
    for t in range(20):
        ticket = learner.answer({"s": t % N, "t": "ab"[t % 2], "m": 0.5})
        told, most = learner.certificate(), learner.answered * learner.scale
        price = learner.engine.sequence_price(learner.prior.price(learner.answered) or 0.0, learner.answered)
        known = price / learner.learning_rate
        assert told.average_bound is not None
        assert told.average_bound == most if known >= most else most > known <= told.average_bound
        seen += known >= most
        if ticket.ask:
            learner.learn(ticket, 1)
    assert seen or mode == "asked"  # (its price divided by its rate starts low)
    late = at.Adept(S, rate=0.01, feedback="asked", seed=1)
    for ticket in [one for one in (late.answer({"s": t % N}) for t in range(30)) if one.ask]:
        late.learn(ticket, 1)
    told, price = late.certificate(), late.prior.price(30) or 0.0
    assert late.late and told.average_bound == price / 0.01 + late.ledger.beyond_mix + late.ledger.excess > 30
