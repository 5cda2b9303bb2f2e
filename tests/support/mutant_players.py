"""Online learners and adversaries broken on purpose, under the check that must catch them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.rule_values import Constant

LINE = at.Thresholds(6)
ENTROPY = np.random.default_rng(1)
"""Randomness that ignores the seed: it continues from call to call."""


class Eager(at.Hedge):
    """Its prediction learns."""

    def predict_proba(self, x: Any) -> float:
        p = super().predict_proba(x)
        self.engine.commit(self.concept_class.instance(x), 0)
        return p


class AsksAgain(at.Adept):
    def predict_proba(self, x: Any) -> float:
        self.discard()
        return super().predict_proba(x)


class Cheats(at.Hedge):
    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        before = self.expected_loss
        super().learn(x, y)
        self.ledger.expected_loss = (before + self.expected_loss) / 2


class TooSure(at.Hedge):
    def predict_proba(self, x: Any) -> float:
        return 1.5 * super().predict_proba(x)


class Dices(at.Hedge):
    def predict(self, x: Any) -> int:
        return int(ENTROPY.integers(2))


class Rounds(at.Hedge):
    def predict(self, x: Any) -> int:
        return int(self.predict_proba(x) > 0.5)


class Flatters(at.Hedge):
    best_loss = 0


class Promises(at.Hedge):
    bound = 0.0


class WrongRule(at.Hedge):
    def best_rule(self) -> Any:
        return Constant(1)


class HalfLearns(at.Hedge):
    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        self.engine.commit(self.concept_class.instance(x), y)
        super().learn(x, y)


class Endless(at.Hedge):
    def _check_horizon(self) -> None:
        pass


class Forgets(at.Hedge):
    def _restore(self, state: dict[str, Any]) -> None:
        pass


class Overcounts(at.Hedge):
    @property
    def width(self) -> int:
        self.queries.asked += 1
        return 1


class OneCoin(at.Hedge):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.losses[int(ENTROPY.integers(7))] += 1


class Skips(at.Hedge):
    def learn_many(self, xs: Any, ys: Any, weights: Any = None, **watching: Any) -> Any:
        return super().learn_many(list(xs)[1:], list(ys)[1:], weights, **watching)


def _hedge(kind: type[at.OnlineLearner]) -> tuple[Any, dict[str, Any]]:
    return partial(kind, LINE), {}


LEARNERS: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "check_second_prediction": [_hedge(Eager), _hedge(AsksAgain)],
    "check_speculation": [_hedge(Eager)],
    "check_learning_without_predicting": [_hedge(Eager)],
    "check_account": [_hedge(Cheats), _hedge(Dices)],
    "check_probability": [_hedge(TooSure)],
    "check_predict": [_hedge(Dices), _hedge(Rounds)],
    "check_best_loss": [_hedge(Flatters)],
    "check_regret_bound": [_hedge(Promises)],
    "check_best_rule": [_hedge(WrongRule)],
    "check_invalid_label": [_hedge(HalfLearns)],
    "check_horizon": [_hedge(Endless)],
    "check_save_and_load": [_hedge(Forgets)],
    "check_accessors": [_hedge(Overcounts)],
    "check_reproducible": [_hedge(OneCoin)],
    "check_learn_many": [_hedge(Skips)],
}


class Loud(at.Stochastic):
    def label(self, history: Sequence[Any], x: Any, p: float) -> int:
        return 2 * super().label(history, x, p)


class Restless(at.Greedy):
    def instance(self, history: Sequence[Any]) -> Any:
        return int(ENTROPY.integers(5))


class Strays(at.Greedy):
    def instance(self, history: Sequence[Any]) -> Any:
        return 6


class Rewrites(at.Greedy):
    def label(self, history: Sequence[Any], x: Any, p: float) -> int:
        history.clear()  # type: ignore[attr-defined]
        return super().label(history, x, p)


class Peeks(at.Greedy):
    learner: at.OnlineLearner

    def label(self, history: Sequence[Any], x: Any, p: float) -> int:
        return 1 - self.learner.predict(x)

    def make(self, *, horizon: int, seed: int) -> at.OnlineLearner:
        self.learner = at.Adept(LINE, horizon, seed=seed)
        return self.learner


PEEKS = Peeks(LINE)
ADVERSARIES: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "check_labels": [(Loud(LINE, noise=0.5), {})],
    "check_reproducible": [(Restless(LINE), {})],
    "check_instances": [(Strays(LINE), {})],
    "check_history_is_read_only": [(Rewrites(LINE), {})],
    "check_coin_is_hidden": [(PEEKS, {"learner": PEEKS.make})],
}
