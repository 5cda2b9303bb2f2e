"""ADEPT as a classifier of River (extra ``river``): in pipelines, ``progressive_val_score`` and the rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.compat.shared import check_decision, instance_of, learner_of, rows_in, rules_of
from adeptree.core.dataframes import framed
from adeptree.core.errors import InvalidInstance, MissingExtra
from adeptree.core.frozen import freeze
from adeptree.core.types import labels_of
from adeptree.families.stumps.sparse_stumps import OpenStumps
from adeptree.families.tables.table_classes import TableStumps
from adeptree.learners.inputs import same_length
from adeptree.learners.online_learner import OnlineLearner
from adeptree.theory.coins import Coins
from adeptree.theory.losses import check_weights

try:
    import pandas as pd
    from river import base
except ImportError:
    raise MissingExtra("adeptree.compat.river needs River; run in a clone: pip install '.[river]'") from None


MOST_QUESTIONS = 10_000
"""Questions that wait for their labels; beyond that the oldest is forgotten."""


@dataclass
class _Question:
    """A row that was answered and waits for its label."""

    p: float
    guess: int
    since: int
    """Labels that had come before."""
    asked: set[str]
    """In which ways: for a label, for probabilities."""


class AdeptClassifier(base.MiniBatchClassifier):
    """A binary classifier that does almost as well as the best rule of a class in hindsight, on any stream.

    Parameters
    ----------
    rules
        What to compete with: ``"stumps"`` (feature >= cut and feature < cut, for every feature that comes along and
        every cut; a feature that is absent counts as 0), a spec such as ``"blocks(d=3, block='sender')"``, or a
        concept class. Where the first row has a text or a gap (None, NaN), and always with ``"tables"``, the rules are
        ``TableStumps`` of its features: texts and gaps are part of them, and one that is absent is a gap.
    feature
        For rules over one value, such as ``"real_thresholds()"``: the feature that holds it.
    horizon
        The number of rounds, if it is known; None works for any.
    drift
        True if the best rule may change, as of ``Adept``. Rules that list their features (``real_stumps(...)``) or
        read one (``real_thresholds()``) are fast. ``"stumps"`` and tables list their paths, which is slow.
    decision
        ``"sample"`` draws the label, which is what the regret bound is about; ``"argmax"`` takes the likelier one:
        often better on a stream that does not care, and without any guarantee on one that does.
    late
        Whether a prediction is an answer whose label may come later (``moment=`` and ``delay=`` in River's
        ``progressive_val_score``): each ``predict_one`` (or ``predict_proba_one``) is then a question with a draw of
        its own, and its label is charged as it was answered. Labels find their questions by the features, and where a
        transformer has changed those in the meantime, in the order of the questions. A question without a label counts
        as waiting, and widens what is proven of drawn mistakes. False is for models that are also asked about rows
        whose label never comes: a label then counts as if its row had been answered just before, and what is proven of
        drawn mistakes holds only if you do not choose the rows to learn by the labels that were drawn.
    seed
        Of the draws; None for another run every time.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from adeptree.compat.river import AdeptClassifier
    >>> model = AdeptClassifier(seed=0)
    >>> accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> accuracy.get() > 0.85, str(model.best_rule())
    (True, 'empty_server_form_handler < 1')

    """

    def __init__(
        self,
        rules: Any = "stumps",
        feature: Any = None,
        horizon: int | None = None,
        drift: bool | str = False,
        decision: str = "sample",
        late: bool = True,
        seed: int | None = None,
    ) -> None:
        self.rules = rules
        self.feature = feature
        self.horizon = horizon
        self.drift = drift
        self.decision = decision
        self.late = late
        self.seed = seed
        drawn: Any = np.random.SeedSequence().entropy if seed is None else seed
        self._drawn: int = drawn
        self._open = isinstance(rules, str) and rules in ("stumps", "tables") and feature is None
        self._learner = learner_of(OpenStumps() if self._open else rules_of(rules), horizon, drift, self._drawn)
        self._coins = Coins(self._drawn)
        self._asked = 0
        self._questions: dict[Hashable, deque[_Question]] = {}  # by features, in the order they were asked about

    @property
    def learner(self) -> OnlineLearner:
        """The learner inside, with its account: regret, bound, best rule, certificate."""
        return self._learner

    @property
    def decision(self) -> str:
        """How the probability becomes a label."""
        return self._decision

    @decision.setter
    def decision(self, decision: str) -> None:
        self._decision = check_decision(decision)

    @property
    def _mutable_attributes(self) -> set[str]:
        return {"decision"}

    @property
    def _multiclass(self) -> bool:
        return False

    def _begin(self, names: Collection[Any], x: dict[Any, Any]) -> None:
        """Let the first row tell whether the rules are about texts and gaps, too."""
        try:
            if self.rules != "tables":
                self._learner.concept_class.instance(x)
                self._open = False
                return
        except InvalidInstance:
            if not all(isinstance(name, str) for name in names):
                raise
        rules = TableStumps(names)
        rules.instance(x)
        self._learner, self._open = learner_of(rules, self.horizon, self.drift, self._drawn), False

    def _rows(self, X: Any) -> list[dict[str, Any]]:
        rows = rows_in(X)
        if self._open and rows:
            self._begin([str(name) for name in framed(X).columns], rows[0])
        return rows

    def _instance(self, x: dict[Any, Any]) -> Any:
        if self._open:
            self._begin(x, x)
        return instance_of(self._learner.concept_class, x, self.feature)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1) -> None:
        """Learn that ``x`` had label ``y``, False or True; it answers the oldest question with these features.

        If there is none (a transformer before this step has learnt since), the oldest question of all. A round of
        weight w is w times as costly to err in.
        """
        instance = self._instance(x)
        key = freeze(instance)
        asked = self._questions.get(key)
        if asked is None and self._questions:
            key, asked = next(iter(self._questions.items()))
        if asked is None:
            self._learner.learn(instance, y, w)
            return
        oldest = asked[0]
        self._learner.learn_answered(instance, y, oldest.p, oldest.guess, oldest.since, w)
        self._forget(key)

    def _forget(self, key: Hashable) -> None:
        """Forget the oldest question with these features."""
        self._questions[key].popleft()
        if not self._questions[key]:
            del self._questions[key]

    def _answer(self, x: dict[Any, Any], how: str) -> tuple[float, int]:
        """Return the chance of guessing 1, and the guess; asking in the other way too is no new question."""
        instance = self._instance(x)
        p = self._learner.predict_proba(instance)
        if not self.late:
            return p, self._learner.predict(instance)
        key = freeze(instance)
        for question in self._questions.get(key, ()):
            if how not in question.asked:
                question.asked.add(how)
                return question.p, question.guess
        self._asked += 1
        self._learner.note_answer(p)
        guess = int(self._coins.of(self._asked, key) < p)
        self._questions.setdefault(key, deque()).append(_Question(p, guess, self._learner.rounds, {how}))
        if len(self._questions) > MOST_QUESTIONS:
            self._forget(next(iter(self._questions)))
        return p, guess

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the chances of guessing False and True (not those of the label's being so)."""
        p, _ = self._answer(x, "proba")
        return {False: 1.0 - p, True: p}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> bool:
        """Return a label: the round's draw, or the likelier one."""
        p, guess = self._answer(x, "label")
        return bool(guess) if self.decision == "sample" else p > 0.5

    # --- Mini-batches: rows of a data frame, one by one in their order -----------------------------------

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of a data frame, as :meth:`learn_one` learns each; a gap in it is a feature that is absent."""
        rows, labels = self._rows(X), labels_of(y)
        weights = None if w is None else check_weights(w)
        same_length(X=rows, y=labels, w=weights)
        if not self._questions:
            self._learner.learn_many([self._instance(row) for row in rows], labels, weights)
            return
        for row, label, weight in zip(rows, labels.tolist(), weights or [1] * len(rows), strict=True):
            self.learn_one(row, label, weight)

    def predict_proba_many(self, X: Any) -> Any:
        """Return a data frame with the chances of guessing False and True, one row per row."""
        p = np.array([self._answer(row, "proba, of many")[0] for row in self._rows(X)])
        return pd.DataFrame({False: 1.0 - p, True: p}, index=X.index)

    def predict_many(self, X: Any) -> Any:
        """Return a series of labels, each as :meth:`predict_one` gives it."""
        answers = [self._answer(row, "label, of many") for row in self._rows(X)]
        labels = [bool(guess) if self.decision == "sample" else p > 0.5 for p, guess in answers]
        return pd.Series(labels, index=X.index, dtype=bool)

    def best_rule(self) -> Any:
        """Return a rule with the fewest mistakes so far; ``str`` of it is readable."""
        return self._learner.best_rule()
