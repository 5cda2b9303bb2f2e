"""What learners that mix experts at a rate have in common: what mixing cost them, exactly."""

from __future__ import annotations

from typing import Any

from adeptree.learners.entries import Entry
from adeptree.learners.online_learner import OnlineLearner
from adeptree.learners.promises import not_rounded_below
from adeptree.roles.engine import Odds
from adeptree.theory.mixture import SAFE_RATE, mixability_gap


class Mixing(OnlineLearner):
    """Hedge and its kin: ``_commit`` says with ``_mixed`` how the weight was divided; the account does the rest."""

    gap = Entry[float]("gap", "Delta: expected loss minus mix loss, summed over the rounds.")
    drift = Entry[float](
        "drift", "What late labels cost: each round's loss as answered minus as it would be just before its label came."
    )
    last_rate = Entry[float]("last_rate", "eta of the last round played.")
    _now = Odds(0.5, 0.0)

    def _mixed(self, odds: Odds, rate: float) -> None:
        """Say how the weight was divided in the round that is committed."""
        self._now, self.last_rate = odds, rate

    def _settle(self, p: float, guess: int, label: int) -> None:
        super()._settle(p, guess, label)
        loss = abs(self._now.p - label)
        self.drift += abs(p - label) - loss
        self.gap += mixability_gap(loss, self._now.against(label), self.last_rate)

    def _proven(self, cost: float, regret: float) -> float:
        """Return what is proven now of this regret to experts that cost so much: cost / eta + Delta + drift."""
        price = cost / self.last_rate if cost else 0.0
        return not_rounded_below(regret, min(price + self.gap + self.drift, self.rounds), self.rounds)

    def _state(self) -> dict[str, Any]:
        return {"gap": self.gap, "drift": self.drift, "last_rate": self.last_rate}

    def _restore(self, state: dict[str, Any]) -> None:
        self.gap, self.drift = state.get("gap", 0.0), state.get("drift", 0.0)  # (not in all old files)
        self.last_rate = state.get("last_rate", self.last_rate)

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents."""
        super().take_over(saved)
        if "drift" not in saved["learnt"] and self.last_rate > SAFE_RATE:
            # The first edition's gap lost its digits here; it is at most the loss, and eta/8 per round.
            self.gap = min(self.expected_loss, self.rounds * self.last_rate / 8)
