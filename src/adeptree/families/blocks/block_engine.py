"""ADEPT on block unions without touching a path: O(d^2 log blocks) per round, for any number of blocks to come."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.saved_values import LARGEST, check_counts, need
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.blocks import block_kernel as kernel
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_leaders import best_blocks, leader_of
from adeptree.families.blocks.block_store import empty_store, restored_store, roomier
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.blocks.block_wide import LOG_RADIX
from adeptree.roles.engine import Engine, Leader, Limits, Problem, Rows
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

COMPILE_FROM = 3000
"""Rounds from which the compiled form is loaded: fewer take less time without it than loading it does."""
CHUNK = 8192
"""Rounds of a batch whose blocks are numbered at a time (a limit may end the batch early)."""


class BlocksEngine(Engine):
    """The exact distribution of ADEPT on :class:`BlockUnions`, from elementary symmetric polynomials.

    The base learner is the natural one (``DefaultZero``), so a path is a set of at most d of the blocks seen.
    Their number is the binomial sum ``width``, of which nothing here is as large as.

    >>> from adeptree.theory.priors import KTPrior
    >>> engine = BlocksEngine(BlockUnions(2), KTPrior())
    >>> engine.rate = 0.5
    >>> for x, label in [("a", 1), ("b", 0), ("a", 1), ("c", 0)]:
    ...     p = engine.probability(x)
    ...     engine.commit(x, label)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability("a"), 4)
    (7, 0, "block in {'a'}", 0.6842)
    """

    kind = "blocks"
    round_cost = 16
    collapsed = True

    def __init__(self, concept_class: BlockUnions, prior: Prior) -> None:
        super().__init__()
        if not isinstance(prior, (PaperPrior, KTPrior, MixedPrior)) or prior.counts:
            raise InvalidArgument(
                f"the engine of block unions knows PaperPrior, KTPrior and MixedPrior without counts; "
                f"{got('prior', prior)}"
            )
        if isinstance(prior, PaperPrior) and prior.M < min(concept_class.d, prior.T):
            raise InvalidArgument(
                f"the engine of block unions needs a mistake bound of at least d={concept_class.d}, as paths are never "
                f'pruned in it; got M={prior.M}; use engine="paths"'
            )
        self.concept_class = concept_class
        self.prior = prior
        self.number: dict[Hashable, int] = {}
        self._store = empty_store(concept_class.d, prior)
        # C(blocks, 0..d): new blocks add Pascal's rule, so that counting queries costs nothing.
        self._binomials = [1] + [0] * concept_class.d
        self._width = 1
        self._stale = False
        """Whether the nodes are still those of another rate."""
        self._looked: tuple[Hashable] | None = None
        """The block looked at since the last commit: its queries are counted."""
        self._climbed: tuple[Hashable, float] | None = None
        """The block whose climb is in the work rows, and its probability."""

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """The natural base learner, and any prior that counts no concepts."""
        return problem.beyond(("paper", "kt") if problem.prior.counts else ("paper", "kt", "mixed"), DefaultZero)

    @classmethod
    def after(cls, problem: Problem, rows: dict[str, Any]) -> BlocksEngine:
        """How many 0s and 1s each block received is told by the losses, up to what no difference depends on."""
        engine = cls(problem.concept_class, problem.prior)  # type: ignore[arg-type]
        frontier, losses = rows["frontier"], rows["losses"].astype(np.int64)
        if frontier["blocks"]:
            none = int(losses[frontier["count"] == 0][0])  # the path without blocks errs on every 1
            alone = np.flatnonzero(frontier["count"] == 1)
            gain = np.zeros(len(frontier["blocks"]), dtype=np.int64)
            gain[frontier["members"][alone, 0]] = none - losses[alone]
            ones = np.maximum(gain, 0)
            ones[0] += none - ones.sum()
            engine.restore({"blocks": list(frontier["blocks"]), "zeros": ones - gain, "ones": ones})
        return engine

    # --- One round ---------------------------------------------------------------------------------

    def probability(self, x: Instance) -> float:
        """Return the share that says 1 at x."""
        return self._look(self.concept_class.block_of(x))

    def commit(self, x: Instance, label: int) -> None:
        """Count the label for the block of x."""
        block = self.concept_class.block_of(x)
        self._look(block)
        j = self._number_of(block)
        gain = int(self._store.counts[j, 1] - self._store.counts[j, 0]) if j < len(self.number) else 0
        self._make_room(j + 1, gain)
        self._code.settle(self._store, j, label, self._rate)
        self._name(block)
        self._looked = self._climbed = None

    def discard(self) -> None:
        """Forget which block was looked at."""
        self._looked = self._climbed = None

    def _look(self, block: Hashable) -> float:
        if self._looked != (block,):
            self.queries.asked += 2 * self._width
            self._looked = (block,)
        if self._climbed is None or self._climbed[0] != block:
            j = self._number_of(block)
            self._make_room(j + 1, 0)
            self._refresh()
            self._climbed = block, float(self._code.look(self._store, j))
        return self._climbed[1]

    def _number_of(self, block: Hashable) -> int:
        return self.number.get(block, len(self.number))

    def _name(self, block: Hashable) -> None:
        """Number a block, if it is new, now that it is committed."""
        if block in self.number:
            return
        self.number[block] = len(self.number)
        row = self._binomials
        for j in range(len(row) - 1, 0, -1):
            row[j] += row[j - 1]
        self._width = sum(row)

    # --- Many rounds -------------------------------------------------------------------------------

    def run(self, xs: Sequence[Instance], labels: IntArray, probabilities: FloatArray, limits: Limits) -> int:
        """Play a batch in one call of the kernel for each CHUNK of rounds."""
        if self._store.status[kernel.ROUNDS] + len(xs) >= COMPILE_FROM:
            _load_compiled()
        played, gap = 0, 0.0
        while played < len(xs):
            stop = min(len(xs), played + CHUNK)
            part = slice(played, stop)
            count, gap = self._play(xs[part], labels[part], probabilities[part], limits, gap)
            played += count
            if played < stop or self.best_loss >= limits.best_loss or gap >= limits.gap:
                break
        return played

    def _play(
        self, xs: Sequence[Instance], labels: IntArray, out: FloatArray, limits: Limits, gap: float
    ) -> tuple[int, float]:
        names, numbers = self._numbers(xs)
        self._make_room(len(self.number) + len(names), int(np.count_nonzero(self._store.above)) + len(xs))
        self._refresh()
        looked, self._climbed = self._looked, None
        whole = np.ascontiguousarray(labels, dtype=np.int64)
        played, gap = self._code.play(self._store, numbers, whole, out, self._rate, limits.best_loss, limits.gap, gap)
        if looked == (self.concept_class.block_of(xs[0]),):  # already counted when it was looked at
            self.queries.asked -= 2 * self._width
        self._looked = None
        seen = np.maximum.accumulate(np.concatenate([[len(self.number) - 1], numbers[:played]]))
        fresh = np.flatnonzero(np.diff(seen))  # the rounds at which a new block came
        start = 0
        for name, at in zip(names, fresh.tolist(), strict=False):
            self.queries.asked += 2 * self._width * (at + 1 - start)
            self._name(name)
            start = at + 1
        self.queries.asked += 2 * self._width * (played - start)
        return int(played), float(gap)

    def _numbers(self, xs: Sequence[Instance]) -> tuple[list[Hashable], IntArray]:
        """Return the new blocks in order of arrival, and the number of every round's block."""
        known, new = self.number, dict[Hashable, int]()
        numbers = np.empty(len(xs), dtype=np.int64)
        block_of, start = self.concept_class.block_of, len(known)
        for i, x in enumerate(xs):
            block = block_of(x)
            j = known.get(block)
            numbers[i] = new.setdefault(block, start + len(new)) if j is None else j
        return list(new), numbers

    # --- The arrays --------------------------------------------------------------------------------

    @property
    def _code(self) -> Any:
        """The kernel: compiled once it is loaded, or once enough rounds were played to load it."""
        if "adeptree.families.blocks.block_compiled" not in sys.modules:
            if self._store.status[kernel.ROUNDS] < COMPILE_FROM:
                return kernel
        return _load_compiled() or kernel

    def _make_room(self, blocks: int, gain: int) -> None:
        larger = roomier(self._store, blocks, gain)
        if larger is not self._store:
            # A tree with more leaves has other nodes.
            self._stale |= larger.status[kernel.LEAVES] != self._store.status[kernel.LEAVES]
            self._store = larger

    def _rate_changed(self) -> None:
        self._stale, self._climbed = True, None

    def _refresh(self) -> None:
        if self._stale:
            self._code.rebuild(self._store, self._rate)
            self._stale = False

    # --- Account -----------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """How many sets of at most d of the blocks seen there are."""
        return self._width

    @property
    def best_loss(self) -> int:
        """L*: all 1s are lost but for the surplus of the best d blocks."""
        return int(kernel.best_loss(self._store))

    @property
    def combinations(self) -> int:
        """How many products of two nodes were computed so far: what a round costs, in units of d^2 / 2."""
        return int(self._store.status[kernel.COMBINED])

    def rows(self) -> Rows:
        """Refuse: there are far too many."""
        raise InvalidArgument('the engine "blocks" keeps no list of paths; build with engine="paths"')

    def leader(self) -> Leader:
        """Return the best set of blocks."""
        return leader_of(self._gains, self.concept_class.d, self.prior, self._rounds, self.best_loss)

    def log_potential(self) -> float:
        """Return ln of the sum of all weights, relative to the best loss."""
        self._refresh()
        m, e = kernel.potential(self._store)
        # e^(eta gain) of a path is e^(-eta (L - L*)) times this factor of the best one's.
        best = self._rate * int(self._store.status[kernel.SURPLUS])
        return math.log(m) + (int(e) * LOG_RADIX - best) - self.prior.log_total

    def best_rule(self) -> Concept:
        """Return the union of the best blocks, in order of arrival."""
        names = list(self.number)
        return self.concept_class.union([names[j] for j in best_blocks(self._gains, self.concept_class.d)])

    @property
    def _gains(self) -> IntArray:
        counts = self._store.counts[: len(self.number)]
        gains: IntArray = counts[:, 1] - counts[:, 0]
        return gains

    @property
    def _rounds(self) -> int:
        return int(self._store.status[kernel.ROUNDS])

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the blocks in order of arrival and the labels each received."""
        counts = self._store.counts[: len(self.number)]
        return {"blocks": list(self.number), "zeros": counts[:, 0].copy(), "ones": counts[:, 1].copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved counts: one 0s and one 1s per block."""
        for name in ("zeros", "ones"):
            check_counts(name, state[name], LARGEST)
            need(len(state[name]) == len(set(state["blocks"])) == len(state["blocks"]), name)
        self.number = {}
        self._binomials, self._width = [1] + [0] * self.concept_class.d, 1
        for block in state["blocks"]:
            self._name(block)
        self._store = restored_store(self._store, np.stack([state["zeros"], state["ones"]], axis=1))
        self._stale, self._looked, self._climbed = True, None, None


@cache
def _load_compiled() -> Any:
    try:
        from adeptree.families.blocks import block_compiled as blocks_compiled
    except (ImportError, RuntimeError, OSError):  # numba, a place to keep what it compiles, or our text is missing
        return None
    return blocks_compiled
