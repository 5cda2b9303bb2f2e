"""Laws of adversaries: proper labels, reproducible, and blind to the coin of the round."""

from __future__ import annotations

from typing import Any

from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import AdversarySubject
from adeptree.core.errors import InvalidLabel
from adeptree.core.types import label_of
from adeptree.games import Round, play
from adeptree.games.adversaries import History, listening


def game(subject: AdversarySubject, seed: int = 0, coins: int = 0) -> History:
    """Play by the rules of the paper; the recorded guesses do not depend on the learner's coins."""
    adversary, learner = subject.adversary, subject.learner.make(seed=coins)
    rounds = subject.learner.horizon
    adversary.start(rounds, seed)
    history = History()
    with listening(adversary, learner) as calls:
        for t in range(1, rounds + 1):
            x = adversary.instance(history.until(t))
            p = learner.predict_proba(x)
            y = adversary.label(history.until(t), x, p)
            try:
                label_of(y)
            except InvalidLabel as error:
                fail(f"round {t}: {error}")
            learner.learn(x, y)
            history.add(Round(t, x, p, int(p > 0.5), y, learner.width, 0, 0, learner.best_loss), calls)
    return history


def choices(history: list[Round]) -> list[tuple[Any, int]]:
    """Return the choices of the adversary."""
    return [(r.x, int(r.y)) for r in history]


def check_labels(subject: AdversarySubject) -> None:
    """Labels are 0 or 1."""
    for seed in range(3):
        game(subject, seed)


def check_instances(subject: AdversarySubject) -> None:
    """Every x lies in the domain of the class."""
    c = subject.learner.domain.concept_class
    for r in game(subject, seed=4):
        c.instance(r.x)


def check_reproducible(subject: AdversarySubject) -> None:
    """The same seed gives the same game, however often the adversary has played before."""
    first = choices(game(subject, seed=1))
    game(subject, seed=2)
    if choices(game(subject, seed=1)) != first:
        fail("a second game with the same seed and learner differs from the first")


def check_coin_is_hidden(subject: AdversarySubject) -> None:
    """Expected regret is over the learner's coin, which the adversary must not see before it answers."""
    first = game(subject, seed=1, coins=0)
    for coins in range(1, 4):
        for one, other in zip(first, game(subject, seed=1, coins=coins), strict=True):
            if one.x == other.x and one.p != other.p:
                skip("the probabilities of the learner given depend on its seed; give another learner=")
            if (one.x, one.y) != (other.x, other.y):
                fail(f"round {one.t}: it chose {one.x, one.y} or {other.x, other.y} by the learner's coin alone")


def check_history_is_read_only(subject: AdversarySubject) -> None:
    """The past belongs to the transcript."""
    adversary, past = subject.adversary, game(subject, seed=1)
    adversary.start(len(past), 1)
    for t, r in enumerate(past):
        history = past.until(t)
        adversary.label(history, adversary.instance(history), r.p)
        if history != past.until(t):
            fail(f"it changed the history in round {t + 1}")


def check_play(subject: AdversarySubject) -> None:
    """``play`` runs it to the end, and the learner keeps its promise against it."""
    learner = subject.learner.make()
    run = play(learner, subject.adversary, seed=1)
    if len(run) != learner.horizon or run.header["adversary"] != repr(subject.adversary):
        fail(f"the game has {len(run)} of {learner.horizon} rounds and the header {run.header}")
    if run.regret > run.bound + 1e-9:
        fail(f"regret {run.regret} exceeds {run.bound}")
