"""Mutants of the adversaries, of the cited learners and of the games that force mistakes."""

from __future__ import annotations

from reproduction.experiment import Cell
from reproduction.mutants import game_operators as ways
from reproduction.mutants.mutation_testing import Mutant
from reproduction.mutants.operators import always, instead, times
from reproduction.voting_learners import Consistent

LETTER: dict[str, Cell] = {"algorithms": {}}

GAME_MUTANTS: dict[str, Mutant] = {
    # --- The quantities that the theorems name ---
    "states a thousand times": Mutant(
        "every state holds a thousand times what it held",
        {"reproduction.experiments.quantities:values": times(1000)},
        {"quantities": {"part": "memory"}},
    ),
    "heard thirty times": Mutant(
        "every call of a base learner is made thirty times",
        {"reproduction.experiments.oracle_efficiency:Listening.__call__": ways.calls_thirty_times},
        {"quantities": {"part": "asking"}},
    ),
    "one schedule only": Mutant(
        "Algorithm 1 is taken to have one expert",
        {"theory.bounds:experts": always(1)},
        {"quantities": {"part": "experts"}},
    ),
    # --- The adversary of the lower bound ---
    "no reset": Mutant(
        "BlockReset never opens a new phase",
        {"reproduction.block_reset:BlockReset._open_phase": ways.never_opens},
        {"lower-bound": {}, "frontier": {"part": "low"}, "adversaries": {"part": "blocks"}},
    ),
    "noisy blocks": Mutant(
        "a fifth of BlockReset's labels is flipped",
        {"reproduction.block_reset:BlockReset.label": ways.noisy},
        {"weak-queries": {}, "lower-bound": {}, "frontier": {"part": "low"}, "adversaries": {"part": "blocks"}},
    ),
    "budget ignored": Mutant(
        "budgeted learners ask as often as they like",
        {"reproduction.budgeted_learners:allowance": ways.unbounded},
        {"weak-queries": {}, "lower-bound": {}},
    ),
    "loaded blocks": Mutant(
        "BlockReset's coin says 1 in 65 of 100 rounds",
        {"reproduction.block_reset:BlockReset._coin": instead(lambda self: int(self._coins.random() < 0.65))},
        {"weak-queries": {}, "adversaries": {"part": "blocks"}},
    ),
    "alternating coins": Mutant(
        "BlockReset's coin says 1 in every second round",
        {"reproduction.block_reset:BlockReset._coin": ways.alternating},
        {"adversaries": {"part": "blocks"}},
    ),
    "phases begin with 1": Mutant(
        "the first label of every phase of BlockReset is 1",
        {"reproduction.block_reset:BlockReset.instance": ways.one_after_queries},
        {"adversaries": {"part": "blocks"}},
    ),
    "asked about 1s": Mutant(
        "BlockReset gives a round with a query the label 1",
        {"reproduction.block_reset:BlockReset.label": ways.one_in_queries},
        {"adversaries": {"part": "blocks"}},
    ),
    "leaking points": Mutant(
        "BlockReset's points are odd or even as their blocks are",
        {"reproduction.block_reset:HiddenPartition.fresh": ways.leaking},
        {"adversaries": {"part": "blocks"}},
    ),
    "the same block": Mutant(
        "BlockReset keeps its negative block",
        {"reproduction.block_reset:BlockReset._open_phase": ways.same_block},
        {"adversaries": {"part": "blocks"}},
    ),
    "half an oracle": Mutant(
        "BlockReset's oracle knows one block less",
        {"reproduction.block_reset:BlockReset.judge": ways.one_block_less},
        {"adversaries": {"part": "blocks"}},
    ),
    # --- The other adversaries ---
    "noise doubled": Mutant(
        "twice as many labels are flipped",
        {"games.adversaries:_Noisy.label": ways.flipped_again},
        {"adversaries": {}},
    ),
    "stray flips": Mutant(
        "two labels of a hundred are flipped, noise or not",
        {"games.adversaries:_Noisy.label": ways.stray_flips},
        {"adversaries": {}},
    ),
    "never drifts": Mutant(
        "Drifting keeps its first target",
        {"games.adversaries:Drifting.instance": ways.first_target},
        {"adversaries": {"part": "targets"}},
    ),
    "favourite targets": Mutant(
        "targets come more often from one half of the class",
        {"families.listed:EnumerableClass.random_concept": ways.half_of_the_class},
        {"adversaries": {"part": "targets"}},
    ),
    "few points": Mutant(
        "a tenth of the points is the first one",
        {"games.adversaries:_Drawing.instance": ways.first_point},
        {"adversaries": {"part": "noise"}},
    ),
    "kind": Mutant(
        "adversaries give the likelier label",
        {"games.adversaries:less_likely": instead(lambda p: int(p > 0.5))},
        {"adversaries": {}},
    ),
    "a shallow tree": Mutant(
        "LittlestoneTree begins below the root",
        {"games.adversaries:LittlestoneTree.start": ways.below_the_root},
        {"adversaries": {"part": "mistake tree"}},
    ),
    "no way back": Mutant(
        "LittlestoneTree says 1 below its tree",
        {"games.adversaries:LittlestoneTree.label": ways.one_below},
        {"adversaries": {"part": "mistake tree"}, "first-order": {"part": "growth"}},
    ),
    # --- The cited learners, and the other lower bound ---
    "agrees": Mutant(
        "MadeUp gives the label that the learner thinks likely",
        {"reproduction.ghost_adversary:less_likely": instead(lambda p: int(p > 0.5))},
        {"cited": {"part": "made up"}},
    ),
    "ghosts say 0": Mutant(
        "MadeUp's ghosts say 0 wherever the plan would have them say something",
        {"reproduction.ghost_adversary:labels_that_keep": always(0)},
        {"cited": {"part": "made up"}},
    ),
    "forgotten answers": Mutant(
        "MadeUp's oracle does not know its first ghost",
        {"reproduction.ghost_adversary:MadeUp.realizable": ways.without_the_first},
        {"cited": {"part": "made up"}},
    ),
    "no tree": Mutant(
        "Ghost never finds a tree",
        {"ghost.ghost_stages:tree_label": always(None)},
        {"cited": {"part": "probing"}},
    ),
    "no ghosts": Mutant(
        "Ghost learns nothing from its mistakes",
        {"ghost.ghost_learner:Ghost._after_mistake": instead(lambda self, old, grown, ones, decision: grown)},
        {"cited": {"part": "probing"}},
    ),
    "never prunes": Mutant(
        "MajorityPruning follows the last function",
        {"reproduction.voting_learners:MajorityPruning.learn": instead(Consistent.learn)},
        {"cited": {"part": "probing", "learner": "MajorityPruning"}} | LETTER,
    ),
    "fifteen blocks": Mutant(
        "a family of MajorityPruning is of fifteen blocks",
        {"reproduction.voting_learners:BLOCKS": instead(15)},
        LETTER,
    ),
    "ties say 1": Mutant(
        "half of a family of MajorityPruning is a majority",
        {"reproduction.voting_learners:MajorityPruning.vote": ways.ties_say_one},
        LETTER,
    ),
    "never weighs": Mutant(
        "WeightedVote follows the last function",
        {"reproduction.voting_learners:WeightedVote.learn": instead(Consistent.learn)},
        {"cited": {"part": "probing", "learner": "WeightedVote"}} | LETTER,
    ),
    "phases too long": Mutant(
        "a phase of WeightedVote is twice as long",
        {"reproduction.voting_learners:_length": times(2)},
        LETTER,
    ),
    "errors weigh nothing": Mutant(
        "all functions of WeightedVote weigh the same",
        {"reproduction.voting_learners:_margin": ways.without_errors},
        LETTER,
    ),
    "stubborn": Mutant(
        "Consistent keeps its first function",
        {"reproduction.voting_learners:Consistent.learn": instead(lambda self, council, ones, y, born: council)},
        LETTER,
    ),
    "rows of Ghost": Mutant(
        "on a frontier, Ghost's rows say the other label",
        {"ghost.ghost_rows:GhostRows.predict": ways.other_label},
        LETTER,
    ),
    "rows stand still": Mutant(
        "on a frontier, functions say 1 wherever they can",
        {"reproduction.voting_rows:VotingRows.predict": ways.ones_first},
        LETTER,
    ),
    "gentle": Mutant(
        "who probes never takes the worst way",
        {"reproduction.experiments.cited:GREED": instead((0.0,))},
        {"cited": {"part": "probing", "learner": "Consistent"}},
    ),
    "asks by itself": Mutant(
        "base learners run path by path and ask questions of their own",
        {
            "ghost.ghost_learner:Ghost.rows": ways.path_by_path,
            "reproduction.voting_rows:Voting.rows": ways.path_by_path,
        },
        {"cited": {"part": "calls"}, "oracle-efficiency": {}},
    ),
    "a point dropped": Mutant(
        "base learners ask about samples that miss a point",
        {"ghost.ghost_learner:OracleLearner._realizable": ways.point_dropped},
        {"cited": {"part": "calls"}},
    ),
    "M cut off": Mutant(
        "no base learner is said to err more than forty times",
        {"learners.settings:needed_mistake_bound": ways.at_most_forty},
        {"cited": {"part": "regret"}},
    ),
    "KT is blind": Mutant(
        "the KT prior does not look at mistakes",
        {"theory.priors:BetaTables.log_mass": ways.fair_coins},
        {"cited": {"part": "regret"}, "algorithms": {}},
    ),
    "loaded coins": Mutant(
        "MadeUp's coins always say 1",
        {"reproduction.ghost_adversary:MadeUp._coin": always(1)},
        {"dimension-bound": {}},
    ),
    "nobody is better": Mutant(
        "MadeUp says that its best concept loses nothing",
        {"reproduction.ghost_adversary:MadeUp.best_loss": always(0)},
        {"dimension-bound": {}},
    ),
    "nothing counted": Mutant(
        "MadeUp counts no question",
        {"reproduction.ghost_adversary:MadeUp._count": always(None)},
        {"dimension-bound": {}},
    ),
}
