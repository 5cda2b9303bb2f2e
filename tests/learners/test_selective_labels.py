"""Labels that come for one guess only: the account says that it covers labelled rounds only."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import adeptree as at
from adeptree.learners.certificate import SELECTIVE
from adeptree.pages.standing import RunFacts
from adeptree.pages.summary import summary


def labelled_for(guesses: set[int | None], rounds: int, review: float | None = None) -> at.Adept:
    """Return a learner that gets labels for answers with these guesses only."""
    learner, rng = at.Adept(at.Thresholds(16), review=review, rate=None if guesses == {None} else 0.1), random.Random(1)
    for _ in range(rounds):
        x = rng.randrange(16)
        ticket = learner.answer(x)
        if ticket.guess in guesses:
            learner.learn(ticket, int(rng.random() < 0.5))
    return learner


@pytest.mark.parametrize(("guesses", "review"), [({1}, None), ({0}, None), ({1, None}, 0.2), ({None}, 0.2)])
def test_labels_for_one_guess_only_are_noticed(guesses: set[int | None], review: float | None, tmp_path: Path) -> None:
    learner = labelled_for(guesses, 200, review)
    assert SELECTIVE in str(learner.certificate())
    for told in (repr(learner), repr(learner.certificate()), learner._repr_html_()):
        assert "Labels seem to depend on the decision" in told
    assert "Labels seem to depend on the decision" in summary(learner, RunFacts("f.csv", "thresholds", ["x"]))
    learner.save(tmp_path / "f")
    assert at.load(tmp_path / "f").certificate().selective


def test_given_up_tickets_count_as_unlabelled(tmp_path: Path) -> None:
    learner = labelled_for({1}, 200)
    for ticket in list(learner.tickets):
        learner.give_up(ticket)
    assert learner.certificate().selective
    learner.save(tmp_path / "f")
    assert at.load(tmp_path / "f").certificate().selective


def test_nothing_is_said_of_few_tickets_or_of_labels_for_both_guesses() -> None:
    assert not labelled_for({1}, 30).certificate().selective
    assert not labelled_for({0, 1}, 200).certificate().selective
    learner, rng = at.Adept(at.Thresholds(16), rate=0.1), random.Random(3)
    for _ in range(300):  # labels for every 1 and for half of the 0s
        ticket = learner.answer(rng.randrange(16))
        if ticket.guess or rng.random() < 0.5:
            learner.learn(ticket, rng.randrange(2))
    assert learner.tickets.labelled[0] > 20 < len(learner.tickets)
    assert not learner.certificate().selective
    learner, rng = at.Adept(at.Thresholds(16)), random.Random(2)
    for _ in range(300):  # labels for a random half
        ticket = learner.answer(rng.randrange(16))
        if rng.random() < 0.5:
            learner.learn(ticket, rng.randrange(2))
    assert len(learner.tickets) > 100
    assert SELECTIVE not in str(learner.certificate())


def test_labels_of_reviews_only_are_noticed_unless_nothing_else_is_wanted() -> None:
    """At 5 % of other labels, or of reviews without a label, it is still said; beyond, it is not."""
    learner = at.Adept(at.Thresholds(16), review=0.2)
    for labelled, unlabelled, said in [
        ([0, 0, 20], [9, 11, 0], True),
        ([0, 0, 20], [9, 10, 1], True),
        ([0, 1, 19], [9, 11, 0], True),
        ([1, 1, 18], [9, 11, 0], False),
        ([0, 0, 20], [9, 9, 2], False),
        ([0, 0, 19], [90, 90, 0], False),
        ([0, 0, 190], [9, 10, 0], False),
    ]:
        learner.tickets.labelled, learner.tickets.unlabelled = labelled, unlabelled
        assert learner.tickets.selective() is said
    learner = at.Adept(at.Thresholds(16), 300, review=0.2, feedback="reviewed")
    open_ones = [ticket for ticket in (learner.answer(t % 16) for t in range(300)) if ticket.ask]
    for ticket in open_ones[::2]:  # (there all tickets are reviews)
        learner.learn(ticket, 1)
    assert len(open_ones) > 50 and not learner.certificate().selective


def test_asked_labels_that_come_for_one_guess_only_are_noticed() -> None:
    learner, rng = at.Adept(at.Thresholds(16), rate=1.0, feedback="asked"), random.Random(1)
    for _ in range(600):
        ticket = learner.answer(rng.randrange(16))
        if ticket.ask and ticket.guess:
            learner.learn(ticket, rng.randrange(2))
    told = learner.certificate()
    assert told.selective and SELECTIVE in str(told) and "feedback=" in SELECTIVE
    for text in (repr(told), told._repr_html_(), repr(learner)):
        assert "Labels seem to depend on the decision" in text
    assert "Labels seem to depend on the decision" in summary(learner, RunFacts("f.csv", "thresholds", ["x"]))
