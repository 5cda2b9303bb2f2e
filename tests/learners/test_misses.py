"""The account tells misses from false alarms: next to a slow count of every round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adeptree as at


@pytest.mark.parametrize("options", [{}, {"review": 0.4}, {"engine": "paths"}, {"drift": True}, {"rate": 0.1}])
@pytest.mark.parametrize("late", [False, True])
def test_misses_and_false_alarms_are_what_was_answered(options: dict[str, Any], late: bool) -> None:
    learner = at.Adept(at.Thresholds(16), costs=(5, 1), max_weight=3, **options)
    rng, open_, missed, alarmed, reviewed = np.random.default_rng(3), [], 0.0, 0.0, 0.0
    for _ in range(120):
        x, weight = int(rng.integers(16)), float(rng.integers(1, 4))
        open_.append((learner.answer(x), int(rng.random() < x / 16), weight))
        while len(open_) > (5 if late else 0):
            ticket, y, weight = open_.pop(int(rng.integers(len(open_))))
            learner.learn(ticket, y, weight)
            if y:
                missed += 5 * weight * (1 - ticket.p - ticket.r)
            else:
                alarmed += weight * ticket.p
            reviewed += weight * options.get("review", 0) * ticket.r
    assert learner.ledger.missed == pytest.approx(missed)
    assert learner.ledger.alarmed == pytest.approx(alarmed)
    assert learner.expected_loss - missed - alarmed == pytest.approx(reviewed, abs=1e-9)
    assert missed > 0 < alarmed and (reviewed > 0) == ("review" in options)


def test_batches_and_files_keep_both(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    xs, ys = rng.integers(0, 16, 300), rng.integers(0, 2, 300)
    single, many = (at.Adept(at.Thresholds(16), costs=(5, 1)) for _ in range(2))
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        single.learn(x, y)
    many.learn_many(xs, ys)
    many.save(tmp_path / "kept")
    again = at.load(tmp_path / "kept")
    assert (again.ledger.missed, again.ledger.alarmed) == (single.ledger.missed, single.ledger.alarmed)
    assert single.ledger.missed + single.ledger.alarmed == pytest.approx(single.expected_loss)
