"""The structure of rules that combine: a mixture of the structures of their parts."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, MOST, SUM, Array, Fields
from adeptree.core.errors import UnsupportedCombination
from adeptree.core.types import Concept, IntArray
from adeptree.families.combined.model_votes import ModelVote
from adeptree.families.combined.row_rules import OnColumn, PartRule, RowRules
from adeptree.families.registry import base_for, engines_of, frontier_of
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Problem, Rows
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, reach_of
from adeptree.structures.mixture_engine import MixtureEngine
from adeptree.theory.coins import word_of
from adeptree.theory.priors import CountedPrior, MixedPrior, Prior, settled_prior

_MIXTURE = kernel("adeptree.structures.mixture_kernel")
_VOTES = kernel("adeptree.structures.votes_kernel")


class VoteEngine(KernelEngine):
    """The two rules of a vote."""

    kind = "vote"
    runs_base = False
    kernel: Any

    def __init__(self, concept_class: ModelVote, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, CountedPrior(math.log(2))
        self.shared: dict[str, int] = {}
        self._use(_VOTES.VoteKernel(concept_class.at))

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep one weight per lane and rule."""
        self.shared = {"weights": 2 * lanes, "of_windows": 2 * len(spans) + 2, "ring": room}
        self.kernel.begin(share, lanes, spans, room)
        return [self.kernel]

    def rows(self) -> Rows:
        """Return the two rules, which are one until a score is missing."""
        lost, paths = self.kernel.lost, self.kernel.count()
        none: IntArray = np.zeros(paths, dtype=np.int64)
        losses = lost + np.array([self.kernel.zeros, self.kernel.ones])[:paths]
        return Rows(losses, none, none, np.full(paths, -math.log(paths)))

    def rules_of(self, places: Any) -> list[Concept]:
        """Return the rules by their labels for missing scores."""
        return [self.concept_class.concept(gap) for gap in places]

    def declared(self) -> Fields:
        """Return the losses."""
        sums: Fields = {"lost": SUM, "zeros": SUM, "ones": SUM, "ever_missing": FLAG}
        sizes = {name: (size, 2 if name == "ring" else MOST) for name, size in self.shared.items()}
        kinds = {name: np.int32 if name == "ring" else np.float64 for name in sizes}
        return {**sums, **{name: Array(kinds[name], (size,), 0, most) for name, (size, most) in sizes.items()}}

    def state(self) -> dict[str, Any]:
        """Return the losses, and with drift the weights."""
        kept = {name: getattr(self.kernel, name) for name in self.declared()}
        return {name: np.array(value) if name in self.shared else value for name, value in kept.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the losses."""
        self.check(state)
        for name, value in state.items():
            setattr(self.kernel, name, memoryview(value.copy()) if name in self.shared else value)


class RowPrior(CountedPrior):
    """The priors of the parts, each times its share."""

    def __init__(self, name: str, parts: list[tuple[float, Prior]]) -> None:
        super().__init__(0.0)
        self.name, self.members = name, parts  # type: ignore[misc]
        self.floor = min(prior.floor for _, prior in parts)
        self.unknown = next((prior.unknown for _, prior in parts if prior.price(1) is None), self.unknown)

    def price(self, t: int) -> float | None:
        """Return the largest price of a rule of any part."""
        prices = [(share, prior.price(t)) for share, prior in self.members]
        return None if any(price is None for _, price in prices) else max((p or 0.0) - math.log(s) for s, p in prices)


def chosen(part: ConceptClass, name: str) -> tuple[type[Any], Problem]:
    """Return the engine of a part, and its problem."""
    base = base_for(None, part)
    frontier = frontier_of(part)
    log_size = 0.0 if part.combines else frontier.log_size  # its structure defines its prior
    prior = settled_prior(name, base.mistake_bound, log_size, frontier.of_floats)
    problem = Problem(part, base, MixedPrior() if prior is None else prior)
    reasons = list[str]()
    for engine in engines_of(part):
        if engine.best_may_fall:
            raise UnsupportedCombination(
                f"{part!r} is compared with its most probable rule, so that it does not combine with other rules, nor "
                f"with by=; use intervals or unions of intervals in its place"
            )
        if prior is not None and issubclass(engine, KernelEngine):
            reason = engine.accepts(problem)
            if reason is None:
                return engine, problem
            reasons.append(reason)
    raise UnsupportedCombination(
        f"{part!r} has no structure that combines with others under prior={name!r}"
        f"{''.join(f' ({reason})' for reason in reasons)}; use other rules, or Adept on these rules alone"
    )


class RowEngine(MixtureEngine):
    """The structures of the parts, each with its share of the prior."""

    kind = "combined"

    def __init__(self, concept_class: RowRules, prior: Prior) -> None:
        super().__init__()
        parts = [chosen(part, prior.name) for part in concept_class.parts]
        self.concept_class, self.members = concept_class, [engine.of(problem) for engine, problem in parts]
        priors = [member.prior for member in self.members]
        self.prior: Prior = RowPrior(prior.name, list(zip(concept_class.shares, priors, strict=True)))
        readers = [partial(concept_class.read_raw, i) for i in range(len(self.members))]
        log_shares = [math.log(share) for share in concept_class.shares]
        kernels = [member.kernel for member in self.members]
        self._use(self.mixture(kernels, concept_class.names, readers, log_shares, word_of))
        self.kernel.direct = self.direct()
        self.kernel.columns, self.kernel.raw = list(concept_class.columns), True

    def mixture(self, *made_of: Any) -> Any:
        """Return the kernel."""
        return _MIXTURE.MixtureKernel(*made_of)

    def direct(self) -> list[Any]:
        """Return, for the first parts, the column whose cell the part reads unchanged, or True if it reads rows."""
        return [self.concept_class.column] if isinstance(self.concept_class, OnColumn) else []

    def batch(self, xs: Any) -> int:
        """Hand every part its instances."""
        for i, member in enumerate(self.members):
            part, read = member.concept_class, [self.concept_class.read(i, x) for x in xs]
            member.batch(read if part.combines else part.instances_of(read))  # the others need arrays
        return len(xs)

    def informed(self, f: int) -> Any:
        """Return a part that knows the total charged, which sets the tolerance of sums."""
        member = self.members[f]
        member.kernel.ledger = self.kernel.ledger
        return member

    def constants(self) -> list[RankedRule]:
        """Return an empty list, because not every part has the constants."""
        return []

    def reach(self, best: float, k: float) -> float:
        """Return the largest loss within k of the best."""
        return reach_of(best, k, self.kernel.ledger.loss_of_zeros + self.kernel.ledger.loss_of_ones)

    def near(self, f: int, reach: float, limit: int) -> NearRules:
        """Return the rules of a part."""
        member = self.informed(f)
        near: NearRules = member.rules_within(max(0.0, reach - member.best_loss), limit)
        return NearRules((RankedRule(PartRule(self.concept_class, f, n.rule), n.loss) for n in near), near.more)

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the rules of all parts, without repeated texts."""
        near = super().rules_within(k, limit)
        first = {str(one.rule): one for one in reversed(near)}
        return NearRules((one for one in near if first[str(one.rule)] is one), near.more)
