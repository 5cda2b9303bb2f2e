"""Theorem W: with weak consistency alone, Q queries cost (T - Q)/2 of regret, and one learner pays no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import adeptree as at
from reproduction.budgeted_learners import Guesser, budgeted_lazy_adept
from reproduction.experiment import Cell, Row, Verdict, column, groups
from reproduction.hidden_pair import AsksTogether, HiddenPair, SaysOne
from reproduction.stats import at_most, mean_at_least


def learner_of(name: str, oracle: Any, T: int, Q: int, seed: int) -> Any:
    """Return a learner of at most (or, for "asks by chance", on average) Q queries."""
    if name == "asks by chance":
        return AsksTogether(oracle, T, T, seed, chance=Q / T)
    if name == "lazy ADEPT":
        return budgeted_lazy_adept(oracle, T, Q, commits=1, seed=seed)
    return {"guesser": Guesser, "says 1": SaysOne, "asks together": AsksTogether}[name](oracle, T, Q, seed)


def run(cell: Cell) -> Row:
    """Play one game: its regret, and the rounds with a query."""
    T, game = cell["T"], HiddenPair(1)
    played = at.play(learner_of(cell["learner"], game.oracle, T, cell["Q"], cell["seed"]), game, seed=cell["seed"])
    best = game.best_loss(played)
    return {"regret": played.expected_loss - best, "best": best, "asked": len(game.query_rounds)}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """No learner has less, in the mean, and the one of the theorem has exactly that."""
    others = [r for r in rows if not r["learner"].startswith("asks")]  # (those that ask have their row below)
    for (learner,), members in groups(others, "learner").items():
        # The remaining bound: with an expected budget it counts the rounds with a query, not the budget.
        over = [r["regret"] - (r["T"] - r["asked"]) / 2 for r in members]
        yield mean_at_least(f"regret less (T - rounds with a query)/2, {learner}", over, -1e-9)
    exact = [r for r in rows if r["learner"].startswith("asks")]
    if error := [abs(r["regret"] - (r["T"] - r["asked"]) / 2) for r in exact]:
        yield at_most("distance of the attaining learner from (T - rounds with a query)/2", error, 1e-9, "every game")
    if kept := [r["asked"] - r["Q"] for r in rows if r["learner"] != "asks by chance"]:
        yield at_most("queries over the budget", kept, 0.0, "rounds with a query, counted by the adversary")
    if unspent := [r["Q"] - r["asked"] for r in rows if r["learner"] == "asks together"]:
        yield at_most("queries that the attaining learner did not use", unspent, 24.0, "it cannot ask before a label 1")
    yield at_most("loss of the best concept", column(rows, "best"), 0.0, "the indicator of the positive block")
