"""Public names of earlier versions and their replacements; ``docs/reference/renamed.md`` lists them."""

from __future__ import annotations

TO_RESEARCH = (
    *("BestSoFar", "CellVote", "DefaultZero", "Elimination", "GaussianElimination", "IntervalSearch", "NearestEnds"),
    *("NearestLabel", "NearestPoint", "Transductive"),
)
RENAMED = {name: f"adeptree.research.{name}" for name in TO_RESEARCH}
"""Old names of ``adeptree``, each with its replacement."""
RENAMED |= {
    "BlockReset": "reproduction.block_reset.BlockReset",
    "Consistent": "reproduction.voting_learners.Consistent",
    "FollowThePerturbedLeader": "reproduction.perturbed_leader.FollowThePerturbedLeader",
    "MadeUp": "reproduction.ghost_adversary.MadeUp",
    "MajorityPruning": "reproduction.voting_learners.MajorityPruning",
    "RandSOA": "reproduction.rand_soa.RandSOA",
    "Tracking": "adeptree.Adept(rules, drift=True)",
    "TrackingAnytime": "adeptree.Adept(rules, drift=True)",
    "UnknownOrder": "reproduction.unknown_order.UnknownOrder",
    "WeightedVote": "reproduction.voting_learners.WeightedVote",
    "bandit_littlestone_dimension": "reproduction.littlestone_variants.bandit_littlestone_dimension",
    "k_littlestone_dimension": "reproduction.littlestone_variants.k_littlestone_dimension",
    "randomized_littlestone_dimension": "reproduction.littlestone_variants.randomized_littlestone_dimension",
    "workers": "any concurrent.futures.Executor",
}
