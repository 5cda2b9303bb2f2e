"""The sequential game of the paper: instance, distribution, label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import label_of
from adeptree.games.adversaries import as_adversary
from adeptree.games.transcript import Round, Transcript
from adeptree.learners.online_learner import OnlineLearner


def play(
    learner: OnlineLearner,
    adversary: Any,
    rounds: int | None = None,
    seed: int = 0,
    *,
    on_round: Callable[[Round], None] | None = None,
) -> Transcript:
    """Play a game of the paper and return its transcript.

    Parameters
    ----------
    learner
        Who predicts; it goes on from where it is.
    adversary
        An :class:`Adversary`, or any iterable of (x, y) pairs.
    rounds
        How many rounds; by default all that the learner has left.
    seed
        The adversary's; the learner has its own.
    on_round
        Called with each :class:`Round` when it is over, e.g. to draw a progress bar.

    Examples
    --------
    >>> from adeptree import Adept, Thresholds
    >>> from adeptree.games import Greedy
    >>> run = play(Adept(Thresholds(64), horizon=200), Greedy(Thresholds(64)))
    >>> run.regret <= run.bound
    True
    """
    opponent = as_adversary(adversary)
    total = _rounds_left(learner) if rounds is None else check_size("rounds", rounds, at_least=0)
    opponent.start(total, seed)
    history: list[Round] = []
    for t in range(1, total + 1):
        x = opponent.instance(history)
        p = learner.predict_proba(x)
        y = label_of(opponent.label(history, x, p))
        guess = learner.predict(x)
        learner.learn(x, y)
        queries = learner.queries
        best_loss = learner.best_loss if learner.follows_best_loss or t == total else None
        row = Round(t, x, p, guess, y, learner.width, queries.asked, queries.posed, best_loss)
        history.append(row)
        if on_round is not None:
            on_round(row)
    header = {
        "learner": learner.kind,
        "class": repr(learner.concept_class),
        "settings": {k: v for k, v in learner.settings().items() if k != "base"},
        "adversary": repr(opponent),
        "seed": seed,
        "rounds": total,
    }
    return Transcript(header, tuple(history), learner.bound)


def _rounds_left(learner: OnlineLearner) -> int:
    if learner.horizon is None:
        raise InvalidArgument("this learner has no horizon; say how many rounds to play, as in rounds=1000")
    return learner.horizon - learner.rounds
