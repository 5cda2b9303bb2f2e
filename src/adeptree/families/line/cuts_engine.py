"""Engines of rules with cuts on a line (intervals, their unions, any number of cuts), without a list of paths."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import Fields, Number, need, rounding
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept, FloatArray, NDArray
from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import flips_of
from adeptree.families.line.line_domain import Line
from adeptree.families.line.line_engine import LineEngine
from adeptree.families.line.near_cuts import labellings_in_order, labels_of, with_first
from adeptree.families.line.unions import NearestPoint
from adeptree.roles.engine import Leader, Problem
from adeptree.roles.near_rules import NearRules, first_of, reach_of
from adeptree.structures.mixture_engine import MixturePrior
from adeptree.theory.losses import shown
from adeptree.theory.priors import KTPrior, MixedPrior, Prior


class CutsPrior(MixturePrior):
    """The prior of d cuts, each drawn independently from the prior of one cut (``cuts_kernel.py``).

    Every labelling has d!/(j_1! j_2! ...) >= 1 orders of cuts in gaps, so its price is at most d times the largest
    price of one cut. Any number of cuts (None) has no such limit, because a labelling pays for each of its cuts.

    >>> from adeptree.families.line.line_domain import Grid
    >>> round(CutsPrior("mixed", Grid(255), 2).price(1000), 3)  # twice ln 256 + ln 3
    13.288
    """

    def __init__(self, name: str, line: Line, cuts: int | None) -> None:
        M = None if line.of_floats else int(line.cuts).bit_length() - 1
        one = MixedPrior(M, math.log(line.cuts), line.of_floats) if name == "mixed" else KTPrior(M)
        super().__init__(name, 1, one)
        self.cuts, self.parts, self.counts = cuts, one.parts, one.counts

    def price(self, t: int) -> float | None:
        """Return d times the price of one cut."""
        one = self.one.price(t)
        return None if one is None or self.cuts is None else self.cuts * one


class CutsEngine(LineEngine):
    """Labellings with at most d flips; the prior draws d independent cuts (``cuts_kernel.py``).

    For :class:`Intervals` this is *another* prior than that of ``engine="paths"``, which runs a base learner on every
    interval: here each end has the prior of a separate threshold. Both priors conserve mass, and their certificates
    hold.

    >>> from adeptree import Intervals
    >>> engine = CutsEngine(Intervals(16), MixedPrior())
    >>> engine.rate = 0.5
    >>> for x, y in [(3, 0), (12, 0), (8, 1), (5, 0)]:
    ...     engine.commit(x, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability(7), 6)
    (11, 0, '8 <= x < 9', 0.456413)
    """

    kind: ClassVar[str] = "cuts"
    runs_base = False

    concept_class: Any
    kernel: Any

    def __init__(self, concept_class: Any, prior: Prior) -> None:
        super().__init__(concept_class, CutsPrior(prior.name, concept_class.line, concept_class.cuts))
        self._use(self._made())

    def _made(self) -> Any:
        cuts, measure = self.concept_class.cuts, self.measure()
        if cuts == 2:
            return kernel("adeptree.structures.intervals_kernel").IntervalsKernel(measure)
        return kernel("adeptree.structures.cuts_kernel").CutsKernel(measure, cuts)

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the priors without a horizon, if no path is dropped."""
        if problem.prior.name not in ("kt", "mixed"):
            return f'it knows the priors "kt" and "mixed"; got prior={problem.prior.name!r}'
        if problem.max_width is not None or type(problem.base) not in (IntervalSearch, NearestEnds, NearestPoint):
            return f"it keeps all paths, and cuts are its own to place; got {problem.base!r}"
        return None

    def leader(self) -> Leader:
        """Return the best labellings, as one path with their total mass."""
        return Leader(self.best_loss, None, None, min(0.0, self.kernel.log_best_mass()))

    def gains(self) -> tuple[NDArray[Any], FloatArray]:
        """Return the points seen between the ends of the line, with the extra cost of predicting 0 at each."""
        gaps = self.gaps()
        return np.append(gaps["low"] - self.line.step, gaps["high"][-1:]), gaps["gain"][1:]

    def best_rule(self) -> Concept:
        """Return the best rule with the fewest cuts."""
        return self.concept_class.best_of(*self.gains())  # type: ignore[no-any-return]

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the labellings within reach, the best first; among equals, those with few cuts first."""
        points, gains = self.gains()
        best, reach = self.best_loss, reach_of(self.best_loss, k, self.kernel.charged)
        found = labellings_in_order(gains, self.kernel.d, self.kernel.zeros, reach, limit + 1)
        found = with_first(tuple(flips_of(self.concept_class.best_labels(gains))), best, found)
        return first_of(found, lambda flips: self.concept_class.rule_of(points, labels_of(flips, len(gains))), limit)


class StepsEngine(CutsEngine):
    """The engine of all labellings, with any number of cuts (``steps_kernel.py``).

    Memorising has the least loss, and no learner can compete with it. The comparator is therefore the *most probable*
    labelling, with the largest prior mass times e^(-eta loss): ``best_loss``, ``leader`` and ``best_rule`` refer to it.
    ``width`` stops at 2^61.

    >>> from adeptree import RealSteps
    >>> engine = StepsEngine(RealSteps(), MixedPrior())
    >>> engine.rate = 2.0
    >>> for x, y in [(3, 0), (12, 0), (8, 1), (5, 0), (9, 1), (14, 1), (16, 1), (4, 0), (7, 1)]:
    ...     engine.commit(x, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (512, 1, 'x >= 6')
    """

    kind: ClassVar[str] = "steps"
    best_may_fall = True

    def _made(self) -> Any:
        steps = kernel("adeptree.structures.steps_kernel")
        return steps.StepsKernel(self.measure(), 1.0)

    @property
    def best_loss(self) -> float:
        """The loss of the most probable labelling (a scan)."""
        return shown(self.kernel.probable()[0])

    def leader(self) -> Leader:
        """Return the most probable labelling."""
        loss, log_mass, *_ = self.kernel.probable()
        return Leader(shown(loss), None, None, log_mass)

    def best_rule(self) -> Concept:
        """Return the most probable labelling as a rule."""
        labels = np.frombuffer(self.kernel.probable()[3], dtype=np.uint8)
        return self.concept_class.rule_of(self.gains()[0], labels)  # type: ignore[no-any-return]

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Raise an error: every labelling that memorises some points is near the most probable one in loss."""
        raise InvalidArgument(
            "with any number of cuts there are far too many rules near the best, most of which memorise single points; "
            "compete with unions of intervals, or build with engine='paths'"
        )

    def state(self) -> dict[str, Any]:
        """Return the tree, and the accumulated weight."""
        return super().state() | {"log_weight": float(self.kernel.log_weight)}

    def declared(self) -> Fields:
        """Declare the tree and the weight."""
        return {**super().declared(), "log_weight": Number()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the tree; its weight is equal up to the order of additions."""
        super().restore(state)
        kernel, weight = self.kernel, state["log_weight"]
        need(abs(weight - kernel.log_weight) <= rounding(kernel.eta, kernel.charged), "log_weight")
        kernel.log_weight = float(weight)
