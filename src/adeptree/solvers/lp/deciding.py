"""The pipeline from a labelled sample to a verified answer: a halfspace that fits, or the proof that none does."""

from __future__ import annotations

import math
import time
from collections import Counter
from fractions import Fraction

from adeptree.core.errors import OracleUnknown
from adeptree.solvers.lp import exact_simplex as exact
from adeptree.solvers.lp.halfspace import Halfspace, rounded
from adeptree.solvers.lp.highs import Model, Outcome
from adeptree.solvers.lp.infeasible import Infeasibility, certificate_of
from adeptree.solvers.lp.lifting import Point, lift

Labelled = list[tuple[Point, int]]

SMALL = 6000
"""Largest (dim + 1)^3 (points + 20) for which integers are faster than HiGHS: measured in 2 dimensions up to 200
points, in 3 up to 60, in 4 up to 20 (``docs/howto/solvers-lp.md``)."""


class Decider:
    """Decides samples of one dimension; every answer of a floating-point solver is checked.

    Small samples (nearly all queries of a frontier) are decided in integers at once, unless ``small`` is False. Others
    go to HiGHS. If its answer does not pass the check, the integers decide, and only if these take too long the answer
    is OracleUnknown. ``rungs`` counts the deciding steps. ``seconds``, if given, limits all steps of a sample together.
    """

    def __init__(self, dim: int, small: bool = True, seconds: float | None = None) -> None:
        self.dim, self.small = dim, small
        self.seconds = math.inf if seconds is None else seconds
        self.rungs: Counter[str] = Counter()
        self.model = Model(dim)

    def decide(self, sample: Labelled) -> Halfspace | Infeasibility:
        """Return the proven decision about the sample."""
        labels: dict[Point, int] = dict(sample)
        for x, y in sample:
            if labels[x] != y:
                return Infeasibility(((x, 1), (x, 0)), (Fraction(1), Fraction(1)))
        items = list(labels.items())
        if len(set(labels.values())) < 2:
            # Nothing to separate: a constant rule fits.
            return Halfspace((0,) * self.dim, 1 - items[0][1] if items else 1)
        until = time.monotonic() + self.seconds
        if self.small and (self.dim + 1) ** 3 * (len(items) + 20) <= SMALL:
            self.rungs["small"] += 1
            decided = separated(items, until)
            if decided is not None:
                return decided
        return self._by_highs(items, until) or self._exactly(items, until)

    def _by_highs(self, items: Labelled, until: float) -> Halfspace | Infeasibility | None:
        left = until - time.monotonic()
        if left <= 0:
            return None
        outcome = self.model.solve(items, None if left == math.inf else left)
        checked = None if outcome is None else _checked(outcome, items, until)
        said = "unknown" if outcome is None else "unproved"
        self.rungs["highs" if checked else f"highs: {said}"] += 1
        return checked

    def _exactly(self, items: Labelled, until: float) -> Halfspace | Infeasibility:
        decided = separated(items, until)
        if decided is None:
            late = time.monotonic() > until
            within = f"seconds={self.seconds:g}" if late else f"{exact.PIVOT_LIMIT} exact pivots"
            raise OracleUnknown(
                f"a sample of {len(items)} points was not decided within {within}; raise the limit, round the "
                f'coordinates to fewer digits, or give on_unknown="keep" to prune only what is proven unrealizable'
            )
        self.rungs["exact"] += 1
        return decided


def _checked(outcome: Outcome, items: Labelled, until: float) -> Halfspace | Infeasibility | None:
    """Return the decision that the solver's hint proves, with its vector or the points of its "no"."""
    rule = rounded(outcome.vector, items)
    if rule is not None or not outcome.support:
        return rule
    proof = separated([items[i] for i in outcome.support], until)
    return proof if isinstance(proof, Infeasibility) else None


def separated(items: Labelled, until: float = math.inf) -> Halfspace | Infeasibility | None:
    """Decide a sample in integers; None if that takes too many pivots or too long.

    >>> str(separated([((0, 0), 0), ((3, 1), 1)]))
    'x0 + x1 >= 1'
    """
    signed = [lift(x) if y else tuple(-value for value in lift(x)) for x, y in items]
    decision = exact.separate(signed, until=until)
    if decision is None or not decision.holds(signed):
        return None
    if decision.vector is not None:
        return rounded(decision.vector, items) or Halfspace.of(decision.vector)
    return certificate_of(dict(zip(items, decision.weights or (), strict=True)))
