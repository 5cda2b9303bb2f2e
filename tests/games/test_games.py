"""The game protocol, its adversaries and transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import DamagedFile, InvalidArgument, InvalidLabel, StateError, UnknownVersion
from adeptree.games import Recorded, Round
from adeptree.roles.engine import Odds

CLASSES: list[at.ConceptClass] = [
    at.Thresholds(32),
    at.Intervals(16),
    at.BlockUnions(2),
    at.Stumps({"a": [1, 2, 3], "b": [0]}),
    at.Conjunctions(3),
    at.Disjunctions(3, monotone=True),
    at.Parities(4),
    at.FiniteClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]]),
]


@pytest.mark.parametrize("c", CLASSES, ids=str)
@pytest.mark.parametrize("kind", [at.Stochastic, at.Drifting, at.Greedy])
def test_every_adversary_plays_every_class_within_the_bound(c: at.ConceptClass, kind: Any) -> None:
    run = at.play(at.Adept(c, horizon=60, seed=3), kind(c), seed=5)
    assert len(run) == 60
    assert run.regret <= run.bound + 1e-9
    assert run.expected_loss == pytest.approx(sum(abs(r.p - r.y) for r in run))
    assert run.regrets[-1] == pytest.approx(run.regret)


def test_greedy_makes_a_deterministic_learner_err_every_round() -> None:
    class Stubborn(at.Hedge):
        """Always sure."""

        def _experts(self) -> Any:
            experts = super()._experts()
            odds = experts.odds
            experts.odds = lambda x: Odds(float(odds(x).p > 0.5), 0.0)  # type: ignore[method-assign]
            return experts

    run = at.play(Stubborn(at.Thresholds(16), horizon=50), at.Greedy(at.Thresholds(16)))
    assert run.expected_loss == 50 == run.realised_loss


@pytest.mark.parametrize("c", [at.Thresholds(15), at.Intervals(9), at.Parities(3), at.Conjunctions(3)], ids=str)
def test_littlestone_tree_costs_half_its_depth_and_stays_realizable(c: Any) -> None:
    depth = c.littlestone_dimension
    run = at.play(at.Adept(c, horizon=depth + 20), at.LittlestoneTree(c), seed=1)
    assert run.best_loss == 0
    assert sum(abs(r.p - r.y) for r in run.rounds[:depth]) >= depth / 2
    assert c.realizable([(r.x, r.y) for r in run])


def test_littlestone_tree_forces_its_dimension_on_the_optimal_deterministic_learner() -> None:
    c = at.Thresholds(15)
    soa = at.SOA(c)
    adversary = at.LittlestoneTree(c)
    adversary.start(10, 0)
    history: list[Round] = []
    state, mistakes = soa.start(), 0
    for t in range(10):
        x = adversary.instance(history)
        guess = soa.predict(state, x)
        y = adversary.label(history, x, float(guess))
        mistakes += guess != y
        state = soa.update(state, x, y)
        history.append(Round(t + 1, x, float(guess), guess, y, 1, 0, 0, 0))
    assert mistakes == c.littlestone_dimension == 4


def test_adversaries_never_see_the_coin() -> None:
    """Learners that differ only in their coins meet the same stream."""
    for kind in (at.Stochastic, at.Drifting, at.Greedy, at.LittlestoneTree):
        c = at.Thresholds(31)
        runs = [at.play(at.Adept(c, horizon=40, seed=seed), kind(c), seed=9) for seed in (1, 2)]
        assert [(r.x, r.y, r.p) for r in runs[0]] == [(r.x, r.y, r.p) for r in runs[1]]
        assert [r.guess for r in runs[0]] != [r.guess for r in runs[1]]


def test_guesses_follow_their_probabilities() -> None:
    c = at.FiniteClass([[0], [1]])
    ones = sum(at.Adept(c, horizon=4, seed=seed, rate=0.1).predict(0) for seed in range(2000))
    p = at.Adept(c, horizon=4, rate=0.1).predict_proba(0)
    assert abs(ones / 2000 - p) < 4 * (p * (1 - p) / 2000) ** 0.5


def test_stochastic_noise_and_target() -> None:
    c = at.Thresholds(64)
    run = at.play(at.Adept(c, 2000), at.Stochastic(c, noise=0.25, target=lambda x: int(x >= 20)), seed=1)
    flips = np.mean([r.y != (r.x >= 20) for r in run])
    assert abs(flips - 0.25) < 0.04
    clean = at.play(at.Adept(c, 100), at.Stochastic(c, noise=0.0), seed=1)
    assert clean.best_loss == 0


def test_drifting_changes_its_target_each_period() -> None:
    c = at.Thresholds(64)
    run = at.play(at.Adept(c, 400), at.Drifting(c, period=50, noise=0.0), seed=4)
    parts = [[(r.x, r.y) for r in run.rounds[i : i + 50]] for i in range(0, 400, 50)]
    assert all(c.realizable(part) for part in parts)
    assert not c.realizable([pair for part in parts for pair in part])


def test_instances_may_be_given() -> None:
    c = at.BlockUnions(1)
    run = at.play(at.Adept(c, 30), at.Stochastic(c, instances=["a", "b"], target=lambda x: int(x == "a"), noise=0.0))
    assert {r.x for r in run} == {"a", "b"}
    run = at.play(at.Adept(c, 10), at.Greedy(c, instances=lambda rng: int(rng.integers(3))))
    assert {r.x for r in run} <= {0, 1, 2}


@pytest.mark.parametrize("noise", [-0.1, 1.5, "much"])
def test_wrong_noise(noise: Any) -> None:
    with pytest.raises(InvalidArgument, match="noise must be a probability"):
        at.Stochastic(at.Thresholds(4), noise=noise)


def test_a_stream_that_is_too_short_or_no_stream() -> None:
    with pytest.raises(InvalidArgument, match="ended after 1 of 3 rounds"):
        at.play(at.Adept(at.Thresholds(4), 5), [(1, 0)], rounds=3)
    with pytest.raises(InvalidArgument, match="an adversary or an iterable"):
        at.play(at.Adept(at.Thresholds(4), 5), 7)
    assert repr(Recorded([])) == "Recorded()"


def test_a_bad_label_of_an_adversary_leaves_the_learner_unchanged() -> None:
    learner = at.Adept(at.Thresholds(4), 5)
    with pytest.raises(InvalidLabel):
        at.play(learner, [(1, 2)], rounds=1)
    assert learner.rounds == 0 and learner.width == 1


def test_on_round_sees_every_round() -> None:
    seen: list[Round] = []
    run = at.play(at.Adept(at.Thresholds(4), 5), [(1, 0), (2, 1)], rounds=2, on_round=seen.append)
    assert tuple(seen) == tuple(run)


def test_play_goes_on_where_the_learner_stands() -> None:
    c = at.Thresholds(8)
    pairs = [(t % 8, int(t % 3 == 0)) for t in range(10)]
    whole = at.play(at.Adept(c, 10, seed=1), pairs)
    learner = at.Adept(c, 10, seed=1)
    first, second = at.play(learner, pairs[:4], rounds=4), at.play(learner, pairs[4:])
    assert [r.p for r in whole] == [r.p for r in first] + [r.p for r in second]
    assert second.best_loss == whole.best_loss


def a_run() -> at.Transcript:
    c = at.Stumps({"a": [1.5], "b": [0, 1]})
    return at.play(at.Adept(c, 12), at.Stochastic(c), seed=3)


def test_transcript_save_and_load(tmp_path: Path) -> None:
    for run in (a_run(), at.play(at.Adept(at.Parities(3), 9), at.Greedy(at.Parities(3)))):
        run.save(tmp_path / "run.jsonl")
        again = at.Transcript.load(tmp_path / "run.jsonl")
        assert again == run
        assert again.summary() == run.summary()


def test_transcript_refuses_what_it_did_not_write(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    a_run().save(path)
    text = path.read_text()
    path.write_text(text.replace('"version": 3', '"version": 9'))
    with pytest.raises(UnknownVersion, match="9"):
        at.Transcript.load(path)
    for damaged in (text[: len(text) // 2], "", "hello\n", text.replace("[", "{", 1), '{"format": "other"}\n'):
        path.write_text(damaged)
        with pytest.raises(DamagedFile, match="damaged"):
            at.Transcript.load(path)
    with pytest.raises(StateError, match="could not be read"):
        at.Transcript.load(tmp_path / "nothing")


def test_transcript_as_a_frame() -> None:
    frame = a_run().to_frame()
    assert list(frame.columns) == ["t", "x", "p", "guess", "y", "width", "asked", "posed", "best_loss"]
    assert len(frame) == 12 and frame["y"].isin([0, 1]).all()


def test_summary_says_what_matters() -> None:
    run = a_run()
    text = run.summary()
    for part in ("adept", "stumps", "12 rounds", f"regret {run.regret:.2f}", f"bound {run.bound:.2f}", "asked"):
        assert part in text


class ReadsTheGuess(at.Adversary):
    """Uses last round's guess, which is history, never this round's."""

    def instance(self, history: Sequence[Round]) -> Any:
        return 0 if not history else history[-1].guess

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        return 1


def test_own_adversary_sees_past_guesses() -> None:
    run = at.play(at.Adept(at.Thresholds(4), 6), ReadsTheGuess())
    assert [r.x for r in run.rounds[1:]] == [r.guess for r in run.rounds[:-1]]
