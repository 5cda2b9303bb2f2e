"""The classic agnostic-to-realizable reduction: Algorithm 1 of the paper, with every expert explicit."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.errors import FrontierEmpty, StateError, TooLarge
from adeptree.core.types import BoolArray, Concept, Instance, IntArray
from adeptree.families.registry import base_for
from adeptree.learners.custom_learner import CustomLearner
from adeptree.learners.online_learner import Rate
from adeptree.learners.rates import Seen, check_rate
from adeptree.learners.settings import needed_mistake_bound, rate_rule
from adeptree.learners.weak_promises import warn_if_weak
from adeptree.roles.base_learner import BaseLearner, checked_prediction
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.theory import bounds
from adeptree.theory.mixture import log_weights, odds_of_one
from adeptree.theory.priors import PaperPrior

EXPERT_LIMIT = 1 << 18
"""Largest number of mistake schedules."""


class Bpss(CustomLearner):
    """Hedge over all mistake schedules I in {0,1}^T with at most M ones (small T only).

    Each expert runs a copy of the base learner, flips its prediction where I_t = 1, and passes the result back to it as
    the label. ADEPT is tested against this learner.

    Parameters
    ----------
    concept_class
        The rules to compete with.
    horizon
        T, the number of rounds.
    base
        The realizable learner that every expert runs; by default that of the class.
    rate
        "paper", "first-order" or a positive number.
    seed
        Seed of the random guesses.
    prune
        True deletes an expert once its labels are not realizable, which is exactly ADEPT. False is the classic
        algorithm, which differs once an expert becomes unrealizable.
    mistake_bound
        M, if the base learner does not define it.

    Examples
    --------
    >>> from adeptree import Adept, Thresholds
    >>> classic = Bpss(Thresholds(4), horizon=6, prune=True)
    >>> adept = Adept(Thresholds(4), horizon=6)
    >>> classic.learn(1, 0), adept.learn(1, 0), classic.width, adept.width
    (None, None, 22, 2)
    >>> abs(classic.predict_proba(2) - adept.predict_proba(2)) < 1e-12
    True
    """

    kind = "bpss"
    no_guarantee = "a round was answered while another one waited for its label"
    GROWS = ("points",)
    horizon: int

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        base: Any = None,
        rate: Rate = "paper",
        seed: int = 0,
        *,
        prune: bool = False,
        mistake_bound: int | None = None,
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.rate = check_rate(rate, ("paper", "first-order"))
        self.base: BaseLearner = base_for(base, concept_class)
        self.mistake_bound = needed_mistake_bound(mistake_bound, self.base, concept_class)
        self.prune = bool(prune)
        self.schedules = _schedules(self.horizon, self.mistake_bound)
        count = len(self.schedules)
        self.log_experts = math.log(count)
        prior = PaperPrior(self.horizon, self.mistake_bound)
        self._rate_rule = rate_rule(self.rate, prior, self.horizon, self.mistake_bound)
        self.states: list[Any] = [self.base.start()] * count
        self.histories: list[tuple[int, ...]] = [()] * count
        self.losses: IntArray = np.zeros(count, dtype=np.int64)
        self.active: BoolArray = np.ones(count, dtype=np.bool_)
        self.realizable: BoolArray = np.ones(count, dtype=np.bool_)
        self.points: list[Any] = []
        self.ledger.last_rate = self._rate_rule.eta
        self._pending: tuple[Any, IntArray, BoolArray, Odds] | None = None
        warn_if_weak(self, f"it weighs {count:,} schedules of mistakes")

    def _parts(self) -> list[Any]:
        return [*super()._parts(), self._rate_rule]

    def _expand(self, x: Instance, raw: Any) -> tuple[Any, IntArray, BoolArray, Odds]:
        """Steps 1-3: every expert's pseudo-label, and the Hedge prediction."""
        t = self.rounds
        asked: dict[tuple[int, ...], tuple[int, tuple[bool, bool]]] = {}
        labels = np.zeros(len(self.schedules), dtype=np.int64)
        realizable = self.realizable.copy()
        for i in np.flatnonzero(self.active).tolist():
            history = self.histories[i]
            if history not in asked:
                asked[history] = self._base_prediction(history, self.states[i], x, raw)
            prediction, can = asked[history]
            labels[i] = prediction ^ self.schedules[i, t]
            realizable[i] &= can[labels[i]]
        active = self.active & realizable if self.prune else self.active
        if not active.any():
            raise FrontierEmpty(f"round {t + 1}: no expert is left; give a larger mistake_bound=")
        weight = log_weights(np.zeros(active.sum()), self.losses[active], self._best_active, self.learning_rate)
        odds = Odds(*odds_of_one(weight, labels[active] == 1))
        return self.concept_class.key(x), labels, realizable, odds

    def _base_prediction(
        self, history: tuple[int, ...], state: Any, x: Instance, raw: Any
    ) -> tuple[int, tuple[bool, bool]]:
        """Return A(v, x) and the labels that can continue v; if only one can, it is the prediction."""
        sample = list(zip(self.points, history, strict=True))
        fits = self.concept_class.realizable
        can = fits([*sample, (raw, 0)]), fits([*sample, (raw, 1)])
        self._queries.asked += 2
        self._queries.posed += 2
        return (int(can[1]) if can[0] != can[1] else checked_prediction(self.base, state, x)), can

    def _expansion(self, x: Instance, raw: Any) -> tuple[Any, IntArray, BoolArray, Odds]:
        if self._pending is None or self._pending[0] != self.concept_class.key(x):
            self._pending = self._expand(x, raw)
        return self._pending

    def _probability(self, x: Instance, raw: Any) -> float:
        return self._expansion(x, raw)[3].p

    def _odds(self, x: Instance, raw: Any) -> Odds:
        self._eta = self.learning_rate
        return self._expansion(x, raw)[3]

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Step 4: charge losses, and update each base learner with its own expert's label."""
        _, labels, self.realizable, _ = self._expansion(x, raw)
        if self.prune:
            self.active = self.active & self.realizable
        states, histories = list(self.states), list(self.histories)
        for i in np.flatnonzero(self.active).tolist():
            states[i] = self.base.update(states[i], x, int(labels[i]))
            histories[i] = (*histories[i], int(labels[i]))
        self.states, self.histories = states, histories
        self.losses = self.losses + (labels != label)
        self.points.append(raw)
        self._pending = None

    @property
    def learning_rate(self) -> float:
        """eta of the coming round."""
        self._rate_rule.look(Seen(self.rounds, self._best_active, 0.0, float))
        return self._rate_rule.eta

    @property
    def _best_active(self) -> int:
        return int(self.losses[self.active].min())

    @property
    def best_loss(self) -> int:
        """The least loss of an expert with realizable labels, which is the loss of the best concept."""
        return int(self.losses[self.realizable & self.active].min())

    @property
    def bound(self) -> float:
        """Proven bound on ``regret`` now: ln N / eta + Delta + drift, as for ADEPT."""
        return self._proven(self.log_experts, self.regret)

    def grounds(self) -> dict[str, Any]:
        """Return the certificate's fields about the prior, the rate and the base learner."""
        used = {"prior": "paper", "rate": str(self.rate), "eta": self.learning_rate, "engine": self.kind}
        return super().grounds() | used | {"base": type(self.base).__name__, "mistake_bound": self.mistake_bound}

    def bound_after(self, rounds: int) -> float | None:
        """Return ADEPT's bound: at the paper's rate sqrt(T M ln(eT/M) / 2), or slightly less, as ln N is exact."""
        check_size("rounds", rounds, at_least=0)
        value = None if self.late else self._rate_rule.in_advance(rounds, self.log_experts)
        return None if value is None or rounds > self.horizon else min(value, float(rounds))

    @property
    def width(self) -> int:
        """Number of experts that remain."""
        return int(self.active.sum())

    def best_rule(self) -> Concept:
        """Return a concept with the fewest mistakes so far (ERM on the best expert's labels)."""
        usable = np.where(self.realizable & self.active, self.losses, np.iinfo(np.int64).max)
        return self.concept_class.erm(list(zip(self.points, self.histories[int(usable.argmin())], strict=True)))

    def _state(self) -> dict[str, Any]:
        raise StateError("Bpss is a small reference and is not saved; use Adept, which gives the same numbers")


def _schedules(T: int, M: int) -> IntArray:
    count = bounds.experts(T, M)
    if count > EXPERT_LIMIT:
        raise TooLarge(
            f"Bpss would keep {count} explicit experts (T={T}, M={M}; limit {EXPERT_LIMIT}); use Adept, "
            f"which gives the prediction of Bpss(prune=True) without listing them"
        )
    rows = [ones for j in range(min(T, M) + 1) for ones in itertools.combinations(range(T), j)]
    table = np.zeros((count, T), dtype=np.int64)
    for i, ones in enumerate(rows):
        table[i, list(ones)] = 1
    return table
