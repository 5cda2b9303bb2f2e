"""The engine of listed classes: a partition of the concepts, whose cells are the paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import COUNT, SUM, Array, Fields, Number, need, rounding
from adeptree.core.errors import InvalidArgument
from adeptree.core.frozen import freeze
from adeptree.core.types import Concept, Instance, IntArray
from adeptree.families.finite.partition import Partition
from adeptree.families.finite.version_space import SOA, Halving
from adeptree.families.listed import ENUMERATION_LIMIT, EnumerableClass
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.engine import Leader, Problem, Rows
from adeptree.roles.frontier import Split
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.theory.coins import word_of
from adeptree.theory.priors import PaperPrior, Prior

MASSES = kernel("adeptree.theory.mass_kernel")
KERNEL = kernel("adeptree.structures.partition_kernel")
COUNTED = ("losses", "mistakes", "contested")


class RowsEngine(KernelEngine):
    """An engine whose kernel has an array entry per path, with k, n and L."""

    collapsed = False
    lists_paths = True
    concept_class: Any
    kernel: Any

    def cells(self, name: str) -> Any:
        """Return views of the kernel's arrays of cells."""
        return np.asarray(self.kernel.arrays[name])[: self.width]

    def rows(self) -> Rows:
        """Return the cells."""
        return self._rows(slice(None))

    def leader(self) -> Leader:
        """Return the best cell, from those of least loss."""
        return self._rows(np.flatnonzero(self.cells("losses") == self.kernel.least())).leader()

    def _rows(self, some: Any) -> Rows:
        losses, mistakes, contested = (self.cells(name)[some] for name in COUNTED)
        whole = losses.astype(np.int64)  # whole if all costs are
        share = np.log(self.cells("size")[some] / self.concept_class.size) if self.prior.counts else None
        mass = self.prior.log_mass(self.kernel.rounds, mistakes, contested, share) - self.prior.log_total
        losses = whole if (whole == losses).all() else losses.copy()
        return Rows(losses, mistakes.astype(np.int64), contested.astype(np.int64), mass)


class FiniteEngine(RowsEngine):
    """The cell of every concept, and k, n and L of every cell; cells are the rows of ``PartitionFrontier``.

    It serves any class whose concepts are listed, with :class:`~adeptree.Halving`. Its mistake bound always holds, so
    no path is pruned. It takes 50 bytes per concept, and a bit per concept and point.

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
    bases: ClassVar[tuple[type[BaseLearner], ...]] = (Halving,)
    most_concepts: ClassVar[int] = ENUMERATION_LIMIT
    concept_class: EnumerableClass

    def __init__(self, concept_class: EnumerableClass, prior: Prior) -> None:
        concept_class._check_listable()
        self.concept_class, self.prior = concept_class, prior
        guess, self._bound = self.base(concept_class)
        paper = (prior.T, prior.M) if isinstance(prior, PaperPrior) else ()
        if isinstance(prior, PaperPrior) and prior.M < min(self._bound, prior.T):
            raise InvalidArgument(
                f"the engine of listed classes needs a mistake bound of at least {self._bound}, as paths are never "
                f'pruned in it; got M={prior.M}; use engine="paths"'
            )
        masses = MASSES.Masses(self._bound + 2, prior.parts, prior.counts, *paper)
        self._use(KERNEL.PartitionKernel(concept_class.size, guess, masses, self._read, self._judge))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the class's own base learners, if the concepts are few enough to be listed."""
        c, reason = problem.concept_class, problem.beyond(("paper", "kt", "mixed", "uniform"), *cls.bases)
        if reason is None and problem.base.concept_class != c:
            return f"the base learner must be that of the class itself; got {problem.base!r}"
        if reason is None and not (isinstance(c, EnumerableClass) and c.size <= cls.most_concepts):
            return f"it lists at most {cls.most_concepts} concepts; got {c!r}"
        return reason

    def base(self, concept_class: Any) -> tuple[int, int]:
        """Return the base learner's prediction at contested points, in the kernel's code, and its mistake bound."""
        return -1, concept_class.size.bit_length() - 1

    def _read(self, x: Any) -> Any:
        """Return the column of a point; compute it if the kernel has none."""
        instance = self.concept_class.instance(x)
        key = self.concept_class.key(instance)
        frozen, columns = freeze(key), self.kernel.columns
        if frozen not in columns:
            bits = bytearray(np.packbits(self.concept_class.labels(instance), bitorder="little"))
            columns[frozen] = KERNEL.Column(instance, frozen, word_of(key), bits)
        return columns[frozen]

    def _judge(self, x: Instance) -> None:
        """Set the base learner's predictions in the cells that x divides; do nothing if ``base`` determines them."""

    # --- Account -------------------------------------------------------------------------------------

    def row_of(self) -> IntArray:
        """Return the cell of each concept."""
        cell_of: IntArray = np.empty(self.concept_class.size, dtype=np.int64)
        by_start = np.argsort(self.cells("start"))
        cell_of[self.kernel.arrays["order"]] = np.repeat(by_start, self.cells("size")[by_start])
        return cell_of

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return the first concept of each cell."""
        order, start, size = self.kernel.arrays["order"], self.cells("start"), self.cells("size")
        return [self.concept_class.concept(min(order[start[row] : start[row] + size[row]])) for row in places]

    # --- Saving --------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the cells, and their weights to the last bit."""
        made, rows = self.kernel, self.rows()
        counted = {"losses": rows.losses, "mistakes": rows.mistakes, "contested": rows.contested}
        weight = {"weight": self.cells("weight").copy(), "rate": made.eta, "since": made.since, "anchor": made.anchor}
        return {"rounds": made.rounds, "row_of": self.row_of(), **counted, **weight}

    def declared(self) -> Fields:
        """Declare k, n, L and weight of every cell, and the cell of every concept."""
        size, counted = self.concept_class.size, Array("i", "cells", 0, self._bound)
        return {
            **{"rounds": COUNT, "losses": Array("if", "cells", 0), "mistakes": counted},
            **{"contested": Array("i", "cells", 0, size - 1), "row_of": Array("i", (size,), 0)},
            **{"weight": Array(np.float64, "cells", 0), "rate": SUM, "since": COUNT, "anchor": Number()},
        }

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless cells have concepts, weights are positive and k is at most n."""
        need(np.array_equal(np.unique(state["row_of"]), np.arange(len(state["losses"]))), "row_of")
        need((state["mistakes"] <= state["contested"]).all(), "mistakes")
        need(state["weight"].max() > 0, "weight")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the cells."""
        self.check(state)
        made, row_of, width = self.kernel, state["row_of"], len(state["losses"])
        size = np.bincount(row_of, minlength=width)
        made.make_room(max(width, len(made.arrays["size"])))
        made.width, made.rounds, made.eta = width, state["rounds"], state["rate"]
        np.frombuffer(made.arrays["order"], dtype="i")[:] = np.argsort(row_of, kind="stable")
        filled = {"size": size, "start": np.cumsum(size) - size, **{name: state[name] for name in COUNTED}}
        for name, row in filled.items():
            self.cells(name)[:] = row
        made.ready()
        saved, computed = state["weight"], self.cells("weight")
        unit = min(700.0, rounding(made.eta, float(state["losses"].max())))
        need(np.allclose(saved / saved.max(), computed, atol=1e-150, rtol=np.expm1(unit)), "weight")
        computed[:] = saved
        made.since, made.anchor = state["since"], state["anchor"]


class OptimalEngine(FiniteEngine):
    """The same engine with :class:`~adeptree.SOA`, which predicts in the cells that a new point divides.

    >>> from adeptree import FiniteClass
    >>> engine = OptimalEngine(FiniteClass([[0, 0], [0, 1], [1, 1]]), PaperPrior(T=10, M=1))
    >>> round(engine.probability(1), 6)
    0.909091
    """

    kind = "finite-soa"
    bases = (SOA,)

    def base(self, concept_class: Any) -> tuple[int, int]:
        """Return the code for "ask the base learner", and the Littlestone dimension."""
        self._soa = SOA(concept_class)
        return -2, self._soa.mistake_bound or 0

    def _judge(self, x: Instance) -> None:
        partition, say = Partition(self.concept_class), self.cells("say")
        partition.row_of = self.row_of()
        self.cells("guesses")[:] = self._soa.compare(partition, Split(x, say != 1, say != 0))
