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
from adeptree.pages.drawing import COLOURS, INK, Figure, Plot
from adeptree.theory import bounds

OURS, PRIOR, MEASURED = COLOURS[2], COLOURS[1], COLOURS[0]
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
    _regions(axes)
    _lines(axes)
    _exact_bound(axes, T)
    _measured(axes, rows, T)
    plot.set("total oracle queries Q", "expected regret", xlim=(0, RIGHT), ylim=(0, 5.9))
    axes.set_xticks([ROOT, LINEAR, ADEPT, BEFORE], ["√T", "T", "T^(VC+1)", "T^(2^O(LD))"])
    axes.set_yticks([ROOT, LINEAR], ["√(T·2^O(LD))", "T"], rotation=90, va="center")
    axes.grid(False)
    caption = (
        f"The paper's figure with our measured points, T = {T}, one class of VC and Littlestone dimension 1. Both axes "
        "show exponents of T, where the paper forgets constants and logarithms. Budgeted learners play the lower "
        "bound's adversary: their points must lie on or above the dotted line, the bound with its constants. LazyAdept "
        "(c = 0.3 … 0.9) and ADEPT are shown on the hardest of their streams; they may lie below the green frontier, "
        "which is a worst case. Prior work's point is the paper's and was not run."
    )
    alt = (
        "Map of regret against queries: an impossible region below the lower bounds, an open gap, an achievable "
        "region, and the measured points of budgeted learners, of LazyAdept and of ADEPT."
    )
    return plot.figure("frontier", "The frontier: regret against queries", caption, alt, columns=1, wide=True)


def _regions(axes: Any) -> None:
    axes.fill([0, 0, ROOT, RIGHT, RIGHT], [0, 5, ROOT, ROOT, 0], color="#808080", alpha=0.25, linewidth=0)
    axes.fill([0, LINEAR, ADEPT, ROOT], [5, 5, ROOT, ROOT], color="#f0e442", alpha=0.3, linewidth=0)
    axes.fill([LINEAR, RIGHT, RIGHT, ADEPT], [5, 5, ROOT, ROOT], color=OURS, alpha=0.2, linewidth=0)
    _words(axes, 7.2, 0.6, "impossible region\n(lower bounds)", INK)
    _words(axes, 3.4, 5.45, "open gap (unknown regime)", INK)
    axes.annotate("", (3.6, 4.75), (3.4, 5.25), arrowprops={"arrowstyle": "->", "color": INK})
    _words(axes, 10.4, 4.35, "achievable region\n(upper bounds)", INK)


def _lines(axes: Any) -> None:
    axes.plot([0, ROOT], [5, ROOT], color=OURS, linestyle="--", linewidth=2.6, label="query-budget lower bound, T/Q")
    axes.plot([ROOT, 5], [ROOT, 0], color=OURS, linestyle="--", linewidth=1, alpha=0.5)
    axes.plot([0, ROOT], [ROOT, ROOT], color=PRIOR, linestyle="--", linewidth=1, alpha=0.5)
    label = "prior lower bound, √(T·2^LD)"
    axes.plot([ROOT, RIGHT], [ROOT, ROOT], color=PRIOR, linestyle="--", linewidth=2.6, label=label)
    axes.plot([LINEAR, ADEPT], [5, ROOT], color=OURS, linewidth=2.6, label="tradeoff frontier (upper bound)")
    axes.plot([ADEPT], [ROOT], "o", color=OURS, markersize=9, label="Algorithm 2 (ADEPT), its theorem")
    axes.plot([BEFORE], [ROOT], "o", color=PRIOR, markersize=9, label="prior upper bound")
    _words(axes, 9.7, 1.6, "exponentially or doubly\nexponentially fewer queries", INK, size=8.5)
    axes.annotate("", (8.7, 2.2), (11.3, 2.2), arrowprops={"arrowstyle": "->", "color": INK, "linewidth": 1.5})


def _exact_bound(axes: Any, T: int) -> None:
    """Draw the lower bound with its constants: for finite T it lies below the line that forgets them."""
    budgets = [T ** (i / 100) - 1 for i in range(51)]
    places = [place(Q, bounds.query_lower_bound(T, 0, 1) / (Q + 1) - Q / 2, T) for Q in budgets]
    shown = [(x, y) for x, y in places if y > 0]
    label = f"the lower bound itself at T = {T}, with constants"
    axes.plot(*zip(*shown, strict=True), color=INK, linewidth=1.1, linestyle=":", label=label)


def _measured(axes: Any, rows: Sequence[Row], T: int) -> None:
    """Plot the measured points, and name those of ours."""
    budgeted: list[tuple[str, tuple[float, float]]] = []
    ours: list[tuple[str, tuple[float, float]]] = []
    for name, queries, regret in points(rows):
        at = place(queries, regret, T)
        (budgeted if name.startswith("Q") else ours).append((name, at))
    style = {"markeredgecolor": INK, "markeredgewidth": 0.7, "linestyle": "none", "zorder": 5, "clip_on": False}
    xs, ys = zip(*[at for _, at in budgeted], strict=True)
    axes.plot(xs, ys, "s", color=MEASURED, markersize=7, label="measured: budgeted leader, Q = 0 … √T", **style)
    xs, ys = zip(*[at for _, at in ours], strict=True)
    axes.plot(xs, ys, "*", color=COLOURS[4], markersize=12, label="measured: LazyAdept and ADEPT", **style)
    for name, (x, y) in ours:
        # The first and the last stand at the left of their star, the others in the empty region at the right.
        left = name in (ours[0][0], ours[-1][0])
        offset, side = ((-8, 0), "right") if left else ((8, 1), "left")
        axes.annotate(name, (x, y), offset, textcoords="offset points", ha=side, fontsize=8.5, color=INK, zorder=6)


def _words(axes: Any, x: float, y: float, text: str, colour: str, size: float = 9.5) -> None:
    axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=size, fontweight="bold", alpha=0.8)
