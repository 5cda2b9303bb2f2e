"""ADEPT as a classifier of River (extra ``river``): in pipelines, ``progressive_val_score`` and the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.compat._shared import check_decision, instance_of, learner_of, rules_of
from adeptree.errors import MissingExtra
from adeptree.learners import OnlineLearner

try:
    from river import base
except ImportError:
    raise MissingExtra("adeptree.compat.river needs River; install it with: pip install 'adeptree[river]'") from None


class AdeptClassifier(base.Classifier):
    """A binary classifier that does almost as well as the best rule of a class in hindsight, on any stream.

    Parameters
    ----------
    rules
        What to compete with: ``"stumps"`` (feature >= cut and feature < cut, for every feature that comes along and
        every cut; a feature that is absent counts as 0), a spec such as ``"blocks(d=3, block='sender')"``, or a
        concept class.
    feature
        For rules over one value, such as ``"real_thresholds()"``: the feature that holds it.
    horizon
        The number of rounds, if it is known; None works for any.
    switches
        Compete with sequences of rules that change at most so often (needs a horizon).
    decision
        ``"sample"`` draws the label, which is what the regret bound is about; ``"argmax"`` takes the likelier one:
        often better on a stream that does not care, and without any guarantee on one that does.
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
        switches: int | None = None,
        decision: str = "sample",
        seed: int | None = None,
    ) -> None:
        self.rules = rules
        self.feature = feature
        self.horizon = horizon
        self.switches = switches
        self.decision = decision
        self.seed = seed
        drawn = np.random.SeedSequence().entropy if seed is None else seed
        self._learner = learner_of(rules_of(rules), horizon, switches, drawn)  # type: ignore[arg-type]

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

    def _instance(self, x: dict[Any, Any]) -> Any:
        return instance_of(self._learner.concept_class, x, self.feature)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn that ``x`` had label ``y``: False or True."""
        self._learner.learn(self._instance(x), y)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of both labels. Nothing is learnt."""
        p = self._learner.predict_proba(self._instance(x))
        return {False: 1.0 - p, True: p}

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> bool:
        """Return a label: this round's draw, or the likelier one."""
        if self.decision == "sample":
            return bool(self._learner.predict(self._instance(x)))
        return self._learner.predict_proba(self._instance(x)) > 0.5

    def best_rule(self) -> Any:
        """Return a rule with the fewest mistakes so far; ``str`` of it is readable."""
        return self._learner.best_rule()
