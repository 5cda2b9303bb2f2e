"""ADEPT as a River classifier (extra ``river``), for pipelines and ``progressive_val_score``."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from adeptree.compat.shared import OF_LEARNER, Reader, check_decision, check_frequency, rows_in
from adeptree.core.dataframes import framed
from adeptree.core.errors import InvalidArgument, MissingExtra, got
from adeptree.core.frozen import freeze
from adeptree.core.types import label_of, labels_of
from adeptree.learners.adept_learner import Adept
from adeptree.learners.frequency import Frequency
from adeptree.learners.inputs import same_length
from adeptree.learners.tickets import Ticket
from adeptree.theory.losses import check_weights

try:
    import pandas as pd
    from river import base
except ImportError:
    raise MissingExtra("adeptree.compat.river needs River; run in a clone: pip install '.[river]'") from None


MOST_QUESTIONS = 10_000
"""Most questions that wait for their labels; beyond it the oldest is given up."""


@dataclass
class _Question:
    """An answered row that waits for its label."""

    x: Any
    ticket: Ticket
    share: float
    """Share of the weight that predicts 1."""
    frequency: float | None
    asked: set[str] = field(default_factory=set)
    """The methods called for it: label, probabilities, decision."""


class AdeptClassifier(base.MiniBatchClassifier):
    """A binary classifier that does almost as well as the best rule of a class in hindsight, on any stream.

    Parameters
    ----------
    rules
        A text as for ``adeptree run --rules``, such as "stumps", "intervals", "stumps(age, values=3)" or "stumps |
        experts(lr, ht)", or a concept class. Rules that name no columns read those of the first row. Texts and missing
        values (None, NaN, a name that a row does not have) are part of the rules.
    feature
        For rules over one value, such as ``"real_thresholds()"``: the feature that holds it.
    horizon
        The number of rounds, if it is known; None works for any.
    drift
        True if the best rule may change, as in ``Adept``.
    decision
        ``"sample"`` draws the label, to which the regret bound applies. ``"argmax"`` takes the likelier one: often
        better on a stream that does not react, but without a guarantee on one that does.
    late
        True if labels may come after later predictions (``moment=`` and ``delay=`` in River's
        ``progressive_val_score``). Each ``predict_one``, ``predict_proba_one`` or ``decide_one`` is then a separate
        question with its own draw, and its label is charged as it was answered. A label is matched to its question by
        the features, else by the order of questions. A question without a label counts as waiting. Use False if the
        model also predicts rows whose label never comes: a label then counts as if its row had been answered just
        before.
    seed
        Seed of the draws; None for a different run every time.
    costs, review, feedback, max_labels, by, segments, max_weight
        As in ``Adept``: costs of a miss and of a false alarm, the cost of a review, the cases whose labels are learnt,
        the column of segments. With ``feedback``, labels that are not wanted are not learnt.
    frequency
        If True, ``predict_proba_one`` returns a calibrated estimate of how often rows like this one have the label
        True, in place of the share of the weight that predicts it.

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
        costs: tuple[float, float] = (1, 1),
        review: Any = None,
        feedback: str = "all",
        max_labels: int | None = None,
        by: str | None = None,
        segments: int | None = None,
        max_weight: float = 1,
        frequency: bool = False,
    ) -> None:
        self.rules, self.feature, self.horizon, self.drift = rules, feature, horizon, drift
        self.decision, self.late, self.seed = decision, late, seed
        self.costs, self.review, self.feedback, self.max_labels = costs, review, feedback, max_labels
        self.by, self.segments, self.max_weight, self.frequency = by, segments, max_weight, frequency
        check_frequency(frequency, feedback)
        drawn: Any = np.random.SeedSequence().entropy if seed is None else seed
        self._drawn: int = drawn
        self._questions: dict[Hashable, deque[_Question]] = {}  # by features, in the order of the questions
        self._last: _Question | None = None  # the last question, while its ticket is only a preview
        self._counted = Frequency() if frequency else None
        self._begin({})  # raises errors of the settings early
        self._begun = False

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Raise an error for a renamed parameter; the parameters are those of ``__init__``."""
        if "switches" in given:
            raise InvalidArgument("switches= was renamed; use drift=True (docs/reference/renamed.md)")
        return super().__new__(cls)

    @property
    def learner(self) -> Adept:
        """The inner learner, with its account: regret, bound, best rule, certificate."""
        self._commit()
        return self._learner

    @property
    def decision(self) -> str:
        """The way in which the probability becomes a label: "sample" or "argmax"."""
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

    # --- Rows ----------------------------------------------------------------------------------------

    def _read(self, row: dict[str, Any]) -> Reader:
        """Return the reader of rows like the first one."""
        return Reader(self.rules, [row], self.feature, self.by)

    def _begin(self, row: dict[str, Any]) -> None:
        """Create the learner; rules that name no columns read those of this row."""
        self._reader = self._read(row)
        settings = {name: getattr(self, name) for name in OF_LEARNER}
        self._learner = self._reader.learner(self.horizon, self._drawn, **settings)

    def _key(self, x: Mapping[Any, Any]) -> tuple[dict[str, Any], Hashable]:
        """Return a row with texts as names, and its key."""
        row = {str(name): value for name, value in x.items()}
        if len(row) < len(x):
            raise InvalidArgument(f"feature names must be different texts; {got('names', list(x))}")
        if not self._begun:
            self._begin(row)
        key = freeze(self._reader.instance(row))
        self._begun = True
        return row, key

    def _instance(self, row: dict[str, Any]) -> Any:
        """Return the learner's instance of a row."""
        return self._reader.instance(row)

    # --- Questions and labels ------------------------------------------------------------------------

    def _ask(self, x: Mapping[Any, Any], how: str) -> _Question:
        """Return the question of a row: a new one, or one on which this method was not called yet."""
        row, key = self._key(x)
        for question in self._questions.get(key, ()):
            if how not in question.asked:
                question.asked.add(how)
                return question
        question = self._question(row, how)
        if self.late:
            self._questions.setdefault(key, deque()).append(question)
            self._last = question
            if len(self._questions) > MOST_QUESTIONS:
                self._give_up(next(iter(self._questions)))
        return question

    def _question(self, row: dict[str, Any], how: str) -> _Question:
        self._commit()
        instance = self._instance(row)
        share = self._learner.predict_proba(instance)
        given = None if self._counted is None else self._counted.of(share)
        return _Question(instance, self._learner.preview(instance), share, given, {how})

    def _commit(self) -> None:
        """Open a ticket for the last question, because another comes before its label."""
        if self._last is not None:
            self._last.ticket, self._last = self._learner.answer(self._last.x), None

    def _forget(self, key: Hashable) -> _Question:
        """Remove and return the oldest question with these features."""
        question = self._questions[key].popleft()
        if not self._questions[key]:
            del self._questions[key]
        return question

    def _give_up(self, key: Hashable) -> None:
        question = self._forget(key)
        if question.ticket.ask:
            self._learner.give_up(question.ticket)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1) -> None:
        """Learn that ``x`` had label ``y``, False or True, for the oldest question with these features.

        If there is none (a transformer before this step may have changed), it is matched to the oldest question. An
        error in a round of weight w costs w times as much.
        """
        label = label_of(y)
        row, key = self._key(x)
        if key not in self._questions and self._questions:
            key = next(iter(self._questions))
        if key not in self._questions:
            question = self._question(row, "label")
            self._learner.learn(question.x, label, w)
        elif (question := self._questions[key][0]) is self._last:  # a prompt label: an ordinary round
            self._learner.learn(question.x, label, w)
            self._last = None
            self._forget(key)
        else:
            self._commit()
            if question.ticket.ask:
                self._learner.learn(question.ticket, label, w)
            self._forget(key)
        if self._counted is not None:
            self._counted.learn(question.share, label, question.frequency)

    def _label(self, question: _Question) -> bool:
        guess = question.ticket.guess
        return bool(guess) if self.decision == "sample" and guess is not None else question.share > 0.5

    def _chance(self, question: _Question) -> float:
        return question.share if question.frequency is None else question.frequency

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the shares of the weight for False and True, or with ``frequency`` a calibrated estimate."""
        p = self._chance(self._ask(x, "proba"))
        return {False: 1.0 - p, True: p}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> bool:
        """Return a label: the round's draw, or the likelier one (also if a review is drawn)."""
        return self._label(self._ask(x, "label"))

    def decide_one(self, x: dict[Any, Any]) -> int | str:
        """Return the drawn action: 0, 1 or "review"."""
        return self._ask(x, "decision").ticket.action

    def asks_one(self, x: dict[Any, Any]) -> bool:
        """Return True if the learner wants the label of this row (``feedback``)."""
        return self._ask(x, "ask").ticket.ask

    # --- Mini-batches: rows of a data frame, one by one in their order -----------------------------------

    def _rows(self, X: Any) -> list[dict[str, Any]]:
        rows = rows_in(X)
        if not self._begun and rows:
            self._begin(dict.fromkeys(map(str, framed(X).columns)) | rows[0])
            self._begun = True
        return rows

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn the rows of a data frame, as :meth:`learn_one` learns each."""
        rows, labels = self._rows(X), labels_of(y)
        weights = None if w is None else check_weights(w)
        same_length(X=rows, y=labels, w=weights)
        for row, label, weight in zip(rows, labels.tolist(), weights or [1] * len(rows), strict=True):
            self.learn_one(row, label, weight)

    def predict_proba_many(self, X: Any) -> Any:
        """Return a data frame with the results of :meth:`predict_proba_one` for False and True."""
        p = np.array([self._chance(self._ask(row, "proba, of many")) for row in self._rows(X)])
        return pd.DataFrame({False: 1.0 - p, True: p}, index=X.index)

    def predict_many(self, X: Any) -> Any:
        """Return a series of the labels of :meth:`predict_one`."""
        labels = [self._label(self._ask(row, "label, of many")) for row in self._rows(X)]
        return pd.Series(labels, index=X.index, dtype=bool)

    def best_rule(self) -> Any:
        """Return a rule with the fewest mistakes so far; ``str`` of it is readable."""
        return self._learner.best_rule()
