"""Pictures: what is drawn is what was counted, on the user's axes or on new ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.pages.game_plots import leading_weights

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def game(**options: Any) -> at.Transcript:
    learner = at.Adept(at.Thresholds(8), 60, seed=1, **options)
    return at.play(learner, at.Stochastic(at.Thresholds(8), noise=0.2), seed=4)


def lines(axes: Any) -> dict[str, np.ndarray[Any, Any]]:
    return {line.get_label(): line.get_ydata() for line in axes.get_lines()}


def test_regret_and_loss_are_those_of_the_rounds() -> None:
    run = game()
    drawn = lines(run.plot())
    np.testing.assert_array_equal(drawn["regret, exactly"], run.regrets)
    assert drawn["of the labels drawn"][-1] == run.realised_loss - run.best_loss
    assert drawn["proven in advance, of any stream"][-1] == at.Adept(at.Thresholds(8), 60).in_advance
    assert run.regret <= run.bound and any(label.startswith("proven, from what was seen") for label in drawn)
    drawn = lines(run.plot("loss"))
    assert drawn["expected loss"][-1] == pytest.approx(run.expected_loss)
    ys = [r.y for r in run]
    assert drawn["best constant so far"].tolist() == [min(sum(ys[:t]), t - sum(ys[:t])) for t in range(1, 61)]
    assert drawn["best rule so far"].tolist() == [r.best_loss for r in run]
    assert lines(run.plot("width"))["width"].tolist() == [r.width for r in run]


@pytest.mark.parametrize("grid", [None, (2, 3)])
def test_no_legend_lies_over_data(grid: tuple[int, int] | None) -> None:
    run, learner = game(), at.Adept(at.Thresholds(8), 60)
    drawn = [partial(run.plot, what) for what in ("regret", "loss", "weights", "width")] + [learner.plot]
    rooms = [None] * 5 if grid is None else pyplot.subplots(*grid, figsize=(12, 8))[1].flat
    for axes in [draw(ax=room) for draw, room in zip(drawn, rooms, strict=False)]:
        axes.figure.canvas.draw()
        legend = axes.get_legend().get_window_extent()
        for line in axes.get_lines():
            for x, y in axes.transData.transform(line.get_xydata()):
                assert not legend.contains(x, y), (axes.get_ylabel(), line.get_label())


def test_weights_are_those_of_the_paths() -> None:
    run = game()
    names, shares = leading_weights(run)
    # A slow recount: rules that agree on all points so far are one path; the weights of paths add up to 1.
    learner = at.Adept(at.Thresholds(8), 60, engine="paths")
    rules = [at.Thresholds(8).concept(i) for i in range(9)]
    seen: list[Any] = []
    for t, r in enumerate(run):
        learner.learn(r.x, r.y)
        seen.append(r.x)
        paths = {tuple(rule(x) for x in seen): str(rule) for rule in rules}
        rows = learner.paths.rows()
        weight = np.exp(rows.log_mass - learner.learning_rate * rows.losses)
        weight /= weight.sum()
        mine = {tuple(learner.paths.frontier.concept(i)(x) for x in seen): float(w) for i, w in enumerate(weight)}
        assert len(paths) == len(mine)
        for name, share in zip(names, shares[t], strict=True):
            (rule,) = (rule for rule in rules if str(rule) == name)
            assert share == pytest.approx(mine[tuple(rule(x) for x in seen)])
    assert set(lines(run.plot("weights"))) == set(names)


def test_a_game_with_costs_is_counted_in_them() -> None:
    learner = at.Adept(at.Thresholds(8), 60, seed=1, costs=(5, 1))
    run = at.play(learner, at.Stochastic(at.Thresholds(8), noise=0.2), seed=4)
    assert run.expected_loss == pytest.approx(learner.expected_loss) and run.realised_loss == learner.realised_loss
    assert run.regret == pytest.approx(learner.regret) and run.best_loss == learner.best_loss
    assert max(lines(run.plot("loss"))["best constant so far"]) >= run.best_loss


def test_axes_are_the_users_or_new_ones() -> None:
    learner = at.Adept(at.Thresholds(8))
    learner.learn_many([3, 5], [0, 1])
    run, axes = game(), pyplot.subplots()[1]
    for thing in (learner, learner.certificate(), run, at.FollowTheLeader(at.Thresholds(8), 9)):
        assert thing.plot(ax=axes) is axes
        new = thing.plot()
        assert new is not axes and new.get_xlabel()
        new.figure.canvas.draw()
    with pytest.raises(InvalidArgument, match="one of regret, loss, weights, width; got what='mistakes'"):
        run.plot("mistakes")


def test_bars_are_the_numbers_of_the_certificate() -> None:
    learner = at.Adept(at.Thresholds(8), 90)
    learner.learn_many([3, 5, 3], [0, 1, 1])
    certificate = learner.certificate()
    axes = certificate.plot()
    bars = dict(zip([t.get_text() for t in axes.get_yticklabels()], [b.get_width() for b in axes.patches], strict=True))
    assert bars["expected loss"] == certificate.expected_loss and bars["proven now"] == certificate.bound
    assert bars["proven of the end"] == certificate.final and bars["regret"] == certificate.regret


def test_games_that_cannot_be_played_again_say_so() -> None:
    learner = at.Adept(at.Thresholds(8), 60)
    learner.learn_many([3] * 5, [1] * 5)
    later = at.play(learner, [(x % 8, 1) for x in range(9)], 9)
    hedge = at.play(at.Hedge(at.Thresholds(8), 2), [(1, 1), (2, 1)])
    for run in (later, hedge):
        with pytest.raises(InvalidArgument, match=r"weights are drawn of games of Adept|cannot be played again"):
            run.plot("weights")
        assert run.plot("loss") is not None and run.plot() is not None


def test_without_matplotlib_plot_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtra, match=r"plot\(\) needs matplotlib; run in a clone: pip install '\.\[plot"):
        at.Adept(at.Thresholds(8)).plot()
