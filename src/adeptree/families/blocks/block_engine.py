"""The engine of block unions: ADEPT without a list of paths, for any number of future blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import COUNT, LARGEST, Array, Fields, Number, need
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, FloatArray
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_unions import Block, BlockUnions, best_blocks
from adeptree.roles.engine import Leader, Problem
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, first_of, reach_of, sets_in_order
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

if TYPE_CHECKING:
    from adeptree.structures.block_kernel import BlocksKernel
else:
    BlocksKernel = kernel("adeptree.structures.block_kernel").BlocksKernel


class BlocksEngine(KernelEngine):
    """The exact distribution of ADEPT on :class:`BlockUnions`, from elementary symmetric polynomials.

    The base learner is the default one (``DefaultZero``), so a path is a set of at most d of the blocks seen. Their
    number is the binomial sum ``width``, but time and memory do not grow with it.

    >>> engine = BlocksEngine(BlockUnions(2), KTPrior())
    >>> engine.rate = 0.5
    >>> for x, label in [("a", 1), ("b", 0), ("a", 1), ("c", 0)]:
    ...     p = engine.probability(x)
    ...     engine.commit(x, label)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability("a"), 4)
    (7, 0, "block in {'a'}", 0.6842)
    """

    kind = "blocks"
    kernel: BlocksKernel

    def __init__(self, concept_class: BlockUnions, prior: Prior) -> None:
        super().__init__()
        if not isinstance(prior, (PaperPrior, KTPrior, MixedPrior)) or prior.counts:
            raise InvalidArgument(
                f"the engine of block unions knows PaperPrior, KTPrior and MixedPrior without counts; "
                f"{got('prior', prior)}"
            )
        d, horizon, bound, plain = concept_class.d, 0, 0, concept_class.block is None
        if isinstance(prior, PaperPrior):
            if prior.M < min(d, prior.T):
                raise InvalidArgument(
                    f"the engine of block unions needs a mistake bound of at least d={d}, as paths are never "
                    f'pruned in it; got M={prior.M}; use engine="paths"'
                )
            # Use M >= d, or T if no path can have d mistakes: any larger M gives the same masses.
            horizon, bound = prior.T, max(prior.M, d)
        self.concept_class, self.prior = concept_class, prior
        word = word_of if plain else _word_of_mapped
        shares, betas = [share for share, _ in prior.parts], [b for _, b in prior.parts]
        self._use(BlocksKernel(d, concept_class.block_of, word, plain, shares, betas, horizon, bound))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the default base learner and any prior that does not count concepts."""
        return problem.beyond(("paper", "kt") if problem.prior.counts else ("paper", "kt", "mixed"), DefaultZero)

    def leader(self) -> Leader:
        """Return the best set of blocks; among equals, one with the largest prior mass.

        A block of gain 0 may be in a best set or not. All blocks were contested for sets of fewer than d blocks. For a
        set of d, only those up to its last member were, so the earliest blocks give it the largest mass.
        """
        gains, d = self._gains, self.concept_class.d
        chosen = best_blocks(gains, d)
        spare = np.flatnonzero(gains == 0)[: d - len(chosen)].tolist()
        sizes = np.arange(len(chosen), len(chosen) + len(spare) + 1)
        contested = np.full(len(sizes), len(gains))
        if sizes[-1] == d:
            contested[-1] = max([*chosen, *spare]) + 1
        masses = self.prior.log_mass(self.kernel.rounds, sizes, contested) - self.prior.log_total
        best = int(masses.argmax())
        return Leader(self.best_loss, int(sizes[best]), int(contested[best]), float(masses[best]))

    def log_potential(self) -> float:
        """Return ln of the sum of all weights, relative to the best loss."""
        return self.kernel.log_total() - self.prior.log_total if self.kernel.number else 0.0

    def best_rule(self) -> Concept:
        """Return the union of the best blocks, in order of arrival."""
        return self._union(best_blocks(self._gains, self.concept_class.d))

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the sets of blocks within reach, the best first; among equals, small sets of early blocks first."""
        lost = self.kernel.lost
        found = sets_in_order(self._gains, self.concept_class.d, lost, reach_of(self.best_loss, k, lost))
        return first_of(found, self._union, limit)

    def _union(self, chosen: list[int]) -> Concept:
        names = list(self.kernel.number)
        return self.concept_class.union([names[j] for j in chosen])

    @property
    def _gains(self) -> FloatArray:
        return np.array(self.kernel.gains_now())

    def state(self) -> dict[str, Any]:
        """Return the blocks in order of arrival, with their gains."""
        k = self.kernel
        return {"blocks": list(k.number), "gains": self._gains, "lost": k.lost, "rounds": k.rounds}

    def declared(self) -> Fields:
        """Return the declarations of the gains and of the loss."""
        return {"gains": Array("f", "blocks"), "lost": Number(float, 0, LARGEST), "rounds": COUNT}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless all blocks differ and each came in a round."""
        blocks, gains = state["blocks"], state["gains"]
        need(isinstance(blocks, list) and len(set(blocks)) == len(blocks) == len(gains) <= state["rounds"], "blocks")
        need(np.maximum(gains, 0).sum() <= state["lost"] * (1 + 1e-9), "lost")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved gains."""
        self.check(state)
        self.kernel.fill(state["blocks"], state["gains"].astype(np.float64), float(state["lost"]), state["rounds"])


def _word_of_mapped(name: Any) -> int:
    return word_of(Block(name))
