"""Plots of a game: regret, losses, weights of the rules, width and queries."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.errors import AdeptreeError, InvalidArgument, NoBetterThanACoin, got
from adeptree.core.escaping import rounded_up, visible
from adeptree.core.types import FloatArray, IntArray
from adeptree.families.specs import parse
from adeptree.learners.adept_learner import Adept
from adeptree.pages.account_plots import BEST, CONSTANT, DRAWN, LEADING, OURS, axes_for, finished, plot_promise

if TYPE_CHECKING:
    from adeptree.games.transcript import Transcript

MOST_WEIGHTS = 20_000_000
"""Largest replayed game: rounds times paths."""


def plot_game(run: Transcript, what: str, ax: Any) -> Any:
    """Draw one of the four pictures."""
    if what not in PICTURES:
        raise InvalidArgument(f"plot draws one of {', '.join(PICTURES)}; {got('what', what)}")
    drawn, ylabel = PICTURES[what]
    axes = axes_for(ax)
    drawn(run, axes)
    return finished(axes, ylabel)


def _rounds(run: Transcript) -> IntArray:
    return np.arange(1, len(run) + 1)


def _regret(run: Transcript, axes: Any) -> None:
    drawn = np.cumsum(run.realised_losses) - run.column("best_loss").astype(float)
    axes.plot(_rounds(run), run.regrets, color=OURS, label="regret, exactly")
    axes.plot(_rounds(run), drawn, color=DRAWN, linewidth=0.9, label="of the labels drawn")
    if (learner := _again(run)) is not None:
        plot_promise(learner, len(run), axes)
    if run.bound < math.inf:
        seen = f"proven, from what was seen: {rounded_up(run.bound)}"
        axes.plot(len(run), run.bound, "_", color="0.5", markersize=14, label=seen)


def _loss(run: Transcript, axes: Any) -> None:
    ys, costs = run.column("y"), run.costs
    constant = np.minimum(np.cumsum(costs * ys), np.cumsum(costs * (1 - ys)))
    axes.plot(_rounds(run), np.cumsum(run.losses), color=OURS, label="expected loss")
    axes.plot(_rounds(run), constant, color=CONSTANT, label="best constant so far")
    if all(r.best_loss is not None for r in run):
        axes.plot(_rounds(run), run.column("best_loss"), color=BEST, label="best rule so far")
    else:  # the best loss is only known at the end
        axes.plot(len(run), run.best_loss, "o", color=BEST, label="best rule")


def _width(run: Transcript, axes: Any) -> None:
    for name, colour in (("width", OURS), ("asked", CONSTANT), ("posed", DRAWN)):
        values = run.column(name)
        if values.any():
            axes.plot(_rounds(run), values, color=colour, label=name if name == "width" else f"queries {name}, in all")
    axes.set_yscale("log")


def _weights(run: Transcript, axes: Any) -> None:
    names, shares = leading_weights(run)
    for name, share, colour in zip(names, shares.T, LEADING, strict=False):
        axes.plot(_rounds(run), share, color=colour, label=visible(name)[:40])
    axes.set_ylim(-0.02, 1.02)
    axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])  # no tick next to the legend


PICTURES: dict[str, tuple[Any, str]] = {
    "regret": (_regret, "regret"),
    "loss": (_loss, "loss so far"),
    "weights": (_weights, "share of the weight"),
    "width": (_width, "paths, queries"),
}


def _again(run: Transcript, **changed: Any) -> Adept | None:
    """Return the learner of a game before its first round, if the header describes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoBetterThanACoin)
            settings = {**run.header["settings"], **changed}
            return Adept(parse(run.header["class"]), **settings) if run.header["learner"] == "adept" else None
    except (AdeptreeError, KeyError, TypeError):
        return None


def leading_weights(run: Transcript, count: int = 5) -> tuple[list[str], FloatArray]:
    """Return the heaviest rules at the end, and the share of each after every round, by replaying the game.

    A rule has the weight of its path: of all rules that agree with it on the points so far.
    """
    learner = _again(run, engine="paths")
    if learner is None:
        raise InvalidArgument("weights are drawn of games of Adept, on a class that its spec can bring back")
    parents, weights, kept = [], [], 0
    for r in run:
        if abs(learner.predict_proba(r.x) - r.p) > 1e-6:
            raise InvalidArgument(
                f"round {r.t} cannot be played again: the learner had learnt before the game, or weighs no single paths"
                f'; these are weighed by Adept(..., engine="paths")'
            )
        expansion = learner.paths.looked
        assert expansion is not None
        parents.append(expansion.extension.children.parent)
        learner.learn(r.x, r.y)
        rows = learner.paths.rows()
        log_weight = rows.log_mass - learner.learning_rate * rows.losses
        share = np.exp(log_weight - log_weight.max())
        weights.append(share / share.sum())
        kept += len(share)
        if kept > MOST_WEIGHTS or len(share) != len(parents[-1]):
            raise InvalidArgument("weights are drawn of games that are short, and in which no path is dropped")
    if not weights:
        return [], np.zeros((0, 0))
    row = np.argsort(-weights[-1], kind="stable")[:count]
    names = [str(learner.paths.frontier.concept(int(i))) for i in row]
    shares = np.empty((len(run), len(row)))
    for t in range(len(run) - 1, -1, -1):
        shares[t] = weights[t][row]
        row = parents[t][row]
    return names, shares
