"""Labels that come late: tickets against explicit paths, Theorems B, C and D in play, open tickets in files."""

from __future__ import annotations

import copy
import gc
import itertools
import math
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import bounds, errors
from adeptree.learners import guarantees
from adeptree.learners.adept import Paths
from adeptree.learners.pending_labels import PendingLabels
from adeptree.learners.rates import Adaptive
from adeptree.learners.tickets import OpenTickets
from adeptree.learners.transactions import Mark

pytestmark = pytest.mark.usefixtures("both_engines")

Order = Callable[[list[at.Ticket], np.random.Generator], at.Ticket | None]
"""The open ticket that gets its label next; None: none yet."""

C = at.Thresholds(31)


def fifo(delay: int) -> Order:
    return lambda tickets, rng: tickets[0] if len(tickets) > delay else None


def lifo(tickets: list[at.Ticket], rng: np.random.Generator) -> at.Ticket | None:
    return tickets[-2] if len(tickets) > 12 else None


def at_random(tickets: list[at.Ticket], rng: np.random.Generator) -> at.Ticket | None:
    return tickets[int(rng.integers(len(tickets)))] if rng.random() < len(tickets) / 20 else None


def withheld(tickets: list[at.Ticket], rng: np.random.Generator) -> at.Ticket | None:
    """Every fourth label comes, the others never do."""
    due = [ticket for ticket in tickets if ticket.id % 4 == 0]
    return due[0] if len(due) > 3 else None


def hard_first(tickets: list[at.Ticket], rng: np.random.Generator) -> at.Ticket | None:
    """In blocks of 15, the surest answers first: theirs are the labels that hurt most."""
    return max(tickets, key=lambda ticket: abs(ticket.p - 0.5)) if len(tickets) > 15 else None


ORDERS: dict[str, Order] = {
    "fifo 1": fifo(1),
    "fifo 20": fifo(20),
    "lifo": lifo,
    "random": at_random,
    "withheld": withheld,
    "hard first": hard_first,
}


def late_game(
    learner: at.Adept, order: Order, T: int, seed: int, points: int = 31, weights: Any = None
) -> Iterator[tuple[at.Ticket, int]]:
    """Answer T rounds; settle by the order, each with the label that the answer held less likely."""
    rng = np.random.default_rng(seed)
    waiting: list[at.Ticket] = []
    for t in range(T + 400):
        if t < T:
            waiting.append(learner.answer(int(rng.integers(points))))
        elif not waiting:
            return
        while waiting and (ticket := order(waiting, rng)) is not None:
            waiting.remove(ticket)
            y = int(ticket.p < 0.5)
            learner.learn(ticket, y, weight=1 if weights is None else weights(rng))
            yield ticket, y


def share_now(learner: at.Adept, ticket: at.Ticket) -> float:
    """The chance of guessing 1 at an open ticket's point, as of now: without drift it is the ticket's."""
    engine = learner.engine
    return engine.odds_of(ticket.id).p if isinstance(engine, Paths) else engine.probability(ticket.x)


def broken(learner: at.Adept) -> list[str]:
    found = []
    if learner.regret > guarantees.theorem_one(learner) + 1e-9 * (1 + learner.rounds):
        found.append(f"Theorem B: {learner.regret} > {guarantees.theorem_one(learner)} after {learner.rounds} labels")
    if learner.late and learner.in_advance is not None:
        found.append("something is still promised in advance")
    return found


# ------------------------------------------------------------------------------------------- at once is as always


@pytest.mark.parametrize("options", [{}, {"prior": "kt"}, {"horizon": 200}, {"horizon": 200, "rate": "first-order"}])
def test_a_ticket_settled_at_once_is_a_round_to_the_last_bit(options: dict[str, Any]) -> None:
    late, prompt = (at.Adept(C, seed=3, **options) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, y = int(rng.integers(31)), int(rng.integers(2))
        ticket = late.answer(x)
        assert (ticket.p, ticket.guess) == (prompt.predict_proba(x), prompt.predict(x))
        late.learn(ticket, y)
        prompt.learn(x, y)
    assert late.drift == 0.0 and late.overlaps == 0 and not late.late
    assert dict(late.certificate()) == dict(prompt.certificate())


def test_eighty_answers_before_any_label() -> None:
    """The first edition said 2.48 here: it charged the probabilities of later."""
    learner = at.Adept(at.FiniteClass([[0], [1]]), prior="kt")
    tickets = [learner.answer(0) for _ in range(80)]
    assert learner.rounds == 0 and learner.waiting == 80 and learner.regret == 0.0
    for ticket in tickets:
        learner.learn(ticket, 1)
    certificate = learner.certificate()
    assert certificate.expected_loss == pytest.approx(sum(1 - ticket.p for ticket in tickets)) == 40.0
    assert certificate.realised_loss == sum(ticket.guess == 0 for ticket in tickets)
    assert certificate.regret == 40.0 <= certificate.bound and certificate.in_advance is None
    assert certificate.overlaps == 80 * 79 // 2 and certificate.drift > 30
    assert "late labels: 3,160 overlaps" in str(certificate)


# ---------------------------------------------------------------------------------------------- explicit reference


def explicit_odds(
    base: Any, xs: list[int], rows: list[tuple[int, ...]], losses: dict[int, int], eta: float, i: int
) -> float:
    """Share of the weight that says 1 at answer i, over all realizable labellings of the answered points."""
    weights = [0.0, 0.0]
    for labels in rows:
        mass, k, n, state = 1.0, 0, 0, base.start()
        for t, (x, b) in enumerate(zip(xs, labels, strict=True)):
            if len({row[t] for row in rows if row[:t] == labels[:t]}) == 2:
                wrong = base.predict(state, x) != b
                mass *= ((k if wrong else n - k) + 0.5) / (n + 1)
                k, n = k + wrong, n + 1
            state = base.update(state, x, b)
        loss = sum(labels[s] != y for s, y in losses.items())
        weights[labels[i]] += mass * math.exp(-eta * loss)
    return weights[1] / sum(weights)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("eta", [0.2, 1.5])
def test_tickets_equal_explicit_paths(eta: float, seed: int) -> None:
    learner = at.Adept(at.Thresholds(7), prior="kt", rate=eta)
    rng = np.random.default_rng(seed)
    xs: list[int] = []
    losses: dict[int, int] = {}
    waiting: list[at.Ticket] = []
    expected = drift = 0.0
    for _ in range(40):
        rows = sorted({tuple(int(x >= a) for x in xs) for a in range(8)})
        if len(xs) < 14 and (not waiting or rng.random() < 0.6):
            x = int(rng.integers(7))
            grown = sorted({tuple(int(z >= a) for z in [*xs, x]) for a in range(8)})
            ticket = learner.answer(x)
            xs.append(x)
            assert ticket.p == pytest.approx(
                explicit_odds(learner.base, xs, grown, losses, eta, len(xs) - 1), abs=1e-12
            )
            waiting.append(ticket)
        elif waiting:
            ticket = waiting.pop(int(rng.integers(len(waiting))))
            y = int(rng.integers(2))
            q = explicit_odds(learner.base, xs, rows, losses, eta, ticket.id - 1)
            expected += abs(ticket.p - y)
            drift += abs(ticket.p - y) - abs(q - y)
            learner.learn(ticket, y)
            losses[ticket.id - 1] = y
            assert learner.drift == pytest.approx(drift, abs=1e-12)
            assert learner.expected_loss == pytest.approx(expected, abs=1e-12)
            best = min(sum(int(xs[s] >= a) != label for s, label in losses.items()) for a in range(8))
            assert learner.best_loss == best and broken(learner) == []


# ------------------------------------------------------------------------------------------------ the theorems


@pytest.mark.parametrize("options", [{}, {"prior": "kt"}, {"rate": 0.3}, {"rate": 50.0}, {"horizon": 150}], ids=repr)
@pytest.mark.parametrize("order", ORDERS)
def test_theorem_b_holds_after_every_label(order: str, options: dict[str, Any]) -> None:
    learner = at.Adept(C, **options)
    for _ in late_game(learner, ORDERS[order], 150, seed=1):
        assert broken(learner) == []
    assert learner.rounds and learner.overlaps
    assert learner.certificate().bound >= learner.certificate().regret


def drifts(learner: at.Adept, order: Order, T: int, rate: float) -> tuple[float, float]:
    """Return the drift of all tickets, taken without sign, and what Theorem C allows for it."""
    moved = allowed = 0.0
    game = late_game(learner, order, T, seed=2)
    before = learner.drift
    for ticket, _ in game:
        a = learner.rounds - 1 - ticket.arrivals
        moved += abs(learner.drift - before)
        allowed += math.tanh(rate * a / 4)
        before = learner.drift
        assert moved <= allowed + 1e-9 * (1 + learner.rounds)
    return moved, allowed


@pytest.mark.parametrize("rate", [1e-6, 0.02, 0.3, 2.0])
@pytest.mark.parametrize("prior", ["kt", "mixed"])
@pytest.mark.parametrize("order", ORDERS)
def test_theorem_c_an_answer_drifts_no_more_than_its_labels_allow(order: str, prior: str, rate: float) -> None:
    learner = at.Adept(C, prior=prior, rate=rate)
    drifts(learner, ORDERS[order], 120, rate)
    price = learner.prior.price(learner.answered)
    assert price is not None
    most = bounds.late_regret_at_rate(learner.rounds, learner.overlaps, price, rate)
    assert learner.regret <= most


@pytest.mark.parametrize("options", [{"costs": (5, 1)}, {"max_weight": 3}, {"costs": (2, 0.5), "rate": 0.2}])
@pytest.mark.parametrize("order", ORDERS)
def test_late_and_weighed(order: str, options: dict[str, Any]) -> None:
    learner, twin = at.Adept(C, **options), at.Adept(C, **options)
    rng = np.random.default_rng(9)
    waiting: list[at.Ticket] = []
    labelled: list[tuple[int, int, float]] = []
    drift = 0.0
    for _ in range(120):
        waiting.append(learner.answer(int(rng.integers(31))))
        while waiting and (ticket := ORDERS[order](waiting, rng)) is not None:
            waiting.remove(ticket)
            y, weight = int(ticket.p < 0.5), int(rng.integers(1, 4))
            cost = weight * learner.costs[1 - y]
            q = share_now(learner, ticket)
            drift += cost * (abs(ticket.p - y) - abs(q - y))
            learner.learn(ticket, y, weight=weight)
            labelled.append((ticket.x, y, cost))
            best = min(sum(c for x, z, c in labelled if int(x >= a) != z) for a in range(32))
            assert learner.best_loss == pytest.approx(best) and learner.drift == pytest.approx(drift, abs=1e-9)
            assert broken(learner) == []
    assert twin.rounds == 0 and learner.rounds > 10


def test_the_rate_reckons_with_the_price_at_v() -> None:
    """Under delay the floor is taken at V = answers + 2 overlaps (Theorem D)."""
    learner = at.Adept(C, prior="kt")
    rate = learner.learning_rate
    for _ in late_game(learner, ORDERS["fifo 20"], 200, seed=3):
        if learner.learning_rate != rate:
            rate, rule = learner.learning_rate, learner.rate_rule
            price = learner.prior.price(learner.answered + 2 * learner.overlaps)
            assert isinstance(rule, Adaptive) and price is not None
            assert 2 * rule.kappa >= learner.prior.floor * price - 1e-9
    assert rate < 4


@pytest.mark.parametrize("build", [lambda: at.Adept(C), lambda: at.Hedge(C), lambda: at.Adept(C, drift=True)])
def test_a_prompt_round_while_a_ticket_waits_is_an_overlap_too(build: Callable[[], Any]) -> None:
    learner = build()
    learner.answer(3)
    assert learner.in_advance is not None
    learner.learn(5, 1)
    assert learner.late and learner.in_advance is None


def test_bpss_counts_the_drift() -> None:
    learner = at.Bpss(at.FiniteClass([[0], [1]]), 9, rate=2.0)
    for ticket in [learner.answer(0) for _ in range(9)]:
        learner.learn(ticket, 1)
    assert learner.drift > 0
    assert learner.bound == min(learner.log_experts / 2.0 + learner.gap + learner.drift, 9)


def test_theorem_c_is_reached() -> None:
    """Two rules, all labels the same: nothing smaller than tanh(eta a / 4) is true."""
    learner = at.Adept(at.FiniteClass([[0], [1]]), prior="kt", rate=0.5)
    tickets = [learner.answer(0) for _ in range(9)]
    for ticket in tickets[:4]:
        learner.learn(ticket, 0)
    for ticket in tickets[4:8]:
        learner.learn(ticket, 1)
    before = share_now(learner, tickets[8])
    assert before == pytest.approx(0.5)
    shares = []
    for a in range(1, 9):
        learner = at.Adept(at.FiniteClass([[0], [1]]), prior="kt", rate=0.5)
        for _ in range(a // 2):
            learner.learn(0, 1)
        late, others = learner.answer(0), [learner.answer(0) for _ in range(a)]
        for ticket in others:
            learner.learn(ticket, 0)
        shares.append(abs(late.p - share_now(learner, late)) / math.tanh(0.5 * a / 4))
    assert max(shares) > 0.999


@pytest.mark.parametrize("order", ORDERS)
def test_theorem_d_the_adaptive_rate_with_delays(order: str) -> None:
    learner = at.Adept(C)
    most_open = 0
    rate = learner.learning_rate
    for _ in late_game(learner, ORDERS[order], 200, seed=3):
        if learner.learning_rate != rate:
            rate, most_open = learner.learning_rate, max(most_open, learner.waiting)
        V = learner.answered + 2 * learner.overlaps
        price = learner.prior.price(V)
        assert price is not None
        floor = learner.prior.floor
        assert learner.regret <= bounds.late_adaptive_regret(
            learner.answered, learner.overlaps, most_open, price, floor
        )


def test_the_rate_is_ruled_by_gap_and_drift_together() -> None:
    """On the gap alone the rate would stay bold while late labels cost: two rules, 20 tickets open, 2,000 rounds."""

    def regret(blind: bool) -> float:
        learner = at.Adept(at.FiniteClass([[0], [1]]))
        waiting: list[at.Ticket] = []
        for _ in range(2000):
            waiting.append(learner.answer(0))
            if len(waiting) > 20:
                ticket = waiting.pop(0)
                kept = learner.drift
                learner.ledger.excess -= kept * blind
                learner.learn(ticket, int(ticket.p < 0.5))
                learner.ledger.excess += kept * blind
        return learner.regret

    assert regret(blind=False) < 0.5 * regret(blind=True)


# ----------------------------------------------------------------------------------------------- sabotage is found


def test_mutant_charged_at_the_probability_of_now() -> None:
    learner = at.Adept(at.FiniteClass([[0], [1]]))
    tickets = [learner.answer(0) for _ in range(80)]
    for ticket in tickets:
        learner.learn(ticket, 1)
    assert learner.expected_loss - learner.drift < 5 < learner.expected_loss  # the count of the first edition


def test_mutant_drift_left_out() -> None:
    found = []
    for order in ORDERS.values():
        learner = at.Adept(C, rate=0.3)
        for _ in late_game(learner, order, 150, seed=1):
            learner.ledger.excess -= learner.drift
            found += broken(learner)
            learner.ledger.excess += learner.drift
    assert found


def test_mutant_growth_at_the_label() -> None:
    """Kept out of the tree until its label comes, an answer drifts by itself: Theorem C fails at any rate."""
    learner = at.Adept(at.Thresholds(255), prior="kt", rate=1e-9)
    before = learner.predict_proba(128)
    learner.learn(10, 0)
    assert before == 0.5 and learner.predict_proba(128) == pytest.approx(0.625)
    inside = at.Adept(at.Thresholds(255), prior="kt", rate=1e-9)
    ticket = inside.answer(128)
    inside.learn(10, 0)
    assert share_now(inside, ticket) == pytest.approx(0.5, abs=1e-8)


# ----------------------------------------------------------------------------------------------- using tickets


def test_predicting_grows_nothing_and_answering_does() -> None:
    learner = at.Adept(C)
    learner.predict_proba(5)
    learner.predict(9)
    assert learner.width == 1 and learner.answered == 0
    learner.answer(5)
    assert learner.width == 2 and learner.answered == 1 and learner.rounds == 0


def test_a_ticket_takes_one_label_and_only_from_its_learner() -> None:
    learner = at.Adept(C)
    ticket = learner.answer(5)
    # Another learner that said just the same.
    other = next(at.Adept(C, seed=s) for s in range(1, 50) if at.Adept(C, seed=s).answer(5).guess == ticket.guess)
    for wrong in (2, None):
        with pytest.raises(errors.InvalidLabel):
            learner.learn(ticket, wrong)
    learner.learn(ticket, 1)
    before = dict(learner.certificate())
    with pytest.raises(errors.UnknownTicket, match="settled before, or it is another learner's"):
        learner.learn(ticket, 1)
    twin = other.answer(5)
    assert (twin.p, twin.guess, twin.id) == (ticket.p, ticket.guess, ticket.id)
    with pytest.raises(errors.UnknownTicket):
        other.learn(ticket, 1)
    assert "1 open tickets" in repr(other.tickets) and list(other.tickets) == [twin]
    assert dict(learner.certificate()) == before and other.rounds == 0


@pytest.mark.parametrize("horizon", [None, 400])
def test_tickets_that_never_overlap_end_no_promise(horizon: int | None) -> None:
    learner = at.Adept(C, horizon)
    engine = learner.engine
    for t in range(60):
        learner.learn(learner.answer(t % 31), int(t % 31 >= 9))
    assert learner.engine is engine, "late labels are no reason to move to another engine"
    assert learner.rounds == learner.answered == 60 and not learner.late and learner.in_advance is not None


def test_a_buffer_that_is_used_again_changes_no_open_ticket() -> None:
    for build in (at.Adept, at.Hedge):
        learner, x = build(at.Parities(3)), np.array([1, 0, 1])
        ticket = learner.answer(x)
        x[:] = 0
        assert list(next(iter(learner.tickets)).x) == [1, 0, 1]
        learner.learn(ticket, 1)


def test_the_horizon_counts_answers() -> None:
    learner = at.Adept(C, horizon=3)
    tickets = [learner.answer(x) for x in (3, 9, 20)]
    for call in (lambda: learner.answer(4), lambda: learner.learn(4, 1), lambda: learner.predict_proba(4)):
        with pytest.raises(errors.HorizonReached):
            call()
    for ticket in reversed(tickets):
        learner.learn(ticket, 1)
    assert learner.rounds == 3 and learner.ended


def test_a_learner_whose_tickets_are_settled_at_once_is_loaded(tmp_path: Path) -> None:
    """The point is in the tree when its label comes, so that p may differ in its last bit: a drift of rounding."""
    learner, rng = at.Adept(at.RealThresholds()), np.random.default_rng(1)
    for x, u in rng.random((300, 2)).tolist():
        learner.learn(learner.answer(x), int(u < 0.3))
    assert not learner.late
    learner.save(tmp_path / "learner")
    assert at.load(tmp_path / "learner").predict_proba(0.4) == learner.predict_proba(0.4)


@pytest.mark.parametrize("options", [{}, {"horizon": 90}, {"prior": "kt", "rate": 0.4}, {"max_width": 9}], ids=repr)
def test_open_tickets_are_saved(options: dict[str, Any], tmp_path: Path) -> None:
    learner = at.Adept(C, **options)
    rng = np.random.default_rng(4)
    waiting = [learner.answer(int(rng.integers(31))) for _ in range(20)]
    for ticket in waiting[3:8]:
        learner.learn(ticket, 1)
    learner.save(tmp_path / "late")
    again = at.load(tmp_path / "late")
    assert isinstance(again, at.Adept)
    assert [t.id for t in again.tickets] == [t.id for t in learner.tickets]
    assert dict(again.certificate()) == dict(learner.certificate())
    for ticket in [*waiting[:3], *waiting[12:]]:
        for one in (learner, again):
            one.learn(ticket, int(ticket.p < 0.5))
        assert again.predict_proba(7) == learner.predict_proba(7)
    assert dict(again.certificate()) == dict(learner.certificate())


@pytest.mark.parametrize(
    "build",
    [
        lambda: at.Hedge(C),
        lambda: at.Hedge(C, 60, rate=0.4),
        lambda: at.Adept(C, drift=True),
        lambda: at.Adept(C, drift=True, engine="paths"),
        lambda: at.Bpss(at.Thresholds(3), 9, prune=True),
        lambda: at.LazyAdept(C, 60),
        lambda: at.FollowTheLeader(C, 60),
    ],
    ids=["hedge", "hedge constant", "drift", "drift, paths", "bpss", "lazy", "leader"],
)
def test_every_learner_charges_what_it_answered(build: Callable[[], at.OnlineLearner]) -> None:
    learner, rng = build(), np.random.default_rng(6)
    points = getattr(learner.concept_class, "n", 31)
    waiting: list[at.Ticket] = []
    expected, drawn = 0.0, 0
    for _ in range(min(60, learner.horizon or 60)):
        waiting.append(learner.answer(int(rng.integers(points))))
        if rng.random() < 0.7 and waiting:
            ticket = waiting.pop(int(rng.integers(len(waiting))))
            y = int(ticket.p < 0.5)
            learner.learn(ticket, y)
            expected, drawn = expected + abs(ticket.p - y), drawn + (ticket.guess != y)
            assert learner.regret <= learner.bound + 1e-9
    assert learner.expected_loss == pytest.approx(expected) and learner.realised_loss == drawn
    assert learner.late and learner.in_advance is None


def test_labels_that_never_come_cost_little() -> None:
    """The mass of all best paths counts together: what never came divides nothing."""
    learner = at.Adept(C)
    for t in range(200):
        ticket = learner.answer(t % 31)
        if t % 31 % 4 == 0:
            learner.learn(ticket, int(t % 31 >= 15))
    alone = -learner.engine.leader().log_prior / learner.last_rate + learner.gap + learner.drift
    assert guarantees.theorem_one(learner) < alone
    assert learner.regret <= learner.bound


def test_waiting_labels_follow_the_rows() -> None:
    learner = at.Adept(at.Thresholds(9), engine="paths")
    tickets = {x: learner.answer(x) for x in (4, 1, 7, 4)}
    for (x, ticket), row in itertools.product(tickets.items(), range(learner.width)):
        rule = learner.paths.frontier.concept(row)
        assert learner.paths.waiting.labels(ticket.id)[row] == rule(x)
    empty = PendingLabels()
    empty.restore(None)
    assert empty.state()["tickets"] == []


@pytest.mark.parametrize("seed", range(12))
def test_blocks_that_cannot_list_their_paths_prove_by_one_of_them(seed: int) -> None:
    """The bound with late labels is at least that of the paths, which is at least the regret."""
    rng = np.random.default_rng(seed)
    known = at.BlockUnions(int(rng.integers(1, 4)))
    learners = [at.Adept(known), at.Adept(known, engine="paths")]
    tickets: list[list[at.Ticket]] = []
    for _ in range(40):
        x, y, kind = str(rng.integers(8)), int(rng.integers(2)), rng.random()
        if kind < 0.5:
            tickets.append([learner.answer(x) for learner in learners])
        else:
            given = tickets.pop(int(rng.integers(len(tickets)))) if kind < 0.8 and tickets else [x, x]
            for learner, what in zip(learners, given, strict=True):
                learner.learn(what, y)
        blocks, paths = learners
        assert blocks.engine.leader().log_prior == pytest.approx(paths.engine.leader().log_prior)
        assert blocks.bound >= paths.bound - 1e-9 >= paths.regret - 2e-9


@pytest.mark.parametrize("options", [{}, {"horizon": 90}, {"prior": "kt", "rate": 0.4}, {"max_width": 9}], ids=repr)
def test_a_ticket_that_is_given_up_counts_as_one_that_waits_for_ever(options: dict[str, Any], tmp_path: Path) -> None:
    waits, gives_up = at.Adept(C, **options), at.Adept(C, **options)
    rng = np.random.default_rng(6)
    for t in range(40):
        x, y = int(rng.integers(31)), int(rng.random() < 0.4)
        tickets = [learner.answer(x) for learner in (waits, gives_up)]
        assert tickets[0] == tickets[1]
        if t % 3:
            waits.learn(tickets[0], y)
            gives_up.learn(tickets[1], y)
        else:
            gives_up.give_up(tickets[1])
            with pytest.raises(errors.UnknownTicket, match="not open"):
                gives_up.learn(tickets[1], y)
    assert len(gives_up.tickets) == 0 and gives_up.waiting == waits.waiting == 14
    assert gives_up.saved()["learnt"]["engine"].get("waiting", {"tickets": []})["tickets"] == []
    gives_up.save(tmp_path / "learner")
    loaded: Any = at.load(tmp_path / "learner")
    found, kept = dict(loaded.certificate()), dict(waits.certificate())
    assert found.pop("realised_bound") == pytest.approx(kept.pop("realised_bound"), abs=1e-12)
    assert found == kept


@pytest.mark.parametrize("seed", range(5))
def test_open_tickets_are_a_dictionary_that_forgets(seed: int) -> None:
    """However many are open and in which order they are settled, and also if a call is undone in the middle."""
    rng = np.random.default_rng(seed)
    tickets, known = OpenTickets(), dict[int, at.Ticket]()
    for number in range(1, 120):
        mark = Mark([tickets])
        before = list(tickets)
        if known and rng.random() < 0.45:
            ticket = known.pop(int(rng.choice(list(known))))
            assert tickets.find(ticket) is ticket
            tickets.remove(ticket)
            gone: at.Ticket | None = ticket
        else:
            ticket, gone = at.Ticket(number, 3, 0.5, 1, 0), None
            tickets.add(ticket)
            known[number] = ticket
        if rng.random() < 0.3:  # raised after all: undone, and done again
            mark.undo()
            assert list(tickets) == before
            (tickets.remove if gone else tickets.add)(ticket)
        assert list(tickets) == list(known.values()) and len(tickets) == len(known)
        if gone:
            with pytest.raises(errors.UnknownTicket):
                tickets.find(gone)


@pytest.mark.parametrize("costs", [(1, 1), (5, 0.5)])
@pytest.mark.parametrize("build", [at.Adept, at.Hedge], ids=["adept", "hedge"])
def test_the_one_charge_is_the_cost_as_answered_minus_the_mix_loss_as_settled(build: Any, costs: Any) -> None:
    """At a constant rate the mix losses add up to -ln(sum of pi(h) e^(-eta L(h))) / eta, in any order of the labels."""
    eta, rules, rng = 0.7, 17, np.random.default_rng(4)
    options = {} if build is at.Hedge else {"prior": "mixed", "engine": "paths"}
    learner = build(at.Thresholds(rules - 1), 300, rate=eta, costs=costs, **options)
    waiting: list[tuple[at.Ticket, int]] = []
    for _ in range(120):
        waiting.append((learner.answer(int(rng.integers(16))), int(rng.integers(2))))
        while waiting and rng.random() < 0.5:
            learner.learn(*waiting.pop(int(rng.integers(len(waiting)))))
    if build is at.Hedge:
        log_z = math.log(np.exp(-eta * learner.losses).mean())
    else:
        log_z = learner.engine.log_potential() - eta * learner.best_loss
    assert abs(learner.drift) > 0.01 and learner.ledger.excess == pytest.approx(learner.gap + learner.drift, abs=1e-12)
    assert learner.expected_loss - learner.ledger.excess == pytest.approx(-log_z / eta, abs=1e-9)


ROWS: list[dict[str, Any]] = [
    {"a": 1, "b": 0.5, "c": "red", "other": 1},
    {"a": 2.0, "b": float("nan"), "c": None},
    {"a": -0.0, "c": "blue", "b": True},
]
QUICK: dict[str, tuple[Callable[[], at.Adept], list[Any]]] = {
    "floats": (lambda: at.Adept(at.RealThresholds()), [0.5, 1, 0.25, -0.0]),
    "costs": (lambda: at.Adept(at.RealThresholds(), costs=(5, 1), review=0.3), [0.5, 1, 0.25]),
    "table": (lambda: at.Adept(at.TableStumps(["a", "b", "c"])), ROWS),
    "column": (lambda: at.Adept(at.RealThresholds().on("a")), [{"a": 1, "b": [2]}, {"a": 0.5}]),
    "drift": (lambda: at.Adept(at.TableStumps(["a", "c"]), drift=True), ROWS),
    "texts": (lambda: at.Adept(at.BlockUnions(2)), ["x", "y", "z"]),
    "listed": (lambda: at.Adept(at.Thresholds(4).on("a") | at.Experts("b")), [{"a": 2, "b": 1}, {"a": 3}]),
}


@pytest.mark.parametrize("name", QUICK)
def test_quick_tickets_are_those_of_the_slow_path(name: str) -> None:
    """Compiled kernels open and settle tickets alone; the learner would give the same tickets and the same account."""
    build, xs = QUICK[name]
    one, two, rng = build(), build(), np.random.default_rng(0)
    two._quick_answer = lambda x: None
    two._quick_round = lambda x, y: -1
    waiting: list[tuple[at.Ticket, at.Ticket]] = []
    for t in range(120):
        x, y = xs[int(rng.integers(len(xs)))], int(rng.random() < 0.4)
        waiting.append((one.answer(x), two.answer(x)))
        assert waiting[-1][0] == waiting[-1][1] and repr(waiting[-1][0].x) == repr(waiting[-1][1].x)
        if t % 3:
            first, second = waiting.pop(int(rng.integers(len(waiting))))
            one.learn(first, y)
            two.learn(second, y)
            with pytest.raises(errors.UnknownTicket):
                one.learn(first, y)
    assert list(one.tickets) == list(two.tickets) == [ticket for ticket, _ in waiting]
    assert one.tickets.labelled == two.tickets.labelled and sum(one.tickets.labelled) == one.rounds
    assert dict(one.certificate()) == dict(two.certificate()) and one.ledger.copy() == two.ledger.copy()


def test_quick_tickets_are_ordinary_objects_that_free_what_they_hold() -> None:
    """Compiled kernels fill tickets field by field, so that the counts of references are theirs to keep."""
    learner, x = at.Adept(at.RealThresholds()), 1.5
    ticket = learner.answer(x)
    assert type(ticket) is at.Ticket and gc.is_tracked(ticket) and copy.copy(ticket) == ticket
    assert ticket._replace(guess=None).action == "review" and pickle.loads(pickle.dumps(ticket)) == ticket
    assert (ticket.ask, ticket.r, ticket.q, ticket.x) == (True, 0.0, 1.0, x)
    held = [x, at.Ticket, learner._owner, None, True]
    before = [sys.getrefcount(one) for one in held]
    for _ in range(200):
        learner.learn(learner.answer(x), 1)
    assert np.abs(np.subtract([sys.getrefcount(one) for one in held], before)).max() < 20


@pytest.mark.parametrize("options", [{}, {"review": 0.3}, {"engine": "paths", "horizon": 60}])
def test_what_a_batch_drew_is_what_single_answers_draw(options: dict[str, Any]) -> None:
    one, many = at.Adept(C, **options), at.Adept(C, **options)
    xs, ys = [t * 7 % 31 for t in range(60)], [t % 3 % 2 for t in range(60)]
    tickets = []
    for x, y in zip(xs, ys, strict=True):
        tickets.append(one.answer(x))
        one.learn(tickets[-1], y)
    many.learn_many(xs[:25], ys[:25])
    first = many.drawn
    many.learn_many(xs[25:], ys[25:])
    assert first + many.drawn == [2 if ticket.guess is None else ticket.guess for ticket in tickets]
