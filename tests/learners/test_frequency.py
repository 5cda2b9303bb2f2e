"""The frequency next to p: known before the label, calibrated, and the same after resuming from its state."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import steady

import adeptree as at
from adeptree import errors
from adeptree.theory.coins import Coins

ALARMS = Path(at.__file__).parent / "data" / "machine_alarms.csv"
rows = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), max_size=60)


def calibration_error(given: Any, ys: Any) -> float:
    """10 bins, mean absolute difference weighted by the rows, in points: counted apart from the class itself."""
    given, ys = np.asarray(given), np.asarray(ys)
    bins = np.minimum(np.floor(given * 10 + 1e-9), 9)
    return float(sum(abs(given[bins == b].sum() - ys[bins == b].sum()) for b in range(10)) / len(ys) * 100)


def streams() -> dict[str, tuple[Any, Any, Any]]:
    """Name -> (class, points, labels)."""
    table = list(csv.DictReader(ALARMS.read_text().splitlines()))
    found: dict[str, tuple[Any, Any, Any]] = {
        "machine-alarms": (
            at.Thresholds(1024),
            np.array([int(row["vibration"]) for row in table]),
            np.array([int(row["failed"]) for row in table]),
        )
    }
    rng = np.random.default_rng(0)
    x = rng.random(5000)
    found["noisy threshold"] = (at.RealThresholds(), x, (rng.random(5000) < 0.1 + 0.7 * (x > 0.4)).astype(int))
    found["rare"] = (at.RealThresholds(), x, (rng.random(5000) < 0.03).astype(int))
    found["drifting rate"] = (at.RealThresholds(), x, (rng.random(5000) < np.linspace(0.1, 0.7, 5000)).astype(int))
    return found


@pytest.mark.parametrize("name", streams())
def test_it_is_calibrated_within_two_points(name: str) -> None:
    c, xs, ys = streams()[name]
    ps = at.Adept(c).learn_many(xs, ys)
    frequency = at.Frequency()
    given = frequency.of_many(ps.tolist(), ys.tolist())
    error = calibration_error(given, ys)
    assert error <= 2.0 and frequency.error == pytest.approx(error)
    # p is not a frequency: on these streams it is many points away from one.
    assert calibration_error(ps, ys) > 2 * error


def test_it_tells_the_sides_apart() -> None:
    rng = np.random.default_rng(1)
    side = rng.integers(0, 2, 4000)
    ys = (rng.random(4000) < np.where(side, 0.85, 0.15)).astype(int)
    given = np.array(at.Frequency().of_many(np.where(side, 0.97, 0.03).tolist(), ys.tolist()))
    assert abs(given[side == 1].mean() - 0.85) < 0.05 and abs(given[side == 0].mean() - 0.15) < 0.05


@given(rows, st.integers(0, 60))
@steady
def test_it_goes_on_from_its_state_to_the_last_bit(stream: list[tuple[float, int]], cut: int) -> None:
    whole, first, later = at.Frequency(), at.Frequency(), at.Frequency()
    expected = whole.of_many(*zip(*stream, strict=True)) if stream else []
    head, tail = stream[:cut], stream[cut:]
    found = first.of_many([p for p, _ in head], [y for _, y in head])
    later.restore(json.loads(json.dumps(first.state())))
    found += later.of_many([p for p, _ in tail], [y for _, y in tail])
    assert found == expected and later.state() == whole.state()
    assert all(0 <= f <= 1 and round(1000 * f) / 1000 == f for f in found)


@given(rows)
@steady
def test_looking_commits_nothing_and_late_labels_are_charged_as_answered(stream: list[tuple[float, int]]) -> None:
    frequency = at.Frequency()
    for p, y in stream:
        state = frequency.state() | {}
        given = frequency.of(p)
        assert frequency.of(p) == given and frequency.state() == state
        frequency.learn(p, y, given)
    assert frequency.of_many([0.3], [None]) == [frequency.of(0.3)] and frequency.rows == len(stream)


class Slow:
    """The same by its definition: every memory sums over all rows of its side, of both, or after three labels."""

    memories = (8, 40, 200, 1000)
    fresh = (*[0.96 * 4**i / 170 for i in range(4)] * 2, 0.02, 0.02)

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []
        self.belief = {side: list(self.fresh) for side in (0, 1)}
        self.owed, self.last = [0.0] * 10, {0: -1, 1: -1}

    def counted(self, labels: list[int], memory: int) -> tuple[float, float]:
        """Numbers of rows and of ones: five at 1/2 are there first, and each row makes those before fade."""
        near, ones = 5.0, 2.5
        for label in labels:
            fade = 1 - 1 / memory if near >= memory else 1.0
            near, ones = fade * near + 1, fade * ones + label
        return near, ones

    def chances(self, side: int) -> list[float]:
        both = [y for _, y in self.seen]
        own, padded = [y for s, y in self.seen if s == side], [0, 0, 0, *both]
        after = [y for i, (s, y) in enumerate(self.seen) if s == side and padded[i : i + 3] == padded[-3:]]
        kinds = [(own, m) for m in self.memories] + [(both, m) for m in self.memories] + [(after, 40), (after, 200)]
        return [(ones + 0.005) / (near + 0.01) for near, ones in (self.counted(*kind) for kind in kinds)]

    def cost(self, steps: int, side: int) -> float:
        own = sum(b * c for b, c in zip(self.belief[side], self.chances(side), strict=True))
        tenth, away = min(steps // 100, 9), steps / 1000 - own
        moved = 0.05 * (tenth != self.last[side])
        return float(5 * away**2 - 2 * self.owed[tenth] * away + moved + 99 * (abs(away) > 0.6 + 1e-12))

    def learn(self, side: int, y: int, given: float) -> None:
        belief = [b * (c if y else 1 - c) for b, c in zip(self.belief[side], self.chances(side), strict=True)]
        self.belief[side] = [0.997 * b / sum(belief) + 0.003 * f for b, f in zip(belief, self.fresh, strict=True)]
        self.seen.append((side, y))
        tenth = min(round(1000 * given) // 100, 9)
        self.owed[tenth] += y - given
        self.last[side] = tenth


@given(rows)
@steady
def test_the_number_costs_least_of_all_thousandths(stream: list[tuple[float, int]]) -> None:
    frequency, slow = at.Frequency(), Slow()
    for answered, y in stream[:25]:
        side, given = int(answered >= 0.5), frequency.of(answered)
        steps = [*range(0, 1001, 7), round(1000 * given) - 1, round(1000 * given) + 1]
        least = min(slow.cost(number, side) for number in steps if 0 <= number <= 1000)
        if sum(s * s for s in counted(frequency)) <= frequency.rows:  # (else a coin decides)
            assert slow.cost(round(1000 * given), side) <= least + 1e-9
        frequency.learn(answered, y)
        slow.learn(side, y, given)


@pytest.mark.parametrize("q", [0.13, 0.36, 0.45, 0.75])
def test_labels_of_one_frequency_inside_a_tenth_are_told_within_two_points(q: float) -> None:
    rng = np.random.default_rng(2)
    ys, ps = (rng.random((20, 1500)) < q).astype(int), rng.random((20, 1500))
    errors = []
    for labels, chances in zip(ys, ps, strict=True):
        frequency = at.Frequency()
        frequency.of_many(chances.tolist(), labels.tolist())
        errors.append(frequency.error)
    assert np.mean(errors) < 1.3 and np.mean(np.array(errors) > 2) <= 0.1


def test_a_stream_sorted_by_its_label_is_followed() -> None:
    ys = [0] * 700 + [1] * 700
    frequency = at.Frequency()
    given = frequency.of_many([0.0] * len(ys), ys)
    assert frequency.error < 2 and np.mean((np.array(given) - ys) ** 2) < 0.01


@pytest.mark.parametrize(("ones", "period"), [(1, 2), (3, 5), (5, 7), (7, 10), (10, 20), (16, 20), (12, 30), (24, 30)])
def test_labels_that_repeat_at_the_edge_of_two_bins_are_followed(ones: int, period: int) -> None:
    """A number that goes up after every 1 is on the wrong side of the edge each time: once 21 points off at 3 of 5."""
    ys = ([1] * ones + [0] * (period - ones)) * (1500 // period)
    frequency = at.Frequency()
    frequency.of_many([1.0] * len(ys), ys)
    assert frequency.error < 2


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 1)), min_size=1, max_size=60), st.integers(1, 9))
@steady
def test_nobody_is_calibrated_better_than_a_walk_at_the_edge_of_two_bins(
    stream: list[tuple[int, int]], edge: int
) -> None:
    """Lower bound of docs/theory/calibration.md, for all numbers and labels; labels drawn at the edge make a walk."""
    given, ys = np.array([g / 100 for g, _ in stream]), np.array([y for _, y in stream])
    walk = np.where(given * 10 + 1e-9 < edge, 1, -1) @ (ys - edge / 10)
    assert calibration_error(given, ys) * len(ys) / 100 >= walk - 1e-9


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_p_is_a_chance(p: float) -> None:
    with pytest.raises(errors.InvalidArgument, match="p must be a number from 0 to 1"):
        at.Frequency().of(p)


def counted(frequency: at.Frequency) -> list[Fraction]:
    """Return the sums of the theorem in docs/theory/calibration.md: numbers 0.001 below an edge count as the edge."""
    return [Fraction(o - b, 1000) for o, b in zip(frequency.owed, frequency.below, strict=True)]


@given(st.lists(st.integers(-60_000, 60_000), min_size=10, max_size=10), st.floats(0, 1), st.integers(0, 9))
@steady
def test_the_coin_keeps_the_squares_of_the_sums_from_growing(owed: list[int], p: float, below: int) -> None:
    """One step of the proof: beyond n, for either label, the expected change of the sum of the squares is at most 1."""
    frequency, later = at.Frequency(), at.Frequency()
    frequency.restore(frequency.state() | {"owed": owed, "below": [below] * 10, "rows": 1000})
    sums = counted(frequency)
    squares = sum(s * s for s in sums)
    frequency.rows = max(61, min(1000, int(squares) - 1))
    assume(squares > frequency.rows and sum(map(abs, owed)) <= 1000 * frequency.rows)

    def tossed(coin: float) -> float:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Coins, "of", lambda coins, t, key: coin)
            return frequency.of(p)

    high = tossed(1 - 2**-53)
    edge = round(10 * high)
    assert high == edge / 10
    q, low = 0.0, high
    if 0 < edge < 10 and sums[edge] < 0:
        q, low = float(-sums[edge] / (sums[edge - 1] - sums[edge])), round(high - 0.001, 3)
    assert tossed(q * (1 + 1e-9) + 1e-15) == high and tossed(q * (1 - 1e-9)) == low
    for y in (0, 1):
        after = 0.0
        for number, chance, place in ((low, q, edge - 1), (high, 1 - q, min(edge, 9))):
            if chance:
                later.restore(frequency.state())
                later.learn(p, y, number)
                assert counted(later)[place] - sums[place] == y - Fraction(edge, 10)
                after += chance * float(sum(s * s for s in counted(later)) - squares)
        assert after <= 1 + 1e-9


@pytest.mark.parametrize("worst", [True, False])
def test_labels_that_know_all_but_the_coin_cannot_fool_it(worst: bool) -> None:
    """The opposite of a number with another coin, and labels that push the sums away from 0."""
    errors, squares, n = [], [], 1500
    for seed in range(4):
        frequency, twin = at.Frequency(seed), at.Frequency(seed + 100)
        for _ in range(n):
            number, other = frequency.of(0.7), twin.of(0.7)
            y = int(other < 0.5)
            if worst and (pull := twin.owed[min(int(other * 10 + 1e-9), 9)]):
                y = int(pull > 0)
            for each in (frequency, twin):
                each.learn(0.7, y, number)
        errors.append(frequency.error)
        squares.append(float(sum(s * s for s in counted(frequency))) / n)
    assert np.mean(errors) <= 100 * (5 / n**0.5 + 0.001) and np.mean(squares) <= 2.5
    assert np.mean(squares) > 0.5, "these labels need coins"


def test_its_coin_is_a_function_of_the_seed_and_the_round() -> None:
    ys = [0, 1] * 30
    fooled = [at.Frequency(seed).of_many([0.5] * 60, ys) for seed in (0, 0, 1)]
    assert fooled[0] == fooled[1]
    one, other = at.Frequency(1), at.Frequency(2)
    for each in (one, other):
        each.restore(each.state() | {"owed": [9_000] + [-9_000] * 9, "rows": 90})
    numbers = set()
    for _ in range(40):
        assert one.of(0.5) == one.of(0.5)
        numbers.add((one.of(0.5), other.of(0.5)))
        for each in (one, other):
            each.restore(each.state() | {"rows": each.rows + 1})
    assert numbers == {(a, b) for a in (0.099, 0.1) for b in (0.099, 0.1)}
    one.restore(other.state())
    assert one.seed == 2


@pytest.mark.parametrize(
    "damage",
    [
        {"rows": -1},
        {"rows": 0},
        {"seed": -1},
        {"seed": None},
        {"owed": [0]},
        {"owed": [0.0] * 10},
        {"owed": [2001] + [0] * 9},
        {"below": [3] + [0] * 9},
        {"below": [-1] + [0] * 9},
        {"near": [1.0, float("nan")]},
        {"near": [5.0] * 43 + [float("nan")]},
        {"near": [9.5] + [5.0] * 43},
        {"near": [5.0] * 43 + [0.5], "ones": [0.0] * 44},
        {"ones": [7.0] + [0.0] * 43},
        {"ones": [-0.1] + [0.0] * 43},
        {"belief": [0.1] * 10},
        {"belief": [0.2] * 20},
        {"belief": ([0.5, 0.5] + [0.0] * 8) * 2},
        {"after": 8},
        {"after": 1.0},
        {"last": [10, 0]},
        {"last": None},
    ],
)
def test_a_state_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    frequency = at.Frequency()
    frequency.of_many([0.2, 0.9], [1, 0])
    before = frequency.state()
    with pytest.raises(ValueError, match="cannot be what a learner saved"):
        frequency.restore(before | damage)
    assert frequency.state() == before


@pytest.mark.parametrize("wrong", [50, -0.3, 7, math.nan, "a"])
def test_a_wrong_number_is_refused_and_nothing_is_learnt(wrong: Any) -> None:
    frequency = at.Frequency()
    before = frequency.state()
    with pytest.raises(errors.InvalidArgument, match="given must be a number from 0 to 1"):
        frequency.learn(0.5, 1, wrong)
    with pytest.raises(errors.InvalidArgument, match="p must be a number from 0 to 1"):
        frequency.of_many([0.5, 0.7, wrong], [1, 0, 1])
    with pytest.raises(errors.AdeptreeError):
        frequency.of_many([0.5, 0.7], [1, 2])
    assert frequency.state() == before
