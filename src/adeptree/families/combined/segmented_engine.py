"""Engines for a common rule and one rule per segment: a mixture at one rate, or two levels with separate rates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import MOST, SUM, Array, Fields, Items, need
from adeptree.core.types import Concept, Instance
from adeptree.families.combined.row_engine import RowEngine, chosen
from adeptree.families.combined.segments import Segmented
from adeptree.families.combined.segments_engine import OWN, SegmentsEngine, SegmentsPrior, changing, check_own
from adeptree.roles.engine import Leader, Problem
from adeptree.theory import bounds
from adeptree.theory.priors import CountedPrior, Prior
from adeptree.theory.sharing import Drift

_KERNEL = kernel("adeptree.structures.segments_kernel")
STEPS = 8
"""Number of tabulated prices per doubling of the rounds, for the kernel of two levels."""


class SegmentedEngine(RowEngine):
    """One common rule, and one rule per segment, with half of the prior each."""

    kind = "segmented"
    concept_class: Any
    members: list[Any]

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept problems in which all rules have one rate."""
        return "it has one rate" if problem.own_rates else None

    def direct(self) -> list[Any]:
        """Return True twice: both parts read the row."""
        return [True, True]

    def share_inside(self, drift: Drift) -> None:
        """Enable fixed share in the common part and in each segment."""
        self.shares_inside = drift
        self.members[0] = changing(*chosen(self.concept_class.parts[0], self.prior.name), drift)
        self.members[1].share_inside(drift)
        self.kernel.parts[:] = [member.kernel for member in self.members]

    def pooled(self) -> tuple[Concept, float, float, bool] | None:
        """Return the best common rule, its loss, its price, and True if its part has more weight."""
        f, shares = self.members[0], self.kernel.log_share
        near = self.near(0, self.reach(f.best_loss, 0), 1)[0]
        return near.rule, near.loss, f.price() - shares[0], self.ahead() >= 0

    def ahead(self) -> float:
        """Return the mix loss of the segments minus that of the common part."""
        one, other = (part.log_total() - self.rate * part.least() for part in self.kernel.parts)
        return float(one - other)

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments, each with its best rule and that rule's loss."""
        named, rules = self.informed(1).named(), self.concept_class.parts[1]
        return [(name, str(rules.on_rows(rule)), leader.loss) for name, leader, rule in named]

    def sequence_price(self, rule: float, rounds: int, switches: int = 0) -> float:
        """Return the price, which includes that of sharing; None for sequences with switches."""
        return math.inf if switches else rule

    def segments(self) -> int:
        """Return the number of segments so far."""
        return len(self.members[1].kernel.places)

    def exceeded(self) -> str:
        """Return a message if more segments came than were announced."""
        if self.shares_inside:
            return "with by= and drift= together nothing is proven in advance"
        told, came = self.concept_class.segments, self.segments()
        return "" if told is None or came <= told else f"{came:,} segments came; segments={told} was announced"


class LevelsPrior(CountedPrior):
    """The prior of Hedge over two parts, one of which has the prior ``parts``."""

    def __init__(self, name: str, parts: SegmentsPrior) -> None:
        super().__init__(math.log(2))
        self.name, self.parts_of, self.unknown = name, parts, parts.unknown  # type: ignore[misc]

    def price(self, t: int) -> float | None:
        """Return ln 2; None if the parts have no guarantee in advance."""
        return None if self.parts_of.price(t) is None else math.log(2)

    def further(self, t: int, scale: float) -> float:
        """Return the guarantee in advance of all learners per segment together (``docs/theory/decide.md``)."""
        S, one, price = self.parts_of.segments or 1, self.parts_of.one, self.parts_of.one.price
        each = (price(-(-t // S)) or 0.0) + max(0.0, 2.0 - (price(1) or 0.0))
        constant = bounds.adaptive_constant(price(t) or 0.0, one.floor * 2 ** (-1 / STEPS))
        return scale * (constant * math.sqrt(S * each * t) + S * (each / 8 + 0.5))


class TwoLevelsEngine(SegmentedEngine):
    """A common learner and one per segment, with separate rates (``segments_kernel.py``)."""

    kind = "two-levels"

    def __init__(self, concept_class: Segmented, prior: Prior) -> None:
        super().__init__(concept_class, prior)
        self.prior: Any = LevelsPrior(prior.name, self.members[1].prior)

    def mixture(self, *made_of: Any) -> Any:
        """Return the kernel."""
        one = self.members[1].prior.one
        self.members[1].kernel.rate_each()
        prices = [one.price(math.ceil(2 ** (i / STEPS))) or 0.0 for i in range(61 * STEPS)]
        return _KERNEL.TwoLevelsKernel(*made_of, lambda: self.members[0].price(), prices, one.floor)

    def share_inside(self, drift: Drift) -> None:
        """Give the common part and each segment their own lanes and rates."""
        self.members[1] = SegmentsEngine(self.concept_class.parts[1], self.prior)
        super().share_inside(drift)
        self.members[1].kernel.rate_each()
        self.kernel.follow(self.members[0].kernel, self.members[1].kernel)

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept problems whose parts have separate rates."""
        return None if problem.own_rates else "each segment has its own rate"

    def ahead(self) -> float:
        """Return the loss of the segments minus that of the common learner."""
        return float(self.kernel.lost[1] - self.kernel.lost[0])

    def leader(self) -> Leader:
        """Return the better part, as one of two."""
        return Leader(self.best_loss, None, None, -math.log(2))

    def proven(self, price: float, best_loss: float | None) -> float:
        """Return the current bound on the regret: the better of the bounds of the two parts."""
        if best_loss is None:
            return math.inf
        self.kernel.discard()
        expected: float = self.kernel.ledger.expected_loss
        bound: float = expected - best_loss + min(self.kernel.proven())
        return bound

    # --- Late labels and saving --------------------------------------------------------------------

    def entered(self, ticket: int, x: Instance, raw: Any) -> Any:
        """Return the row and the ticket, for which the kernel stored the predictions of both parts."""
        return self.point(x, raw), ticket

    def abandon(self, ticket: int) -> None:
        """Drop the stored predictions of both parts."""
        self.kernel.said.pop(ticket, None)

    def declared(self) -> Fields:
        """Declare the account of the common part, the losses of both parts, and their predictions for each ticket."""
        said = Array(np.float64, ("tickets", 2), 0, 1)
        return {"own": Array(np.float64, (OWN,), -MOST), "lost": Items(2, SUM), "said": said}

    def state(self) -> dict[str, Any]:
        """Return the states of the parts and the declared fields."""
        kernel, said = self.kernel, np.array(list(self.kernel.said.values()), dtype=np.float64).reshape(-1, 2)
        own = {"own": np.array(kernel.own), "lost": list(kernel.lost), "said": said}
        return {**super().state(), **own, "waiting": {"tickets": list(kernel.said)}}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless the rates are consistent."""
        super().invariants(state)
        check_own(np.array([state["own"]]), self.shares_inside is not None)
        need(len(state["waiting"]["tickets"]) == len(state["said"]), "said")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned."""
        self.check(state)
        kernel = self.kernel
        kernel.own, kernel.lost = np.array(state["own"]), np.array(state["lost"], dtype=np.float64)
        kernel.said = dict(zip(state["waiting"]["tickets"], map(tuple, state["said"].tolist()), strict=True))
        self.members[0].rate = float(state["own"][0])
        super().restore(state)
        need(min(kernel.proven()) >= -1e-6 * (1 + max(state["lost"])), "lost")  # no part lost more than its bound
