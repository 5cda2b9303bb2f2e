"""Thresholds on a tree of sums: the exact distribution of ADEPT from the first round on (``thresholds_kernel.py``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import need
from adeptree.families.line.line_engine import LARGEST_GRID, LineEngine
from adeptree.families.line.thresholds import Bisection, HalfLines, NearestLabel
from adeptree.roles.engine import Leader, Problem, Rows
from adeptree.theory.priors import PaperPrior, Prior

WIDEST = 650.0
"""ln of the largest ratio of the paper's capacities that is a normal double."""
_KERNEL = kernel("adeptree.structures.thresholds_kernel")


class ThresholdsEngine(LineEngine):
    """The engine of thresholds: paths are gaps between points seen; the base learner is the nearest label.

    >>> from adeptree import Thresholds
    >>> engine = ThresholdsEngine(Thresholds(16), PaperPrior(T=100, M=4))
    >>> engine.rate = 0.5
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     engine.commit(x, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability(7), 6)
    (5, 0, 'x >= 6', 0.924684)
    """

    kind = "thresholds"
    in_arena = True

    def __init__(self, concept_class: HalfLines, prior: Prior) -> None:
        super().__init__(concept_class, prior)
        horizon = (prior.T, prior.M) if isinstance(prior, PaperPrior) else ()
        self._use(_KERNEL.ThresholdsKernel(*self.measure(), *horizon))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the default base learners, grids of int64 points, and capacities whose ratios are doubles."""
        line: Any = problem.concept_class.line
        if not line.of_floats and line.n > LARGEST_GRID:
            return f"its grids end at 2^62; got {problem.concept_class!r}"
        if problem.prior.log_total > WIDEST:
            return f"with the paper's prior M ln(eT/M) may be up to {WIDEST:g}; got {problem.prior.log_total:.0f}"
        return problem.beyond(("paper", "kt", "mixed", "uniform"), Bisection, NearestLabel)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep one weight per lane and gap."""
        return self.share_line(1, share, lanes, spans, room)

    def rows(self) -> Rows:
        """Return the gaps, from left to right."""
        gaps, ledger = self.gaps(), self.kernel.ledger
        losses = self.kernel.zeros + np.cumsum(gaps["gain"])
        mistakes, contested = gaps["wrong"].astype(np.int64), gaps["contested"].astype(np.int64)
        mass = self.prior.log_mass(ledger.answered, mistakes, contested, self.log_shares(gaps))
        whole = losses.astype(np.int64) if (losses == np.floor(losses)).all() else losses
        return Rows(whole, mistakes, contested, mass - self.prior.log_total)

    def leader(self) -> Leader:
        """Return the best gap, from the kernel, because each update of the rate needs it."""
        loss, mistakes, contested, mass = self.kernel.leader()
        log_mass = np.log(mass) - np.log(max(1.0, self.kernel.clock))  # price of not switching: ln t
        if not self.prior.settled:
            k = np.array([mistakes])
            log_mass = self.prior.log_mass(self.kernel.ledger.answered, k, k)[0] - self.prior.log_total
        return Leader(int(loss) if loss == int(loss) else loss, mistakes, contested, float(min(0.0, log_mass)))

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError if a gap has more than M mistakes under the paper's prior."""
        super().invariants(state)
        need(not isinstance(self.prior, PaperPrior) or state["wrong"].max() <= self.prior.M, "mistakes")
