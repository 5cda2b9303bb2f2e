"""A mixture of structures has the numbers of all rules of its parts, each with its share of the prior."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cut_labellings import SlowCuts

import adeptree as at
from adeptree.core.compiled import kernel
from adeptree.families.finite.partition_engine import FiniteEngine
from adeptree.families.line.cuts_engine import CutsEngine, CutsPrior
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.theory.coins import word_of
from adeptree.theory.mixture import log_sum
from adeptree.theory.priors import MixedPrior

SHARES = np.log([0.5, 0.2, 0.2, 0.1])
NAMES = ("a", "b", "vote", "other")
KERNEL = kernel("adeptree.structures.mixture_kernel")


class Listed:
    """All rules with their masses and losses: a threshold, an interval, and two rules that follow a column."""

    def __init__(self) -> None:
        lines = (at.Thresholds(9).line, at.Intervals(7).line)
        self.lines = [SlowCuts(line, CutsPrior("mixed", line, 1).one, cuts) for cuts, line in enumerate(lines, 1)]
        self.lost = {"vote": 0.0, "other": 0.0}

    def sides(self, row: dict[str, int], rate: float) -> tuple[float, float]:
        """Return ln of the weights of 0 and of 1 at a row, which enters."""
        logs: tuple[list[float], list[float]] = ([], [])
        for name, line, share in zip(NAMES, self.lines, SHARES, strict=False):
            line.enter(row[name])
            at_row, losses = line.ends.index(row[name]) - 1, line.losses()
            for labels, mass in line.labellings().items():
                logs[labels[at_row]].append(share + mass - rate * losses[labels])
        for name, share in zip(NAMES[2:], SHARES[2:], strict=True):
            logs[row[name]].append(share - rate * self.lost[name])
        zero, one = (log_sum(np.array(side or [-math.inf])) for side in logs)
        return zero, one

    def charge(self, row: dict[str, int], label: int, cost: float) -> None:
        for name, line in zip(NAMES, self.lines, strict=False):
            line.charge(row[name], label, cost)
        for name in NAMES[2:]:
            self.lost[name] += cost * (row[name] != label)

    def least(self) -> float:
        return min(*(min(line.losses().values()) for line in self.lines), *self.lost.values())


def mixture(shares: Any = SHARES) -> Any:
    follow: Any = at.FiniteClass([[0, 1]])
    parts: list[Any] = [ThresholdsEngine(at.Thresholds(9), CutsPrior("mixed", at.Thresholds(9).line, 1).one)]
    parts += [CutsEngine(at.Intervals(7), MixedPrior()), *(FiniteEngine(follow, MixedPrior()) for _ in range(2))]
    made = KERNEL.MixtureKernel([part.kernel for part in parts], NAMES, [None] * 4, shares, word_of)
    return made, parts  # (the parts' engines make columns for the kernel)


@pytest.mark.parametrize("seed", range(6))
def test_the_numbers_of_all_rules(seed: int) -> None:
    rng, slow = np.random.default_rng(seed), Listed()
    made, _ = mixture()
    made.scale = 5.0
    for t in range(24):
        rate = (4.0, 0.7, 0.05)[t // 8]
        made.set_rate(rate)
        row = {name: int(rng.integers(size)) for name, size in zip(NAMES, (9, 7, 2, 2), strict=True)}
        label, cost = int(rng.integers(2)), float(rng.choice([1.0, 5.0, 0.5]))
        zero, one = slow.sides(row, rate)
        p = made.chance(row)
        assert p == pytest.approx(1 / (1 + math.exp(zero - one)), abs=1e-12)
        assert made.log_ratio() == pytest.approx(one - zero, abs=1e-10)
        assert made.word == word_of(row)
        assert made.log_total() - rate * made.least() == pytest.approx(np.logaddexp(zero, one), abs=1e-10)
        if t % 3 == 1:  # a label that comes late
            assert made.open(row, 0) and made.settle(row, label, cost, p, 0.0, 0, 0)
        else:
            assert made.learn(row, label, cost)
        slow.charge(row, label, cost)
        assert made.least() == pytest.approx(slow.least(), abs=1e-9)
    assert made.ledger.rounds == 24


@pytest.mark.parametrize("rate", [0.3, 4.0])
def test_weights_are_relative_to_the_largest(rate: float) -> None:
    """The part with the least loss may have next to no share of the prior: then others decide, and p is a number."""
    made, _ = mixture([-2000.0, -3000.0, -1.0, -1.0])
    made.set_rate(rate)
    row = {"a": 4, "b": 3, "vote": 1, "other": 1}
    for _ in range(200):
        assert made.learn(row, 0)  # the followed columns are always wrong, and lines learn it
    assert made.least() == 0
    assert made.chance(row) == pytest.approx(1.0, abs=1e-12)
    expected = -1.0 + math.log(2) - rate * 200
    assert made.log_total() == pytest.approx(expected, abs=1e-9)


def test_what_a_part_does_not_take_is_left_alone() -> None:
    made, _ = mixture()
    made.set_rate(0.5)
    row = {"a": 4, "b": 3, "vote": 1, "other": 0}
    made.learn(row, 1)
    before, asked = made.chance(row), made.asked
    for wrong in (row | {"b": 99}, row | {"b": None}, {"a": 2}, [1, 2], None):
        assert made.chance(wrong) == -1.0
        assert not made.learn(wrong, 1)
    assert made.chance(row) == before and made.ledger.rounds == 1
    made.chance(row)
    assert made.asked <= asked + 2 * made.count()  # (the row was put in place again, and asked about once)
