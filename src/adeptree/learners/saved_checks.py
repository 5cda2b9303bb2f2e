"""What a saved learner must look like: a checksum says that a file is whole, not that a learner wrote it.

First the numbers of a file are looked at, before anything is built from them (compiled engines read some as addresses);
then a learner rebuilt from a copy of them is tried on a few rounds.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adeptree.classes.base import ConceptClass
from adeptree.classes.oracle import OracleClass
from adeptree.classes.ordered import Intervals, Thresholds
from adeptree.learners.base import OnlineLearner

ROWS = ("mistakes", "contested", "losses")
COUNTS = ("rounds", "asked", "posed", "answered", "overlaps")
SUMS = ("expected_loss", "realised_loss", "variance")
FREE = {"history", "tickets", "points", "blocks", "settings", "sampler"}
"""Where a user's instances are kept, or what checks itself."""
TRIALS = (0, 1, 1)
"""Labels of the rounds that a rebuilt learner is tried on."""


def check_saved(saved: dict[str, Any], c: ConceptClass) -> None:
    """Raise ValueError if the file of a learner of the class holds what no learner has."""
    account, learnt = saved["account"], saved["learnt"]
    answered = account.get("answered", account["rounds"])
    for name in COUNTS:
        _need(_is_count(account.get(name, 0)), name)
    for name in SUMS:
        _need(_is_real(account.get(name, 0.0)) and account.get(name, 0.0) >= 0, name)
    waiting = len(account.get("tickets", []))
    _need(answered - account["rounds"] == waiting, f"{waiting} open tickets")
    horizon = saved["settings"].get("horizon")
    _need(horizon is None or answered <= horizon, "more rounds than the horizon")
    _check_values(learnt, "learnt")
    _check_rate(learnt.get("rate", {}))
    heaviest = max(1.0, *saved["settings"].get("costs", [1])) * max(1.0, saved["settings"].get("max_weight", 1))
    heaviest = max(heaviest, learnt.get("heaviest_round", 1))
    for part in (learnt, learnt.get("engine")):
        if isinstance(part, dict):
            _check_rows(c, part, answered, heaviest)
    if "inner" in learnt:
        check_saved(learnt["inner"], c)


def _check_values(value: Any, name: str) -> None:
    """No number but an instance is NaN, and no array has texts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in FREE:
                _check_values(inner, str(key))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _check_values(inner, name)
    elif isinstance(value, np.ndarray):
        _need(value.dtype.kind in "biuf" and not (value.dtype.kind == "f" and np.isnan(value).any()), name)
    elif isinstance(value, float):
        _need(not math.isnan(value), name)
        _need(name not in ("gap", "drift", "last_rate", "eta", "kappa") or math.isfinite(value), name)


def _check_rate(rate: dict[str, Any]) -> None:
    for name in ("eta", "kappa"):
        _need(_is_real(rate.get(name, 1.0)) and rate.get(name, 1.0) >= 0, name)
    _need(all(isinstance(limit, (int, float)) for limit in rate.get("stay", [])), "stay")


def _check_rows(c: ConceptClass, part: dict[str, Any], rounds: int, heaviest: float) -> None:
    """One k, n and L a path, none of them more than there were rounds."""
    _need(part.get("rounds", rounds) == rounds, "rounds")
    rows = {name: part[name] for name in (*ROWS, "log_g") if name in part}
    for name, row in rows.items():
        _need(isinstance(row, np.ndarray) and row.ndim in (1, 2) and row.size > 0, name)
        _need(row.shape[-1] == next(iter(rows.values())).shape[-1], f"the length of {name}")
    for name in ROWS:
        if name in rows:
            _check_counts(name, rows[name], rounds * heaviest if name == "losses" else rounds)
    if "frontier" in part:
        _check_frontier(c, part["frontier"], part["losses"].shape[-1])
    share = part.get("share")
    if share is not None:
        _need(share.shape == part["losses"].shape and share.dtype.kind == "f" and (share <= 1e-9).all(), "share")
    for name in ("zeros", "ones"):
        if name in part:
            _check_counts(name, part[name], rounds)
            _need(len(part[name]) == len(part["blocks"]), name)
    if "zeros" in part:
        _need(int(part["zeros"].sum() + part["ones"].sum()) == rounds, "zeros and ones")


def _check_counts(name: str, row: Any, most: float) -> None:
    _need(row.dtype.kind == "i" or (name == "losses" and row.dtype.kind == "f"), name)
    _need(row.size == 0 or (row.min() >= 0 and row.max() <= most * (1 + 1e-9)), name)


def _check_frontier(c: ConceptClass, frontier: dict[str, Any], width: int) -> None:
    """Ranges that do not overlap, boxes inside the line, numbers of blocks and cells that there are."""
    for x in () if isinstance(c, OracleClass) else frontier.get("points", ()):
        _need(c.instance(x) == x, "points")
    first, end = (0, c.n) if isinstance(c, (Thresholds, Intervals)) else (-math.inf, math.inf)
    if "feature" in frontier:  # the gaps of all features together
        gaps = [frontier[name] for name in ("feature", "low", "high")]
        _need(all(gap.shape == frontier["rows"].shape[1:] for gap in gaps), "gaps")
        _need((gaps[1] < gaps[2]).all() and frontier["rows"].max() < width, "gaps")
    elif "low" in frontier:
        low, high = frontier["low"], frontier["high"]
        _need(low.shape == high.shape == (width,) and low.dtype == high.dtype and (low <= high).all(), "low and high")
        order = np.argsort(low, kind="stable")
        apart = high[order][:-1] < low[order][1:] if isinstance(c, Thresholds) else high[order][:-1] <= low[order][1:]
        _need(low.min() >= first and high.max() <= end and apart.all(), "low and high")
    if "box" in frontier:
        box, blank, seen = frontier["box"], frontier["blank"], frontier["seen"]
        _need(box.shape == (4, width) and blank.shape == (width,) and blank.dtype.kind == "b", "box")
        _need(seen.ndim == 1 and seen.dtype.kind == box.dtype.kind and (np.diff(seen) > 0).all(), "seen")
        _need(all(first <= part.min(initial=0) and part.max(initial=0) <= end for part in (box, seen)), "box")
        start, last, stop, furthest = box[:, ~blank]
        _need((start <= last).all() and (last <= stop).all() and (stop <= furthest).all(), "box")
    if "members" in frontier:
        members, count, blocks = frontier["members"], frontier["count"], len(frontier["blocks"])
        _need(members.shape[0] == width and count.shape == (width,) and members.dtype.kind == "i", "members")
        _need(0 <= count.min() and count.max() <= members.shape[1] and members.max() < blocks, "members")
        _need(((members >= 0).sum(axis=1) == count).all() and members.min() >= -1, "members")
    if "row_of" in frontier:
        row_of = frontier["row_of"]
        _need(row_of.shape == (c.size,) and row_of.dtype.kind == "i" and row_of.min() >= -1, "row_of")  # type: ignore[attr-defined]
        _need(np.array_equal(np.unique(row_of[row_of >= 0]), np.arange(width)), "row_of")


def check_rebuilt(
    rebuild: Callable[[dict[str, Any]], OnlineLearner], saved: dict[str, Any], data_only: bool
) -> OnlineLearner:
    """Return the learner, or raise ValueError if one like it does not go on with numbers that are probabilities.

    It is tried only where the file tells the class (``data_only``): what a user's functions take, nobody knows.
    """
    learner = rebuild(saved)
    for losses in (part["losses"] for part in _parts(saved) if "losses" in part):
        _need(learner.width == losses.shape[-1], f"{losses.shape[-1]} losses of {learner.width} paths")
    # (An oracle would be asked, and asking costs.)
    if data_only and not isinstance(learner.concept_class, OracleClass):
        _try(rebuild(copy.deepcopy(saved)))
    return learner


def _try(trial: OnlineLearner) -> None:
    rng = np.random.default_rng(0)
    for label in TRIALS:
        if trial.ended:
            return
        x = trial.concept_class.random_instance(rng)
        p = trial.predict_proba(x)
        _need(0.0 <= p <= 1.0, f"a probability {p}")
        trial.learn(x, label)
        _need(0 <= trial.best_loss < math.inf and not math.isnan(trial.bound), "the account")


def _parts(saved: dict[str, Any]) -> list[dict[str, Any]]:
    learnt = saved["learnt"]
    if "inner" in learnt:
        return _parts(learnt["inner"])
    return [part for part in (learnt, learnt.get("engine")) if isinstance(part, dict)]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _need(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} cannot be what a learner saved")
