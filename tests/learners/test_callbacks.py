"""Callbacks change nothing: the numbers are those of a call without callbacks."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.games import Round

RNG = np.random.default_rng(5)
XS = RNG.integers(0, 16, 700)
YS = ((XS >= 6) ^ (RNG.random(700) < 0.2)).astype(int)
LEARNERS: list[Any] = [
    lambda: at.Adept(at.Thresholds(16), seed=2),
    lambda: at.Adept(at.Thresholds(16), 700, seed=2, engine="paths", costs=(3, 1)),
    lambda: at.Hedge(at.Thresholds(16), 700),
]


@pytest.mark.parametrize("which", range(3))
def test_the_numbers_are_the_same_and_every_round_is_told(which: int) -> None:
    alone, watched, asked, single = (LEARNERS[which]() for _ in range(4))
    said = alone.learn_many(XS, YS)
    rows: list[Round] = []
    changes: list[tuple[int, str]] = []
    steps: list[tuple[int, int]] = []
    again = watched.learn_many(
        XS,
        YS,
        on_round=rows.append,
        on_best_rule_changed=lambda row, rule: changes.append((row.t, str(rule))),
        progress=lambda done, total: steps.append((done, total)),
    )
    np.testing.assert_array_equal(again, said)
    np.testing.assert_array_equal(asked.learn_many(XS, YS, progress=lambda done, total: steps.append((0, done))), said)
    run = at.play(single, zip(XS.tolist(), YS.tolist(), strict=True), 700)
    assert rows == list(run) and steps[:700] == [(t, 700) for t in range(1, 701)]
    assert 1 < len(steps) - 700 <= 200 and steps[-1] == (0, 700)
    assert watched.saved()["account"] == alone.saved()["account"]
    # The best rule, looked at by hand.
    slow, rule, expected = LEARNERS[which](), str(LEARNERS[which]().best_rule()), []
    for t, (x, y) in enumerate(zip(XS.tolist(), YS.tolist(), strict=True), 1):
        slow.learn(x, y)
        if (now := str(slow.best_rule())) != rule:
            rule = now
            expected.append((t, now))
    assert changes == expected and changes


def test_a_game_tells_too() -> None:
    rows: list[Round] = []
    changes: list[str] = []
    steps: list[int] = []
    run = at.play(
        at.Adept(at.Thresholds(16), 700),
        zip(XS.tolist(), YS.tolist(), strict=True),
        on_round=rows.append,
        on_best_rule_changed=lambda row, rule: changes.append(str(rule)),
        progress=lambda done, total: steps.append(done),
    )
    assert rows == list(run) and changes and steps == list(range(1, 701))


def test_weights_and_frames_are_watched_too() -> None:
    pd = pytest.importorskip("pandas")
    frame, weights = pd.DataFrame({"a": XS.astype(float)}), [1 + i % 3 for i in range(700)]
    alone, watched = (at.Adept(at.RealStumps(["a"]), max_weight=3) for _ in range(2))
    rows: list[Round] = []
    said = alone.learn_many(frame, YS, weights)
    assert watched.learn_many(frame, YS, weights, on_round=rows.append).equals(said)
    assert rows[3].x == {"a": float(XS[3])} and watched.certificate() == alone.certificate()


def test_what_a_watcher_raises_leaves_whole_rounds_and_the_horizon_is_looked_at_first() -> None:
    def stop(row: Round) -> None:
        if row.t == 5:
            raise KeyboardInterrupt

    learner, twin = (at.Adept(at.Thresholds(16), 10) for _ in range(2))
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many(XS[:9], YS[:9], on_round=stop)
    twin.learn_many(XS[:5], YS[:5])
    assert learner.certificate() == twin.certificate()
    with pytest.raises(at.errors.HorizonReached):
        learner.learn_many(XS, YS, progress=lambda done, total: pytest.fail("nothing was to be learnt"))
    assert learner.rounds == 5
    assert learner.learn_many([], [], progress=True).tolist() == []


def test_progress_is_written_to_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    at.Adept(at.Thresholds(16)).learn_many(XS, YS, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("700 of 700 rounds (100%), ") and err.endswith(" s\n") and "\r" not in err
    at.play(at.Adept(at.Thresholds(16), 3), [(1, 1)] * 3, progress=True)
    assert capsys.readouterr().err.startswith("3 of 3 rounds (100%)")


def test_the_log_tells_what_was_done(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(16))
    learner.learn_many(XS[:50], YS[:50])
    assert not caplog.records  # not requested
    with caplog.at_level(logging.INFO, "adeptree"):
        learner.learn_many(XS[50:90], YS[50:90])
        learner.save(tmp_path / "a")
        at.load(tmp_path / "a")
    assert [text.split(":")[0].split(" in ")[0].split(" /")[0] for text in caplog.messages] == [
        "40 rounds",
        "saved to",
        "loaded from",
    ]
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "adeptree"):
        at.Adept(at.Thresholds(16)).learn_many([8], [0])
    assert caplog.messages[0] == "round 1: the best rule is now x >= 9"
