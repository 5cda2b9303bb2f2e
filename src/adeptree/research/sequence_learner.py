"""The base of learners that compete with sequences of rules: paths, and the exact losses of the best sequences."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size, one_of
from adeptree.core.declared_state import need
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.registry import base_for
from adeptree.learners import choices
from adeptree.learners.adept import ActiveSet
from adeptree.learners.custom_learner import CustomLearner
from adeptree.learners.guarantees import not_rounded_below
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.roles.frontier import Children, Extension, Queries
from adeptree.theory.mixture import odds_of_one


@dataclass(frozen=True)
class SequenceExpansion:
    """One round before its label: the next paths, their weights, and P(1)."""

    key: Any
    extension: Extension
    log_weight: FloatArray
    odds: Odds


class SequenceLearner(CustomLearner):
    """Paths with a weight each, in place of a loss, and Viterbi's losses of sequences of rules beside them."""

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int | None,
        switches: int,
        base: Any,
        prior: str,
        seed: int,
        mistake_bound: int | None,
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.switches = check_size("switches", switches, at_least=0, at_most=LARGEST_SET)
        self.base: BaseLearner = base_for(base, concept_class)
        self._base_given = base is not None
        self.mistake_bound = choices.mistake_bound(mistake_bound, self.base, concept_class)
        self.tree = ActiveSet(concept_class, self.base, self.mistake_bound)
        one_of("prior", prior, ("paper", "kt"))
        self.prior = choices.prior(
            prior, self.horizon, self.mistake_bound, self.base, concept_class, self.tree.frontier
        )
        self.log_g: FloatArray = np.zeros(1, dtype=np.float64)
        """ln g of every path: its posterior over its prior, up to a common factor."""
        self.losses: IntArray = np.zeros((self.switches + 1, 1), dtype=np.int64)
        """Row s: the least loss of a sequence with at most s switches that now follows the path."""
        self._pending: SequenceExpansion | None = None

    def _parts(self) -> list[Any]:
        return [*super()._parts(), *self.tree.parts()]

    @abstractmethod
    def _log_now(self, log_g: FloatArray) -> FloatArray:
        """Return ln of what each path's prior mass is multiplied by for its say in P(1)."""

    # --- The round ---------------------------------------------------------------------------------

    def _expand(self, x: Instance) -> SequenceExpansion:
        extension = self.tree.extend(x)
        children = extension.children
        mass = self.prior.log_mass(self.rounds + 1, extension.mistakes, extension.contested) - self.prior.log_total
        log_g = self.log_g[..., children.parent]
        odds = Odds(*odds_of_one(mass + self._log_now(log_g), children.label))
        return SequenceExpansion(self.concept_class.key(x), extension, mass + log_g, odds)

    def _enter(self, now: SequenceExpansion, wrong: Any) -> None:
        """Let the paths of the round in, and their losses."""
        self.tree.enter(now.extension.children, now.extension.mistakes, now.extension.contested)
        self._follow_sequences(now.extension.children, wrong)
        self._pending = None

    def _follow_sequences(self, children: Children, wrong: Any) -> None:
        # Viterbi: whoever switches at this round comes from the best of those with one switch less.
        before = self.losses.min(axis=1)
        losses = np.concatenate([self.losses[:1], np.minimum(self.losses[1:], before[:-1, np.newaxis])])
        self.losses = losses[:, children.parent] + wrong

    def _expansion(self, x: Instance) -> SequenceExpansion:
        if self._pending is None or self._pending.key != self.concept_class.key(x):
            self._pending = self._expand(x)
        return self._pending

    def _probability(self, x: Instance, raw: Any) -> float:
        return self._expansion(x).odds.p

    def _odds(self, x: Instance, raw: Any) -> Odds:
        return self._expansion(x).odds

    # --- Account -----------------------------------------------------------------------------------

    @property
    def sequence_losses(self) -> list[int]:
        """For s = 0..switches: the loss so far of the best sequence of rules with at most s switches, exactly."""
        return [int(loss) for loss in self.losses.min(axis=1)]

    @property
    def sequence_regret(self) -> float:
        """Expected regret so far to the best sequence with at most ``switches`` switches, exactly."""
        return self.expected_loss - self.sequence_losses[-1]

    @property
    def best_loss(self) -> int:
        """Loss of the best single rule in hindsight."""
        return int(self.losses[0].min())

    @property
    def bound(self) -> float:
        """What is proven of ``sequence_regret`` now, and so of ``regret`` too."""
        return not_rounded_below(self.sequence_regret, self.bound_for(self.switches), self.rounds)

    @abstractmethod
    def bound_for(self, switches: int) -> float:
        """Return what is proven now of the regret to sequences with another number of switches."""

    @abstractmethod
    def _promised(self, rounds: int, switches: int, price: float) -> float:
        """Return what is proven of any stream of so many rounds where no rule costs more than the price."""

    def bound_after(self, rounds: int) -> float | None:
        """Return what is proven in advance of ``sequence_regret`` after so many rounds of any stream."""
        if not check_size("rounds", rounds, at_least=0):
            return 0.0
        price = self.prior.price(rounds)
        if price is None or self.late or rounds > self._end:
            return None
        return min(self._promised(rounds, min(self.switches, rounds - 1), price), float(rounds))

    @property
    def rule_cost(self) -> float:
        """ln(1 / prior mass) of a rule at most: ln N, or with "kt" that of the lightest path there is now."""
        if not self.prior.settled:
            return self.prior.log_total
        return float(-self._masses().min())

    @property
    def width(self) -> int:
        """Number of active paths."""
        return self.tree.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.tree.frontier.queries

    def best_rule(self) -> Concept:
        """Return a rule with the fewest mistakes over the whole stream."""
        return self.tree.frontier.concept(int(self.losses[0].argmin()))

    def current_rule(self) -> Concept:
        """Return a rule of the path that weighs most now."""
        return self.tree.frontier.concept(int((self._masses() + self._log_now(self.log_g)).argmax()))

    def _masses(self) -> FloatArray:
        return self.prior.log_mass(self.rounds, self.tree.mistakes, self.tree.contested)

    def _state(self) -> dict[str, Any]:
        return {"log_g": self.log_g, "losses": self.losses} | self.tree.rows_state()

    def _restore(self, state: dict[str, Any]) -> None:
        need(state["log_g"].shape[:-1] == self.log_g.shape[:-1] and state["losses"].ndim == 2, "log_g")
        self.log_g, self.losses = state["log_g"], state["losses"]
        self.tree.restore_rows(self.losses.shape[-1], state)

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents."""
        super().take_over(saved)
        self.tree.rounds = self.rounds + self.waiting
