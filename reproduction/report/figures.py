"""Figures of the report, each drawn from the rows of one experiment and the formula of its bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from adeptree.pages.skeleton import Figure
from adeptree.theory import bounds
from reproduction.experiment import Row, column, groups, part
from reproduction.experiments.first_order import realizable_mistakes
from reproduction.experiments.lower_bound import regrets_of
from reproduction.experiments.regret_frontier import points
from reproduction.report.drawing import COLOURS, HEIGHT, INK, MARKERS, WORDS, Plot, styled
from reproduction.stats import fitted, mean, standard_error

Rows = Sequence[Row]

COLOUR = {"ours": COLOURS[2], "prior": COLOURS[1]}
ROOT, LINEAR, ADEPT, BEFORE, RIGHT = 2.5, 5.0, 8.5, 11.5, 12.5
"""Positions of sqrt(T), T, T^(VC+1), prior work's queries and the right edge in the paper's figure."""


def figures(rows: dict[str, list[Row]]) -> list[Figure]:
    """Draw every figure whose experiment was run."""
    with styled():
        return [draw(rows[name]) for name, draw in DRAWN if name in rows]


def regret_figure(rows: Rows) -> Figure:
    """Regret over time on every stream of one class, under its bound."""
    plot = Plot(HEIGHT + 0.6)
    curves = [r for r in rows if "curve" in r and r["class"] == rows[0]["class"]]
    for i, row in enumerate(curves):
        plot.line(row["curve"]["t"], row["curve"]["value"], i, row["stream"])
    bound = curves[0]["bound_curve"]
    plot.bound(bound["t"], bound["value"], "proven bound")
    plot.set("round t", "expected regret so far", xlim=(0, None))
    spec, T, M = curves[0]["class"], curves[0]["T"], curves[0]["M"]
    return plot.figure("regret", spec=spec, T=T, M=M, bound=bounds.regret(T, M), streams=len(curves))


def width_figure(rows: Rows) -> Figure:
    """Active paths against Sauer's number."""
    plot = Plot(HEIGHT + 0.5)
    curves = [r for r in rows if "curve" in r]
    for i, row in enumerate(curves):
        plot.line(row["curve"]["t"], row["curve"]["value"], i, f"{row['class']}, VC {row['d_vc']}", linewidth=2)
    for d in sorted({r["d_vc"] for r in curves}):
        longest = max((r for r in curves if r["d_vc"] == d), key=lambda r: int(r["T"]))
        line = longest["bound_curve"]
        sauer = "Sauer's number" if d == curves[0]["d_vc"] else None
        plot.bound(line["t"], line["value"], sauer, linestyle=(0, (2, 2)), linewidth=1.1)
    plot.set("different points seen, t", "active paths", log="xy")
    reached = [str(r["class"]) for r in curves if r["curve"]["value"] == r["bound_curve"]["value"]]
    return plot.figure("width", reached=", ".join(reached) or "none", columns=1 if len(curves) < 4 else 2)


def queries_figure(rows: Rows) -> Figure:
    """Asked and posed queries against T, with fitted exponents."""
    plot = Plot(HEIGHT + 2.2)
    asked = part(rows, "asked")
    for i, ((spec,), members) in enumerate(groups([r for r in asked if r["base"] == "natural"], "class").items()):
        slope, _ = fitted(members, "asked")
        # Classes of one VC dimension have the same counts: every second one is drawn smaller, inside the first.
        plot.dots(_means(members, "asked"), COLOURS[i], f"{spec}: T^{slope:.2f}", MARKERS[i], 6 if i % 2 else 11)
    for i, members in enumerate(groups([r for r in asked if r["base"] != "natural"], "base", "class").values()):
        plot.dots(_means(members, "asked"), INK, "other base learners" if i == 0 else None, ".", 4)
    for (oracle, spec), members in groups(part(rows, "posed"), "oracle", "class").items():
        slope, _ = fitted(members, "posed")
        marker = {"literal": "x", "bits": "1", "cubes": "+"}[oracle]
        plot.dots(_means(members, "posed"), INK, f"posed, {oracle}, {spec.split('(')[0]}: T^{slope:.2f}", marker)
    for i, d in enumerate(sorted({r["d_vc"] for r in rows})):
        horizons = sorted({r["T"] for r in rows if r["d_vc"] == d})
        line = [bounds.total_queries(T, d) for T in horizons]
        plot.bound(horizons, line, None if i else "bound 2 Σ Sauer(t−1)", linewidth=1.1)
    plot.set("rounds T", "queries in all", log="xy")
    return plot.figure("queries")


def first_order_figure(rows: Rows) -> Figure:
    """Regret against L*, with the first-order bound."""
    plot = Plot(HEIGHT + 0.3)
    bound_rows = part(rows, "bound")
    for i, ((spec,), members) in enumerate(groups(bound_rows, "class").items()):
        plot.dots((column(members, "best_loss"), column(members, "regret")), COLOURS[i], spec, MARKERS[i], 5)
    largest = max(column(bound_rows, "best_loss"))
    least = min(bound_rows, key=lambda r: float(r["log_experts"]))
    grid = [largest * i / 100 for i in range(101)]
    line = [bounds.first_order_regret(int(x), least["log_experts"]) for x in grid]
    plot.bound(grid, line, f"bound, {least['class']}")
    plot.set("loss of the best concept, L*", "expected regret", yscale="symlog")
    return plot.figure("first-order", T=bound_rows[0]["T"])


def realizable_figure(rows: Rows) -> Figure:
    """Expected mistakes on realizable streams, for the two rates."""
    plot = Plot(HEIGHT + 0.6)
    growing = part(rows, "growth")
    for i, ((stream, rate), members) in enumerate(groups(growing, "stream", "rate").items()):
        name = "adaptive rate" if rate == "first-order" else "constant rate"
        plot.line(*_means(members, "mistakes"), i, f"{stream}, {name}", marker=MARKERS[i], markersize=6)
    horizons = sorted({r["T"] for r in growing})
    line = [realizable_mistakes(next(r["log_experts"] for r in growing if r["T"] == T)) for T in horizons]
    plot.bound(horizons, line, "bound, adaptive rate")
    plot.set("rounds T", "expected mistakes", ticks=horizons, log="xy")
    return plot.figure("realizable", spec=growing[0]["class"])


def calls_figure(rows: Rows) -> Figure:
    """Calls of LazyAdept against T, for each c."""
    plot = Plot(HEIGHT + 0.9)
    counted = groups(part(rows, "calls"), "class", "c")
    colours = {c: i for i, c in enumerate(sorted({c for _, c in counted}))}
    for (_, c), members in counted.items():
        d = members[0]["d_vc"]
        slope, _ = fitted(members, "asked")
        label = f"VC {d}, c = {c}: {slope:.2f} (1+c·VC = {1 + c * d:.1f})"
        plot.line(*_means(members, "asked"), colours[c], label, marker="o" if d == 1 else "s", markersize=6)
    ticks = sorted({r["T"] for some in counted.values() for r in some})
    plot.set("rounds T", "queries in all", ticks=ticks, log="xy")
    return plot.figure("calls", names=" and ".join(dict.fromkeys(spec for spec, _ in counted)))


def tradeoff_figure(rows: Rows) -> Figure:
    """Regret of LazyAdept against c, under the theorem's formula."""
    plot = Plot(HEIGHT + 0.3)
    measured = part(rows, "regret")
    for i, ((stream,), members) in enumerate(groups(measured, "stream").items()):
        by_c = {c: column(some, "regret") for (c,), some in sorted(groups(members, "c").items())}
        means, errors = [mean(v) for v in by_c.values()], [3 * standard_error(v) for v in by_c.values()]
        style = {"color": COLOURS[i], "marker": MARKERS[i], "capsize": 3, "label": f"measured, {stream}"}
        plot.axes.errorbar(list(by_c), means, errors, **style)
    one = measured[0]
    cs = sorted({r["c"] for r in measured})
    line = [bounds.tradeoff_regret(one["T"], c, one["littlestone"], one["M"]) for c in cs]
    plot.bound(cs, line, "theorem's formula, constant 1")
    plot.axes.axhline(one["T"] / 2, color=INK, linestyle=":", linewidth=1, label="guessing, T/2 at most")
    plot.set("exponent c: T^c rounds are committed", "expected regret", log="y", xticks=cs)
    return plot.figure("tradeoff", spec=one["class"], T=one["T"])


def lower_bound_figure(rows: Rows) -> Figure:
    """Mean regret against Q for each d, above the lower bound."""
    dimensions = sorted({r["d"] for r in rows})
    plot = Plot(1.9 * len(dimensions) + 1.4, len(dimensions))
    T, budgets = rows[0]["T"], sorted({r["Q"] for r in rows})
    for axes, d in zip(plot.panels, dimensions, strict=True):
        plot.axes = axes
        for i, ((learner,), members) in enumerate(groups([r for r in rows if r["d"] == d], "learner").items()):
            means = {Q: mean(regrets_of(some)) for (Q,), some in groups(members, "Q").items()}
            plot.line(list(means), list(means.values()), i, learner, marker=MARKERS[i])
        line = [max(0.0, bounds.query_lower_bound(T, Q, d)) for Q in budgets]
        plot.bound(budgets, line, "lower bound")
        axes.fill_between(budgets, 0, line, color=INK, alpha=0.12, linewidth=0)
        last = "query budget Q, up to √T" if d == dimensions[-1] else ""
        plot.set(last, "mean regret", ylim=(0, T * 0.55), xscale="symlog")
        axes.set_title(f"d = {d}", loc="right", fontsize=10.5)
        plot.tick(budgets)
    return plot.figure("lower-bound", T=T)


def reset_figure(rows: Rows) -> Figure:
    """The paper's second figure from a game that was played: phases, queries, what the learner and the best lose."""
    plot = Plot(HEIGHT)
    axes = plot.axes
    known = [r for r in rows if "phases_curves" in r and r["learner"] == "recent leader" and r["d"] == 1]
    row = max((r for r in known if r["Q"] <= 4), key=lambda r: int(r["Q"]))
    told = row["phases_curves"]
    ends = [0.0, *told["end"]]
    most = max(range(len(told["ones"])), key=told["ones"].__getitem__)
    for i, (start, end) in enumerate(pairwise(ends)):
        axes.axvspan(start, end, color=COLOURS[2 if i == most else 0], alpha=0.16 if i == most else 0.06, linewidth=0)
        axes.text((start + end) / 2, 0.98, f"phase {i}", transform=axes.get_xaxis_transform(), ha="center", va="top",
                  fontsize=9, color=INK)  # fmt: skip
        if i:
            axes.axvline(start, color=COLOURS[1], linestyle="--", linewidth=1, label="query: reset" if i == 1 else None)
    for name, colour, label in (("ours", 0, "learner: half of each phase"), ("best", 2, "best union in hindsight")):
        plot.line(ends, [sum(told[name][:i]) for i in range(len(ends))], colour, label, marker=".")
    plot.set("round t", "losses so far", xlim=(0, ends[-1]), ylim=(0, 1.18 * sum(told["ours"])))
    return plot.figure("reset", T=row["T"], Q=row["Q"], most=most, ones=int(told["ones"][most]))


def anytime_figure(rows: Rows) -> Figure:
    """Regret over time without T and M, its certificate, and the paper's learner, on one noisy stream."""
    plot = Plot(HEIGHT + 0.6)
    drawn = [r for r in rows if "curves" in r and r["stream"] == "noise 30%"]
    row = max(drawn, key=lambda r: (r["class"].startswith("thresholds"), int(r["T"])))
    curves, T = row["curves"], row["T"]
    plot.line(curves["t"], curves["paper"], 1, "the paper's learner, told T and M")
    plot.line(curves["t"], curves["anytime"], 0, "horizon=None, told neither")
    plot.line(curves["t"], curves["bound"], 0, "its certificate, as of then", linestyle="--")
    plot.axes.axhline(row["formula"], color=INK, linestyle=":", label=f"the paper's bound, {row['formula']:.0f}")
    plot.set("round t", "expected regret so far", xlim=(0, T), yscale="symlog", ylim=(0, None))
    return plot.figure("anytime", spec=row["class"], T=T)


def _means(rows: Rows, value: str) -> tuple[list[int], list[float]]:
    """Return each T, and the mean over seeds of a column there."""
    means = {T: mean(column(members, value)) for (T,), members in sorted(groups(rows, "T").items())}
    return list(means), list(means.values())


def place(queries: float, regret: float, T: int, vc: int = 1) -> tuple[float, float]:
    """Return where a point with that many queries and that much regret belongs in the drawing.

    >>> place(99, 10, T=100), place(100**2 - 1, 100, T=100)
    ((5.0, 2.5), (8.5, 5.0))
    """
    asked, lost = math.log(queries + 1, T), math.log(max(1.0, regret), T)
    right = 5 * asked if asked <= 1 else 5 + (asked - 1) * (ADEPT - LINEAR) / vc
    return round(right, 9), round(5 * lost, 9)


def frontier_figure(rows: Sequence[Row]) -> Figure:
    """The paper's figure of what is possible, impossible and unknown, with measured points in it.

    Positions are those of the paper's drawing: to the right, the exponent of T in the number of queries (0 to 1 in the
    left part, 1 to VC + 1 in the middle, the prior work's 2^O(Ldim) at the right, not to scale); upwards, the exponent
    of T in the regret. Measured points have exponents too: log_T of their queries (plus one) and of their regret.
    """
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
    starts = ("Q", "posed", "with", "late", ("c = ", "ADEPT"))
    budgeted, posed, cited, late, ours = ([at for at in placed if at[0].startswith(start)] for start in starts)
    style = {"markeredgecolor": INK, "markeredgewidth": 0.7, "linestyle": "none", "zorder": 5, "clip_on": False}
    for shown, marker, size, colour, label in (
        (budgeted, "s", 7, COLOURS[0], "measured: budgeted leader, Q = 0 … √T"),
        (ours, "*", 12, COLOURS[4], "measured: LazyAdept and ADEPT, queries asked"),
        (late, "^", 8, COLOURS[1], "measured: LazyAdept that prunes late, queries asked"),
        (posed, "P", 8, COLOURS[3], "measured: ADEPT on thresholds, calls posed to an oracle"),
        (cited, "d", 6, COLOURS[2], "measured: ADEPT with a cited learner inside, queries asked"),
    ):
        if not shown:
            continue
        _, xs, ys = zip(*shown, strict=True)
        axes.plot(xs, ys, marker=marker, markersize=size, color=colour, label=label, **style)
    for name, x, y in ours:
        # The first and the last stand at the left of their star, the others in the empty region at the right.
        left = name in (ours[0][0], ours[-1][0])
        offset, side = ((-8, 0), "right") if left else ((8, 1), "left")
        axes.annotate(name, (x, y), offset, textcoords="offset points", ha=side, fontsize=9.5, color=INK, zorder=6)


DRAWN: tuple[tuple[str, Callable[[Rows], Figure]], ...] = (
    ("regret", regret_figure),
    ("width", width_figure),
    ("queries", queries_figure),
    ("first-order", first_order_figure),
    ("first-order", realizable_figure),
    ("tradeoff", calls_figure),
    ("tradeoff", tradeoff_figure),
    ("lower-bound", lower_bound_figure),
    ("lower-bound", reset_figure),
    ("frontier", frontier_figure),
    ("anytime", anytime_figure),
)
"""Experiment and figure, in the order of the page."""
