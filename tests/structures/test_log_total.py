"""ln Z of every structure is that of all labellings with their explicit weights, also after the rate has changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cut_labellings import SlowCuts
from shipped_families import shipped
from stump_lines import SlowStumps
from table_columns import SlowTable

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.families.specs import parse
from adeptree.families.tables.table_rules import TableRules
from adeptree.learners.adept import Paths
from adeptree.theory.mixture import log_sum

FAMILIES = {
    family.name: family.small or family.example
    for family in shipped()
    if not family.kind.combines  # (test_combined.py lists the rules of mixtures)
}
RATES = (0.7, 4.0, 0.05)


class Listed:
    """The labellings themselves, with the prior masses of Algorithm 2."""

    def __init__(self, learner: Any) -> None:
        c = learner.concept_class
        self.rate, self.paths = 0.0, Paths(c, learner.base, learner.prior)

    def commit(self, x: Any, y: int, weight: float) -> None:
        self.paths.commit(x, y, weight)

    def set_rate(self, rate: float) -> None:
        self.rate = self.paths.rate = rate

    def log_weight(self) -> float:
        rows = self.paths.rows()
        return log_sum(rows.log_mass - self.rate * rows.losses)


class ListedCuts:
    """The labellings that cuts make, each with its own mass."""

    def __init__(self, learner: Any) -> None:
        self.rate, self.cuts = 0.0, SlowCuts(learner.engine.line, learner.prior.one, learner.concept_class.cuts)

    def commit(self, x: Any, y: int, weight: float) -> None:
        self.cuts.charge(x, y, weight)

    def set_rate(self, rate: float) -> None:
        self.rate = rate

    def log_weight(self) -> float:
        masses, losses = self.cuts.labellings(), self.cuts.losses()
        return log_sum(np.array([mass - self.rate * losses[labels] for labels, mass in masses.items()]))


def listed(learner: Any) -> Any:
    if isinstance(learner.concept_class, TableRules):
        return SlowTable(learner.concept_class, learner.prior.name, 0.0)
    if learner.engine.kind == "stump-lines":
        return SlowStumps(learner.concept_class, learner.prior.name)
    return (ListedCuts if learner.engine.kind in ("cuts", "steps") else Listed)(learner)


@pytest.mark.parametrize("prior", ["kt", "mixed"])
@pytest.mark.parametrize("name", FAMILIES)
def test_ln_z_is_that_of_all_labellings(name: str, prior: str) -> None:
    c = parse(FAMILIES[name])
    learner: Any = at.Adept(c, prior=prior)
    engine, kernel, rng, slow = learner.engine, learner.engine.kernel, np.random.default_rng(3), listed(learner)
    kernel.scale = 3.0
    assert kernel.log_total() == pytest.approx(0.0, abs=1e-12)
    points = [c.random_instance(rng) for _ in range(7)]
    for t in range(24 if COMPILED else 12):
        rate = RATES[t * len(RATES) // 24]
        engine.rate = rate
        slow.set_rate(rate)
        assert kernel.log_total() - rate * kernel.least() == pytest.approx(slow.log_weight(), abs=1e-9), t
        x, y, weight = points[rng.integers(7)], int(rng.integers(2)), float(rng.choice([1.0, 1.0, 0.5, 3.0]))
        if t % 2:  # a look moves nothing
            engine.probability(x)
            assert kernel.log_total() - rate * kernel.least() == pytest.approx(slow.log_weight(), abs=1e-9), t
        engine.commit(x, y, weight)
        slow.commit(x, y, weight)
        assert kernel.log_total() - rate * kernel.least() == pytest.approx(slow.log_weight(), abs=1e-9), t


@pytest.mark.parametrize("c", [at.Thresholds(16), at.FiniteClass([[0, 0], [0, 1], [1, 1]])], ids=repr)
def test_the_papers_prior_has_no_ln_z(c: Any) -> None:
    """It loses mass where a path is not contested, so that no mixture can weigh it."""
    learner: Any = at.Adept(c, horizon=50, engine="collapsed")
    learner.learn(1, 1)
    assert math.isnan(learner.engine.kernel.log_total())
    assert math.isfinite(learner.engine.log_potential())
