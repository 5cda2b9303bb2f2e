"""How ``speed.py`` measures: processor time of games on one stream, memory held, and growth."""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from dataclasses import dataclass

import numpy as np
from speed_players import Player

from adeptree.core.types import IntArray


@dataclass(frozen=True)
class Stream:
    """Uniform points of a line, labelled by one threshold, with flips. A shorter game is played on its beginning."""

    n: int
    xs: IntArray
    ys: IntArray

    @staticmethod
    def draw(n: int, rounds: int, flips: float, seed: int) -> Stream:
        rng = np.random.default_rng(seed)
        xs = rng.integers(0, n, rounds)
        ys = (xs >= int(0.37 * n)) ^ (rng.random(rounds) < flips)
        return Stream(n, xs, ys.astype(np.int64))

    def best_loss(self, T: int) -> int:
        """Return the mistakes of the best threshold on the first T rounds."""
        # Threshold 0 errs on all 0s; each point that a higher threshold leaves below it adds a 1 or takes off a 0.
        steps = np.zeros(self.n + 1, dtype=np.int64)
        np.add.at(steps, self.xs[:T] + 1, 2 * self.ys[:T] - 1)
        return int((1 - self.ys[:T]).sum() + np.cumsum(steps).min())


@dataclass(frozen=True)
class Game:
    """One contestant's game of T rounds: the best time of several, and how it did."""

    name: str
    T: int
    seconds: float
    repeats: int
    mistakes: int
    best_loss: int
    expected_loss: float | None
    bound: float | None

    @property
    def rate(self) -> float:
        """Rounds a second."""
        return self.T / self.seconds


def play(player: Player, stream: Stream, T: int, patience: float) -> Game:
    """Play T rounds, several times while that takes little; the clock runs only while rounds are played."""
    columns = player.prepare(stream.xs[:T], stream.ys[:T])
    seconds, repeats, spent = math.inf, 0, 0.0
    while repeats == 0 or (repeats < 5 and spent + seconds < patience):
        player.start(T)
        gc.collect()
        gc.disable()
        begun = time.process_time()
        said = player.play(*columns)
        took = time.process_time() - begun
        gc.enable()
        seconds, repeats, spent = min(seconds, took), repeats + 1, spent + took
    p = np.array([player.probability(one) for one in said])
    y = stream.ys[:T]
    expected = float(np.abs(p - y).sum()) if player.gambles else None
    mistakes = int(((p > 0.5) != y).sum())
    bound = getattr(player, "bound", None)
    return Game(player.name, T, seconds, repeats, mistakes, stream.best_loss(T), expected, bound)


def held(player: Player, stream: Stream, T: int) -> int:
    """Return the bytes that Python and numpy hold for the learner after T rounds (what C++ allocates is not seen)."""
    columns = player.prepare(stream.xs[:T], stream.ys[:T])
    player.start(2)  # whatever is imported or cached is not the learner's
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    player.start(T)
    player.play(*columns)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


def exponent(games: list[Game]) -> float | None:
    """Fit total time ~ T^a over the games of one contestant."""
    if len(games) < 2:
        return None
    logs = np.log([[game.T, game.seconds] for game in games])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def windows(player: Player, stream: Stream, widths: list[int], size: int) -> dict[int, tuple[int, float]]:
    """Return {active paths: (rounds, seconds per round)}: timed only while the frontier is about that wide."""
    width = 1 + np.cumsum(np.bincount(np.unique(stream.xs, return_index=True)[1], minlength=len(stream.xs)))
    found: dict[int, tuple[int, float]] = {}
    stops = {int(np.searchsorted(width, wanted)): wanted for wanted in widths}
    xs, ys = player.prepare(stream.xs[: max(stops) + 1], stream.ys[: max(stops) + 1])
    player.start(max(stops) + 1)
    at = 0
    for stop in sorted(stops):
        player.play(xs[at : stop - size], ys[at : stop - size])
        best = math.inf
        for part in range(stop - size, stop, size // 4):
            begun = time.process_time()
            player.play(xs[part : part + size // 4], ys[part : part + size // 4])
            best = min(best, (time.process_time() - begun) / (size // 4))
        found[stops[stop]] = (int(width[stop]), best)
        at = stop
    return found
