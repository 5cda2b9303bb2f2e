"""ADEPT with Halving on a listed class, compiled: one partition of N concepts, O(N) per round whatever the width."""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from adeptree.core.errors import DamagedFile, InvalidArgument, MissingExtra, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, LabelArray
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.families.finite.version_space import Halving
from adeptree.families.listed import EnumerableClass
from adeptree.roles.engine import Engine, Problem, Rows
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

_MISSING = "the engine of listed classes needs numba; install it with: pip install 'adeptree[fast]'"
_NOTHING = 1e-300
"""Of a weight this small beside that of a path of least loss, no mass of at most 22 mistakes makes anything."""
_NONE = np.empty(0)


class FiniteEngine(Engine):
    """Which cell every concept is in, and k, n and L of every cell; cells are the rows of ``PartitionFrontier``.

    For any class whose concepts are listed, with :class:`~adeptree.Halving`, whose bound holds, so that no path is
    ever pruned. It takes 28 bytes per concept (36 with KT), and for a table a copy of it by columns. Files are those
    of the numpy engine.

    >>> from adeptree import FiniteClass
    >>> engine = FiniteEngine(FiniteClass([[0, 0], [0, 1], [1, 1]]), PaperPrior(T=10, M=1))
    >>> engine.rate = 0.5
    >>> round(engine.probability(1), 6), engine.width
    (0.909091, 1)
    >>> engine.commit(1, 0)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (2, 0, 'concept 0: always 0')
    """

    kind = "finite"
    round_cost = math.inf
    compiled = True

    def __init__(self, concept_class: EnumerableClass, prior: Prior) -> None:
        super().__init__()
        concept_class._check_listable()
        if not isinstance(prior, (PaperPrior, KTPrior)):
            raise InvalidArgument(f"the engine of listed classes knows PaperPrior and KTPrior; {got('prior', prior)}")
        most = concept_class.size.bit_length() - 1
        if isinstance(prior, PaperPrior) and prior.M < min(most, prior.T):
            raise InvalidArgument(
                f"the engine of listed classes needs a mistake bound of at least {most}, Halving's, as paths are never "
                f'pruned in it; got M={prior.M}; use engine="paths"'
            )
        self.concept_class, self.prior = concept_class, prior
        self.rounds = 0
        # One row per point, so that a column of the table is read in one piece.
        self._columns = np.ascontiguousarray(concept_class.table.T) if isinstance(concept_class, FiniteClass) else None
        self._cells = self._fresh_cells()
        self._looked: tuple[Any, LabelArray] | None = None
        self._p: float | None = None
        self._decay: FloatArray = np.ones(1)
        self._ready: Any = None

    @staticmethod
    def available() -> tuple[bool, str]:
        """Return whether the engine can be built here, and if not, why (nothing is imported to find out)."""
        return (True, "") if find_spec("numba") else (False, _MISSING)

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Halving of the class itself."""
        reason = problem.beyond(("paper", "kt"), Halving)
        if reason is None and problem.base.concept_class != problem.concept_class:
            return f"Halving must be that of the class itself; got {problem.base!r}"
        return reason

    # --- One round ---------------------------------------------------------------------------------

    def probability(self, x: Instance) -> float:
        """Return the share that says 1 at x; a repeated question costs nothing."""
        self._look(x)
        if self._p is None:
            self._p = float(_kernels().probability(self._cells, self._tables()))
        return self._p

    def commit(self, x: Instance, label: int) -> None:
        """Refine the partition by the labels at x."""
        _kernels().commit(self._cells, self._tables(), self._look(x), label)
        self.rounds += 1
        self._ready = None
        self.discard()

    def discard(self) -> None:
        """Forget the look; the cells were not changed by it."""
        self._looked = self._p = None

    def _look(self, x: Instance) -> LabelArray:
        key = self.concept_class.key(x)
        if self._looked is None or self._looked[0] != key:
            labels = self._labels(x)
            _kernels().count(self._cells, labels)
            self.queries.asked += 2 * self.width
            self._looked, self._p = (key, labels), None
        return self._looked[1]

    def _labels(self, x: Instance) -> LabelArray:
        if self._columns is not None and isinstance(self.concept_class, FiniteClass):
            column: LabelArray = self._columns[self.concept_class.column(x)]
            return column
        return np.array(self.concept_class.labels(x), dtype=np.uint8)

    def _tables(self) -> Any:
        """Return the tables of the coming round, made once."""
        if self._ready is None:
            self._ready = self._fresh_tables()
        return self._ready

    def _fresh_tables(self) -> Any:
        if self.rounds >= len(self._decay) and self._decay[-1] > _NOTHING:
            self._decay = np.exp(-self.rate * np.arange(_reach(self.rate, 2 * self.rounds + 64)))
        if isinstance(self.prior, KTPrior):
            return _kernels().Tables(self._decay, _NONE, *self.prior.tables(self.rounds + 1))
        # Beyond T mistakes, which only LazyAdept looks at, no round is left and every mass is 1.
        k = np.minimum(np.arange(self.concept_class.size.bit_length() + 1), self.prior.M)
        log_mass = self.prior.log_mass(self.rounds + 1, k, k)
        return _kernels().Tables(self._decay, np.exp(log_mass - log_mass[0]), _NONE, _NONE)

    def _rate_changed(self) -> None:
        # (Only the weights: what was counted stays right.)
        self._p, self._decay, self._ready = None, np.ones(1), None

    # --- Account -----------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Number of cells."""
        return int(self._cells.head[_kernels().WIDTH])

    @property
    def best_loss(self) -> int:
        """L*, found when the losses were added."""
        return int(self._cells.head[_kernels().BEST])

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(int(array.nbytes) for array in self._cells) + (0 if self._columns is None else self._columns.nbytes)

    def rows(self) -> Rows:
        """Return the cells that are not empty."""
        return Rows(self._column("losses"), self._column("mistakes"), self._column("contested"), self._log_mass())

    def best_rule(self) -> Concept:
        """Return the first concept of the first path of least loss."""
        row = int(self._column("losses").argmin())
        return self.concept_class.concept(int((self._cells.row_of == row).argmax()))

    def _log_mass(self) -> FloatArray:
        mass = self.prior.log_mass(self.rounds, self._column("mistakes"), self._column("contested"))
        return mass - self.prior.log_total

    def _column(self, name: str) -> IntArray:
        column: IntArray = getattr(self._cells, name)[: self.width].astype(np.int64)
        return column

    # --- Saving ------------------------------------------------------------------------------------

    def _fresh_cells(self) -> Any:
        N = self.concept_class.size
        row_of, size, ones, twin, mistakes, contested, losses = (np.zeros(N, dtype=np.int32) for _ in range(7))
        size[0] = N
        masses = np.ones(N if isinstance(self.prior, KTPrior) else 0)
        head = np.array([1, 0], dtype=np.int64)
        return _kernels().Cells(row_of, size, ones, twin, mistakes, contested, losses, masses, head)

    def state(self) -> dict[str, Any]:
        """Return what the numpy engine would: either can go on where the other stopped."""
        rows = {name: self._column(name) for name in ("mistakes", "contested", "losses")}
        frontier = {"row_of": self._cells.row_of.astype(np.int64), "width": self.width}
        return {"rounds": self.rounds, **rows, "frontier": frontier, "base": {}}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over rows, the numpy engine's too."""
        PartitionFrontier(self.concept_class).restore(state["frontier"])  # says what cannot be: the passes trust it
        row_of = state["frontier"]["row_of"]
        if not (0 <= row_of.min() and row_of.max() < state["frontier"]["width"] == len(state["losses"])):
            raise DamagedFile("concepts lie in cells that there are not; use an earlier copy")
        self._cells = cells = self._fresh_cells()
        self.rounds, width = state["rounds"], state["frontier"]["width"]
        cells.row_of[:] = row_of
        cells.size[:width] = np.bincount(cells.row_of, minlength=width)
        for name in ("mistakes", "contested", "losses"):
            getattr(cells, name)[:width] = state[name]
        cells.head[:] = width, state["losses"].min()
        self._ready = None
        _kernels().set_masses(cells, self._tables())
        self.discard()


def _reach(rate: float, most: int) -> int:
    """Return how many entries e^(-rate d) has until it is nothing, or ``most``.

    >>> _reach(1.0, 10**6), _reach(0.0, 50)
    (692, 50)
    """
    return most if rate * most < -math.log(_NOTHING) else int(-math.log(_NOTHING) / rate) + 2


@cache
def _kernels() -> Any:
    try:
        return import_module("adeptree.families.finite.partition_kernels")
    except (ImportError, RuntimeError) as error:
        raise MissingExtra(f"{_MISSING} ({error})") from None
