"""Streams on which others may well be better: without noise, and with a boundary that is no threshold."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from speed_measure import Stream, play
from speed_players import BareLogistic, HoeffdingTree, Player, River, ScaledLogistic

import adeptree as at

SAME = re.compile(r" \+ |paths|dictionary|adeptree\.Hedge")


def elsewhere(players: list[Player], n: int, T: int, seed: int) -> dict[str, dict[str, float]]:
    """Return {stream: {name: mistakes}}."""
    clean = Stream.draw(n, T, 0.0, seed)
    # Of the forms that compute the same distribution, one is enough.
    able = [player for player in players if player.longest >= T and not SAME.search(player.name)]
    found: dict[str, dict[str, float]] = {
        f"the same without flips, T = {T:,}": {player.name: play(player, clean, T, 0.0).mistakes for player in able},
        f"x + z > 1 with 5 % flips, T = {T:,}": oblique(n, T, seed),
    }
    return found


def oblique(n: int, T: int, seed: int) -> dict[str, float]:
    """Two features: adeptree's thresholds see only the first, the others see both."""
    rng = np.random.default_rng(seed)
    points = rng.random((T, 2))
    ys = (points.sum(axis=1) > 1) ^ (rng.random(T) < 0.05)
    learner = at.Adept(at.Thresholds(n), prior="kt")
    p = learner.learn_many((points[:, 0] * n).astype(np.int64), ys)
    found: dict[str, float] = {
        "adeptree prior=kt (no horizon), learn_many": float(((p > 0.5) != ys).sum()),
        "the best threshold": float(learner.best_loss),
    }
    for kind in (BareLogistic, ScaledLogistic, HoeffdingTree):
        player: River = kind(n)
        try:
            player.start(T)
        except ImportError:
            continue
        rows: list[dict[str, Any]] = [{"x": 2 * x - 1, "z": 2 * z - 1} for x, z in points.tolist()]
        said = player.play(rows, ys.tolist())
        found[player.name] = float(sum((player.probability(one) > 0.5) != y for one, y in zip(said, ys, strict=True)))
    return found
