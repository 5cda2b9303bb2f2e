"""Plots of an account: bounds against rounds, and the learner's losses and regret."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.escaping import rounded_up, visible
from adeptree.core.extras import Extra

if TYPE_CHECKING:
    from adeptree.learners.account import Account
    from adeptree.learners.certificate import Certificate


pyplot = Extra("matplotlib.pyplot", "plot()", "plot")

OURS, BEST, CONSTANT, DRAWN = "#0072b2", "#009e73", "#cc79a7", "#56b4e9"
"""Colours of measurements, by Okabe and Ito, which colour-blind readers can distinguish."""
PROVEN = {"color": "0.5", "linestyle": "--"}
"""Style of bounds: dashed, in a grey that is visible on white and on black."""
LEADING = (OURS, "#d55e00", BEST, CONSTANT, "#e69f00")


def axes_for(ax: Any) -> Any:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot.subplots(figsize=(4.8, 3.6), layout="constrained")[1]


def finished(ax: Any, ylabel: str, xlabel: str = "rounds") -> Any:
    """Label the axes and add a legend above the data, which extends the axes upwards."""
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    if ax.get_legend_handles_labels()[0]:
        legend = ax.legend(loc="upper left", framealpha=0.8, edgecolor="none", fontsize="small")
        ax.figure.draw_without_rendering()  # computes the layout
        taken = min(0.8, 1.1 * legend.get_window_extent().height / ax.get_window_extent().height)
        shown = ax.transData.inverted()
        top = ax.transAxes.transform((0, 1 / (1 - taken)))
        ax.set_ylim(ax.get_ylim()[0], shown.transform(top)[1])
    return ax


POINTS = 120
"""Number of points of a curve of bounds."""


def plot_account(learner: Account, ax: Any = None) -> Any:
    """Plot the guarantee in advance against rounds, with the current regret and bound."""
    axes = axes_for(ax)
    end = learner.horizon or max(100, 2 * learner.rounds)
    plot_promise(learner, end, axes)
    axes.plot([learner.rounds], [learner.regret], "o", color=OURS, label=f"regret now: {learner.regret:,.2f}")
    if learner.bound < math.inf:
        proven = f"proven now: {rounded_up(learner.bound)}"
        axes.plot([learner.rounds], [learner.bound], "_", color="0.5", markersize=14, label=proven)
    return finished(axes, "regret")


def plot_promise(learner: Account, end: int, axes: Any) -> None:
    """Plot the guarantee in advance against the number of rounds."""
    rounds = np.unique(np.linspace(1, end, POINTS).astype(int)).tolist()
    known = [(t, bound) for t in rounds if (bound := learner.bound_after(t)) is not None]
    if known:
        axes.plot(*zip(*known, strict=True), **PROVEN, label="proven in advance, of any stream")


def plot_certificate(certificate: Certificate, ax: Any = None) -> Any:
    """Plot the losses so far, and the regret next to its bounds."""
    axes = axes_for(ax)
    told = {
        "expected loss": (certificate.expected_loss, OURS),
        "drawn": (certificate.realised_loss, DRAWN),
        f"best rule:\n{visible(certificate.best_rule)[:30]}": (certificate.best_loss, BEST),
        "regret": (certificate.regret, OURS),
        "proven now": (certificate.bound, None),
        "proven of the end": (None if certificate.horizon == certificate.rounds else certificate.final, None),
        "proven in advance": (certificate.in_advance, None),
        "regret of the drawn": (certificate.realised_regret, DRAWN),
        f"proven, {certificate.confidence:.0%}": (certificate.realised_bound, None),
    }
    bars = [(name, value, colour) for name, (value, colour) in told.items() if value is not None and value < math.inf]
    for place, (_, value, colour) in enumerate(bars):
        proven = {"facecolor": "none", "edgecolor": "0.5", "linestyle": "--"}
        axes.barh(place, value, **(proven if colour is None else {"color": colour}))
        shown = f"{value:,.2f}" if colour else rounded_up(value)
        axes.annotate(shown, (max(value, 0), place), (4, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars])
    axes.invert_yaxis()
    axes.margins(x=0.15)
    return finished(axes, "", f"after {certificate.rounds:,} rounds")
