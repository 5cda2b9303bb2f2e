"""ADEPT as an estimator of scikit-learn (extra ``sklearn``), with ``partial_fit``."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import adeptree as at
from adeptree.compat.shared import check_decision, instance_of, learner_of, rules_of
from adeptree.core.dataframes import plain_rows
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.families.registry import columns_of
from adeptree.families.stumps.real_stumps import RealStumps

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

    ``fit`` plays the rows in their order as the rounds of an online game; ``partial_fit`` goes on with it.
    ``learner_`` is the learner, with its account of that game: regret, bound, best rule, certificate. That account
    is about *sampled* labels. ``predict`` takes the likelier label (``decision="argmax"``), as scikit-learn's users
    expect of a fitted model, and no theorem speaks of it; ``decision="sample"`` draws from ``random_state``.

    Parameters
    ----------
    rules
        "stumps" (one feature against any cut), "tables" (texts and gaps in X too, see ``TableStumps``), a spec,
        or a concept class over mappings of feature names. Features are named as in the data frame, else "x0", "x1", ...
    feature
        For rules over one value, such as "real_thresholds()": the name of the feature that holds it.
    decision
        "argmax" or "sample".
    random_state
        An int, a generator or None, for the draws.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]] * 10), ["no", "no", "yes", "yes"] * 10
    >>> model = AdeptClassifier().fit(X, y)
    >>> model.predict([[0.0], [9.0]]).tolist(), str(model.best_rule())
    (['no', 'yes'], 'x0 >= 3')
    """

    def __init__(
        self, rules: Any = "stumps", feature: str | None = None, decision: str = "argmax", random_state: Any = None
    ) -> None:
        self.rules = rules
        self.feature = feature
        self.decision = decision
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, **weights: Any) -> Self:
        """Learn the rows anew, in their order.

        ``sample_weight=`` says what an error costs in each row. (It is not named in the signature, by which
        scikit-learn would take a row of weight 2 for the same row twice: to an online learner these are two rounds.)
        """
        X, y = self._checked(X, y)
        weight = weights.pop("sample_weight", None)
        if weights:
            raise TypeError(f"fit takes X, y and sample_weight; got {', '.join(map(repr, weights))}")
        weight = _weights(weight, X)
        return self._start(y, None, weight)._learn(X, y, weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with more rows; the first call must know both labels, from ``classes`` or from ``y``."""
        first = not hasattr(self, "learner_")
        X, y = self._checked(X, y, reset=first)
        weight = _weights(sample_weight, X)
        return (self._start(y, classes, weight) if first else self)._learn(X, y, weight)

    def predict_proba(self, X: Any) -> Any:
        """Return the chance of guessing each label of ``classes_``, one row per row."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        p = self.learner_.predict_proba_many(self._instances(X))
        return np.column_stack([1.0 - p, p]) if len(self.classes_) == 2 else np.ones((len(p), 1))

    def predict(self, X: Any) -> Any:
        """Return a label for every row: the likelier one, or a draw."""
        p = self.predict_proba(X)[:, -1]
        cut = check_random_state(self.random_state).random_sample(len(p)) if self.decision == "sample" else 0.5
        return self.classes_[np.minimum(p > cut, len(self.classes_) - 1)]

    def best_rule(self) -> Any:
        """Return a rule with the fewest mistakes on the rows learnt; ``str`` of it is readable."""
        check_is_fitted(self)
        return self.learner_.best_rule()

    def _checked(self, *given: Any, **how: Any) -> Any:
        """Return X, and y: finite numbers, or with rules on tables texts and gaps too."""
        known = isinstance(self.rules, at.ConceptClass) and columns_of(self.rules).gaps
        if known or (isinstance(self.rules, str) and self.rules == "tables"):
            return validate_data(self, *given, dtype=None, ensure_all_finite=False, **how)
        try:
            return validate_data(self, *given, dtype=np.float64, **how)
        except (TypeError, ValueError) as error:
            if not any(said in str(error) for said in ("X contains NaN", "convert string", "NAType")):
                raise
            raise type(error)(f'{error}\nrules="tables" takes texts and gaps') from error

    def _start(self, y: Any, classes: Any, weight: Any) -> Self:
        check_decision(self.decision)
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
        known = {"tables": at.TableStumps(self._names), "stumps": RealStumps(self._names)}
        rules = rules_of(known.get(self.rules, self.rules) if isinstance(self.rules, str) else self.rules)
        heaviest = 1 if weight is None else weight.max().item()
        self.learner_ = learner_of(rules, None, False, seed=0, max_weight=heaviest)
        return self

    def _learn(self, X: Any, y: Any, weight: Any) -> Self:
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"y has the labels {unknown.tolist()}, which are not among the classes {self.classes_.tolist()} of the "
                f"first call; name both in the first partial_fit(X, y, classes=...)"
            )
        self.learner_.learn_many(self._instances(X), np.searchsorted(self.classes_, y), weight)
        return self

    def _instances(self, X: Any) -> list[Any]:
        rows = (dict(zip(self._names, row, strict=True)) for row in plain_rows(X))
        return [instance_of(self.learner_.concept_class, row, self.feature) for row in rows]


def _weights(weight: Any, X: Any) -> Any:
    """Return what an error costs in each row, checked; None if nobody says."""
    if weight is None:
        return None
    weight = _check_sample_weight(weight, X, dtype=np.float64)
    if not weight.any():
        raise InvalidArgument("every sample_weight is zero, so there is nothing to learn; give one that is not")
    return weight
