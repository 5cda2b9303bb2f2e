"""The figures of the docs: python docs/figures/make_figures.py [FOLDER]   (needs matplotlib)

Everything drawn is computed here by the library; nothing is typed in.
"""

from __future__ import annotations

import csv
import json
import re
import runpy
import sys
from importlib.resources import files
from math import exp
from pathlib import Path
from textwrap import wrap
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from typer.testing import CliRunner

import adeptree as at
from adeptree.app.cli import app
from adeptree.pages.show_game import Shown, Step, shown
from adeptree.pages.show_tree import LEFT, ROW, TOP, Places
from adeptree.theory.priors import KTPrior, PaperPrior

BLUE, ORANGE, GREEN, PINK, GREY, INK = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#808080", "#222222"
STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "adeptree",
}
WIDE = 4.6
"""Inches: on a phone, where this is 350 pixels, type of 11 points is still 11 pixels high."""
GAME = [(5, 0), (2, 0), (6, 1), (3, 1)]
ROUNDS = 1000


def home() -> Figure:
    """The guarantee on the bundled stream: at most so far behind the best rule in hindsight, on any stream."""
    with files("adeptree").joinpath("data/machine_alarms.csv").open() as file:
        rows = [(int(row["vibration"]), int(row["failed"])) for row in csv.DictReader(file)]
    learner = at.Adept(at.Thresholds(1024))
    run = at.play(learner, rows, rounds=len(rows))
    t = np.arange(1, len(rows) + 1)
    ones = np.cumsum([y for _, y in rows])
    best = run.column("best_loss").astype(float)
    promised = np.minimum(t, best + [learner.bound_after(int(end)) for end in t])
    figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
    axes = figure.subplots()
    for loss, colour, line, name in (
        (promised, BLUE, ":", "best rule + proven bound"),
        (np.minimum(ones, t - ones), ORANGE, "-", "best constant"),
        (np.cumsum(run.losses), BLUE, "-", "ADEPT"),
        (best, INK, "--", "best rule in hindsight"),
    ):
        axes.plot(t[::5], (100 * loss / t)[::5], line, color=colour, label=f"{name}: {100 * loss[-1] / t[-1]:.1f} %")
    axes.set(xlabel="rounds", ylabel="mistakes so far, %", xlim=(0, len(rows)), ylim=(0, 90))
    axes.legend(loc="upper right")
    return figure


def tree() -> Figure:
    """The tree of a game of four rounds, growing."""
    game = shown(at.Adept(at.Thresholds(8), horizon=4, engine="paths"), GAME, 4)
    figure = Figure(figsize=(WIDE, 5.4), layout="constrained")
    for step, axes in zip(game.steps, figure.subplots(2, 2).flat, strict=True):
        _tree(axes, game, step)
    return figure


def _tree(axes: Any, game: Shown, step: Step) -> None:
    places = Places(game)
    wide, high = places.size
    axes.set(xlim=(0, wide + 10), ylim=(high, TOP - ROW), title=f"x = {step.x}: P(1) = {step.p:.2f}")
    axes.axis("off")
    for earlier in game.steps[: step.t]:
        for path in earlier.paths:
            (x0, y0), (x1, y1) = places.at(path.labels[:-1]), places.at(path.labels)
            carried = sum(p.share for p in step.paths if p.labels[: earlier.t] == path.labels)
            line = "--" if path.wrong_guess else "-"
            axes.plot([x0, x1], [y0, y1], line, color=INK, lw=0.8 + 4 * carried, zorder=1)
            face, ink = (BLUE, "white") if path.labels[-1] else ("white", INK)
            axes.scatter([x1], [y1], s=170, facecolor=face, edgecolor=INK, zorder=2)
            axes.text(x1, y1, path.labels[-1], color=ink, ha="center", va="center", zorder=3)
        for cut in earlier.pruned:
            (x, y), down = places.at(cut.labels[:-1]), 13 if cut.labels[-1] else -13
            fade = 1 if earlier.t == step.t else 0.3
            axes.plot([x, x + 22], [y, y + down], color=ORANGE, lw=1.2, alpha=fade, zorder=0)
            axes.plot([x + 26], [y + down * 1.2], "x", color=ORANGE, ms=7, mew=2, alpha=fade)
    axes.plot([LEFT], [places.heights[()]], "o", color=INK, ms=5)
    for path in step.paths:
        x, y = places.at(path.labels)
        axes.text(x + 21, y, f"{path.share:.0%}", va="center", color=BLUE if path.labels[-1] else INK)


def weights() -> Figure:
    """The two factors of a weight: the capacity by the mistakes left, and the losses."""
    T, M, eta = 100, 3, at.bounds.paper_rate(100, 3)
    prior = PaperPrior(T, M)
    figure = Figure(figsize=(WIDE, 5.2), layout="constrained")
    left, right = figure.subplots(2, 1)
    for k, colour in zip(range(M + 1), (BLUE, GREEN, ORANGE, PINK), strict=True):
        ts = np.arange(0, T + 1)
        mass = [exp(prior.log_mass(int(t), np.array([k]), np.array([0]))[0]) for t in ts]
        left.semilogy(ts, mass, color=colour, label=f"k = {k}")
    left.set(xlabel="round t", title=f"capacity W, T = {T}, M = {M}")
    left.set_ylim(bottom=0.001)
    left.legend(loc="lower left", ncols=2, columnspacing=1, handlelength=1.2)
    losses = np.arange(0, 31)
    right.semilogy(losses, np.exp(-eta * losses), color=INK)
    right.set(xlabel="loss of the path L", title=f"factor exp(-η L), η = {eta:.3f}")
    return figure


def kt() -> Figure:
    """The price of a rule: the KT prior against the paper's, and the flow of mass."""
    T, M = 1000, 8
    figure = Figure(figsize=(WIDE, 3.6), layout="constrained")
    axes = figure.subplots()
    n = np.arange(1, T + 1)
    for k, colour in ((0, BLUE), (2, GREEN), (4, ORANGE), (8, PINK)):
        cost = [-KTPrior().log_mass(0, np.array([k]), np.array([m]))[0] for m in n[n >= max(k, 1)]]
        axes.semilogx(n[n >= max(k, 1)], cost, color=colour, label=f"KT, k* = {k}")
    total = PaperPrior(T, M).log_total
    axes.axhline(total, color=INK, ls="--", label=f"paper: ln N = {total:.1f}, T = {T}, M = {M}")
    axes.set(xlabel="contested rounds n* of the best path", ylabel="price ln(1/prior mass)", ylim=(0, 95))
    axes.legend()
    return figure


def width() -> Figure:
    """Paths kept on random points, next to Sauer's bound and all labellings."""
    figure = Figure(figsize=(WIDE, 3.8), layout="constrained")
    axes = figure.subplots()
    rounds = 60
    for c, colour in ((at.RealThresholds(), BLUE), (at.RealIntervals(), GREEN), (at.Conjunctions(6), ORANGE)):
        learner = at.Adept(c, engine="paths")
        rng = np.random.default_rng(0)
        seen: set[Any] = set()
        points, widths = [], []
        for _ in range(rounds):
            x = c.random_instance(rng)
            seen.add(c.key(x))
            learner.learn(x, int(rng.integers(2)))
            points.append(len(seen))
            widths.append(learner.width)
        d = c.vc_dimension or 0
        axes.loglog(points, widths, color=colour, label=f"{c!r}, VC = {d}")
        axes.loglog(points, [at.bounds.sauer(m, d) for m in points], ":", color=colour, lw=2)
    few = np.arange(1, 17)
    axes.loglog(few, 2.0**few, "--", color=GREY, label="all labellings, 2^t")
    axes.set(xlabel="distinct points", ylabel="paths kept; dotted: Sauer's bound")
    axes.legend()
    return figure


def randomise() -> Figure:
    """A deterministic learner against an adversary that knows it, next to ADEPT."""
    c = at.Thresholds(64)
    figure = Figure(figsize=(WIDE, 3.6), layout="constrained")
    axes = figure.subplots()
    t = np.arange(1, ROUNDS + 1)
    players = [
        (at.FollowTheLeader(c, horizon=ROUNDS), ORANGE, "Follow the leader"),
        (at.Adept(c), BLUE, "ADEPT, drawing its label"),
    ]
    for learner, colour, name in players:
        run = at.play(learner, at.Greedy(c), rounds=ROUNDS)
        loss = np.cumsum([abs(row.p - row.y) for row in run.rounds])
        axes.plot(t, 100 * loss / t, color=colour, label=f"{name}: {100 * loss[-1] / ROUNDS:.1f} %")
    best = np.array([row.best_loss for row in run.rounds])
    axes.plot(
        t,
        100 * best / t,
        color=INK,
        ls="--",
        label=f"best threshold in hindsight: {100 * best[-1] / ROUNDS:.1f} %",
    )
    axes.set(xlabel="round", ylabel="expected mistakes, %", ylim=(0, 105), xlim=(0, ROUNDS))
    axes.legend(loc="lower right")
    return figure


HERO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {high}" role="img" aria-label="{alt}">
<style>
  text {{ font: 19px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: #1f2328; }}
  .title {{ font-weight: 600; }} .ours {{ fill: #0072b2; }} .ours + text, .name {{ font-weight: 600; }}
  .small {{ font-size: 15px; }} .other {{ fill: #b9c0c8; }} .ground {{ fill: #ffffff; }}
  @media (prefers-color-scheme: dark) {{
    text {{ fill: #e6edf3; }} .ours {{ fill: #4ba6e0; }} .other {{ fill: #59636e; }} .ground {{ fill: #0d1117; }} }}
</style>
<rect class="ground" width="640" height="{high}" rx="8"/>
<text class="title" x="16" y="32">{title}</text>
{bars}
<text class="small" x="16" y="{note}">{caption}</text>
</svg>
"""
"""Bars whose text is as large as that of a page, and whose colours follow the light or dark mode of the reader."""


def ways_to_decide() -> dict[str, float]:
    """The cost of decisions on the bundled scores, for four ways to set the threshold."""
    shown = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["run", "fraud-scores", "--cost-miss", "10", "--by", "shop"])
    ways = {
        "threshold 0.5": "fixed at 0.5",
        "window of 500": "best of the last 500 rows",
        "best threshold: [^ ]+ [^ ]+ [^ ]+": "best fixed, in hindsight",
        r"adeptree \(expected\)": "adeptree, per shop",
    }
    costs = {}
    for line, name in ways.items():
        found = re.search(rf"^  {line} +([\d,.]+)", shown.output, flags=re.MULTILINE)
        assert found is not None, shown.output
        costs[name] = float(found[1].replace(",", ""))
    return costs


def card() -> Figure:
    """The picture that messengers show with a link to the docs: 1200 x 630 pixels, with large letters."""
    costs = ways_to_decide()
    pale, note = "#b9c0c8", "What 6,000 fraud decisions cost. A miss costs 10, a false alarm 1."
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#0d1117")
    figure.text(0.05, 0.85, "adeptree", fontsize=46, fontweight="bold", color="white")
    figure.text(0.05, 0.765, "decisions that learn, with a proof", fontsize=25, color=pale)
    figure.text(0.05, 0.06, note, fontsize=19, color=pale)
    axes = figure.add_axes((0.05, 0.13, 0.9, 0.58))
    axes.axis("off")
    most, ours = max(costs.values()), len(costs) - 1
    axes.set(xlim=(0, 1.95 * most), ylim=(ours + 0.5, -0.5))
    for i, (name, cost) in enumerate(costs.items()):
        axes.barh(i, cost, left=0.72 * most, height=0.66, color="#4ba6e0" if i == ours else "#59636e")
        weight = "bold" if i == ours else "normal"
        axes.text(0, i, name, va="center", fontsize=22, color="white", fontweight=weight)
        axes.text(0.74 * most + cost, i, f"{cost:,.0f}", va="center", fontsize=22, color="white", fontweight=weight)
    return figure


def hero() -> str:
    """The same as bars on the home page and in the README."""
    costs = ways_to_decide()
    bars, most = [], max(costs.values())
    for i, (name, cost) in enumerate(costs.items()):
        y, wide, ours = 52 + 40 * i, 276 * cost / most, name.startswith("adeptree")
        bars += [
            f'<text class="{"name" if ours else ""}" x="16" y="{y + 21}">{name}</text>',
            f'<rect class="{"ours" if ours else "other"}" x="278" y="{y}" width="{wide:.0f}" height="30" rx="3"/>',
            f'<text x="{286 + wide:.0f}" y="{y + 21}">{cost:,.0f}</text>',
        ]
    end = 52 + 40 * len(costs)
    told = ", ".join(f"{name} {cost:,.0f}" for name, cost in costs.items())
    return HERO.format(
        title="What 6,000 fraud decisions cost",
        caption="A miss costs 10, a false alarm 1. Bundled synthetic stream; shorter is better.",
        alt=f"What 6,000 fraud decisions cost: {told}.",
        bars="\n".join(bars),
        note=end + 18,
        high=end + 32,
    )


EVIDENCE = Path(__file__).parents[1] / "evidence"


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading of a page: a measured number is written down once."""
    part = (EVIDENCE / page).read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", part, flags=re.MULTILINE)
    assert table is not None, heading
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[0].splitlines()[2:]]


def number(cell: str) -> float:
    """Return the number of a cell."""
    return float(cell.replace(",", "").replace("%", "").strip("* "))


def streams() -> Figure:
    """Errors on real streams: a dot per learner."""
    rows = rows_of("real-streams.md", "the errors are the same in every run, the times are not.")
    figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
    axes = figure.subplots()
    kinds = {2: ("best single rule, in hindsight", INK, "|"), 3: ("adeptree, drawn", BLUE, "o")}
    kinds |= {7: ("logistic regression", ORANGE, "s"), 8: ("Hoeffding tree", GREEN, "^")}
    names = [row[0] for row in rows]
    for column, (label, colour, mark) in kinds.items():
        values = [number(row[column]) for row in rows]
        axes.plot(values, range(len(rows)), mark, color=colour, label=label, ms=13 if mark == "|" else 7, mew=2)
    axes.set_yticks(range(len(rows)), names)
    axes.set(xlabel="wrong labels, %", ylim=(len(rows) - 0.5, -0.5), xlim=(-1, 50))
    axes.legend(loc="lower right")
    return figure


def calibration() -> Figure:
    """The calibrated number against the frequency, in ten bins of 100,000 flights."""
    rows = rows_of("calibration.md", "The bins of the last one:")
    figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 100], [0, 100], "--", color=GREY, label="perfect")
    axes.plot([number(row[2]) for row in rows], [number(row[3]) for row in rows], "o", color=BLUE, label="Frequency")
    axes.set(xlabel="number given, %", ylabel="labels that were 1, %", xlim=(0, 100), ylim=(0, 100))
    axes.legend(loc="upper left")
    return figure


def below(page: str, comment: str) -> list[list[str]]:
    """Return the cells of the table that a benchmark has put below its comment."""
    return rows_of(page, f"<!-- {comment} -->\n")


def paths() -> Figure:
    """The price of the best stump's path, next to the logarithm of the number of stumps."""
    rows = below("base-learners.md", "tables of benchmarks/float_paths.py")
    figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(rows))
    axes.barh(places - 0.18, [number(row[4].split("/")[0]) for row in rows], 0.34, color=BLUE, label="price, CellVote")
    axes.barh(places + 0.18, [number(row[5]) for row in rows], 0.34, color=GREY, label="ln(number of rules)")
    axes.set_yticks(places, [row[0].replace(", ", ",\n") for row in rows])
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(0, 15))
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def calls() -> Figure:
    """Calls made as a share of those that Algorithm 2 asks for, in random order."""
    figure = Figure(figsize=(WIDE, 3.8), layout="constrained")
    axes = figure.subplots()
    forms = (("witnesses", "oracle returns a rule", BLUE, "o"), ("bits", "yes or no", ORANGE, "s"))
    for form, name, colour, mark in forms:
        rows = [row for row in below("oracle-calls.md", f"{form} of benchmarks/query_counts.py") if row[1] == "random"]
        axes.semilogx([100 * number(row[6]) for row in rows], range(len(rows)), mark, color=colour, label=name)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set(xlabel="calls made, % of those asked for", ylim=(len(rows) - 0.5, -0.5), xlim=(0.1, 110))
    axes.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def solvers() -> Figure:
    """The mean time of a call of a SAT solver."""
    rows = below("solvers.md", "table of benchmarks/solver_calls.py")
    figure = Figure(figsize=(WIDE, 3.4), layout="constrained")
    axes = figure.subplots()
    for column, name, colour, mark in ((1, "glucose4", BLUE, "o"), (2, "minisat22", ORANGE, "s")):
        means = [number(row[column].split("/")[0]) / 1000 for row in rows]
        axes.semilogx(means, range(len(rows)), mark, color=colour, label=name)
    axes.set_yticks(range(len(rows)), [row[0].split("`")[1] for row in rows])
    axes.set(xlabel="milliseconds a call, mean", ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def regret() -> Figure:
    """The regret of four learners after 1,000 rounds with noise 0.1, a row per class."""
    rows = [row for row in rows_of("regret.md", "## The default prior") if row[1] == "1000"]
    players = [("former default", GREY, "|"), ("default", BLUE, "o"), ("paper, with T and M", ORANGE, "s")]
    players.append(("Hedge", GREEN, "x"))
    figure = Figure(figsize=(WIDE, 4.8), layout="constrained")
    axes = figure.subplots()
    for i, (name, colour, mark) in enumerate(players):
        values = [[number(part) for part in row[3].split("/")] for row in rows]
        at_rows = [(value[i], place) for place, value in enumerate(values) if i < len(value)]
        axes.semilogx(*zip(*at_rows, strict=True), mark, color=colour, label=name, ms=9 if mark == "|" else 6, mew=2)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set(xlabel="expected regret", ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks([4, 6, 10, 20, 30], ["4", "6", "10", "20", "30"])
    axes.minorticks_off()
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def growth() -> Figure:
    """The regret against T with noise 0.1, of the paper's learner and of one without T and M."""
    rows = [row for row in rows_of("regret.md", '## The prior "kt"') if row[1] == "0.1"]
    figure = Figure(figsize=(WIDE, 4.4), layout="constrained")
    axes = figure.subplots()
    for row, colour in zip(rows, (BLUE, GREEN, ORANGE, PINK, INK), strict=True):
        pairs = [[number(part.split("±")[0]) for part in cell.split("/")] for cell in row[2:]]
        told, untold = zip(*pairs, strict=True)
        axes.loglog((300, 1000, 3000, 20000), told, "--", color=colour)
        axes.loglog((300, 1000, 3000, 20000), untold, "-o", color=colour, ms=4, label=row[0])
    axes.set(xlabel="T", ylabel="expected regret")
    axes.set_xticks([300, 1000, 3000, 20000], ["300", "1,000", "3,000", "20,000"])
    axes.set_yticks([3, 10, 30, 100, 300], ["3", "10", "30", "100", "300"])
    axes.minorticks_off()
    figure.legend(loc="outside upper center", ncols=2, fontsize=10)
    return figure


def flights() -> Figure:
    """The cost of decisions about flights."""
    rows = rows_of("thresholds.md", "## Flights")
    figure = Figure(figsize=(WIDE, 6.2), layout="constrained")
    axes = figure.subplots()
    texts = [re.sub(r"`|, expected|, 257 thresholds", "", row[0]) for row in rows]
    names = ["\n".join(wrap(text, 24)) for text in texts]
    ours = ["`" in row[0] for row in rows]
    for place, (row, mine) in enumerate(zip(rows, ours, strict=True)):
        axes.plot([number(row[1]) / 1000], [place], "o", color=BLUE if mine else GREY)
    axes.set_yticks(range(len(rows)), names, fontsize=10)
    axes.set(xlabel="cost, thousands", ylim=(len(rows) - 0.5, -0.5))
    return figure


def costs() -> Figure:
    """The cost of decisions on the bundled scores so far, in percent of the fixed threshold 0.5."""
    with files("adeptree").joinpath("data/fraud_scores.csv").open() as file:
        rows = [(row["shop"], float(row["score"]), int(row["fraud"])) for row in csv.DictReader(file)]
    scores, labels = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])

    def cost(says: Any) -> Any:
        return np.where(labels == 1, 10 * (1 - says), says)

    cuts = np.unique([*scores, 2.0])
    table = np.array([cost(scores >= cut) for cut in cuts]).cumsum(axis=1)
    window = np.zeros(len(rows))
    for t in range(len(rows)):  # (of several cheapest thresholds the highest)
        recent = table[:, t - 1] - (table[:, t - 501] if t > 500 else 0) if t else np.zeros(len(cuts))
        window[t] = cost(scores >= cuts[len(cuts) - 1 - int(np.argmin(recent[::-1]))])[t]
    lines = {"fixed at 0.5": cost(scores >= 0.5), "last 500 rows": window}
    lines["best fixed, in hindsight"] = cost(scores >= cuts[int(np.argmin(table[:, -1]))])
    learner = at.Adept(at.RealThresholds().on("score"), costs=(10, 1), by="shop")
    ours = []
    for shop, score, fraud in rows:
        learner.learn({"shop": shop, "score": score}, fraud)
        ours.append(learner.expected_loss)
    figure = Figure(figsize=(WIDE, 3.6), layout="constrained")
    axes = figure.subplots()
    week = 12 * np.arange(1, len(rows) + 1) / len(rows)
    for (name, each), colour in zip(lines.items(), (ORANGE, GREEN, GREY), strict=True):
        axes.plot(week, each.cumsum(), color=colour, label=f"{name}: {each.sum():,.0f}")
    axes.plot(week, ours, color=BLUE, lw=2.4, label=f"adeptree, per shop: {ours[-1]:,.0f}")
    axes.set(xlabel="week", ylabel="cost so far", xlim=(0, 12), ylim=(0, 1300))
    axes.legend(loc="upper left")
    return figure


def _percent(axes: Any, lines: dict[str, tuple[Any, str]]) -> None:
    """Draw mistakes so far in percent, one line per learner; each is given as its losses."""
    for name, (losses, colour) in lines.items():
        t = np.arange(1, len(losses) + 1)
        axes.plot(
            t[::5], (100 * np.cumsum(losses) / t)[::5], color=colour, label=f"{name}: {100 * np.mean(losses):.1f} %"
        )
    axes.set(xlabel="rows", ylabel="mistakes so far, %", xlim=(0, len(losses)))
    axes.legend(loc="upper right")


def blocklist() -> Figure:
    """Mail from thousands of senders, of whom three are bad, and a tenth of the labels wrong."""
    rng, bad = np.random.default_rng(0), (3, 1000, 2000)
    senders = np.where(rng.random(6000) < 0.15, rng.choice(bad, 6000), rng.integers(0, 4000, 6000))
    labels = np.isin(senders, bad) ^ (rng.random(6000) < 0.1)
    p = at.Adept(at.BlockUnions(3)).learn_many(senders.tolist(), labels)
    figure = Figure(figsize=(WIDE, 3.2), layout="constrained")
    axes = figure.subplots()
    best = np.isin(senders, bad) != labels
    lines = {"block no sender": (labels, ORANGE), "adeptree": (np.abs(np.array(p) - labels), BLUE)}
    _percent(axes, {**lines, "the three bad senders": (best, INK)})
    axes.set(ylim=(0, 45))
    return figure


def drifting() -> Figure:
    """A sensor whose polarity flips every 500 rows, with and without drift."""
    rng = np.random.default_rng(0)
    xs = rng.random(4000)
    labels = (xs >= 0.5) ^ (np.arange(4000) // 500 % 2 == 1) ^ (rng.random(4000) < 0.01)
    figure = Figure(figsize=(WIDE, 3.2), layout="constrained")
    axes = figure.subplots()
    lines = {}
    for name, drift, colour in (("one rule for all rows", False, ORANGE), ("drift=True", True, BLUE)):
        p = at.Adept(at.RealStumps(["x"]), drift=drift).learn_many(xs.reshape(-1, 1), labels)
        lines[name] = np.abs(np.array(p) - labels), colour
    _percent(axes, lines)
    axes.set(ylim=(0, 70))
    return figure


FIGURES = {"home": home, "tree": tree, "weights": weights, "kt": kt, "width": width, "randomise": randomise}
FIGURES |= {"streams": streams, "calibration": calibration, "costs": costs}
FIGURES |= {"paths": paths, "calls": calls, "solvers": solvers}
FIGURES |= {"regret": regret, "growth": growth, "flights": flights}
FIGURES |= {"blocklist": blocklist, "drifting": drifting}


def main(folder: Path) -> None:
    """Draw all figures into a folder."""
    with matplotlib.rc_context(STYLE):
        for name, draw in FIGURES.items():
            draw().savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
    card().savefig(folder / "card.png", metadata={"Software": None})
    (folder / "hero.svg").write_text(hero(), encoding="utf-8")
    page = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "speed_page.py"))
    for name, drawn in page["section"](json.loads(page["RESULTS"].read_text(encoding="utf-8")))[1].items():
        (folder / f"{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
