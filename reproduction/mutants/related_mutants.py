"""Mutants of the learners related to ADEPT, of their dimensions, and of code that no other mutant changes."""

from __future__ import annotations

from reproduction.experiment import Cell
from reproduction.mutants import related_operators as ways
from reproduction.mutants.mutation_testing import Mutant
from reproduction.mutants.operators import after_init, one_more, times, wrong_label

TRACKING: dict[str, Cell] = {"neighbours": {"part": "tracking"}}
KNOWN: dict[str, Cell] = {"neighbours": {"part": "transductive"}}
ORDER: dict[str, Cell] = {"neighbours": {"part": "order"}}
COINS: dict[str, Cell] = {"neighbours": {"part": "coins"}}

NEIGHBOUR_MUTANTS: dict[str, Mutant] = {
    # --- Worlds that change ---
    "nothing shared": Mutant(
        "Tracking deals nothing out again",
        {"research.tracking:Tracking.__init__": after_init(ways.shares_nothing)},
        TRACKING,
    ),
    "switches for half": Mutant(
        "a switch costs Tracking half of what it does",
        {"research.tracking:switching_cost": times(0.5)},
        TRACKING,
    ),
    "no sequence": Mutant(
        "sequences of rules never switch",
        {"research.sequence_learner:SequenceLearner._follow_sequences": ways.never_switches},
        TRACKING,
    ),
    "tracks the opposite": Mutant(
        "learners of sequences learn the opposite of the label",
        {
            "research.tracking:Tracking.learn": wrong_label,
            "research.tracking_anytime:TrackingAnytime.learn": wrong_label,
        },
        TRACKING,
    ),
    "a share too small": Mutant(
        "TrackingAnytime shares out 1/(t + 2) after round t",
        {"research.tracking_anytime:shares": ways.a_round_later},
        TRACKING,
    ),
    "curves halved": Mutant(
        "what the rates of TrackingAnytime cost beyond its regret is halved",
        {"research.tracking_anytime:CURVES": lambda was: was / 2},
        TRACKING,
    ),
    # --- Review and unions ---
    "review too fast": Mutant(
        "review runs at 1.2 times its largest rate",
        {"theory.decide:review_rate": times(1.2)},
        {"decide": {"part": "prompt"}},
    ),
    "reviews for half": Mutant(
        "the learner acts as if a review cost half",
        {"theory.decide:Review.put_on": ways.half_the_cost},
        {"decide": {"part": "prompt"}},
    ),
    "delay forgotten": Mutant(
        "the rate of review does not depend on the delay",
        {"theory.decide:review_rate": ways.without_delay},
        {"decide": {"part": "late"}},
    ),
    "prompt actions": Mutant(
        "actions are chosen as if labels were prompt",
        {"theory.decide:Review.put_on": ways.put_on_without_delay},
        {"decide": {"part": "late"}},
    ),
    "average actions": Mutant(
        "the promise of drawn costs is kept by the actions of the promise on average",
        {"theory.decide:Review.put_on": ways.fewest_reviews},
        {"decide": {"part": "drawn"}},
    ),
    "equal shares": Mutant(
        "the parts of a union have equal shares, whatever was given",
        {"families.combined.row_rules:Union.shares": ways.equal_shares},
        {"decide": {"part": "union"}},
    ),
    "voting at 0.4": Mutant(
        "a model's vote is 1 from a lower score on",
        {"families.combined.model_votes:Experts.parts": ways.lower_cut},
        {"decide": {"part": "union"}},
    ),
    # --- Points that are known ---
    "another point": Mutant(
        "Transductive looks up the point that was announced after x",
        {"research.transductive:KnownPoints.of": ways.the_next_point},
        KNOWN,
    ),
    "rank too high": Mutant(
        "the rank is one too many",
        {"research.transductive:Transductive.rank": one_more},
        KNOWN,
    ),
    "asks again": Mutant(
        "Transductive asks about x when it comes",
        {"structures.experts:ListedExperts.odds": ways.asks_again},
        KNOWN,
    ),
    "half a promise": Mutant(
        "Hedge promises half",
        {"learners.hedge:Hedge.bound_after": times(0.5)},
        KNOWN,
    ),
    "Hedge never learns": Mutant(
        "the tuned rate is a hundredth",
        {"theory.bounds:tuned_rate": times(0.01)},
        KNOWN,
    ),
    # --- An order that nobody tells ---
    "infers nothing": Mutant(
        "UnknownOrder learns one label per mistake",
        {"research.unknown_order:UnknownOrder._commit": ways.one_label},
        ORDER,
    ),
    "any cut": Mutant(
        "UnknownOrder takes the first rule that it finds",
        {"research.unknown_order:UnknownOrder._found": ways.first_rule},
        ORDER,
    ),
    "asks in every round": Mutant(
        "UnknownOrder looks for a rule in every round",
        {"research.unknown_order:UnknownOrder._probability": ways.forgets_its_cut},
        ORDER,
    ),
    "calls not counted": Mutant(
        "UnknownOrder counts one call per rule",
        {"research.unknown_order:UnknownOrder._found": ways.counts_once},
        ORDER,
    ),
    # --- Coins ---
    "coins rounded": Mutant(
        "RandSOA says the likelier label",
        {"research.optimal_mistakes:OptimalMistakes.chance": ways.rounded},
        COINS,
    ),
    "coins worth nothing": Mutant(
        "the game with coins is solved as without",
        {"research.optimal_mistakes:OptimalMistakes._after_both": ways.no_coins},
        COINS,
    ),
    "a wasted guess": Mutant(
        "a learner that is told right or wrong guesses the worst label",
        {"research.optimal_mistakes:BanditMistakes._forced": ways.worst_guess},
        COINS,
    ),
    "RandSOA promises half": Mutant(
        "RandSOA proves half of its bound",
        {"research.rand_soa:RandSOA.bound": times(0.5)},
        COINS,
    ),
}
