"""Lower bound in the dimension: every learner has regret (m/2) E|S_n|, m = 3^d, for any number of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import adeptree as at
from reproduction.budgeted_learners import Guesser
from reproduction.experiment import Cell, Row, Verdict, groups
from reproduction.experiments.lower_bound import regrets_of
from reproduction.ghost_adversary import MadeUp
from reproduction.stats import at_least, mean_is
from reproduction.voting_learners import WeightedVote

LEARNERS: dict[str, Any] = {
    "guesser": partial(Guesser, budget=0),
    "leader": at.FollowTheLeader,
    "ADEPT, Ghost": at.Adept,
    "ADEPT, WeightedVote": lambda oracle, T: at.Adept(oracle, prior="kt", base=WeightedVote()),
}


def run(cell: Cell) -> Row:
    """Play the games of a cell; the regret of each is exact in the learner's own coins."""
    first, found, asked = cell["seed"] * cell["games"], [], []
    for seed in range(first, first + cell["games"]):
        game = MadeUp(cell["d"], "coined")
        T = cell["coins"] * game.points
        played = at.play(LEARNERS[cell["learner"]](game.oracle, T), game, rounds=T, seed=seed)
        found.append(played.expected_loss - game.best_loss(played))
        asked.append(game.queries)
    return {"T": T, "regrets": found, "fewest_queries": min(asked)}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The mean regret is the bound, from both sides, for who asks nothing and for who asks all."""
    for (d, learner), members in groups(rows, "d", "learner").items():
        T = members[0]["T"]
        claim = f"mean regret against MadeUp({d}, coined), {learner}"
        yield mean_is(claim, regrets_of(members), at.bounds.dimension_lower_bound(T, d), f"T = {T}")
    asking = [row for row in rows if row["learner"] != "guesser"]
    asked = [row["fewest_queries"] / at.bounds.forced_mistakes(row["d"]) for row in asking]
    yield at_least("queries of the others per point", asked, 1.0, "that none of it helps is what is shown")
