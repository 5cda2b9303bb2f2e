"""The paper's figure of what is possible, impossible and unknown, redrawn with measured points in it.

Positions are those of the paper's drawing: to the right, the exponent of T in the number of queries (0 to 1 in the
left part, 1 to VC + 1 in the middle, the prior work's 2^O(Ldim) at the right, not to scale); upwards, the exponent of T
in the regret. Measured points have exponents too: log_T of their queries (plus one) and of their regret.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from adeptree.experiments.experiment import Row
from adeptree.experiments.frontier_figure import points
from adeptree.pages.drawing import COLOURS, INK, WORDS, Figure, Plot
from adeptree.theory import bounds

COLOUR = {"ours": COLOURS[2], "prior": COLOURS[1]}
ROOT, LINEAR, ADEPT, BEFORE, RIGHT = 2.5, 5.0, 8.5, 11.5, 12.5
"""Where the paper puts sqrt(T), T, T^(VC+1), prior work's queries and the right edge."""


def place(queries: float, regret: float, T: int, vc: int = 1) -> tuple[float, float]:
    """Return where a point with that many queries and that much regret belongs in the drawing.

    >>> place(99, 10, T=100), place(100**2 - 1, 100, T=100)
    ((5.0, 2.5), (8.5, 5.0))
    """
    asked, lost = math.log(queries + 1, T), math.log(max(1.0, regret), T)
    right = 5 * asked if asked <= 1 else 5 + (asked - 1) * (ADEPT - LINEAR) / vc
    return round(right, 9), round(5 * lost, 9)


def frontier_figure(rows: Sequence[Row]) -> Figure:
    """Draw regions and lines as the paper does, and the measured points."""
    T = rows[0]["T"]
    plot = Plot(5.6)
    axes = plot.axes
    _paper(axes)
    _exact_bound(axes, T)
    _measured(axes, rows, T)
    plot.set("total oracle queries Q", "expected regret", xlim=(0, RIGHT), ylim=(0, 5.9))
    axes.set_xticks([ROOT, LINEAR, ADEPT, BEFORE], ["√T", "T", "T^(VC+1)", "T^(2^O(LD))"])
    axes.set_yticks([ROOT, LINEAR], ["√(T·2^O(LD))", "T"], rotation=90, va="center")
    axes.grid(False)
    return plot.figure("frontier", T=T)


def _paper(axes: Any) -> None:
    """Draw what the paper draws: the regions, the lines between them, and words about them."""
    drawn = WORDS["frontier"]
    for region in drawn["regions"]:
        colour = COLOUR.get(region["color"], region["color"])
        axes.fill(region["x"], region["y"], color=colour, alpha=region["alpha"], linewidth=0)
    for note in drawn["notes"]:
        style = {"ha": "center", "va": "center", "fontweight": "bold", "alpha": 0.8, "color": INK}
        axes.text(*note["at"], note["text"], fontsize=note.get("size", 9.5), **style)
        if arrow := note.get("arrow"):
            props = {"arrowstyle": "->", "color": INK, "linewidth": arrow.get("linewidth", 1.0)}
            axes.annotate("", arrow["to"], arrow["from"], arrowprops=props)
    for line in drawn["lines"]:
        style = {name: value for name, value in line.items() if name not in ("x", "y", "color")}
        axes.plot(line["x"], line["y"], color=COLOUR[line["color"]], **style)


def _exact_bound(axes: Any, T: int) -> None:
    """Draw the lower bound with its constants: for finite T it lies below the line that forgets them."""
    budgets = [T ** (i / 100) - 1 for i in range(51)]
    places = [place(Q, bounds.query_lower_bound(T, 0, 1) / (Q + 1) - Q / 2, T) for Q in budgets]
    shown = [(x, y) for x, y in places if y > 0]
    label = f"the lower bound itself at T = {T}, with constants"
    axes.plot(*zip(*shown, strict=True), color=INK, linewidth=1.1, linestyle=":", label=label)


def _measured(axes: Any, rows: Sequence[Row], T: int) -> None:
    """Plot the measured points, and name those of ours."""
    placed = [(name, *place(queries, regret, T)) for name, queries, regret in points(rows)]
    budgeted, ours = ([at for at in placed if at[0].startswith("Q") is low] for low in (True, False))
    style = {"markeredgecolor": INK, "markeredgewidth": 0.7, "linestyle": "none", "zorder": 5, "clip_on": False}
    for shown, marker, size, colour, label in (
        (budgeted, "s", 7, COLOURS[0], "measured: budgeted leader, Q = 0 … √T"),
        (ours, "*", 12, COLOURS[4], "measured: LazyAdept and ADEPT"),
    ):
        _, xs, ys = zip(*shown, strict=True)
        axes.plot(xs, ys, marker=marker, markersize=size, color=colour, label=label, **style)
    for name, x, y in ours:
        # The first and the last stand at the left of their star, the others in the empty region at the right.
        left = name in (ours[0][0], ours[-1][0])
        offset, side = ((-8, 0), "right") if left else ((8, 1), "left")
        axes.annotate(name, (x, y), offset, textcoords="offset points", ha=side, fontsize=8.5, color=INK, zorder=6)
