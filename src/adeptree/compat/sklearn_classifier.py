"""ADEPT as an estimator of scikit-learn (extra ``sklearn``), with ``partial_fit``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from adeptree.compat.shared import OF_LEARNER, Reader, check_decision, check_frequency
from adeptree.core.cell_text import brief
from adeptree.core.dataframes import plain_rows
from adeptree.core.errors import InvalidArgument, MissingExtra, did_you_mean
from adeptree.families.tables.detecting import SAMPLED
from adeptree.families.tables.times import DERIVED
from adeptree.learners.frequency import Frequency
from adeptree.learners.tickets import Ticket

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError:
    raise MissingExtra(
        "adeptree.compat.sklearn needs scikit-learn 1.6 or newer; run in a clone: pip install '.[sklearn]'"
    ) from None


class AdeptClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary classifier that learns in one pass, row by row, against a class of rules.

    ``fit`` plays the rows in their order as rounds of an online game; ``partial_fit`` continues it. ``learner_`` is the
    learner, with the account of the game: regret, bound, best rule, certificate. The account refers to *sampled*
    labels. ``predict`` takes the likelier label (``decision="argmax"``), as users of scikit-learn expect, without a
    guarantee; ``decision="sample"`` draws from ``random_state``.

    Parameters
    ----------
    rules
        A text as for ``adeptree run --rules``, such as "stumps", "intervals", "stumps(age, values=3)" or
        "stumps | experts(lr, ht)", or a concept class. Rules that name no columns read all features. Texts and missing
        values in X are part of the rules. Features are named as in the data frame, else "x0", "x1", ...
    feature
        For rules over one value, such as "real_thresholds()": the name of the feature that holds it.
    decision
        "argmax" or "sample".
    random_state
        An int, a generator or None, for the draws.
    horizon, costs, review, feedback, max_labels, drift, by, segments, max_weight
        As in ``Adept``: costs of a miss and of a false alarm, the cost of a review, the cases whose labels are learnt,
        drift, the column of segments. With ``feedback``, labels that the learner does not want are not learnt.
    frequency
        If True, ``predict_proba`` returns a calibrated estimate of how often rows like these have each label, in place
        of the share of the weight that predicts it.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]] * 10), ["no", "no", "yes", "yes"] * 10
    >>> model = AdeptClassifier().fit(X, y)
    >>> model.predict([[0.0], [9.0]]).tolist(), str(model.best_rule())
    (['no', 'yes'], 'x0 >= 3')
    """

    _outputs: tuple[str, ...] = ()  # additional columns: the models' outputs

    def __init__(
        self,
        rules: Any = "stumps",
        feature: str | None = None,
        decision: str = "argmax",
        random_state: Any = None,
        horizon: int | None = None,
        costs: tuple[float, float] = (1, 1),
        review: Any = None,
        feedback: str = "all",
        max_labels: int | None = None,
        drift: bool | str = False,
        by: str | None = None,
        segments: int | None = None,
        max_weight: float = 1,
        frequency: bool = False,
    ) -> None:
        self.rules, self.feature, self.decision, self.random_state = rules, feature, decision, random_state
        self.horizon, self.costs, self.review, self.feedback = horizon, costs, review, feedback
        self.max_labels, self.drift, self.by, self.segments = max_labels, drift, by, segments
        self.max_weight, self.frequency = max_weight, frequency

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, **weights: Any) -> Self:
        """Reset the learner and learn the rows in their order.

        ``sample_weight=`` is the cost of an error in each row. (It is not named in the signature, because scikit-learn
        would then require a row of weight 2 to equal two rows, which are two rounds here.)
        """
        X, y = self._checked(X, y)
        weight = weights.pop("sample_weight", None)
        if weights:
            raise TypeError(f"fit takes X, y and sample_weight; got {', '.join(map(repr, weights))}")
        weight = _weights(weight, X)
        return self._start(X, y, None, weight)._learn(X, y, weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Continue with more rows; the first call must contain both labels, in ``classes`` or in ``y``."""
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, reset=first)
        weight = _weights(sample_weight, X)
        return (self._start(X, y, classes, weight) if first else self)._learn(X, y, weight)

    def predict_proba(self, X: Any) -> Any:
        """Return the share of the weight for each label of ``classes_``, one line per row."""
        p = self._shares(X)
        if self._counted is not None:
            p = np.array([self._counted.of(share) for share in p])
        return np.column_stack([1.0 - p, p]) if len(self.classes_) == 2 else np.ones((len(p), 1))

    def predict(self, X: Any) -> Any:
        """Return a label for every row: the likelier one, or a draw."""
        p = self._shares(X)
        cut = self._draws(len(p)) if self.decision == "sample" else 0.5
        return self.classes_[np.minimum(p > cut, len(self.classes_) - 1)]

    def decide(self, X: Any) -> Any:
        """Return a label or "review" for every row: the likeliest of the three, or a draw."""
        check_is_fitted(self)
        rows = self._instances(self._checked(X, reset=False))
        draws = self._draws(len(rows)) if self.decision == "sample" else [None] * len(rows)
        actions = [_action(self.learner_.preview(x), draw) for x, draw in zip(rows, draws, strict=True)]
        answers = [*self.classes_.tolist(), *self.classes_.tolist()][:2]  # a single class is both labels
        return np.array([*answers, "review"], dtype=object)[actions]

    def _draws(self, count: int) -> Any:
        return check_random_state(self.random_state).random_sample(count)

    def _shares(self, X: Any) -> Any:
        check_is_fitted(self)
        return self.learner_.predict_proba_many(self._instances(self._checked(X, reset=False)))

    def best_rule(self) -> Any:
        """Return a rule with the fewest mistakes on the rows learnt; ``str`` of it is readable."""
        check_is_fitted(self)
        return self.learner_.best_rule()

    def _checked(self, *given: Any, **how: Any) -> Any:
        """Return X, and y: numbers, texts and missing values."""
        return validate_data(self, *given, dtype=None, ensure_all_finite=False, **how)

    def _start(self, X: Any, y: Any, classes: Any, weight: Any) -> Self:
        check_decision(self.decision)
        check_frequency(self.frequency, self.feedback)
        check_classification_targets(y)
        labels = np.unique(y if classes is None else classes)
        if len(labels) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(labels)}: "
                f"it has {len(labels)} classes; wrap this classifier in sklearn.multiclass.OneVsRestClassifier"
            )
        self.classes_ = labels
        numbered = [f"x{i}" for i in range(self.n_features_in_)]
        self._names = [str(name) for name in getattr(self, "feature_names_in_", numbered)]
        settings = {name: getattr(self, name) for name in OF_LEARNER}
        heaviest = 1 if weight is None else weight.max().item()
        settings["max_weight"] = max(heaviest, self.max_weight)
        self._reader = self._read([dict(zip(self._names, row, strict=True)) for row in plain_rows(X[:SAMPLED])])
        self._check_columns(self._reader.names if isinstance(self.rules, str) else None)
        self.learner_ = self._reader.learner(self.horizon, 0, **settings)
        self._counted = Frequency() if self.frequency else None
        return self

    def _check_columns(self, named: Sequence[str] | None) -> None:
        """Raise an error for columns that X does not have."""
        known = {*self._names, *self._outputs}
        for parameter, names in {"by": [self.by], "feature": [self.feature], "rules": named or ()}.items():
            for name in names:
                column = found[2] if name and (found := DERIVED.fullmatch(name)) else name
                if column not in (None, *known):
                    raise InvalidArgument(
                        f'{parameter}: X has no column "{column}"{did_you_mean(str(column), self._names).rstrip(".?")}'
                        f"; its columns are {', '.join(map(brief, self._names))}"
                    )

    def _read(self, rows: list[dict[str, Any]]) -> Reader:
        """Return the reader of rows like the first ones."""
        return Reader(self.rules, rows, self.feature, self.by)

    def _learn(self, X: Any, y: Any, weight: Any) -> Self:
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y has the labels {unknown.tolist()}, which are not among the classes {self.classes_.tolist()} of the "
                f"first call; name both in the first partial_fit(X, y, classes=...)"
            )
        labels = np.searchsorted(self.classes_, y)
        shares = self.learner_.learn_many(self._instances(X), labels, weight)
        if self._counted is not None:
            self._counted.of_many(shares.tolist(), labels.tolist())
        return self

    def _instances(self, X: Any) -> Any:
        reader = self._reader
        if reader.takes_arrays and reader.names == tuple(self._names):
            return X  # columns are read in order
        return [reader.instance(dict(zip(self._names, row, strict=True))) for row in plain_rows(X)]


def _action(ticket: Ticket, draw: float | None) -> int:
    """Return 0, 1, or 2 for a review: the drawn action, or the likeliest."""
    if draw is None:
        return max((1.0 - ticket.p - ticket.r, 0), (ticket.p, 1), (ticket.r, 2))[1]
    return 1 if draw < ticket.p else 2 if draw >= 1.0 - ticket.r else 0


def _weights(weight: Any, X: Any) -> Any:
    """Return the checked cost of an error in each row; None without weights."""
    if weight is None:
        return None
    weight = _check_sample_weight(weight, X, dtype=np.float64)
    if not weight.any():
        raise InvalidArgument("every sample_weight is zero, so there is nothing to learn; give one that is not")
    return weight
