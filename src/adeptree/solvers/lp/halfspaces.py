"""Halfspaces (linear rules) over tuples of numbers, by linear programming with exact checks."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_LINE, check_seconds, check_size, one_of
from adeptree.core.errors import InvalidArgument, InvalidInstance, TooLarge, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.solvers.lp.deciding import Decider
from adeptree.solvers.lp.dichotomies import dichotomies
from adeptree.solvers.lp.halfspace import Halfspace
from adeptree.solvers.lp.highs import highspy
from adeptree.solvers.lp.infeasible import Infeasibility
from adeptree.solvers.lp.lifting import Number, Point, as_point, lift
from adeptree.solvers.solver_class import SolverClass
from adeptree.theory import bounds

CALL_COST = 300e-6
"""Approximate duration of a call in seconds: 0.2 ms for the short samples of the plane, 0.7 ms for long ones (measured
in ``docs/howto/solvers-lp.md``)."""

LARGEST_DIM = 1 << 14
"""Most dimensions, because the exact simplex method keeps a table of that side length."""

TABLE_LIMIT = 1 << 24
"""Largest table (labellings x points) that ``enumerated`` makes."""


class Halfspaces(SolverClass):
    """Rules w.x >= b with any real w and b; x is a tuple of numbers (int, Fraction or float).

    ``find`` calls HiGHS (extra ``lp``), and every answer is checked: a halfspace is tested on the sample in rational
    arithmetic, and "nothing fits" needs an :class:`Infeasibility` of at most dim + 2 points. If neither holds, a
    simplex method in integers decides; ``OracleUnknown`` is raised only if that takes too long. ``decider.rungs``
    counts which step decided (in this process).

    On all of R^dim no learner has a finite mistake bound (the Littlestone dimension is infinite). Use ``grid``, or
    ``radius`` with ``margin``, to get one.

    Parameters
    ----------
    dim
        The length of an instance.
    grid
        n: instances are the integer points of {0..n-1}^dim, so the class is finite; :meth:`enumerated` lists it for
        Halving, whose M is at most :attr:`halving_bound`.
    radius, margin
        R and g: instances have Euclidean length at most R, and the base learner ``Perceptron`` makes at most (2R/g -
        1)^2 mistakes on labels that some halfspace gives with distance >= g from its boundary. The class stays *all*
        halfspaces: a class with a margin is partial (points inside the margin have no label), so a path may lack a
        continuation and Sauer's lemma may fail. So use ``on_excess="prune"``: the regret bound then holds against every
        halfspace that keeps the margin.
    solver
        "auto" decides small samples in integers, which is faster; "highs" always calls HiGHS first.
    seconds
        The time limit of a query; an undecided query raises ``OracleUnknown``.
    on_unknown, **options
        Parameters of :class:`OracleClass`.

    Examples
    --------
    >>> c = Halfspaces(2)
    >>> c.realizable([((0, 0), 0), ((1, 1), 0), ((0, 1), 1)])
    True
    >>> proof = c.certificate([((0, 0), 0), ((1, 1), 0), ((0, 1), 1), ((1, 0), 1), ((5, 5), 1)])
    >>> len(proof.points), proof.verify()
    (4, True)
    """

    spec_name = "halfspaces"

    def __init__(
        self,
        dim: int,
        *,
        grid: int | None = None,
        radius: Number | None = None,
        margin: Number | None = None,
        solver: str = "auto",
        seconds: float | None = None,
        on_unknown: str = "raise",
        **options: Any,
    ) -> None:
        self.dim = check_size("dim", dim, at_most=LARGEST_DIM)
        self.grid = None if grid is None else check_size("grid", grid, at_most=LARGEST_LINE)
        self.radius, self.margin = _check_ball(grid, radius, margin)
        one_of("solver", solver, ("auto", "highs"))
        limit = check_seconds(seconds)
        own = {"dim": self.dim, "grid": self.grid, "radius": radius, "margin": margin, "seconds": limit}
        # A single point can only be labelled in two ways; from two per side on, dim + 1 corners are shattered.
        vc = 1 if self.grid == 1 else self.dim + 1
        told = {**own, "on_unknown": on_unknown}
        super().__init__(told, options, CALL_COST, vc_dimension=vc, name=self.spec_name)
        self._asking["solver"] = solver
        self.seconds = limit  # not OracleClass's limit, which needs a thread: the solver checks the time itself
        if not self.in_plane:  # half-planes have a structure; if a query needs the solver, it asks for the extra then
            highspy.require()
        self.decider = Decider(self.dim, small=solver == "auto", seconds=limit)

    @property
    def in_plane(self) -> bool:
        """True for all half-planes of the plane without options for the solver."""
        plain = self._own == {**self._own, "dim": 2, **dict.fromkeys(("grid", "margin", "seconds")), **self.UNSAID}
        return type(self) is Halfspaces and plain and self._asking == {"solver": "auto"}

    def instance(self, x: Any) -> Point:
        """Return x as a tuple of numbers, if it is in the domain."""
        point = as_point(x, self.dim)
        if self.grid is not None and not all(value == int(value) and 0 <= value < self.grid for value in point):
            raise InvalidInstance(f"x must have integer entries in 0..{self.grid - 1}; {got('x', x)}")
        if self.radius is not None and sum(Fraction(v) ** 2 for v in point) > Fraction(self.radius) ** 2:
            raise InvalidInstance(f"x must have length at most radius={self.radius}; {got('x', x)}")
        return point

    # --- Deciding ----------------------------------------------------------------------------------

    def solved(self, sample: Sample) -> Concept | None:
        """Return a halfspace that fits the sample exactly, or None if it is proved that there is none."""
        decided = self._decided(sample)
        return decided if isinstance(decided, Halfspace) else None

    def certificate(self, sample: Sample) -> Infeasibility | None:
        """Return the proof that no halfspace fits, or None if one does."""
        decided = self._decided(sample)
        return decided if isinstance(decided, Infeasibility) else None

    def _decided(self, sample: Sample) -> Halfspace | Infeasibility:
        with self.alone:
            clean = self.clean(sample)
            decided = self.decider.decide(clean)
            proof = decided.points if isinstance(decided, Infeasibility) else ()
            self._core = tuple(i for i, item in enumerate(clean) if item in proof) or None
        return decided

    # --- The finite version ------------------------------------------------------------------------

    def _grid(self) -> list[Point]:
        if self.grid is None:
            raise InvalidArgument("only Halfspaces(dim, grid=n) is a finite class; give grid=")
        # Do not compute a power with thousands of dimensions: with two points per side, 2^24 is too many.
        if self.grid > 1 and (self.dim > 24 or self.grid**self.dim > TABLE_LIMIT):
            raise TooLarge(f"{self!r} has more than {TABLE_LIMIT} points, too many to list; take a smaller grid")
        return list(itertools.product(range(self.grid), repeat=self.dim))

    @property
    def halving_bound(self) -> int:
        """Upper bound on Halving's M with ``grid``: log2 of Cover's count 2 sum_{i <= dim} C(N - 1, i), N points."""
        return _cover(len(self._grid()), self.dim).bit_length() - 1

    def enumerated(self, limit: int = TABLE_LIMIT) -> FiniteClass:
        """Return all labellings of the grid as a table, exactly (no solver): ``base=Halving(c.enumerated())``.

        >>> Halfspaces(2, grid=2).enumerated().size
        14
        """
        points = self._grid()
        if _cover(len(points), self.dim) * len(points) > limit:
            raise TooLarge(
                f"{self!r} may label its {len(points)} points in {_cover(len(points), self.dim)} ways, a table of over "
                f"{limit} entries; take a smaller grid"
            )
        return _table(tuple(points))

    # --- Streams -----------------------------------------------------------------------------------

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a point of the grid or the ball, or an integer point within 50 of the origin."""
        if self.grid is not None:
            return tuple(rng.integers(self.grid, size=self.dim).tolist())
        if self.radius is None:
            return tuple(rng.integers(-50, 51, size=self.dim).tolist())
        direction = rng.normal(size=self.dim)
        # Slightly inside, so that rounding does not move the point out of the ball.
        length = 0.999 * float(self.radius) * rng.random() ** (1 / self.dim)
        return tuple((direction / np.linalg.norm(direction) * length).tolist())

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a halfspace with a random direction, its boundary near a random point."""
        weights = [int(value) for value in np.rint(rng.normal(size=self.dim) * 100)]
        *through, common = lift(self.random_instance(rng))
        return Halfspace.of([*weights, -(sum(w * v for w, v in zip(weights, through, strict=True)) // common)])


def _check_ball(grid: int | None, radius: Number | None, margin: Number | None) -> tuple[Number | None, Number | None]:
    if radius is None and margin is None:
        return None, None
    if grid is not None or radius is None:
        raise InvalidArgument("give grid=, or radius= (and with it margin= for the Perceptron), not both")
    (length,) = as_point((radius,), 1)
    if length <= 0 or (margin is not None and not 0 < 2 * as_point((margin,), 1)[0] <= length):
        raise InvalidArgument(f"radius must be positive and 0 < margin <= radius / 2; got {radius=}, {margin=}")
    return radius, margin


def _cover(points: int, dim: int) -> int:
    return 2 * bounds.sauer(points - 1, dim)


@lru_cache(maxsize=8)
def _table(points: tuple[Point, ...]) -> FiniteClass:
    return FiniteClass(sorted(dichotomies([lift(x) for x in points])), points=points)
