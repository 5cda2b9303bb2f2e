"""Charts and text of docs/evidence/speed.md, from the runs in ``speed_results.json``: only claims that repeat."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "speed_results.json"
EVIDENCE, FIGURES = HERE.parent / "docs" / "evidence" / "speed.md", HERE.parent / "docs" / "figures"
BEGIN, END = "<!-- results of benchmarks/speed.py -->", "<!-- end of results -->"
REPEATS, APART = 1.2, 1800
"""Largest difference between the numbers of two runs, and least seconds between the runs."""

Found = dict[str, dict[str, float]]
"""The numbers of a run, by case."""


@dataclass(frozen=True)
class Claim:
    """A number of a chart: its text, and how it follows from a run."""

    text: str
    of: Callable[[Found], float]

    def values(self, runs: list[Found]) -> list[float]:
        """Return the number in each run."""
        return [self.of(run) for run in runs]


def ratio(text: str, case: str, above: str, below: str, times: float = 1.0) -> Claim:
    return Claim(text, lambda found: times * found[case][above] / found[case][below])


def stumps(columns: int, T: int) -> list[Claim]:
    case, what = f"stumps_{columns}_{T}", f"stumps, {columns} columns, {T:,} rounds"
    return [
        ratio(f"{what}, one at a time", case, "River", "single"),
        ratio(f"{what}, batch", case, "River", "batch"),
    ]


AS_FAST = [
    ratio("thresholds, batch", "lines", "River", "thresholds, batch"),
    ratio("thresholds, one at a time", "lines", "River", "thresholds"),
    ratio("intervals, batch", "lines", "River", "intervals, batch"),
    ratio("intervals, one at a time", "lines", "River", "intervals"),
    ratio("thresholds, first 100 rounds", "lines", "River, T = 100", "T = 100"),
    *(claim for columns in (5, 20) for T in (10_000, 100_000) for claim in stumps(columns, T)),
    ratio("run --rules stumps, 20 columns of CSV", "files_20", "River", "run"),
    ratio("stumps, 5 columns, batch to mini-batches", "stumps_5_100000", "River mini-batches", "batch"),
    ratio("stumps, 20 columns, batch to mini-batches", "stumps_20_100000", "River mini-batches", "batch"),
    ratio("mistakes, boundary of two columns", "oblique", "River", "mistakes"),
]
COSTS = [
    ratio("late label to a prompt round, floats", "late_floats", "late", "plain"),
    ratio("late label to a prompt round, table", "late_table", "late", "plain"),
    ratio("pandas frame with missing values to single calls", "frames", "pandas", "single"),
    ratio("polars frame with missing values to single calls", "frames", "polars", "single"),
    ratio("HTTP, 100 instances per request, to the round", "http", "in requests of 100", "round"),
    ratio("HTTP, one instance per request, to the round", "http", "in requests of 1", "round"),
    ratio("bound of a table, in rounds", "reads", "bound, 100000", "round, 100000"),
    ratio("best_rule() of a table, in rounds", "reads", "best rule, 100000", "round, 100000"),
    ratio("first use in a process, to import numpy", "first_use", "adeptree", "numpy"),
    ratio("run on Parquet to CSV, 300,000 rows", "files", "parquet", "csv"),
    ratio("run on Parquet to CSV, 3,000,000 rows", "files_3m", "parquet", "csv"),
    ratio("run on CSV to polars + learn_many, 3,000,000 rows", "files_3m", "csv", "polars"),
]
PLAIN = [
    Claim("`run --save`, microseconds per row", lambda f: 1e6 * (f["files"]["save"] - f["files"]["csv"]) / 3e5),
    Claim(
        "`run --predictions`, microseconds per row",
        lambda f: 1e6 * (f["files"]["predictions"] - f["files"]["csv"]) / 3e5,
    ),
    Claim("bytes per different value, thresholds", lambda f: f["memory"]["thresholds"]),
    Claim("bytes per different value, stumps (River keeps a few numbers per column)", lambda f: f["memory"]["stumps"]),
    Claim("modules loaded by the first use of `Adept`", lambda f: f["first_use"]["modules"]),
]
CHARTS = {
    "speed": ("Times as fast as River (right of 1: adeptree is faster)", AS_FAST),
    "edges": ("Times the cost of the work itself (1: nothing is added)", COSTS),
}


def pair(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the last run, and the last one that was at least half an hour before it."""
    last = stored[-1]
    before = [run for run in stored if run["when"] <= last["when"] - APART]
    return [before[-1], last] if before else [last]


def parted(claims: list[Claim], runs: list[Found]) -> tuple[list[tuple[Claim, float]], list[tuple[Claim, list[float]]]]:
    """Return the claims that repeat, with the mean of both runs, and those that do not, with both numbers."""
    kept, others = list[tuple[Claim, float]](), list[tuple[Claim, list[float]]]()
    for claim in claims:
        values = claim.values(runs)
        if len(values) > 1 and 0 < max(values) <= REPEATS * min(values):
            kept.append((claim, sum(values) / len(values)))
        else:
            others.append((claim, values))
    return kept, others


def short(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def chart(title: str, bars: list[tuple[Claim, float]]) -> str:
    """Return horizontal bars from 1, on a logarithmic axis, as SVG; bars on the losing side are orange."""
    low, high = min(0.5, *(value for _, value in bars)) / 1.6, max(2.0, *(value for _, value in bars)) * 1.6
    left, width, line = 10, 350, 40  # (narrow, with each name above its bar: also to be read on a phone)
    better = "as fast" in title

    def x(value: float) -> float:
        return left + width * math.log(value / low) / math.log(high / low)

    rows = []
    for place, (claim, value) in enumerate(bars):
        y = 54 + line * place
        start, end = sorted((x(1.0), x(value)))
        fill = "#0072b2" if (value >= 1) == better or not better else "#d55e00"
        rows.append(
            f'<text x="{left}" y="{y - 5}">{escape(claim.text)}</text>'
            f'<line x1="{x(1.0):.1f}" x2="{x(1.0):.1f}" y1="{y - 2}" y2="{y + 16}" stroke="#808080"/>'
            f'<rect x="{start:.1f}" y="{y}" width="{max(end - start, 1):.1f}" height="14" fill="{fill}"/>'
            f'<text x="{end + 5:.1f}" y="{y + 11}">{short(value)}</text>'
        )
    bottom = 54 + line * len(bars) - 20
    body = "\n".join([f'<text x="10" y="20" font-weight="bold">{escape(title)}</text>', *rows])
    wide, tall = left + width + 50, bottom + 10
    size = f'width="{wide}" height="{tall}" viewBox="0 0 {wide} {tall}" font-family="sans-serif" font-size="13"'
    white = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} fill="#222222">\n{white}\n{body}\n</svg>\n'


def section(stored: list[dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """Return what stands between the markers of the page, and the charts by name."""
    both = pair(stored)
    runs = [run["found"]["new"] for run in both]
    last = both[-1]
    packages = ", ".join(f"{name} {number}" for name, number in last["packages"].items())
    hours = " and ".join(time.strftime("%H:%M", time.gmtime(run["when"])) for run in both)
    loads = " and ".join(f"{min(run['load']):.0f} to {max(run['load']):.0f}" for run in both)
    day = time.strftime("%Y-%m-%d", time.gmtime(last["when"]))
    text = [
        f"{last['machine']}, Python {last['python']}, {packages}. Two runs on {day}, begun at {hours} UTC, at load "
        f"averages of {loads}. A number is shown if the two runs agree within 20 %; it is their mean."
    ]
    charts, doubtful = {}, list[tuple[Claim, list[float]]]()
    for name, (title, claims) in CHARTS.items():
        kept, others = parted(claims, runs)
        doubtful += others
        charts[name] = chart(title, kept)
        told = "; ".join(f"{claim.text} {short(value)}" for claim, value in kept)
        text.append(f"```{{figure}} ../figures/{name}.svg\n:alt: {title}. {told}.\n{title}.\n```")
    kept, others = parted(PLAIN, runs)
    doubtful += others
    text.append(table(["added, or kept", "measured"], [[claim.text, short(value)] for claim, value in kept]))
    if doubtful:
        rows = [[claim.text, " and ".join(map(short, values))] for claim, values in doubtful]
        text += ["These numbers did not repeat within 20 %, so nothing is claimed:", table(["", "measured"], rows)]
    return "\n\n".join(text), charts


def table(head: list[str], lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---", "--:"], *lines])


def write_page() -> None:
    """Write the page and its charts."""
    text, charts = section(json.loads(RESULTS.read_text()))
    before, rest = EVIDENCE.read_text(encoding="utf-8").split(BEGIN)
    EVIDENCE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")
    for name, drawn in charts.items():
        (FIGURES / f"{name}.svg").write_text(drawn, encoding="utf-8")
