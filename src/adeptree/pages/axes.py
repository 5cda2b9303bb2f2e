"""Axes for ``plot()``: matplotlib's (extra ``plot``), the user's own or new ones."""

from __future__ import annotations

from typing import Any

from adeptree.core.extras import Extra

pyplot = Extra("matplotlib.pyplot", "plot()", "plot")

OURS, BEST, CONSTANT, DRAWN = "#0072b2", "#009e73", "#cc79a7", "#56b4e9"
"""What was measured, in Okabe and Ito's colours, which colour-blind readers tell apart."""
PROVEN = {"color": "0.5", "linestyle": "--"}
"""What is proven: dashed, in a grey that is seen on white and on black."""
LEADING = (OURS, "#d55e00", BEST, CONSTANT, "#e69f00")


def axes_for(ax: Any) -> Any:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot.subplots(figsize=(4.8, 3.6), layout="constrained")[1]


def finished(ax: Any, ylabel: str, xlabel: str = "rounds") -> Any:
    """Return axes with their names and a legend above the data: the axes are made higher by the room that it takes."""
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    if ax.get_legend_handles_labels()[0]:
        legend = ax.legend(loc="upper left", framealpha=0.8, edgecolor="none", fontsize="small")
        ax.figure.draw_without_rendering()  # (so that the layout is known)
        taken = min(0.8, 1.1 * legend.get_window_extent().height / ax.get_window_extent().height)
        shown = ax.transData.inverted()
        top = ax.transAxes.transform((0, 1 / (1 - taken)))
        ax.set_ylim(ax.get_ylim()[0], shown.transform(top)[1])
    return ax
