"""Time the operations that users wait for, one case per process: python benchmarks/speed_cases.py CASE prints times as
JSON.

Times are processor seconds per instance (or per call or command), the best of some games that take turns in the
process. ``speed.py`` starts this file for the working copy and for an older commit in turns.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

QUICK = bool(os.environ.get("SPEED_QUICK"))
Game = Callable[[], Any]
"""The timed function; it is made, with its data, before the timer starts."""
COMMAND = "from adeptree.app.cli import main; main()"


def turns(players: dict[str, Callable[[], Game]], count: int, repeats: int) -> dict[str, float]:
    """Return the processor seconds of each player per instance: the best of some games, in turns."""
    found = dict.fromkeys(players, float("inf"))
    for _ in range(repeats):
        for name, make in players.items():
            game = make()
            gc.collect()
            gc.disable()
            begun = time.process_time()
            game()
            found[name] = min(found[name], (time.process_time() - begun) / count)
            gc.enable()
    return found


def adept(rules: Any) -> Any:
    import adeptree as at

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return at.Adept(rules)


def flipped(rng: np.random.Generator, labels: Any, share: float = 0.15) -> Any:
    return (labels ^ (rng.random(len(labels)) < share)).astype(np.int64)


def names(columns: int) -> list[str]:
    return [f"c{i}" for i in range(columns)]


def rows(xs: Any) -> list[Any]:
    return [dict(zip(names(xs.shape[1]), row, strict=True)) for row in xs.tolist()] if xs.ndim == 2 else xs.tolist()


def rounds(learner: Any, xs: list[Any], ys: list[int]) -> Game:
    """Predict, then learn, a round at a time."""
    look, learn = (
        getattr(learner, "predict_proba_one", None) or learner.predict_proba,
        getattr(learner, "learn_one", None) or learner.learn,
    )

    def game() -> None:
        for x, y in zip(xs, ys, strict=True):
            look(x)
            learn(x, y)

    return game


# --- Late labels --------------------------------------------------------------------------------------------------


def tickets(rules: Callable[[], Any], xs: list[Any], ys: list[int]) -> dict[str, float]:
    def late() -> Game:
        learner = adept(rules())

        def game() -> None:
            for x, y in zip(xs, ys, strict=True):
                learner.learn(learner.answer(x), y)

        return game

    return turns({"plain": lambda: rounds(adept(rules()), xs, ys), "late": late}, len(ys), 5)


def late_floats() -> dict[str, float]:
    import adeptree as at

    rng = np.random.default_rng(0)
    xs = rng.random(20_000)
    return tickets(at.RealThresholds, xs.tolist(), flipped(rng, xs > 0.4).tolist())


def late_table() -> dict[str, float]:
    import adeptree as at

    rng = np.random.default_rng(0)
    xs = rng.standard_normal((20_000, 2))
    words = [f"city {i}" for i in rng.integers(0, 30, len(xs))]
    table = [{"a": a, "b": b, "c": c} for (a, b), c in zip(xs.tolist(), words, strict=True)]
    return tickets(lambda: at.TableStumps(["a", "b", "c"]), table, flipped(rng, xs[:, 0] > 0.3).tolist())


# --- Frames -------------------------------------------------------------------------------------------------------


def mixed_columns(n: int) -> tuple[dict[str, Any], Any]:
    """Return ten columns: six of numbers and three of texts, 8 % missing in each, and one of truth values."""
    rng, columns = np.random.default_rng(0), dict[str, Any]()
    for j in range(4):
        columns[f"n{j}"] = np.where(rng.random(n) < 0.08, np.nan, rng.normal(size=n))
    cities = np.array([f"city {i}" for i in range(50)], dtype=object)
    for j in range(3):
        columns[f"t{j}"] = np.where(rng.random(n) < 0.08, None, cities[rng.integers(0, 50, n)])
    for j in range(2):
        columns[f"i{j}"] = np.where(rng.random(n) < 0.08, np.nan, rng.integers(0, 100, n).astype(float))
    columns["b0"] = rng.random(n) < 0.4
    return columns, flipped(rng, np.nan_to_num(columns["n0"]) > 0.3)


def frames() -> dict[str, float]:
    import pandas as pd
    import polars as pl

    import adeptree as at

    n = 10_000
    columns, ys = mixed_columns(n)
    pandas, labels = pd.DataFrame(columns), ys.tolist()
    polars = pl.from_pandas(pandas)
    dicts = [
        {name: None if value is None or value != value else value for name, value in zip(columns, row, strict=True)}
        for row in zip(*(column.tolist() for column in columns.values()), strict=True)
    ]
    texts = [row | {"b0": "true" if row["b0"] else "false"} for row in dicts]

    def learner() -> Any:
        return adept(at.TableStumps(list(columns)))

    def many(*parts: tuple[Any, Any]) -> Game:
        one = learner()
        return lambda: [one.learn_many(x, y) for x, y in parts]

    thousands = [(pandas[i : i + 1000], ys[i : i + 1000]) for i in range(0, n, 1000)]
    players = {
        "single": lambda: rounds(learner(), dicts, labels),
        "single, text for bool": lambda: rounds(learner(), texts, labels),
        "pandas": lambda: many((pandas, ys)),
        "pandas by 1000": lambda: many(*thousands),
        "polars": lambda: many((polars, ys)),
    }
    return turns(players, n, 4)


# --- Stumps against River -----------------------------------------------------------------------------------------


def stumps(columns: int, T: int) -> dict[str, float]:
    import pandas as pd
    from river import linear_model, preprocessing

    import adeptree as at

    rng = np.random.default_rng(1)
    xs = rng.standard_normal((T, columns))
    ys = flipped(rng, xs[:, 0] > 0.2)
    shown, said, theirs = rows(xs), ys.tolist(), min(T, 30_000)
    parts = [
        (pd.DataFrame(xs[i : i + 1000], columns=names(columns)), pd.Series(ys[i : i + 1000].astype(bool)))
        for i in range(0, theirs, 1000)
    ]

    def river() -> Any:
        return preprocessing.StandardScaler() | linear_model.LogisticRegression()

    def minis() -> Game:
        model = river()
        return lambda: [(model.predict_proba_many(x), model.learn_many(x, y)) for x, y in parts]

    def batch() -> Game:
        one = adept(at.RealStumps(names(columns)))
        return lambda: one.learn_many(xs, ys)

    repeats = 3 if T <= 10_000 else 2
    found = turns(
        {"single": lambda: rounds(adept(at.RealStumps(names(columns))), shown, said), "batch": batch}, T, repeats
    )
    return found | turns(
        {"River": lambda: rounds(river(), shown[:theirs], said[:theirs]), "River mini-batches": minis},
        theirs,
        2 * repeats,
    )


# --- Lines --------------------------------------------------------------------------------------------------------


def lines() -> dict[str, float]:
    """Thresholds and intervals over floats, 100,000 rounds, and the same of 100."""
    from river import linear_model

    import adeptree as at

    rng = np.random.default_rng(0)
    xs = rng.random(100_000)
    ys = flipped(rng, xs > 0.4)
    shown, said = xs.tolist(), ys.tolist()
    mappings = [{"x": 2 * x - 1} for x in shown[:30_000]]

    def batch(rules: Any) -> Game:
        one = adept(rules())
        return lambda: one.learn_many(xs, ys)

    found = turns({"River": lambda: rounds(linear_model.LogisticRegression(), mappings, said[:30_000])}, 30_000, 3)
    ours = {"thresholds": at.RealThresholds, "intervals": at.RealIntervals}
    for name, rules in ours.items():
        found |= turns(
            {name: lambda r=rules: rounds(adept(r()), shown, said), f"{name}, batch": lambda r=rules: batch(r)},  # type: ignore[misc]
            100_000,
            3,
        )
    few = {"T = 100": lambda: rounds(adept(at.RealThresholds()), shown[:100], said[:100])}
    few["River, T = 100"] = lambda: rounds(linear_model.LogisticRegression(), mappings[:100], said[:100])
    return found | turns(few, 100, 20)


def oblique() -> dict[str, float]:
    """Mistakes per 10,000 rounds on a boundary of two columns, which no stump has."""
    from river import linear_model, preprocessing

    import adeptree as at

    rng = np.random.default_rng(0)
    xs = rng.random((10_000, 2)) * 2 - 1
    ys = flipped(rng, xs.sum(axis=1) > 0, 0.05).tolist()
    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    ours, theirs, one = 0, 0, adept(at.RealStumps(names(2)))
    for x, y in zip(rows(xs), ys, strict=True):
        ours += (one.predict_proba(x) > 0.5) != y
        theirs += (model.predict_proba_one(x)[True] > 0.5) != y
        one.learn(x, y)
        model.learn_one(x, bool(y))
    return {"mistakes": float(ours), "River": float(theirs)}


def memory() -> dict[str, float]:
    """Bytes per distinct value, which River's models do not keep."""
    import tracemalloc

    import adeptree as at

    rng = np.random.default_rng(0)
    found = {}
    for name, rules, xs in (
        ("thresholds", at.RealThresholds, rng.random(100_000)),
        ("stumps", lambda: at.RealStumps(names(5)), rng.standard_normal((100_000, 5))),
    ):
        ys = flipped(rng, (xs if xs.ndim == 1 else xs[:, 0]) > 0.4)
        adept(rules()).learn_many(xs[:10], ys[:10])  # loads modules, whose memory is not that of values
        tracemalloc.start()
        one = adept(rules())
        for i in range(0, len(ys), 1000):
            one.learn_many(xs[i : i + 1000], ys[i : i + 1000])
        found[name] = tracemalloc.get_traced_memory()[0] / xs.size
        tracemalloc.stop()
    return found


# --- Certificate and best rule on a table ---------------------------------------------------------------------------


def reads() -> dict[str, float]:
    import adeptree as at

    found = {}
    rng = np.random.default_rng(1)
    for T in (10_000, 100_000):
        xs = rng.standard_normal((T, 5))
        ys, one = flipped(rng, xs[:, 0] > 0.2), adept(at.TableStumps(names(5)))
        one.learn_many(xs[:-400], ys[:-400])
        shown, said = rows(xs[-400:]), ys[-400:].tolist()
        found |= {f"round, {T}": turns({"": lambda: rounds(one, shown, said)}, 400, 1)[""]}  # noqa: B023
        for name, read in (("bound", lambda: one.bound), ("best rule", lambda: one.best_rule())):  # noqa: B023
            taken = []
            for x, y in zip(rows(rng.standard_normal((20, 5))), [0, 1] * 10, strict=True):
                one.learn(x, y)  # (so that nothing is remembered)
                begun = time.process_time()
                read()
                taken.append(time.process_time() - begun)
            found[f"{name}, {T}"] = sorted(taken)[len(taken) // 2]
    return found


# --- Files --------------------------------------------------------------------------------------------------------

RIVER_CSV = """
import sys
from river import linear_model, stream
model = linear_model.LogisticRegression()
with open(sys.argv[1]) as file:
    names = file.readline().strip().split(",")
converters = {**dict.fromkeys(names, float), "y": int}
for x, y in stream.iter_csv(sys.argv[1], target="y", converters=converters):
    model.predict_proba_one(x)
    model.learn_one(x, y)
"""
POLARS = """
import sys, polars as pl, adeptree as at
frame = pl.read_csv(sys.argv[1])
at.Adept(at.RealThresholds()).learn_many(frame["c0"], frame["y"])
"""


def spent(*command: str) -> float:
    """Return the processor seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(*options: str) -> float:
    return spent(sys.executable, "-c", COMMAND, "run", *options, "--quiet")


def write_table(n: int, columns: int) -> None:
    import polars as pl

    rng = np.random.default_rng(3)
    xs = np.round(rng.random((n, columns)), 4)
    frame = pl.DataFrame(dict(zip(names(columns), xs.T, strict=True)))
    frame = frame.with_columns(y=pl.Series(flipped(rng, xs[:, 0] > 0.41)))
    frame.write_csv("t.csv")
    frame.write_parquet("t.parquet")


def files(n: int = 300_000) -> dict[str, float]:
    """Whole commands, in seconds: thresholds on one column."""
    write_table(n, 1)
    found: dict[str, float] = {}
    commands: dict[str, Callable[[], float]] = {
        "csv": lambda: run("t.csv", "--rules", "thresholds(c0)"),
        "save": lambda: run("t.csv", "--rules", "thresholds(c0)", "--save", "s"),
        "predictions": lambda: run("t.csv", "--rules", "thresholds(c0)", "--predictions", "p.csv"),
        "parquet": lambda: run("t.parquet", "--rules", "thresholds(c0)"),
        "polars": lambda: spent(sys.executable, "-c", POLARS, "t.csv"),
    }
    if n > 300_000:
        commands = {name: commands[name] for name in ("csv", "parquet", "polars")}
    for _ in range(3 if n <= 300_000 else 2):
        for name, command in commands.items():
            shutil.rmtree("s", ignore_errors=True)
            Path("p.csv").unlink(missing_ok=True)
            found[name] = min(found.get(name, 1e9), command())
    return found | {"rows": float(n)}


def files_3m() -> dict[str, float]:
    return files(3_000_000)


def files_20() -> dict[str, float]:
    """Stumps on 20 columns, against River on the same file."""
    write_table(50_000, 20)
    found: dict[str, float] = {}
    for _ in range(3):
        for name, command in {
            "run": lambda: run("t.csv", "--rules", "stumps"),
            "River": lambda: spent(sys.executable, "-c", RIVER_CSV, "t.csv"),
        }.items():
            found[name] = min(found.get(name, 1e9), command())
    return found


# --- HTTP ---------------------------------------------------------------------------------------------------------


def http() -> dict[str, float]:
    """Processor time of the server per instance, in requests of 100 and of one, and of the round itself."""
    import adeptree as at

    rng = np.random.default_rng(0)
    n = 20_000
    numbers = rng.random((n, 2)) * 100
    cities = [f"city {i}" for i in rng.integers(0, 30, n)]
    table = [{"age": a, "income": b, "city": c} for (a, b), c in zip(numbers.tolist(), cities, strict=True)]
    ys = flipped(rng, numbers[:, 0] > 40).tolist()
    found = turns({"round": lambda: rounds(adept(at.TableStumps(["age", "income", "city"])), table, ys)}, n, 4)
    for size, count in ((100, n), (1, 2_000)):
        best = 1e9
        for _ in range(3):
            best = min(best, served(size, table[:count], ys[:count]))
        found[f"in requests of {size}"] = best
    return found


def served(size: int, table: list[Any], ys: list[int]) -> float:
    """Return the processor seconds of a server per instance: answers, then their labels."""
    import http.client

    command = [sys.executable, "-c", COMMAND, "serve", "--rules", "stumps(age, income, city)", "--port", "0"]
    with subprocess.Popen([*command, "--max-open", "100000"], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        line = ""
        while "http://127.0.0.1:" not in line:
            line = server.stderr.readline()
        port = int(line.split("http://127.0.0.1:")[1].split("/")[0])
        to = http.client.HTTPConnection("127.0.0.1", port)

        def post(path: str, value: Any) -> Any:
            to.request("POST", path, json.dumps(value), {"Content-Type": "application/json"})
            return json.loads(to.getresponse().read())

        def played(first: int, end: int) -> None:
            for i in range(first, end, size):
                if size == 1:
                    given = post("/answer", {"x": table[i]})
                    post("/learn", {"ticket": given["ticket"], "y": ys[i]})
                else:
                    given = post("/answer", {"xs": table[i : i + size]})
                    told = zip(given["answers"], ys[i : i + size], strict=True)
                    post("/learn", {"labels": [{"ticket": one["ticket"], "y": y} for one, y in told]})

        try:
            played(0, 5 * size)
            before = processor(server.pid)
            played(5 * size, len(table))
            return (processor(server.pid) - before) / (len(table) - 5 * size)
        finally:
            server.terminate()


def processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- New processes --------------------------------------------------------------------------------------------------


def first_use() -> dict[str, float]:
    """Seconds and modules of the first use of a name in a new process, and of ``import numpy``."""
    found = {"numpy": 1e9, "adeptree": 1e9}
    programs = {"numpy": "import numpy", "adeptree": "import adeptree as at; at.Adept"}
    for _ in range(7):
        for name, program in programs.items():
            begun = spent(sys.executable, "-c", program)
            found[name] = min(found[name], begun)
    import adeptree as at

    modules = {}
    for name in [one for one in at.__all__ if not one.startswith("_")]:
        program = f"import sys, adeptree; adeptree.{name}; print(len(sys.modules))"
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        modules[name] = int(said)
    most = max(modules, key=lambda name: modules[name])
    print(most, modules[most], file=sys.stderr)
    return found | {"modules": float(modules["Adept"]), "modules of any name": float(modules[most])}


PLAIN = (late_floats, late_table, frames, lines, oblique, memory, reads, files, files_3m, files_20, http, first_use)
CASES: dict[str, Callable[[], dict[str, float]]] = {case.__name__: case for case in PLAIN}
for wide, long in ((5, 10_000), (20, 10_000), (5, 100_000), (20, 100_000)):
    CASES[f"stumps_{wide}_{long}"] = partial(stumps, wide, long)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(json.dumps(CASES[sys.argv[1]]()))
