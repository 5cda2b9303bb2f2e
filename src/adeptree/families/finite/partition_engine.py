"""ADEPT on a listed class: one partition of its concepts, whose cells are the paths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.errors import InvalidArgument
from adeptree.core.frozen import freeze
from adeptree.core.saved_values import need
from adeptree.core.types import Concept, FloatArray, Instance
from adeptree.theory.coins import word_of
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.families.finite.version_space import Halving
from adeptree.families.listed import ENUMERATION_LIMIT, EnumerableClass
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.engine import Problem, Rows
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.theory.priors import BetaTables, PaperPrior, Prior

Masses = kernel("adeptree.theory.mass_kernel").Masses
_made = kernel("adeptree.families.finite.partition_kernel")
COUNTED = ("losses", "mistakes", "contested")


class FiniteEngine(KernelEngine):
    """Which cell every concept is in, and k, n and L of every cell; cells are the rows of ``PartitionFrontier``.

    For any class whose concepts are listed, with :class:`~adeptree.Halving`, whose bound holds, so that no path is
    ever pruned. It takes 49 bytes per concept, and a bit per concept and point.

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

    def __init__(self, concept_class: EnumerableClass, prior: Prior) -> None:
        concept_class._check_listable()
        self.concept_class, self.prior = concept_class, prior
        guess, self._bound = self.base(concept_class)
        paper = {}
        if isinstance(prior, PaperPrior):
            paper = {"horizon": prior.T, "bound": prior.M}
            if prior.M < min(self._bound, prior.T):
                raise InvalidArgument(
                    f"the engine of listed classes needs a mistake bound of at least {self._bound}, as paths are never "
                    f'pruned in it; got M={prior.M}; use engine="paths"'
                )
        self._betas = [] if paper else [BetaTables(b) for _, b in prior.parts]
        shares = [] if paper else [math.log(share) for share, _ in prior.parts]
        masses = Masses(self._bound + 3, shares, prior.counts, self._tables, **paper)
        self._use(_made.PartitionKernel(concept_class.size, guess, masses, self._read))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Take natural base learners of the class itself, if the concepts are not too many to be listed."""
        c, base = problem.concept_class, problem.base
        if problem.drops or type(base) not in cls.bases or base.concept_class != c:
            names = " and ".join(known.__name__ for known in cls.bases)
            return f"it is made for {names} of the class itself, all paths kept; got {base!r} on {c!r}"
        if not isinstance(c, EnumerableClass) or c.size > cls.most_concepts:
            return f"it lists at most {cls.most_concepts} concepts; got {c!r}"
        return None

    @staticmethod
    def base(concept_class: Any) -> tuple[int, int]:
        """Return what the base learner says wherever both labels are possible (-1: as most concepts), and its bound."""
        return -1, concept_class.size.bit_length() - 1

    def _tables(self, n: int) -> FloatArray:
        """Return the sums of logarithms of the prior's parts, each n numbers long."""
        betas = [beta.up_to(n) for beta in self._betas]
        tables = [betas[0].wrong, *(beta.right for beta in betas), *(beta.all for beta in betas)]
        return np.concatenate([table[:n] for table in tables])

    def _read(self, x: Any) -> Any:
        """Return the column of a point, a new one if the kernel has none."""
        instance = self.concept_class.instance(x)
        key = self.concept_class.key(instance)
        frozen, columns = freeze(key), self.kernel.columns
        if frozen not in columns:
            bits = np.packbits(self.concept_class.labels(instance), bitorder="little")
            columns[frozen] = _made.Column(frozen, word_of(key), bits)
        return columns[frozen]

    def batch(self, xs: Sequence[Instance]) -> int:
        """Give the kernel the points themselves: it asks for their columns."""
        self.kernel.points = xs.tolist() if isinstance(xs, np.ndarray) else list(xs)
        return len(xs)

    # --- Account and saving --------------------------------------------------------------------------

    def _of_cells(self, name: str) -> Any:
        held = self.kernel.arrays[name]
        return np.frombuffer(held, dtype=held.typecode)[: self.width]

    def _counted(self) -> dict[str, Any]:
        rows = {name: self._of_cells(name) for name in COUNTED}
        # Whole, as long as every cost is.
        return {name: row.astype(np.int64) if (row == row.astype(np.int64)).all() else row for name, row in rows.items()}

    def _log_share(self) -> FloatArray | None:
        return np.log(self._of_cells("size") / self.concept_class.size) if self.prior.counts else None

    def rows(self) -> Rows:
        """Return the cells."""
        rows, share = self._counted(), self._log_share()
        mass = self.prior.log_mass(self.kernel.rounds, rows["mistakes"], rows["contested"], share)
        return Rows(**rows, log_mass=mass - self.prior.log_total)

    def best_rule(self) -> Concept:
        """Return the first concept of the first path of least loss."""
        cell = int(self._of_cells("losses").argmin())
        start = int(self._of_cells("start")[cell])
        members = self.kernel.arrays["order"][start : start + int(self._of_cells("size")[cell])]
        return self.concept_class.concept(min(members))

    def state(self) -> dict[str, Any]:
        """Return what the paths engine would, which can go on from it, and the weights to the last bit."""
        row_of = np.empty(self.concept_class.size, dtype=np.int64)
        by_start = np.argsort(self._of_cells("start"))
        row_of[self.kernel.arrays["order"]] = np.repeat(by_start, self._of_cells("size")[by_start])
        made = self.kernel
        weights = {"of": self._of_cells("weight").copy(), "rate": made.eta, "since": made.since, "anchor": made.anchor}
        frontier = {"row_of": row_of, "width": self.width}
        return {
            "rounds": made.rounds,
            **self._counted(),
            "share": self._log_share(),
            "frontier": frontier,
            "base": {},
            "weights": weights,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over cells, the paths engine's too."""
        PartitionFrontier(self.concept_class).restore(state["frontier"])  # says what cannot be: the kernel trusts it
        row_of, width = state["frontier"]["row_of"], state["frontier"]["width"]
        need(row_of.min() >= 0 and all(len(state[name]) == width for name in COUNTED), "concepts in cells")
        mistakes, contested = state["mistakes"], state["contested"]
        need(mistakes.min() >= 0 and (mistakes <= contested).all() and mistakes.max() <= self._bound, "mistakes")
        need(contested.max() < self.concept_class.size, "contested")
        made = self.kernel
        made.make_room(max(width, len(made.arrays["size"])))
        made.width, made.rounds = width, state["rounds"]
        size = np.bincount(row_of, minlength=width)
        np.frombuffer(made.arrays["order"], dtype="i")[:] = np.argsort(row_of, kind="stable")
        for name, row in {**{name: state[name] for name in COUNTED}, "size": size, "start": np.cumsum(size) - size}.items():
            self._of_cells(name)[:] = row
        weights = state.get("weights")
        if weights is not None:
            made.eta = weights["rate"]
        made.ready()
        if weights is not None:
            computed = self._of_cells("weight")
            need(np.allclose(weights["of"] / weights["of"].max(), computed, atol=1e-250, rtol=1e-9), "weights")
            computed[:] = weights["of"]
            made.since, made.anchor = weights["since"], weights["anchor"]
