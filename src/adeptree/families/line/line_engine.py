"""Thresholds without touching each path: ADEPT's exact distribution in O(M log t) per round."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from adeptree.core.errors import DamagedFile, InvalidArgument, MissingExtra, TooLarge, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.line.line_cells import LARGEST_GRID, Cells, Line, Shape
from adeptree.families.line.thresholds import Bisection, NearestLabel, Thresholds
from adeptree.roles.engine import Engine, Limits, Problem, Rows
from adeptree.roles.frontier import Queries
from adeptree.theory.mixture import SAFE_LOG, log_capacities
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

_MOST_ROUNDS = 2**31 - 2
"""Losses are kept as int32."""
_TABLE_LOG = 690.0
"""exp(-690) is still an ordinary double; what is smaller counts as 0."""
_MISSING = "the ordered engine needs numba; install it with: pip install 'adeptree[fast]'"


class OrderedEngine(Engine):
    """The paths of a line, kept as cells under a search tree (see ``line_kernels``); the base learner is Bisection.

    A path of thresholds is a gap between neighbouring points seen. x cuts one gap and leaves all others alone, so a
    round costs one way down the tree and one up, whatever the order of the points.

    >>> from adeptree import Thresholds
    >>> engine = OrderedEngine(Thresholds(16), PaperPrior(T=100, M=4))
    >>> engine.rate = 0.5
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     engine.commit(x, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability(7), 6)
    (5, 0, 'x >= 6', 0.924684)
    """

    kind = "ordered"
    collapsed = compiled = True

    def __init__(self, concept_class: Any, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, prior
        self.line = Line.of(concept_class)
        self._kernels, memory = _load()
        kernels = self._kernels
        self._memory = memory.Memory(kt=isinstance(prior, KTPrior))
        self._address: int = self._memory.address
        self._width = self._best_loss = 0
        self._look, self._commit = kernels.look, kernels.commit
        self._looked: Instance | None = None
        self._known: float | None = None
        header = self._memory.header
        header.view(self.line.kind)[kernels.END] = self.line.end
        if isinstance(prior, PaperPrior):
            header[kernels.T], header[kernels.M] = prior.T, prior.M
            header[kernels.PLAIN] = _plain_columns(concept_class, prior)
        elif not isinstance(prior, KTPrior):
            raise InvalidArgument(f'the ordered engine knows the priors "paper" and "kt"; {got("prior", prior)}')
        start, zero = np.array([self.line.first], dtype=self.line.kind), np.zeros(1, dtype=np.int64)
        self._plant(start, zero, zero, zero, 0, Shape.for_cells(1))

    @staticmethod
    def available() -> tuple[bool, str]:
        """Return whether the engine can be built here, and if not, why (nothing is imported to find out).

        >>> OrderedEngine.available()
        (True, '')
        """
        return (True, "") if find_spec("numba") else (False, _MISSING)

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """The natural base learners, the priors of the paper and KT, and grids whose points are int64."""
        if isinstance(problem.concept_class, Thresholds) and problem.concept_class.n > LARGEST_GRID:
            return f"its grids end at 2^62; got {problem.concept_class!r}"
        return problem.beyond(("paper", "kt"), Bisection, NearestLabel)

    @classmethod
    def after(cls, problem: Problem, rows: dict[str, Any]) -> OrderedEngine:
        """The rows of the frontier are cells."""
        low, high = rows["frontier"]["low"], rows["frontier"]["high"]
        cells = Cells(low, high, rows["mistakes"], rows["contested"], rows["losses"].astype(np.int64))
        return cls.from_cells(problem.concept_class, problem.prior, cells, rows["rounds"])

    @classmethod
    def from_cells(cls, concept_class: Any, prior: Prior, cells: Cells, rounds: int) -> OrderedEngine:
        """Build an engine that goes on after ``rounds`` rounds with these paths, given in any order."""
        engine = cls(concept_class, prior)
        cells = cells.in_order()
        start = cells.low.astype(engine.line.kind) - engine.line.offset
        shape = Shape.for_cells(len(cells))
        engine._plant(start, cells.mistakes, cells.contested, cells.losses, rounds, shape)
        return engine

    # --- A round ---------------------------------------------------------------------------------------------------

    def probability(self, x: Instance) -> float:
        """Return the share that says 1 at x, the cut of its cell being made in thought only."""
        if x != self._looked:
            self.queries.asked += 2 * self._width
            self._looked, self._known = x, None
        if self._known is None:
            self._known = self._look(self._address, x)
        return self._known

    def probabilities(self, xs: Sequence[Instance]) -> FloatArray:
        """Look at many points without a Python call per point."""
        points = self._points(xs)
        found = np.empty(len(points))
        self._kernels.look_many(self._address, points, found)
        if len(points):
            # A point looked at again, with none in between, is not asked about again.
            again = int((points[1:] == points[:-1]).sum()) + (points[0] == self._looked)
            self.queries.asked += 2 * self._width * int(len(points) - again)
            self._looked, self._known = points[-1].item(), float(found[-1])
        return found

    def commit(self, x: Instance, label: int) -> None:
        """Cut the cell of x and add to the losses."""
        located = False
        if x != self._looked:
            self.queries.asked += 2 * self._width
        else:
            located = self._known is not None
        while (done := self._commit(self._address, x, label, located)) < 0:
            self._provide(-1 - done)
            located = False
        self._best_loss = done >> 1
        self._width += done & 1
        self._looked = self._known = None

    def discard(self) -> None:
        """Forget the point looked at."""
        self._looked = self._known = None

    def run(self, xs: Sequence[Instance], labels: IntArray, probabilities: FloatArray, limits: Limits) -> int:
        """Play rounds without a Python call per round."""
        kernels, header = self._kernels, self._memory.header
        points, ys = self._points(xs), np.ascontiguousarray(labels, dtype=np.int64)
        header[kernels.ASKED] = -2 * self._width if len(points) and points[0] == self._looked else 0
        played, gap, stopped = 0, limits.gap, False
        while played < len(points) and not stopped:
            rest = slice(played, None)
            more, gapped, need = kernels.run(
                self._address, points[rest], ys[rest], probabilities[rest], float(limits.best_loss), gap
            )
            played, gap = played + int(more), gap - gapped
            stopped = need == kernels.NO_NEED
            self._provide(need)
        self.queries.asked += int(header[kernels.ASKED])
        self._account()
        return played

    def _points(self, xs: Sequence[Instance]) -> Any:
        """Return instances as one array; none of them may lie outside the line."""
        points = np.asarray(xs)
        if points.dtype.kind not in ("iu" if self.line.offset else "iuf"):
            points = np.array([self.concept_class.instance(x) for x in xs], dtype=self.line.kind)
        if len(points) and not self.line.first < points.min() <= points.max() < self.line.end:  # (NaN: False)
            outside = ~((points > self.line.first) & (points < self.line.end))
            self.concept_class.instance(points[outside][0].item())
        return np.ascontiguousarray(points, dtype=self.line.kind)

    # --- Account ---------------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Number of cells."""
        return self._width

    @property
    def best_loss(self) -> int:
        """L*: the least loss of a cell."""
        return self._best_loss

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays that grow with the cells."""
        return int(self._memory.nbytes)

    def rows(self) -> Rows:
        """Return the cells, from left to right."""
        cells = self.cells()
        log_mass = self.prior.log_mass(self._rounds, cells.mistakes, cells.contested) - self.prior.log_total
        return Rows(cells.losses, cells.mistakes, cells.contested, log_mass)

    def best_rule(self) -> Concept:
        """Return a concept of the first best cell."""
        cells = self.cells()
        i = int(cells.losses.argmin())
        return self.line.concept(cells.low[i], cells.high[i])

    @property
    def _rounds(self) -> int:
        return int(self._memory.header[self._kernels.ROUNDS])

    # --- What is kept ----------------------------------------------------------------------------------------------

    def cells(self) -> Cells:
        """Return the paths as arrays, from left to right."""
        kernels, header = self._kernels, self._memory.header
        nodes = kernels.settle(self._address, 0)
        child = self._memory[kernels.CHILD][nodes]
        order = -1 - child[child < 0]
        used = np.arange(kernels.BUCKET) < self._memory[kernels.COUNT][order][:, None]
        start, mistakes, contested, losses = (
            self._memory.rows(slot, int(header[kernels.BUCKETS]))[order][used]
            for slot in (kernels.START, kernels.MISTAKES, kernels.CONTESTED, kernels.LOSS)
        )
        start = start.view(self.line.kind)
        high = np.append(start[1:], self.line.kind(self.line.end))
        losses = losses + header[kernels.SHIFT]
        return Cells(start + self.line.offset, high, mistakes.astype(np.int64), contested.astype(np.int64), losses)

    def state(self) -> dict[str, Any]:
        """Return the cells' integers, and how they lie in the tree: so every later sum is the same to the last bit."""
        kernels, cells = self._kernels, self.cells()
        nodes = kernels.preorder(self._address, 0)
        child, counts = self._memory[kernels.CHILD][nodes], self._memory[kernels.COUNT]
        return {
            "low": cells.low,
            "mistakes": cells.mistakes,
            "contested": cells.contested,
            "losses": cells.losses,
            "rounds": self._rounds,
            "counts": counts[-1 - child[child < 0]].astype(np.int64),
            "sizes": self._memory[kernels.SIZE][nodes].astype(np.int64),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Build the same tree again."""
        start, shape = state["low"] - self.line.offset, Shape(state["counts"], state["sizes"])
        self._plant(start, state["mistakes"], state["contested"], state["losses"], int(state["rounds"]), shape)

    def _plant(
        self, start: Any, mistakes: IntArray, contested: IntArray, losses: IntArray, rounds: int, shape: Shape
    ) -> None:
        """Make these cells, in order, the paths."""
        kernels, memory, header = self._kernels, self._memory, self._memory.header
        shape.check(len(start), kernels.BUCKET)
        ordered = start[0] == self.line.first and (start[1:] > start[:-1]).all() and start[-1] < self.line.end
        if not ordered or not (0 <= mistakes.min() and mistakes.max() < 2**15 and rounds < _MOST_ROUNDS):
            raise DamagedFile(f"the cells do not cut the line of {self.concept_class!r}; use an earlier copy")
        buckets, (number, child, beyond) = len(shape.counts), shape.nodes()
        memory.grow(buckets + buckets // 8 + 4)
        used = np.arange(kernels.BUCKET) < shape.counts[:, None]
        columns = (start.view(np.int64), mistakes, contested, losses)
        for slot, column in zip(
            (kernels.START, kernels.MISTAKES, kernels.CONTESTED, kernels.LOSS), columns, strict=True
        ):
            memory.rows(slot, buckets)[used] = column
        memory[kernels.COUNT][:buckets] = shape.counts
        key = memory.rows(kernels.START, buckets)[beyond, 0]
        for slot, values in zip((kernels.CHILD, kernels.SIZE, kernels.KEY), (child, shape.sizes, key), strict=True):
            memory[slot][number] = values
        memory[kernels.TAG][:] = 0
        header[kernels.NODES], header[kernels.BUCKETS], header[kernels.CELLS] = len(number), buckets, len(start)
        header[kernels.ROUNDS], header[kernels.SHIFT] = rounds, 0
        if isinstance(self.prior, PaperPrior):
            memory.widen(int(mistakes.max()) // 4 * 4 + 4)
            header[kernels.LOGS] = mistakes.max() > header[kernels.PLAIN]
        else:
            header[kernels.LOGS] = self.prior.log_mass(rounds, mistakes, contested).min() < kernels.LOWEST
        self._rate_changed()
        self._account()

    def _rate_changed(self) -> None:
        kernels, memory = self._kernels, self._memory
        memory.reals[kernels.ETA] = self._rate
        self._tabulate()
        kernels.refresh(self._address)
        self._known = None

    def _tabulate(self) -> None:
        """Set the table of exp(-eta d), long enough for the differences of losses to come soon."""
        kernels, memory = self._kernels, self._memory
        patience = max(4096, 2 * self._rounds)
        ends = self._rate * patience > _TABLE_LOG
        length = int(_TABLE_LOG / self._rate) + 2 if ends else patience if self._rate else 1
        table = np.exp(-self._rate * np.arange(length))
        if ends:
            table[-1] = 0.0
        memory.set(kernels.TABLE, table)
        memory.header[kernels.TABLED] = length - 1
        memory.header[kernels.PATIENCE] = _MOST_ROUNDS if ends or not self._rate else length

    def _provide(self, need: int) -> None:
        """Make room for the coming round."""
        kernels, memory = self._kernels, self._memory
        if need == kernels.NEED_ROOM:
            memory.grow(memory.room + memory.room // 8 + 4)
        elif need == kernels.NEED_TABLE:
            if self._rounds + 1 >= _MOST_ROUNDS:
                raise TooLarge(f"the ordered engine plays at most {_MOST_ROUNDS} rounds; {got('rounds', self._rounds)}")
            self._tabulate()
        elif need != kernels.NO_NEED:
            if need == kernels.NEED_COLUMNS:
                memory.widen(memory.columns + 4)
            else:
                memory.header[kernels.LOGS] = 1
            kernels.refresh(self._address)

    def _account(self) -> None:
        kernels, header = self._kernels, self._memory.header
        self._width = int(header[kernels.CELLS])
        self._best_loss = int(self._memory[kernels.BASE][0] + header[kernels.SHIFT])
        self._looked = self._known = None

    # --- Copies: the header holds addresses, so an engine is copied through its state ---------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {
            "concept_class": self.concept_class,
            "prior": self.prior,
            "rate": self.rate,
            "queries": (self.queries.asked, self.queries.posed),
            "looked": self._looked,
            "learnt": self.state(),
        }

    def __setstate__(self, copied: dict[str, Any]) -> None:
        self.__init__(copied["concept_class"], copied["prior"])  # type: ignore[misc]
        self.queries = Queries(*copied["queries"])
        self.restore(copied["learnt"])
        self.rate = copied["rate"]
        self._looked = copied["looked"]


def _plain_columns(concept_class: Any, prior: PaperPrior) -> int:
    """Return the largest k of which paths may be summed with others as plain doubles."""
    bound = concept_class.littlestone_dimension
    needed = prior.T if bound is None else min(bound, prior.T)
    if prior.M < needed:
        raise InvalidArgument(
            f"the ordered engine drops no path, so M must be at least {needed} for {concept_class!r}; "
            f'{got("M", prior.M)}; use engine="paths"'
        )
    logs = log_capacities(prior.T, prior.M)[::-1]
    return int(np.flatnonzero(logs[0] - logs <= SAFE_LOG)[-1])


def _load() -> tuple[Any, Any]:
    try:
        from adeptree.families.line import line_kernels as ordered_kernels
        from adeptree.families.line import line_memory as ordered_memory
    except RuntimeError as error:
        raise MissingExtra(
            f"the ordered engine was not loaded: {error}; if numba finds no place to keep what it compiles, set "
            f"NUMBA_CACHE_DIR to a folder that can be written"
        ) from None
    except ImportError as error:
        raise MissingExtra(f"{_MISSING} ({error})") from None
    return ordered_kernels, ordered_memory
