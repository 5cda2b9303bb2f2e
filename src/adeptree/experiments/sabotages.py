"""The mutants: small, named sabotages of the library or of the game, and where each must be caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from adeptree.experiments.experiment import Cell
from adeptree.experiments.mutants import Change, Mutant
from adeptree.learners.lazy import _Committed
from adeptree.learners.rates import ConstantRate

# --- Ways to change a thing ------------------------------------------------------------------------------------------


def times(factor: float) -> Change:
    """Multiply what a function returns, or what a property holds."""

    def change(was: Any) -> Any:
        if isinstance(was, property):
            get: Any = was.fget
            return property(lambda self: factor * get(self))
        return lambda *args, **named: factor * was(*args, **named)

    return change


def after_init(change: Callable[[Any], None]) -> Change:
    """Change every object right after it is made."""

    def changed(was: Any) -> Any:
        @wraps(was)  # settings() reads the names of the arguments
        def init(self: Any, *args: Any, **named: Any) -> None:
            was(self, *args, **named)
            change(self)

        return init

    return changed


def _whole_horizon(learner: Any) -> None:
    inner = learner.inner
    learner.inner = _Committed(
        inner.concept_class, learner.horizon, base=inner.base, rate=inner.rate, engine="paths", seed=learner.seed
    )


class _ThisRound:
    """A sampler that takes every round as long as one is wanted."""

    def random(self) -> float:
        return 0.0


def _first_rounds(learner: Any) -> None:
    learner._sampler = _ThisRound()


class _Peeking:
    """A sampler whose next number can be looked at before it is drawn."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler
        self.next: float | None = None

    def look(self) -> float:
        self.next = self.sampler.random() if self.next is None else self.next
        return self.next

    def random(self) -> float:
        drawn, self.next = self.look(), None
        return drawn


def _not_blind(learner: Any) -> None:
    """Guess by a coin wherever the round will not be sampled."""
    learner._sampler = peeking = _Peeking(learner._sampler)
    blind = learner._probability

    def probability(x: Any, raw: Any) -> float:
        wanted = learner.commits - len(learner.sampled_rounds)
        return blind(x, raw) if peeking.look() * (learner.horizon - learner.rounds) < wanted else 0.5

    learner._probability = probability


def _never_opens(was: Any) -> Any:
    return lambda self: None if self.phases else was(self)


def _noisy(was: Any) -> Any:
    return lambda self, history, x, p: was(self, history, x, p) ^ int(x % 5 == 0)


def _wrong_label(was: Any) -> Any:
    return lambda self, x, y, *rest, **named: was(self, x, 1 - int(y), *rest, **named)


def _asks_twice(was: Any) -> Any:
    def realizable(self: Any, sample: Any) -> bool:
        pairs = tuple(sample)
        was(self, pairs[:-1] + pairs[:1])
        return bool(was(self, pairs))

    return realizable


def _half_gap(was: Any) -> Any:
    return lambda learner: was(learner) - learner.gap / 2


def _fixed(was: Any) -> Any:
    return lambda self, seen: None if self.eta else was(self, seen)


def _next_to_nothing(was: Any) -> Any:
    return lambda *args, **named: ConstantRate(1e-12)


def _flat(was: Any) -> Any:
    return lambda self, t, mistakes, *rest: np.zeros(len(mistakes))


def _one_more(was: Any) -> Any:
    return property(lambda self: was.fget(self) + 1)


def _without_losses(was: Any) -> Any:
    return lambda mass, loss, best, rate: was(mass, loss, best, 0.0)


def _unbounded(was: Any) -> Any:
    return lambda t, T, Q: T


def _paper_instead(was: Any) -> Any:
    """A first-order rate that is the paper's constant one."""

    def look(self: Any, seen: Any) -> None:
        was(self, seen)
        self.eta = 0.05

    return look


def _always_best(was: Any) -> Any:
    return lambda *args, **named: replace(was(*args, **named), best_is_kept=True)


def _lazier(was: Any) -> Any:
    return lambda horizon, exponent, commits: was(horizon, exponent and exponent - 0.25, commits)


def _counted_again(was: Any) -> Any:
    def split(self: Any, x: Any) -> Any:
        found = was(self, x)
        self.queries.asked += self.width
        return found

    return split


def _literally(was: Any) -> Any:
    return lambda concept_class, way: was(concept_class, "literal")


def _ten_times(was: Any) -> Any:
    def through(self: Any, kind: Any, samples: Any) -> Any:
        self.account.posed += 9 * len(samples)
        return was(self, kind, samples)

    return through


def _unpruned(was: Any) -> Any:
    return after_init(lambda learner: setattr(learner, "prune", False))(was)


def _forgetful(was: Any) -> Any:
    """Mistake pruning that loses the last path, too."""

    def within(self: Any, mistakes: Any) -> Any:
        kept = np.ones(len(mistakes), dtype=bool)
        kept[-1] = len(mistakes) < 4
        return kept

    return within


LEARNING: dict[str, Cell] = {
    "regret": {},
    "first-order": {},
    "soa-memory": {},
    "oracle-efficiency": {},
    "frontier": {"part": "high"},
}
EXACT: dict[str, Cell] = {"algorithms": {}}

MUTANTS: dict[str, Mutant] = {
    # --- Algorithm 2 ---
    "rate x 3": Mutant(
        "Algorithm 2 runs at three times its rate",
        {"theory.bounds:paper_rate": times(3)},
        EXACT | {"formulas": {}},
    ),
    "rate / 10": Mutant(
        "Algorithm 2 runs at a tenth of its rate",
        {"theory.bounds:paper_rate": times(0.1)},
        EXACT | {"formulas": {}, "regret": {}},
    ),
    "never learns": Mutant(
        "the rate is next to nothing",
        {"learners.choices:rate_rule": _next_to_nothing},
        EXACT | LEARNING | {"tradeoff": {"part": "regret"}, "anytime": {}, "transfer": {}},
    ),
    "wrong labels": Mutant(
        "what is learnt is the opposite of the label",
        {"learners.adept_rounds:RoundsOnEngine.learn": _wrong_label},
        EXACT | LEARNING | {"transfer": {"part": "games"}},
    ),
    "losses ignored": Mutant(
        "paths are weighed as if they had no losses",
        {"learners.adept:log_weights": _without_losses},
        EXACT,
    ),
    "capacities flat": Mutant(
        "W_t(u) = 1 for every path",
        {"theory.priors:PaperPrior.log_mass": _flat},
        EXACT,
    ),
    "a path lost": Mutant(
        "pruning discards a realizable path",
        {"learners.adept:ActiveSet._within_bound": _forgetful},
        EXACT,
    ),
    "one mistake more": Mutant(
        "SOA is said to err once more than the Littlestone dimension",
        {"roles.base_learner:MadeFor.mistake_bound": _one_more},
        EXACT,
    ),
    # --- Width and queries ---
    "four times too wide": Mutant(
        "every tree has four times the paths",
        {"learners.adept_learner:Adept.width": times(4)},
        {"width": {}, "soa-memory": {}, "queries": {}, "algorithms": {}},
    ),
    "one path too many": Mutant(
        "the tree has one path that nobody can realize",
        {"learners.adept_learner:Adept.width": _one_more},
        {"width": {}, "soa-memory": {}, "algorithms": {}},
    ),
    "counted again": Mutant(
        "every split counts half of its queries once more",
        {"roles.frontier:Frontier.split": _counted_again},
        {"queries": {}, "tradeoff": {"part": "calls"}, "frontier": {"part": "high"}},
    ),
    "asks twice": Mutant(
        "every question reaches the oracle with another one",
        {"experiments.oracle_efficiency:Listening.__call__": _asks_twice},
        {"oracle-efficiency": {}},
    ),
    "path by path": Mutant(
        "an oracle that could be asked about many paths at once is asked about each",
        {"experiments.query_counts:through_oracle": _literally},
        {"queries": {"part": "posed"}},
    ),
    "asked ten times": Mutant(
        "every call to an oracle is made ten times",
        {"oracles.chain:Counting._through": _ten_times},
        {"queries": {"part": "posed"}, "frontier": {"part": "posed"}},
    ),
    # --- The classic reduction ---
    "experts never deleted": Mutant(
        "Algorithm 1 keeps unrealizable experts where it should delete them",
        {"learners.bpss:Bpss.__init__": _unpruned},
        {"algorithms": {}, "soa-memory": {"part": "experts"}},
    ),
    "best loss halved": Mutant(
        "the account is kept against half of the best rule's loss",
        {"learners.adept_learner:Adept.best_loss": times(0.5), "learners.history:HistoryLearner.best_loss": times(0.5)},
        {"regret": {}, "transfer": {"part": "games"}, "algorithms": {}},
    ),
    # --- Rates that adapt ---
    "eta fixed": Mutant(
        "no rate ever adapts",
        {"learners.rates:FirstOrder.look": _fixed, "learners.rates:Adaptive.look": _fixed},
        {"algorithms": {}, "anytime": {}, "first-order": {}},
    ),
    "constant instead": Mutant(
        "the first-order rate is a constant one",
        {"learners.rates:FirstOrder.look": _paper_instead},
        {"algorithms": {}, "first-order": {}},
    ),
    "Delta halved": Mutant(
        "the certificate counts half of what mixing costs",
        {"learners.promises:theorem_one": _half_gap},
        {"algorithms": {}, "anytime": {}},
    ),
    "always the best": Mutant(
        "certificates always say that the best rule was kept",
        {"learners.adept_learner:certify": _always_best},
        {"anytime": {"part": "narrow"}},
    ),
    # --- Laziness ---
    "inner horizon T": Mutant(
        "the learner inside reckons with T rounds, not with K",
        {"learners.lazy:LazyAdept.__init__": after_init(_whole_horizon)},
        {"algorithms": {}, "transfer": {"part": "games"}},
    ),
    "first K rounds": Mutant(
        "the first K rounds are committed instead of a uniform subset",
        {"learners.lazy:LazyAdept.__init__": after_init(_first_rounds)},
        {"transfer": {}, "tradeoff": {"part": "calls"}},
    ),
    "not blind": Mutant(
        "the lazy learner looks whether its round will be sampled, and tosses a coin where not",
        {"learners.lazy:LazyAdept.__init__": after_init(_not_blind)},
        {"transfer": {"part": "games"}, "algorithms": {"part": "lazy"}},
    ),
    "lazier": Mutant(
        "K = T^(c - 0.25) rounds are committed, not T^c",
        {"learners.lazy:_commits": _lazier},
        {"tradeoff": {}, "transfer": {"part": "sampling"}},
    ),
    # --- The adversary of the lower bound ---
    "no reset": Mutant(
        "BlockReset never opens a new phase",
        {"games.block_reset:BlockReset._open_phase": _never_opens},
        {"lower-bound": {}, "frontier": {"part": "low"}},
    ),
    "noisy blocks": Mutant(
        "a fifth of BlockReset's labels is flipped",
        {"games.block_reset:BlockReset.label": _noisy},
        {"lower-bound": {}, "frontier": {"part": "low"}},
    ),
    "budget ignored": Mutant(
        "budgeted learners ask as often as they like",
        {"learners.budgeted:allowance": _unbounded},
        {"lower-bound": {}},
    ),
}

LOWERED = {
    "regret": 0.5, "paper_rate": 0.9, "experts": 2, "regret_at_rate": 0.9, "sauer": 2, "total_queries": 2,
    "first_order_regret": 0.1, "commits": 2, "tradeoff_regret": 0.1, "tradeoff_queries": 0.5, "query_lower_bound": 1.5,
    "kt_cost": 0.9, "adaptive_regret_in_advance": 0.2,
}  # fmt: skip
"""Formulas that are multiplied by another number."""
WHERE: dict[str, dict[str, Cell]] = {
    "regret": {"regret": {}, "soa-memory": {}, "oracle-efficiency": {}, "frontier": {"part": "high"}},
    "first_order_regret": {"first-order": {}},
    "tradeoff_regret": {"tradeoff": {"part": "regret"}, "frontier": {"part": "high"}},
    "tradeoff_queries": {"tradeoff": {"part": "calls"}, "frontier": {"part": "high"}},
    "query_lower_bound": {"lower-bound": {}, "frontier": {"part": "low"}},
    "adaptive_regret_in_advance": {"anytime": {"part": "bound"}},
}
MUTANTS |= {
    f"{name} x {factor:g}": Mutant(
        f"bounds.{name} is {factor:g} times what it should be",
        {f"theory.bounds:{name}": times(factor)},
        {"formulas": {}} | WHERE.get(name, {}),
    )
    for name, factor in LOWERED.items()
}
