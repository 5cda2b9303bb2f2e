"""The numbers of a certificate, counted again: for every family, engine and rate, with fractional costs and weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from long_form import LONG, times

import adeptree as at
from adeptree.families.registry import families

RULES: dict[str, Any] = {
    "thresholds": "thresholds(n=12)",
    "intervals": "intervals(n=12)",
    "real_thresholds": "real_thresholds()",
    "real_intervals": "real_intervals()",
    "unions": "unions(n=12, m=2)",
    "real_unions": "real_unions(m=2)",
    "real_steps": "real_steps()",
    "stumps": "stumps(cuts={'a': [1, 7], 'b': [3, 5]})",
    "real_stumps": "real_stumps(features=['a', 'b'])",
    "blocks": "blocks(d=3)",
    "conjunctions": "conjunctions(n=4)",
    "disjunctions": "disjunctions(n=4)",
    "parities": "parities(n=4)",
    "finite": "finite(table=['00101', '01100', '11011', '10110'])",
    "table_stumps": "table_stumps(features=['age', 'sex'])",
    "table_thresholds": "table_thresholds(features=['age', 'sex'])",
    "table_intervals": "table_intervals(features=['age', 'sex'])",
    "table_unions": "table_unions(features=['age', 'sex'], m=2)",
    "table_steps": "table_steps(features=['age', 'sex'])",
    "on_column": "on_column(rules='thresholds(n=12)', column='a')",
    "union": "union([\"experts(columns=('a', 'b'), at=4)\", \"on_column(rules='intervals(n=7)', column='a')\"])",
    "experts": "experts(columns=('a', 'b'))",
    "template": lambda: at.TemplateClass(lambda x, a, b: a <= x < b, {"a": range(6), "b": range(2, 9)}),
}
COSTS = [(1, 1), (0.2, 0.7), (1e6, 3e5 / 7), (1e-6, 3e-7)]
WEIGHTS: dict[str, Callable[[np.random.Generator], float]] = {
    "1": lambda rng: 1,
    "a tenth": lambda rng: 0.1,
    "any": lambda rng: float(rng.uniform()),
    "mostly 0": lambda rng: float(rng.choice([0.0, 0.0, 0.3])),
}


def rules(name: str) -> at.ConceptClass:
    spec = RULES[name]
    return at.parse(spec) if isinstance(spec, str) else spec()


def instance(c: at.ConceptClass, rng: np.random.Generator) -> Any:
    return int(rng.integers(10)) if isinstance(c, at.TemplateClass) else c.random_instance(rng)


def test_every_family_that_people_choose_from_is_here() -> None:
    ours = {family.name for family in families() if family.kind.__module__.startswith("adeptree.families.")}
    assert ours == set(RULES)


@dataclass
class Game:
    """A stream with costs and weights, the results, and the learner."""

    learner: at.Adept
    costs: tuple[float, float]
    rounds: list[tuple[Any, int, float]]

    def learn(self, x: Any, y: int, weight: float) -> None:
        self.learner.learn(x, y, weight)
        self.rounds.append((x, y, weight * self.costs[1 - y]))

    def false_claims(self) -> Iterator[str]:
        """Compare everything that is stated now with a recount of the whole history."""
        learner = self.learner
        told, best, charged = learner.certificate(), learner.best_loss, sum(cost for *_, cost in self.rounds)
        slack = 1e-10 * charged
        if told.best_loss != best or told.best_rule != str(learner.best_rule()):
            yield f"the certificate has {told.best_loss}, {told.best_rule}; the learner {best}, {learner.best_rule()}"
        rule = learner.best_rule()
        lost = sum(cost for x, y, cost in self.rounds if int(rule(x)) != y)
        if abs(lost - best) > slack:
            yield f"{rule} has lost {lost}, not {best}"
        if abs(told.regret - (told.expected_loss - lost)) > slack or told.realised_regret != told.realised_loss - best:
            yield f"the regret is {told.expected_loss - lost}, not {told.regret}"
        if not learner.regret <= told.bound or told.bound != learner.bound:
            yield f"the regret is {learner.regret}, above the bound {told.bound}"


def games(name: str, engine: str, T: int, every: int = 1) -> Iterator[Game]:
    settings = enumerate(itertools.product((None, 0.5), COSTS, WEIGHTS, (False, True)))
    for i, (rate, costs, weights, realizable) in itertools.islice(settings, 0, None, every):
        rng, c = np.random.default_rng(i), rules(name)
        eta = None if rate is None else rate / max(costs)
        game = Game(at.Adept(c, rate=eta, engine=engine, costs=costs), costs, [])
        points, guide = [instance(c, rng) for _ in range(7)], at.Adept(c)
        guide.learn_many(points[:5], rng.integers(0, 2, 5).tolist())
        target = guide.best_rule()
        for _ in range(T):
            x = points[int(rng.integers(7))] if rng.random() < 0.8 else instance(c, rng)
            game.learn(x, int(target(x)) if realizable else int(rng.integers(2)), WEIGHTS[weights](rng))
        yield game


def false_claims(game: Game) -> list[str]:
    return [f"costs {game.costs}, rate {game.learner.rate}: {what}" for what in game.false_claims()]


@pytest.mark.parametrize("name", RULES)
def test_the_named_rule_has_the_best_loss_and_the_regret_is_within_the_bound(name: str) -> None:
    # (A step of 3 or 5 meets every value of every setting.)
    assert [what for game in games(name, "auto", 24, times(3, 1)) for what in false_claims(game)] == []


@pytest.mark.parametrize("name", RULES)
def test_all_of_it_holds_for_the_paths_and_the_best_loss_is_theirs(name: str) -> None:
    """The losses of steps are left out: their structure compares with the most probable rule."""
    found, step = list[str](), times(5, 3)
    for quick, paths in zip(games(name, "auto", 8, step), games(name, "paths", 8, step), strict=True):
        charged = sum(cost for *_, cost in quick.rounds)
        if "steps" not in name:
            assert quick.learner.best_loss == pytest.approx(paths.learner.best_loss, rel=0, abs=1e-10 * charged)
        found += false_claims(paths)
    assert found == []


@pytest.mark.parametrize("cuts", [{"a": [1, 7]}, {"a": [1, 4, 7], "b": [2, 5]}, None])
@pytest.mark.parametrize("costs", [(0.2, 0.7), (0.1, 0.1), (1, 0.3)])
def test_bounds_of_stumps_hold_on_long_realizable_streams(cuts: Any, costs: tuple[float, float]) -> None:
    """Fractions that are added and taken away leave no 0 behind: once 356 of 2,400 bounds were false."""
    found = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        c: Any = at.RealStumps(["a", "b"]) if cuts is None else at.Stumps(cuts=cuts)
        game = Game(at.Adept(c, costs=costs, seed=seed), costs, [])
        cut = int(rng.integers(1, 8))
        for t in range(600):
            x = {"a": int(rng.integers(9)), "b": int(rng.integers(9))}
            game.learn(x, int(x["a"] < cut), 1 if seed == 0 else float(rng.uniform()))
            if t % 30 == 29:
                found += list(game.false_claims())
    assert found == []


# --- What is stated of the end ------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "paths"])
@pytest.mark.parametrize("name", RULES)
def test_what_is_final_is_never_exceeded_at_the_end(name: str, engine: str) -> None:
    """Whatever comes: also labels that make the most probable rule another one, with less loss."""
    stated = 0
    T = 60 if engine == "auto" else 9
    # (Three games meet every rate and both costs; a rate that is given proves something of the end at costs of 1.)
    for seed in (1, 2, 3) if engine == "paths" and not LONG else range(6):
        rng, c = np.random.default_rng(seed), rules(name)
        rate = [None, 0.3, 2.0][seed % 3]
        learner = at.Adept(c, T, prior="mixed", engine=engine, rate=rate, costs=(1, 1) if seed < 3 else (0.5, 0.2))
        points = [instance(c, rng) for _ in range(12)]
        labels = rng.integers(0, 2, 12)
        finals = [learner.final]
        for t in range(T):
            i = int(rng.integers(12))
            p = learner.predict_proba(points[i])
            # First labels that nothing explains, then always those of one labelling.
            learner.learn(points[i], int(p < 0.5) if t < T // 2 else int(labels[i]))
            finals.append(learner.final)
        known = [final for final in finals if final is not None]
        stated += len(known)
        assert all(learner.regret <= final + 1e-9 for final in known)
        told = learner.certificate()
        assert (told.final is None) == bool(told.final_note)
    assert stated or ("steps" in name and engine == "auto")


@pytest.mark.parametrize("name", ["real_steps", "table_steps"])
def test_steps_state_nothing_of_the_end_and_say_why(name: str) -> None:
    learner = at.Adept(rules(name), 20, prior="mixed")
    learner.learn(instance(learner.concept_class, np.random.default_rng(0)), 1)
    told = learner.certificate()
    assert learner.final is None and told.final is None
    assert "most probable rule, whose loss may fall" in told.final_note and told.final_note in str(told)
    endless = at.Adept(rules(name)).certificate()
    assert endless.final is None and endless.final_note == ""


WHY: dict[str, tuple[dict[str, Any], float, str]] = {
    "too heavy": ({}, 50, "a round cost 50, more than the 1 announced"),
    "width": ({"max_width": 3}, 1, "with max_width=3 rules may be dropped"),
    "pruned": ({"mistake_bound": 1, "on_excess": "prune"}, 1, 'with on_excess="prune"'),
    "rate": ({"rate": "first-order"}, 0.5, "the rate 'first-order' promises nothing for rounds of different weights"),
}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("name", WHY)
def test_late_labels_hide_no_other_reason_for_which_a_promise_ends(name: str, late: bool) -> None:
    settings, weight, said = WHY[name]
    learner = at.Adept(at.Thresholds(31), 60, **settings)
    waits = [learner.answer(3), learner.answer(20)] if late else []
    learner.learn(9, 1, weight)
    told = learner.certificate()
    assert learner.late is late
    assert learner.final is None and told.final is None and said in told.final_note
    assert learner.in_advance is None and said in told.in_advance_note
    assert ("while another waited" in told.in_advance_note) is late and "waited" not in told.final_note
    for ticket in waits:
        learner.learn(ticket, 0)
    assert learner.final is None


def test_after_late_labels_the_end_is_still_bounded() -> None:
    """Each round to come adds at most its cost; the sum is stated though the promise in advance has ended."""
    learner = at.Adept(at.Thresholds(31), 40, costs=(2, 0.5))
    tickets = [learner.answer(x) for x in (3, 9, 20)]
    for ticket in tickets:
        learner.learn(ticket, 1)
    assert learner.late and learner.final == pytest.approx(learner.regret + 37 * 2)
    assert math.isfinite(learner.final)  # type: ignore[arg-type]
