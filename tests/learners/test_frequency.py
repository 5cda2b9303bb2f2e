"""The frequency beside p: known before the label, calibrated, and the same after going on from its state."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import steady

import adeptree as at
from adeptree import errors

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
    # p is no frequency: on these streams it is many points away from one.
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
    assert all(0 <= f <= 1 and round(100 * f) / 100 == f for f in found)


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


@given(rows, st.floats(0, 1))
@steady
def test_the_number_costs_least_of_all_hundredths(stream: list[tuple[float, int]], p: float) -> None:
    frequency = at.Frequency()
    near, ones, owed, last = [0.0, 0.0], [0.0, 0.0], [0.0] * 10, [-1, -1]

    def cost(hundredths: int, side: int) -> float:
        own = (ones[side] + 3 * (sum(ones) + 1) / (sum(near) + 2)) / (near[side] + 3)
        tenth, away = min(hundredths // 10, 9), hundredths / 100 - own
        return 6 * away**2 - 2 * owed[tenth] * away + 0.15 * (tenth != last[side]) + 99 * (abs(away) > 0.6 + 1e-12)

    for answered, y in [*stream, (p, 1)]:
        side, given = int(answered >= 0.5), round(100 * frequency.of(answered))
        assert cost(given, side) <= min(cost(number, side) for number in range(101)) + 1e-9
        frequency.learn(answered, y)
        owed[min(given // 10, 9)] += y - given / 100
        last[side] = min(given // 10, 9)
        fade = 39 / 40 if near[side] >= 40 else 1.0
        near[side], ones[side] = fade * near[side] + 1, fade * ones[side] + y


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_p_is_a_chance(p: float) -> None:
    with pytest.raises(errors.InvalidArgument, match="p must be the chance"):
        at.Frequency().of(p)


@pytest.mark.parametrize(
    "damage",
    [
        {"rows": -1},
        {"owed": [0.0]},
        {"near": [1.0, float("nan")]},
        {"ones": [5.0, 0.0]},
        {"last": [10, 0]},
        {"last": None},
    ],
)
def test_a_state_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    frequency = at.Frequency()
    with pytest.raises((ValueError, TypeError)):
        frequency.restore(frequency.state() | damage)
