"""ADEPT on half-planes in the plane: all labellings of the points so far, each with an exact line, without a solver."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, LARGEST, SUM, Array, Fields, need
from adeptree.core.types import Concept
from adeptree.families.finite.partition_engine import RowsEngine
from adeptree.roles.engine import Problem
from adeptree.solvers.lp.halfspace import Halfspace, rounded
from adeptree.solvers.lp.halfspaces import Halfspaces
from adeptree.solvers.lp.lifting import Point, lift
from adeptree.solvers.lp.perceptron import Perceptron
from adeptree.theory.coins import word_of
from adeptree.theory.priors import Prior

KERNEL = kernel("adeptree.structures.half_plane_kernel")
EVENTS = ("came", "labels", "costs", "rates")


class HalfPlaneEngine(RowsEngine):
    """The rows of ``half_plane_kernel.py``: t^2 - t + 2 after t points, no three of them on a line.

    No base learner of the class runs; the line of each row predicts (``docs/theory/half-planes.md``).

    >>> from adeptree.theory.priors import KTPrior
    >>> engine = HalfPlaneEngine(Halfspaces(2), KTPrior())
    >>> for x, label in [((0, 0), 0), ((4, 1), 1), ((1, 3), 0), ((5, 5), 1)]:
    ...     engine.commit(x, label)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (14, 0, 'x0 >= 4')
    """

    kind = "half-planes"
    runs_base = False
    concept_class: Halfspaces

    def __init__(self, concept_class: Halfspaces, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, prior
        self._use(KERNEL.HalfPlaneKernel(prior.parts, read, lambda x: word_of(concept_class.key(x))))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept half-planes with the natural base learner and without options for the solver."""
        c, reason = problem.concept_class, problem.beyond(("kt", "mixed"), Perceptron)
        if reason is None and not c.in_plane:
            return f"it is made for Halfspaces(2) without grid=, margin= and options of the solver; got {c!r}"
        return reason

    # --- Account -------------------------------------------------------------------------------------

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return the line of each row, moved and rounded without changing its labels of the points so far."""
        return [self._rule(int(row), self.kernel.points[: self.kernel.number]) for row in places]

    def _rule(self, row: int, points: Sequence[tuple[int, int, int]]) -> Halfspace:
        (a, b, c), closed = self.kernel.line(row), self.cells("closed")[row]
        at = [Fraction(a * x + b * y + c * d, d) for x, y, d in points]
        labels = [int(value > 0 or (value == 0 and closed == 1)) for value in at]
        if len(set(labels)) < 2:
            return Halfspace((0, 0), 1 - (labels[0] if labels else int(closed)))
        # Half-way between the nearest points of both labels, times twice the denominator.
        near = min(itertools.compress(at, labels)) + max(v for v, y in zip(at, labels, strict=True) if not y)
        exact = Halfspace.of([int(v * near.denominator) for v in (2 * a, 2 * b, 2 * c - near)])
        sample = list(zip(map(KERNEL.instance_of, points), labels, strict=True))
        return rounded((*exact.weights, -exact.bound), sample) or exact

    # --- Saving --------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the recorded rounds, from which the rows follow."""
        points, *events, rate, fresh = self.kernel.past()
        return dict(zip(EVENTS, events, strict=True), points=[*itertools.chain(*points)], rate=rate, fresh=fresh)

    def declared(self) -> Fields:
        """Declare the rounds: point, label (plus 2 if the weights were computed again before), cost and rate."""
        cost = Array(np.float64, "events", 0, LARGEST)
        came = {"came": Array("i", "events", 0), "labels": Array(np.uint8, "events", 0, 3)}
        return {**came, "costs": cost, "rates": Array(np.float64, "events", 0), "rate": SUM, "fresh": FLAG}

    def invariants(self, state: dict[str, Any]) -> None:
        """Require different points in lowest terms, numbered in the order of their first rounds."""
        flat, came = state["points"], state["came"]
        need(isinstance(flat, list) and len(flat) % 3 == 0 and all(type(value) is int for value in flat), "points")
        points = list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
        need(all(d > 0 and math.gcd(x, y, d) == 1 for x, y, d in points) and len(set(points)) == len(points), "points")
        most = np.maximum.accumulate(np.append(-1, came))
        need((np.diff(most) <= 1).all() and most[-1] == len(points) - 1, "came")
        self.concept_class.instances_of(map(KERNEL.instance_of, points))  # raises if one is outside the domain
        # Weights are computed again at each change of the rate.
        changed = np.append(True, np.diff(np.append(state["rates"], state["rate"])) != 0)
        need((np.append(state["labels"] > 1, state["fresh"]) >= changed).all(), "labels")

    def restore(self, state: dict[str, Any]) -> None:
        """Play all rounds again: files hold rounds, not rows."""
        self.check(state)
        points = list(zip(*[iter(state["points"])] * 3, strict=True))
        self.kernel.replay(points, *(state[name] for name in EVENTS), state["rate"], state["fresh"])


def read(x: Point) -> tuple[tuple[int, ...], float, float, int]:
    """Return a point in integers and in doubles, and a grade: 2 for whole numbers up to 2^24, 1 if doubles are exact.

    >>> read((3, 0.25)), read((5, -1.0))[3]
    (((12, 1, 4), 3.0, 0.25, 1), 2)
    """
    *point, d = lifted = lift(x)
    px, py = (v / d if abs(v) < d << 1023 else math.copysign(math.inf, 1 if v > 0 else -1) for v in point)
    fine = all(math.isfinite(v) and Fraction(v) * d == exact for v, exact in zip((px, py), point, strict=True))
    return lifted, px, py, 2 if d == 1 and max(abs(px), abs(py)) <= 1 << 24 else int(fine)
