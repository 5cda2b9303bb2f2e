"""The sequential game of the paper: instance, distribution, label."""

from __future__ import annotations

from typing import Any

from adeptree.core.arguments import check_size, refuse_class
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import label_of
from adeptree.games.adversaries import History, as_adversary, listening
from adeptree.games.transcript import Transcript
from adeptree.learners.callbacks import OnBestRule, OnRound, Progress, Watch, round_of
from adeptree.learners.online_learner import OnlineLearner


def play(
    learner: OnlineLearner,
    adversary: Any,
    rounds: int | None = None,
    seed: int = 0,
    *,
    on_round: OnRound | None = None,
    on_best_rule_changed: OnBestRule | None = None,
    progress: Progress = False,
) -> Transcript:
    """Play a game of the paper and return its transcript.

    Parameters
    ----------
    learner
        The learner that predicts; it continues from its current state.
    adversary
        An :class:`Adversary`, or any iterable of (x, y) pairs.
    rounds
        The number of rounds; by default all that the learner has left.
    seed
        The seed of the adversary; the learner has its own.
    on_round
        Called with each :class:`Round` when it is over.
    on_best_rule_changed
        Called with the :class:`Round` after which the best rule changed, and with the new rule.
    progress
        True to report progress on the standard error; or a function of the number of rounds done and the total.

    Examples
    --------
    >>> from adeptree import Adept, Greedy, Thresholds
    >>> run = play(Adept(Thresholds(64), horizon=200), Greedy(Thresholds(64)))
    >>> run.regret <= run.bound
    True
    """
    refuse_class("learner", learner)
    opponent = as_adversary(adversary)
    total = _rounds_left(learner) if rounds is None else check_size("rounds", rounds, at_least=0)
    opponent.start(total, seed)
    history = History()
    watch = Watch(learner, on_round, on_best_rule_changed, progress, total)
    with listening(opponent, learner) as calls:
        for t in range(1, total + 1):
            x = opponent.instance(history)
            p = learner.predict_proba(x)
            y = label_of(opponent.label(history, x, p))
            guess = learner.predict(x)
            learner.learn(x, y)
            row = round_of(learner, t, x, p, guess, y, t == total)
            history.add(row, calls)
            if not watch.off:
                watch.after(row)
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
