"""What a round of Tracking costs next to a round of Adept: python benchmarks/tracking_cost.py

Thresholds(1023), 2,000 rounds whose rule flips half way, predict then learn; processor time, the best of three games
that take turns. Compare ratios, not times.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import adeptree as at
from adeptree.research.tracking import Tracking
from adeptree.research.tracking_anytime import TrackingAnytime

T, GAMES = 2000, 3
LINE = at.Thresholds(1023)
PLAYERS: dict[str, Callable[[], Any]] = {
    "Adept, engine='paths'": lambda: at.Adept(LINE, engine="paths"),
    "Adept": lambda: at.Adept(LINE),
    **{f"Tracking, S = {s}": lambda s=s: Tracking(LINE, T, s) for s in (0, 1, 15, 159)},
    **{f"TrackingAnytime, switches={s}": lambda s=s: TrackingAnytime(LINE, switches=s) for s in (1, 159)},
}


def played(learner: Any) -> float:
    """Return the processor time of a game, in microseconds per round."""
    points = np.random.default_rng(0).integers(1023, size=T).tolist()
    start = time.process_time()
    for t, x in enumerate(points):
        learner.predict_proba(x)
        learner.learn(x, int(x >= 500) ^ int(t >= T // 2))
    return 1e6 * (time.process_time() - start) / T


def main() -> None:
    """Print a table in Markdown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", at.errors.NoBetterThanACoin)
        games = [{name: played(make()) for name, make in PLAYERS.items()} for _ in range(GAMES)]
    print("| learner | us per round | to Adept's paths |\n|---|--:|--:|")
    least = {name: min(game[name] for game in games) for name in PLAYERS}
    for name, cost in least.items():
        print(f"| {name} | {cost:.1f} | {cost / least[next(iter(least))]:.2f} x |")


if __name__ == "__main__":
    main()
