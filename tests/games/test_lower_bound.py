"""The query-budget lower bound: every learner pays, and every budget is kept."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from budgeted_players import LEARNERS, ROOT, T, games, mean_and_error
from long_form import LONG

import adeptree as at
from adeptree import bounds
from adeptree.core.errors import BudgetExhausted
from adeptree.families.blocks.block_base import DefaultZero
from reproduction.block_reset import BlockReset
from reproduction.budgeted_learners import BudgetedLeader, Rationed, affordable_rounds, allowance


@pytest.mark.parametrize(("name", "d"), [*itertools.product(LEARNERS, [1, 4]), ("leveller", 2)])
def test_every_learner_pays_what_the_theorem_says(name: str, d: int) -> None:
    for budget in sorted({0, 1, d, ROOT // 2, ROOT} if LONG else {0, d, ROOT}):
        played = games(LEARNERS[name], d, budget)
        assert all(game.queries <= budget for game, _ in played)
        mean, error = mean_and_error([run.regret for _, run in played])
        assert mean >= bounds.query_lower_bound(T, budget, d) - 3 * error - 1e-9
        # The proof counts rounds with a query, not queries: that is the sharper bound.
        rounds = max(len(game.query_rounds) for game, _ in played)
        assert mean >= bounds.query_lower_bound(T, rounds, d) - 3 * error - 1e-9


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_bound_is_nearly_reached(d: int) -> None:
    for budget in (d, ROOT // 2):
        mean, _ = mean_and_error([run.regret for _, run in games(LEARNERS["leveller"], d, budget, 16)])
        assert mean <= bounds.query_lower_bound(T, budget, d) + 0.35 * math.sqrt(d * T)


def test_a_budget_that_holds_only_on_average_is_not_enough() -> None:
    # For d >= 2 the formula is not convex in Q: no query or 2(d-1) of them, by a coin, beats Q = d - 1.
    d = 4
    lucky = [run.regret for budget in (0, 2 * (d - 1)) for _, run in games(LEARNERS["leveller"], d, budget, 20)]
    mean, error = mean_and_error(lucky)
    assert mean + 3 * error < bounds.query_lower_bound(T, d - 1, d)


# --- Budgets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, 1, 7, 20, T - 1, T, 1000])
def test_leaders_spend_their_budget_to_the_last_query(budget: int) -> None:
    for recent in (False, True):
        game = BlockReset(2)
        run = at.play(BudgetedLeader(game.oracle, T, budget, recent), game)
        assert game.queries == min(budget, T) == run.rounds[-1].posed
        assert len(game.phases) <= min(budget, T) + 1


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 10, 50, 333])
def test_adept_and_lazy_adept_keep_to_any_budget(budget: int) -> None:
    for d, name in itertools.product((1, 3), ("rationed adept", "lazy adept, three commits")):
        game = BlockReset(d)
        learner = LEARNERS[name](game, budget, 5)
        run = at.play(learner, game, seed=5)
        assert game.queries == run.rounds[-1].posed <= budget
        assert budget < 2 or game.queries > 0


def test_other_instances_in_the_same_round_cost_nothing_more() -> None:
    game = BlockReset(1)
    game.start(10, 0)
    learner = Rationed(at.Adept(game.oracle, 10), 10, budget=9)
    x, y = game.instance([]), game.instance([])
    assert learner.predict_proba(x) == 0.5 and game.queries == 0
    learner.learn(x, 1)
    p = [learner.predict_proba(z) for z in (x, y, x, y)]
    assert p[0] == p[2] and p[1] == p[3] == 0.5 and game.queries <= 2
    learner.learn(y, 0)
    assert learner.inner.rounds == 0 and game.queries <= 2


def test_an_oracle_with_a_budget_of_its_own_ends_the_service() -> None:
    asked: list[int] = []

    def realizable(sample: Any) -> bool:
        if len(asked) >= 5:
            raise BudgetExhausted("enough")
        asked.append(len(sample))
        return at.BlockUnions(1).realizable(sample)

    c = at.OracleClass(realizable=realizable, strategy="literal")
    learner = Rationed(at.Adept(c, 100, base=DefaultZero(at.BlockUnions(1))), 100, budget=99)
    p = learner.learn_many(range(90), [t % 2 for t in range(90)])
    assert len(asked) == 5 and 1 <= learner.inner.rounds <= 3
    assert (p[60:] == 0.5).all()


def test_allowances() -> None:
    for horizon, budget in itertools.product((1, 5, 12), (0, 1, 4, 12, 30)):
        steps = [allowance(t, horizon, budget) for t in range(1, horizon + 1)]
        assert steps == sorted(steps) and steps[-1] == budget
    for budget, d, commits in itertools.product(range(40), (1, 2), (1, 2, 3)):
        n = affordable_rounds(budget, d, commits)
        cost = [2 * bounds.sauer(min(t, commits), d) for t in range(n + 1)]
        assert sum(cost[:-1]) <= budget < sum(cost)
