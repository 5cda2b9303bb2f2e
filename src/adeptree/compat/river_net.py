"""A safety net over River models: a learner over their outputs."""

from __future__ import annotations

from typing import Any

from adeptree.compat.river_classifier import AdeptClassifier
from adeptree.compat.shared import Models, Reader, with_settings_of


class SafetyNet(AdeptClassifier):
    """Combine several River models under one guarantee: almost as good as the best of them and as the best rule.

    Each model predicts and learns each row. The score (``predict_proba_one``) or the vote (``predict_one``) of a model
    becomes a column with the model's name, which ``Experts`` follow. Next to them are ``rules`` on the other columns.
    The other parameters are those of :class:`AdeptClassifier`, by name.

    An exception in a model is not raised: its output is then a missing value, and ``failures`` counts it.

    Parameters
    ----------
    models
        The models by name; the net trains copies.
    rules
        Rules on the columns that are not models, as a text or a concept class; None for models only.
    at
        The least score at which a model predicts True.
    settings
        Parameters of :class:`AdeptClassifier`.

    Examples
    --------
    >>> from river import datasets, linear_model, naive_bayes
    >>> from adeptree.compat.river import SafetyNet
    >>> net = SafetyNet({"lr": linear_model.LogisticRegression(), "nb": naive_bayes.GaussianNB()}, seed=0)
    >>> for x, y in datasets.Phishing().take(300):
    ...     guess = net.predict_one(x)
    ...     net.learn_one(x, y)
    >>> print(net.best_rule(), net.failures)
    empty_server_form_handler < 1 {}

    """

    @with_settings_of(AdeptClassifier.__init__, "feature")
    def __init__(self, models: dict[str, Any], rules: Any = "stumps", at: float = 0.5, **settings: Any) -> None:
        self.models, self.at = models, at
        self._models = Models({name: model.clone() for name, model in Models(models).models.items()})
        super().__init__(rules, **settings)

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"models": {"again": AdeptClassifier(seed=0)}}

    @property
    def failures(self) -> dict[str, int]:
        """Number of failures of each model that has failed."""
        return self._models.failures

    @property
    def errors(self) -> dict[str, str]:
        """The last error message of each model that has failed."""
        return self._models.last

    def _read(self, row: dict[str, Any]) -> Reader:
        return self._models.reader(self.rules, [row], self.at, self.by)

    def _instance(self, row: dict[str, Any]) -> Any:
        outputs = {
            name: self._models.output(name, lambda model: _said(model, dict(row))) for name in self._models.models
        }
        return super()._instance({**row, **outputs})

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1) -> None:
        """Learn the label like :class:`AdeptClassifier`, then train every model on it."""
        super().learn_one(x, y, w)
        for name in self._models.models:
            self._models.attempt(name, lambda model: model.learn_one(dict(x), bool(y)))


def _said(model: Any, row: dict[str, Any]) -> Any:
    """Return the score of a model, or its vote if it has none; None before its first label."""
    try:
        scores = model.predict_proba_one(row)
    except NotImplementedError:
        return model.predict_one(row)
    return scores.get(True) if scores else None
