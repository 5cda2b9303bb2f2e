"""The catalogue of mutants: small, named defects of the library or of the game, and the games that show them."""

from __future__ import annotations

from reproduction.experiment import Cell
from reproduction.mutants import operators as ways
from reproduction.mutants.game_mutants import GAME_MUTANTS
from reproduction.mutants.mutation_testing import Mutant
from reproduction.mutants.operators import after_init, always, instead, times
from reproduction.mutants.related_mutants import NEIGHBOUR_MUTANTS

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
        {"learners.settings:rate_rule": ways.next_to_nothing},
        EXACT
        | LEARNING
        | {
            "tradeoff": {"part": "regret"},
            "anytime": {},
            "transfer": {"part": "growth"},
            "deferred": {"part": "growth"},
        },
    ),
    "wrong labels": Mutant(
        "what is learnt is the opposite of the label",
        {"learners.online_learner:OnlineLearner.learn": ways.wrong_label},
        EXACT | LEARNING | {"transfer": {"part": "games"}, "decide": {"part": "prompt"}},
    ),
    "losses ignored": Mutant(
        "paths are weighed as if they had no losses",
        {"learners.adept:log_weights": ways.without_losses},
        EXACT | {"cited": {"part": "regret"}},
    ),
    "capacities flat": Mutant(
        "W_t(u) = 1 for every path",
        {"theory.priors:PaperPrior.log_mass": ways.flat},
        EXACT,
    ),
    "a path lost": Mutant(
        "pruning discards a realizable path",
        {"learners.adept:Paths._within_bound": ways.forgetful},
        EXACT,
    ),
    "one mistake more": Mutant(
        "SOA is said to err once more than the Littlestone dimension",
        {"roles.base_learner:MadeFor.mistake_bound": ways.one_more},
        EXACT,
    ),
    "SOA turned round": Mutant(
        "SOA predicts the label with the smaller dimension, and is said to err ten times at most",
        {
            "families.finite.version_space:SOA.compare": ways.turned_round,
            "families.finite.version_space:SOA._size": times(-1),
            "families.finite.version_space:SOA.mistake_bound": instead(property(lambda self: 10)),
        },
        EXACT,
    ),
    "mistakes doubled": Mutant(
        "each mistake of the base learner counts twice, and SOA is said to err ten times at most",
        {
            "learners.adept:Paths.extend": ways.doubled_mistakes,
            "families.finite.version_space:SOA.mistake_bound": instead(property(lambda self: 10)),
        },
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
        {"learners.adept_learner:Adept.width": ways.one_more},
        {"width": {}, "soa-memory": {}, "algorithms": {}},
    ),
    "counted again": Mutant(
        "every split counts half of its queries once more",
        {"roles.frontier:Frontier.split": ways.counted_again},
        {
            "deferred": {"part": "calls"},
            "queries": {},
            "tradeoff": {"part": "calls"},
            "frontier": {"part": "high"},
            "quantities": {"part": "family"},
        },
    ),
    "asks about pairs": Mutant(
        "queries grow faster than the paths",
        {"learners.adept_learner:Adept.queries": ways.steeper},
        {"deferred": {"part": "calls"}, "queries": {}, "algorithms": {}, "frontier": {"part": "cited"}},
    ),
    "asks twice": Mutant(
        "every question reaches the oracle with another one",
        {"reproduction.experiments.oracle_efficiency:Listening.__call__": ways.asks_twice},
        {"oracle-efficiency": {}},
    ),
    "path by path": Mutant(
        "an oracle that could be asked about many paths at once is asked about each",
        {"reproduction.experiments.query_counts:through_oracle": ways.literally},
        {"queries": {"part": "posed"}},
    ),
    "asked thirty times": Mutant(
        "every call to an oracle is made thirty times",
        {"oracles.chain:Counting._through": ways.thirty_times},
        {"queries": {"part": "posed"}, "frontier": {"part": "posed"}},
    ),
    "zeros ignored": Mutant(
        "the oracle of block unions does not look at the points with label 0",
        {"families.blocks.block_unions:BlockUnions.realizable": ways.ones_only},
        {"algorithms": {"part": "oracles"}},
    ),
    "Halving's ties": Mutant(
        "Halving says 1 where both sides have as many concepts",
        {"families.finite.version_space:Halving.compare": ways.ties_to_one},
        EXACT,
    ),
    # --- The classic reduction ---
    "experts never deleted": Mutant(
        "Algorithm 1 keeps unrealizable experts where it should delete them",
        {"learners.bpss:Bpss.__init__": ways.unpruned},
        {"algorithms": {}, "soa-memory": {"part": "experts"}},
    ),
    "losses forgotten": Mutant(
        "the account of expected losses is a little too small",
        {"learners.account:Account.expected_loss": times(0.9)},
        {"algorithms": {}},
    ),
    "half of the best loss": Mutant(
        "the account of committed and other rounds is kept against half of the best rule's loss",
        {"learners.history_learner:HistoryLearner.best_loss": times(0.5)},
        {"transfer": {"part": "alike"}, "deferred": {"part": "alike"}},
    ),
    "best loss halved": Mutant(
        "the account is kept against half of the best rule's loss",
        {
            "learners.adept_learner:Adept.best_loss": times(0.5),
            "learners.history_learner:HistoryLearner.best_loss": times(0.5),
        },
        {"regret": {}, "transfer": {}, "algorithms": {}, "frontier": {"part": "cited"}},
    ),
    "no coins": Mutant(
        "guesses are the likelier label",
        {"learners.online_learner:OnlineLearner._guess": instead(lambda self, x, point: int(self._look(point) > 0.5))},
        {"transfer": {"part": "sampling"}},
    ),
    "always 1": Mutant(
        "every guess is 1",
        {"learners.online_learner:OnlineLearner._guess": always(1)},
        {"transfer": {"part": "sampling"}},
    ),
    "a row not asked": Mutant(
        "an oracle that is asked about many paths at once loses one of them",
        {"oracles.oracle_frontier:OracleFrontier._ask_about": ways.one_lost},
        {"queries": {"part": "posed"}},
    ),
    # --- Rates that adapt ---
    "eta fixed": Mutant(
        "no rate ever adapts",
        {"learners.rates:FirstOrder.look": ways.fixed, "learners.rates:Adaptive.look": ways.fixed},
        {"algorithms": {}, "anytime": {}, "first-order": {}},
    ),
    "constant instead": Mutant(
        "the first-order rate is a constant one",
        {"learners.rates:FirstOrder.look": ways.paper_instead},
        {"algorithms": {}, "first-order": {}},
    ),
    "Delta halved": Mutant(
        "the certificate counts half of what mixing costs",
        {"learners.guarantees:theorem_one": ways.half_gap},
        {"algorithms": {}, "anytime": {}, "cited": {"part": "regret"}},
    ),
    "no floor": Mutant(
        "the adaptive rate does not reckon with what a path may cost",
        {"theory.priors:BetaPrior.price": always(None)},
        {"algorithms": {}},
    ),
    "always the best": Mutant(
        "certificates always say that the best rule was kept",
        {"learners.account:certify": ways.always_best},
        {"anytime": {"part": "narrow"}},
    ),
    # --- Laziness ---
    "inner horizon T": Mutant(
        "the learner inside reckons with T rounds, not with K",
        {"learners.lazy:LazyAdept.__init__": after_init(ways.whole_horizon)},
        {"algorithms": {}, "transfer": {"part": "games"}},
    ),
    "first K rounds": Mutant(
        "the first K rounds are committed instead of a uniform subset",
        {"learners.lazy:LazyAdept.__init__": after_init(ways.first_rounds)},
        {"transfer": {}},
    ),
    "not blind": Mutant(
        "the lazy learner looks whether its round will be sampled, and tosses a coin where not",
        {"learners.lazy:LazyAdept.__init__": after_init(ways.not_blind)},
        {"transfer": {"part": "games"}, "algorithms": {"part": "lazy"}},
    ),
    "guesses peek": Mutant(
        "the lazy learner guesses the likelier label in rounds that will be sampled",
        {"learners.lazy:LazyAdept._guess": ways.peeks},
        {"transfer": {"part": "sampling"}},
    ),
    "lazier": Mutant(
        "K = T^(c - 0.25) rounds are committed, not T^c",
        {"learners.lazy:_commits": ways.lazier},
        {"tradeoff": {}, "transfer": {"part": "sampling"}},
    ),
}

LATE: dict[str, Cell] = {"deferred": {}}
WEAK: dict[str, Cell] = {"weak-queries": {}}
MUTANTS |= {
    # --- Deferred pruning, and weak consistency alone (Theorems P and W) ---
    "asks between commits": Mutant(
        "the learner that prunes late asks about every round",
        {"learners.late_paths:LatePaths.extend": ways.asks_too},
        LATE | {"frontier": {"part": "late"}},
    ),
    "late losses ignored": Mutant(
        "paths that are pruned late are weighed as if they had no losses",
        {"learners.late_paths:LatePaths.commit": ways.losses_forgotten},
        LATE,
    ),
    "answers turned": Mutant(
        "the learner of Theorem W takes a yes for a no",
        {"reproduction.hidden_pair:AsksTogether._answer": ways.one_less},
        WEAK,
    ),
    "never asks": Mutant(
        "the learner of Theorem W asks nothing",
        {"reproduction.hidden_pair:AsksTogether._answer": always(0.5)},
        WEAK,
    ),
}

LOWERED = {
    "regret": 0.5, "paper_rate": 0.9, "experts": 2, "regret_at_rate": 0.9, "sauer": 2, "total_queries": 2,
    "first_order_regret": 0.1, "commits": 2, "tradeoff_regret": 0.1, "tradeoff_queries": 0.5, "query_lower_bound": 1.5,
    "kt_cost": 0.9, "adaptive_regret_in_advance": 0.2, "anytime_regret": 0.5, "hedge_regret": 0.1,
    "forced_mistakes": 0.5, "dimension_lower_bound": 1.1, "late_regret_at_rate": 0.9, "late_adaptive_regret": 0.9,
    "excess": 0.9, "ftpl_regret": 0.5, "queries": 0.5,
}  # fmt: skip
"""Formulas that are multiplied by another number."""
WHERE: dict[str, dict[str, Cell]] = {
    "regret": {
        "quantities": {"part": "family"},
        "deferred": {"part": "regret"},
        "regret": {},
        "soa-memory": {},
        "oracle-efficiency": {},
        "frontier": {"part": "high"},
    },
    "first_order_regret": {"first-order": {}},
    "tradeoff_regret": {"deferred": {}, "tradeoff": {"part": "regret"}, "frontier": {"part": "high"}},
    "tradeoff_queries": {"tradeoff": {"part": "calls"}, "frontier": {"part": "high"}},
    "query_lower_bound": {"lower-bound": {}, "frontier": {"part": "low"}},
    "adaptive_regret_in_advance": {"anytime": {"part": "bound"}},
}
MUTANTS |= GAME_MUTANTS | NEIGHBOUR_MUTANTS
MUTANTS |= {
    f"{name} x {factor:g}": Mutant(
        f"bounds.{name} is {factor:g} times what it should be",
        {f"theory.bounds:{name}": times(factor)},
        {"formulas": {}} | WHERE.get(name, {}),
    )
    for name, factor in LOWERED.items()
}
