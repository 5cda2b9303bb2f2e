"""Public names of earlier versions and their replacements; ``docs/reference/renamed.md`` lists them."""

from __future__ import annotations

TO_RESEARCH = (
    *("BestSoFar", "CellVote", "DefaultZero", "Elimination", "FollowThePerturbedLeader", "GaussianElimination"),
    *("IntervalSearch", "NearestEnds", "NearestLabel", "NearestPoint", "RandSOA", "Transductive"),
    *("UnknownOrder", "bandit_littlestone_dimension", "k_littlestone_dimension"),
    "randomized_littlestone_dimension",
)
RENAMED = {name: f"adeptree.research.{name}" for name in TO_RESEARCH}
"""Old names of ``adeptree``, each with its replacement."""
RENAMED |= {
    "BlockReset": "reproduction.block_reset.BlockReset",
    "Consistent": "reproduction.voting_learners.Consistent",
    "MadeUp": "reproduction.ghost_adversary.MadeUp",
    "MajorityPruning": "reproduction.voting_learners.MajorityPruning",
    "Tracking": "adeptree.Adept(rules, drift=True)",
    "TrackingAnytime": "adeptree.Adept(rules, drift=True)",
    "WeightedVote": "reproduction.voting_learners.WeightedVote",
    "workers": "any concurrent.futures.Executor",
}
