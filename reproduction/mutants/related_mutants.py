"""Mutants of the learners related to ADEPT, of their dimensions, and of code that no other mutant changes."""

from __future__ import annotations

from reproduction.experiment import Cell
from reproduction.mutants import related_operators as ways
from reproduction.mutants.mutation_testing import Mutant
from reproduction.mutants.operators import after_init, always, one_more, times, wrong_label

DRIFT: dict[str, Cell] = {"neighbours": {"part": "drift", "engine": "paths"}}
LINE: dict[str, Cell] = {"neighbours": {"part": "drift", "engine": "auto"}}
KNOWN: dict[str, Cell] = {"neighbours": {"part": "transductive"}}
ORDER: dict[str, Cell] = {"neighbours": {"part": "order"}}
COINS: dict[str, Cell] = {"neighbours": {"part": "coins"}}
PLANES: dict[str, Cell] = {"half-planes": {}}

NEIGHBOUR_MUTANTS: dict[str, Mutant] = {
    # --- Worlds that change ---
    "nothing shared": Mutant(
        "after a round nothing is dealt out again",
        {"theory.sharing:Drift.lanes": ways.shares_nothing},
        LINE,
    ),
    "switches for half": Mutant("a sequence costs half of its price", {"theory.sharing:Drift.price": times(0.5)}, LINE),
    "no sequence": Mutant(
        "sequences of rules never switch",
        {"learners.shared_paths:SharedPaths._share": ways.never_switches},
        DRIFT,
    ),
    "follows the opposite": Mutant(
        "the learner learns the opposite of the label", {"learners.adept_learner:Adept.learn": wrong_label}, DRIFT
    ),
    "a share too small": Mutant(
        "paths are shared 1/(t + 2) after round t",
        {"learners.shared_paths:SharedPaths.__init__": after_init(ways.a_round_later)},
        DRIFT,
    ),
    "curves halved": Mutant(
        "what all rates cost beyond their regret is halved", {"theory.sharing:CURVES": lambda was: was / 2}, LINE
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
    "a tenth is proven": Mutant(
        "of what is proven of sequences a tenth is stated",
        {"learners.adept_learner:Adept.sequence_bound": times(0.1)},
        {"neighbours": {"part": "drift"}},
    ),
    # --- Segments, drift and reviewed labels ---
    "half the segments": Mutant(
        "one rule for all has three quarters of the prior",
        {"families.combined.row_rules:RowRules.shares": ways.uneven_halves},
        {"decide": {"part": "segments"}},
    ),
    "a clock for all": Mutant(
        "with segments no part shares",
        {"learners.adept_learner:Adept._made": ways.never_shares},
        {"decide": {"part": "segments", "drift": True}},
    ),
    "review without shares": Mutant(
        "after a round nothing is dealt out again, with review",
        {"theory.sharing:Drift.lanes": ways.shares_nothing},
        {"decide": {"part": "sequences"}},
    ),
    "changes cost more": Mutant(
        "what is stated for sequences is a tenth too large",
        {"theory.sharing:Drift.price": times(1.1)},
        {"decide": {"part": "sequences"}},
    ),
    "reviewed once": Mutant(
        "a reviewed case counts once, not 1/r times",
        {"learners.online_learner:OnlineLearner._settle": ways.weighs_once},
        {"decide": {"part": "reviewed"}},
    ),
    "asked once": Mutant(
        "a case whose label was asked for counts once, not 1/q times",
        {"learners.online_learner:OnlineLearner._settle": ways.weighs_once},
        {"decide": {"part": "asked"}},
    ),
    "asks for light rounds": Mutant(
        "the learner asks as if a round cost a hundredth",
        {"learners.settings:put_policy": ways.light_rounds},
        {"decide": {"part": "asked"}},
    ),
    "asks always": Mutant(
        "the learner asks for every label, with the chances of before",
        {"learners.online_learner:OnlineLearner._ticket": ways.always_asks},
        {"decide": {"part": "asked"}},
    ),
    "asks never": Mutant(
        "the learner may ask for no label",
        {"learners.settings:put_policy": ways.no_labels},
        {"decide": {"part": "asked"}},
    ),
    "opposite verdicts": Mutant(
        "the learner takes the opposite of every verdict",
        {"learners.adept_learner:Adept.learn": wrong_label},
        {"decide": {"part": "reviewed"}},
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
    # --- An unknown order ---
    "infers nothing": Mutant(
        "UnknownOrder learns one label per mistake",
        {"reproduction.unknown_order:UnknownOrder._commit": ways.one_label},
        ORDER,
    ),
    "any cut": Mutant(
        "UnknownOrder takes the first rule that it finds",
        {"reproduction.unknown_order:UnknownOrder._found": ways.first_rule},
        ORDER,
    ),
    "asks in every round": Mutant(
        "UnknownOrder looks for a rule in every round",
        {"reproduction.unknown_order:UnknownOrder._probability": ways.forgets_its_cut},
        ORDER,
    ),
    "calls not counted": Mutant(
        "UnknownOrder counts one call per rule",
        {"reproduction.unknown_order:UnknownOrder._found": ways.counts_once},
        ORDER,
    ),
    # --- Coins ---
    "coins rounded": Mutant(
        "RandSOA says the likelier label",
        {"reproduction.optimal_mistakes:OptimalMistakes.chance": ways.rounded},
        COINS,
    ),
    "coins worth nothing": Mutant(
        "the game with coins is solved as without",
        {"reproduction.optimal_mistakes:OptimalMistakes._after_both": ways.no_coins},
        COINS,
    ),
    "a wasted guess": Mutant(
        "a learner that is told right or wrong guesses the worst label",
        {"reproduction.optimal_mistakes:BanditMistakes._forced": ways.worst_guess},
        COINS,
    ),
    "RandSOA promises half": Mutant(
        "RandSOA proves half of its bound",
        {"reproduction.rand_soa:RandSOA.bound": times(0.5)},
        COINS,
    ),
    # --- Half-planes ---
    "the other side": Mutant(
        "the point on a new line gets the other label",
        {"solvers.lp.half_plane_engine:KERNEL": ways.closed_turned},
        {"half-planes": {"part": "rows"}},
    ),
    "mistakes swapped": Mutant(
        "the row that keeps its line is charged with the mistake",
        {"solvers.lp.half_plane_engine:KERNEL": ways.mistakes_swapped},
        {"half-planes": {"part": "drawn", "T": 60}},
    ),
    "shares swapped": Mutant(
        "the row whose line erred gets the mass of the other",
        {"solvers.lp.half_plane_engine:KERNEL": ways.shares_swapped},
        {"half-planes": {"part": "regret"}},
    ),
    "one loss more": Mutant(
        "the best rule is said to have lost once more", {"learners.adept_learner:Adept.best_loss": one_more}, PLANES
    ),
    "half is proven": Mutant("half of the bound is stated", {"learners.guarantees:theorem_one": times(0.5)}, PLANES),
    "opposite labels": Mutant(
        "the learner learns the opposite of the label", {"learners.adept_learner:Adept.learn": wrong_label}, PLANES
    ),
    "the opponent is blind": Mutant(
        "the opponent of Theorem 3 gives all points the same label",
        {"reproduction.experiments.half_planes:loses": always(0)},
        PLANES,
    ),
}
