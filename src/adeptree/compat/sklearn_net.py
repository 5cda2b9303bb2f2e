"""A safety net over scikit-learn classifiers: a learner over their outputs."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from adeptree.compat.shared import Models, Reader, with_settings_of
from adeptree.compat.sklearn_classifier import AdeptClassifier
from adeptree.core.dataframes import plain_rows

FIRST_BLOCK = 32
"""Number of rows before the first training of the models."""


class SafetyNet(AdeptClassifier):
    """Combine several classifiers under one guarantee: almost as good as the best of them and as the best rule.

    The score (``predict_proba``) or the vote (``predict``) of a model becomes a column with the model's name, which
    ``Experts`` follow. Next to them are ``rules`` on the features. A model predicts from *earlier* rows: ``fit``
    divides the rows into blocks of doubling size, and trains the models after each block. A model without
    ``partial_fit`` is fitted on the largest block so far, which has all rows of the call up to there. Until a model is
    fitted its output is a missing value. The other parameters are those of :class:`AdeptClassifier`, by name.

    An exception in a model is not raised: its outputs are then missing values, and ``failures_`` counts it.

    Parameters
    ----------
    models
        The classifiers by name; the net trains copies.
    rules
        Rules on the features, as a text or a concept class; None for models only.
    at
        The least score at which a model predicts the second label of ``classes_``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> net = SafetyNet({"nb": GaussianNB(), "broken": None}).fit(X, y)
    >>> print(net.best_rule(), net.failures_, net.score(X, y) > 0.9)
    nb >= 0.5 {'broken': 6} True

    """

    @with_settings_of(AdeptClassifier.__init__, "feature")
    def __init__(self, models: Any, rules: Any = "stumps", at: float = 0.5, **settings: Any) -> None:
        self.models, self.at = models, at
        super().__init__(rules, **settings)

    @property
    def failures_(self) -> dict[str, int]:
        """Number of failures of each model that has failed."""
        return self._models.failures

    @property
    def errors_(self) -> dict[str, str]:
        """The last error message of each model that has failed."""
        return self._models.last

    def _read(self, rows: list[dict[str, Any]]) -> Reader:
        self._models = Models({name: clone(model, safe=False) for name, model in Models(self.models).models.items()})
        self._outputs = tuple(self.models)
        self._fitted: dict[str, int] = {}  # rows on which each model was fitted last
        return self._models.reader(self.rules, rows, self.at, self.by)

    def _checked(self, *given: Any, **how: Any) -> Any:
        found = super()._checked(*given, **how)
        rows = found[0] if len(given) > 1 else found
        self._given = given[0] if hasattr(given[0], "__getitem__") else rows  # models may need the data frame
        return found

    def _learn(self, X: Any, y: Any, weight: Any) -> Self:
        given, start = self._given, 0
        while start < len(y):
            stop = min(len(y), max(FIRST_BLOCK, 2 * start))
            self._given = _safe_indexing(given, np.arange(start, stop))
            super()._learn(X[start:stop], y[start:stop], None if weight is None else weight[start:stop])
            for name in self._models.models:
                self._models.attempt(name, partial(self._teach, name, given, y, weight, start, stop))
            start = stop
        return self

    def _teach(self, name: str, given: Any, y: Any, weight: Any, start: int, stop: int, model: Any) -> None:
        """Train a model on the rows from ``start``, or on all so far."""
        small = hasattr(model, "partial_fit")
        if not small and stop < self._fitted.get(name, 0):
            return
        rows = np.arange(start if small else 0, stop)
        weighed = {} if weight is None else {"sample_weight": weight[rows]}
        if small:
            model.partial_fit(_safe_indexing(given, rows), y[rows], classes=self.classes_, **weighed)
        else:
            model.fit(_safe_indexing(given, rows), y[rows], **weighed)
        self._fitted[name] = stop

    def _instances(self, X: Any) -> Any:
        given, self._given = self._given, None
        rows = [dict(zip(self._names, row, strict=True)) for row in plain_rows(X)]
        for name in self._fitted:
            scores = self._models.attempt(name, partial(self._scores, given, len(rows)))
            for row, score in zip(rows, [None] * len(rows) if scores is None else scores, strict=True):
                row[name] = score
        return [self._reader.instance(row) for row in rows]

    def _scores(self, given: Any, count: int, model: Any) -> list[float]:
        """Return the scores of a model for the second label, or its votes if it has none."""
        scores = model.predict(given) == self.classes_[-1]
        if hasattr(model, "predict_proba") and self.classes_[-1] in model.classes_:
            scores = model.predict_proba(given)[:, list(model.classes_).index(self.classes_[-1])]
        if len(scores) != count:
            raise ValueError(f"the model returned {len(scores)} outputs for {count} rows")
        return [float(score) for score in scores]
