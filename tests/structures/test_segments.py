"""One rule per segment has the numbers of all combinations of rules, in separate structures or in one arena."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from cut_labellings import SlowCuts
from kernel_forms import forms_of

import adeptree as at
from adeptree.core.compiled import COMPILED, kernel
from adeptree.families.line.cuts_engine import CutsEngine, CutsPrior
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.line.two_way_engine import TwoWayEngine
from adeptree.theory.coins import word_of
from adeptree.theory.mixture import log_sum
from adeptree.theory.priors import KTPrior, MixedPrior, Prior

KERNEL = kernel("adeptree.structures.segments_kernel")
MIXTURE = kernel("adeptree.structures.mixture_kernel")
ENGINES: dict[str, Any] = {"thresholds": ThresholdsEngine}
EVERY: dict[str, Any] = {**ENGINES, "two-way": TwoWayEngine, "intervals": CutsEngine}
NAMES = ("a", "b", "c")
POOLED = 0.3
"""The share of one rule for all."""


def line(which: str = "thresholds", c: Any = None, prior: Prior | None = None) -> Any:
    grid = at.Intervals(4) if which == "intervals" else at.RealThresholds()
    return EVERY[which](c or grid, prior or MixedPrior())


class Part:
    """The needs of a structure of segments: a kernel, its rate and the price of its best rule."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def price(self) -> float:
        return 1.5

    @property
    def rate(self) -> float:
        return float(self.kernel.eta)

    @rate.setter
    def rate(self, eta: float) -> None:
        self.kernel.set_rate(eta)


class Combinations:
    """Every combination of a rule per segment, next to every rule for all, with their masses and losses."""

    def __init__(self, which: str) -> None:
        self.two_way, self.rounds = which == "two-way", list[tuple[str, int, int, float]]()
        cuts = 2 if which == "intervals" else 1
        whole: Any = at.Intervals(4).line if cuts == 2 else at.Thresholds(4).line
        prior = CutsPrior("mixed", whole, 2).one if cuts == 2 else MixedPrior()
        self.lines = {name: SlowCuts(whole, prior, cuts) for name in (*NAMES, "all")}

    def rules(self, name: str) -> list[tuple[float, dict[int, int]]]:
        """Return ln of the mass of each rule of a line, and what it says of the points that entered there."""
        slow = self.lines[name]
        found = [(mass, dict(zip(slow.ends[1:-1], labels, strict=True))) for labels, mass in slow.labellings().items()]
        if self.two_way:
            falling = [(mass, {x: 1 - label for x, label in says.items()}) for mass, says in found]
            found = [(mass - math.log(2), says) for mass, says in found + falling]
        return found

    def all(self) -> list[tuple[float, dict[str, dict[int, int]]]]:
        pooled = [(math.log(POOLED) + mass, dict.fromkeys(NAMES, says)) for mass, says in self.rules("all")]
        chosen = product(*(self.rules(name) for name in NAMES))
        own = [
            (
                math.log(1 - POOLED) + sum(mass for mass, _ in each),
                {s: one[1] for s, one in zip(NAMES, each, strict=True)},
            )
            for each in chosen
        ]
        return pooled + own

    def loss(self, says: dict[str, dict[int, int]]) -> float:
        return math.fsum(cost for name, x, label, cost in self.rounds if says[name][x] != label)

    def sides(self, name: str, x: int, rate: float) -> tuple[float, float]:
        """Return ln of the weights of 0 and of 1 at a point, which enters."""
        logs: tuple[list[float], list[float]] = ([], [])
        for entered in (name, "all"):
            self.lines[entered].enter(x)
        for mass, says in self.all():
            logs[says[name][x]].append(mass - rate * self.loss(says))
        zero, one = (log_sum(np.array(side)) for side in logs)
        return zero, one


@pytest.mark.parametrize(("which", "arena"), [*((which, True) for which in ENGINES), *((one, False) for one in EVERY)])
@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_of_all_combinations(which: str, arena: bool, seed: int) -> None:
    """Pooled next to per segment, with late labels, costs and a rate that changes."""
    rng, slow = np.random.default_rng(seed), Combinations(which)
    c = at.Intervals(4) if which == "intervals" else at.Thresholds(4)
    unit = -math.log(2) if slow.two_way else 0.0
    pooled = line(which, c)
    segments = KERNEL.ArenaKernel(line(which, c).kernel) if arena else KERNEL.SegmentsKernel(lambda: line(which, c))
    shares = [math.log(POOLED) + unit, math.log(1 - POOLED)]
    readers = [None, lambda row: (row["by"], row["x"])]
    made = MIXTURE.MixtureKernel([pooled.kernel, segments], ["x", "by"], readers, shares, word_of)
    made.scale, late = 5.0, list[tuple[dict[str, Any], float]]()
    for t in range(18):
        rate = (4.0, 0.7, 0.05)[t // 6]
        made.set_rate(rate)
        name, x = NAMES[int(rng.integers(3))], int(rng.integers(4))
        label, cost = int(rng.integers(2)), float(rng.choice([1.0, 5.0, 0.5]))
        row: dict[str, Any] = {"by": name, "x": x}
        zero, one = slow.sides(name, x, rate)
        p = made.chance(row)
        assert p == pytest.approx(1 / (1 + math.exp(zero - one)), abs=1e-12)
        assert made.log_ratio() == pytest.approx(one - zero, abs=1e-10)
        assert made.log_total() - rate * made.least() == pytest.approx(np.logaddexp(zero, one), abs=1e-10)
        assert made.chance(row) == p
        if t % 3 == 1:
            assert made.open(row, 0)
            late.append((row, p))
        else:
            assert made.learn(row, label, cost)
            slow.rounds.append((name, x, label, cost))
        if late and t % 4 == 3:
            row, p = late.pop(0)
            assert made.settle(row, 1 - label, cost, p, 0.0, 0, 0)
            slow.rounds.append((row["by"], row["x"], 1 - label, cost))
        assert made.least() == pytest.approx(min(slow.loss(says) for _, says in slow.all()), abs=1e-9)
        if which != "intervals":  # (their engine counts labellings, the kernel is not asked)
            assert segments.count() == math.prod(len(slow.rules(each)) for each in NAMES if slow.lines[each].costs)


def stream(rounds: int, seed: int = 0) -> list[tuple[tuple[str, float], int, float]]:
    """Return pairs, labels and costs: three large segments and many small ones."""
    rng = np.random.default_rng(seed)
    names = np.where(rng.random(rounds) < 0.7, rng.integers(3, size=rounds), rng.integers(200, size=rounds))
    xs, ys = rng.random(rounds).round(4), rng.integers(2, size=rounds)
    costs = np.where(np.arange(rounds) < rounds // 2, 1.0, 0.5)
    return [((str(s), x), y, w) for s, x, y, w in zip(names, xs.tolist(), ys.tolist(), costs.tolist(), strict=True)]


@pytest.mark.parametrize("prior", [MixedPrior(), KTPrior()], ids=lambda prior: prior.name)
@pytest.mark.parametrize("which", ENGINES)
def test_every_segment_has_the_bits_of_a_kernel_of_its_own(which: str, prior: Prior) -> None:
    segments = KERNEL.ArenaKernel(line(which, prior=prior).kernel)
    alone: dict[str, Any] = {}
    rounds, rate = stream(6000 if COMPILED else 600), 0.7
    segments.set_rate(rate)
    for t, ((name, x), y, cost) in enumerate(rounds):
        if t % (len(rounds) // 4) == 0:
            rate = 0.7 - 0.1 * (4 * t // len(rounds))
            segments.set_rate(rate)
            for engine in alone.values():
                engine.rate = rate
        if name not in alone:
            alone[name] = line(which, prior=prior)
            alone[name].rate = rate
        engine = alone[name]
        assert segments.chance((name, x)) == engine.probability(x)
        assert segments.log_ratio() == engine.kernel.log_ratio()
        segments.learn((name, x), y, cost)
        engine.commit(x, y, cost)
    assert segments.least() == sum(engine.kernel.least() for engine in alone.values())
    unit = line(which).kernel.log_total()
    expected = math.fsum(engine.kernel.log_total() - unit for engine in alone.values())
    assert segments.log_total() == pytest.approx(expected, abs=1e-9)
    if COMPILED:
        assert max(engine.kernel.cells for engine in alone.values()) > 1000  # (trees were divided and built again)


@pytest.mark.parametrize("which", ENGINES)
def test_a_segment_is_saved_as_a_line_and_planted_in_another_arena(which: str) -> None:
    rounds, engines = stream(900), [line(which), line(which)]
    first, second = (KERNEL.ArenaKernel(engine.kernel) for engine in engines)
    for segments in (first, second):
        segments.set_rate(0.4)
    for pair, y, cost in rounds[:600]:
        first.learn(pair, y, cost)
    for name, k in first.places.items():
        first.visit(k)
        kept = engines[0].state()
        second.meet(name)
        engines[1].restore(kept)
        second.keep()
    second.stale = True  # (of all, the sums must be computed)
    second.set_rate(0.4)
    assert second.least() == first.least() and second.count() == first.count()
    first.discard()
    for pair, y, cost in rounds[600:]:
        assert second.chance(pair) == first.chance(pair)
        first.learn(pair, y, cost)
        second.learn(pair, y, cost)
    assert second.log_total() == pytest.approx(first.log_total(), abs=1e-9)


def test_machine_code_and_source_give_the_same_bits() -> None:
    found = []
    for form, thresholds in zip(
        forms_of("adeptree.structures.segments_kernel"),
        forms_of("adeptree.structures.thresholds_kernel"),
        strict=True,
    ):
        measure = line().measure()
        for segments in (
            form.ArenaKernel(thresholds.ThresholdsKernel(*measure)),
            form.SegmentsKernel(lambda kind=thresholds, how=measure: Part(kind.ThresholdsKernel(*how))),
        ):
            bits = []
            for t, (pair, y, cost) in enumerate(stream(400)):
                segments.set_rate(0.5 if t < 200 else 0.3)
                bits.append((segments.chance(pair), segments.log_ratio(), segments.least(), segments.log_total()))
                segments.learn(pair, y, cost)
            found.append((bits, segments.asked, segments.count()))
    assert all(one == found[0] for one in found)


def test_a_batch_is_played_as_round_by_round() -> None:
    rounds = stream(300)
    one, many = (KERNEL.ArenaKernel(line().kernel) for _ in range(2))
    for segments in (one, many):
        segments.set_rate(0.5)
        segments.set_limits(math.inf, math.inf, math.inf)
    ps = np.empty(300)
    many.give([pair for pair, _, _ in rounds])
    assert many.run(np.array([y for _, y, _ in rounds]), np.empty(0), ps, 0, 300) == 300
    for p, (pair, y, _) in zip(ps.tolist(), rounds, strict=True):
        assert one.chance(pair) == p
        one.learn(pair, y)


def test_what_is_not_a_pair_is_left_alone() -> None:
    segments = KERNEL.ArenaKernel(line().kernel)
    segments.set_rate(0.5)
    segments.learn(("a", 1.0), 1)
    before = segments.chance(("a", 1.0))
    for wrong in ("a", ("a",), ("a", math.nan), ("a", "x"), (1, 1.0), (["a"], 1.0), ("a", 1.0, 2.0), None):
        assert segments.chance(wrong) == -1.0 and not segments.learn(wrong, 1)
    assert segments.chance(("b", 1.0)) == line().probability(1.0)  # (a look at a new segment keeps nothing)
    assert segments.chance(("a", 1.0)) == before and len(segments.places) == 1


def test_a_segment_takes_few_bytes() -> None:
    """Size with three rounds each, names included; one kernel per segment takes 30,000."""
    count = 5_000 if COMPILED else 500
    rng = np.random.default_rng(0)
    tracemalloc.start()
    try:
        segments = KERNEL.ArenaKernel(line().kernel)
        segments.set_rate(0.5)
        before = tracemalloc.get_traced_memory()[0]
        for t in range(3 * count):
            segments.learn((f"tenant {t % count}", float(rng.random())), t % 2)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert (after - before) / count <= 600
