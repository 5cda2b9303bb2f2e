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

from adeptree.families.finite.partition import Partition
from adeptree.families.line.grid_line import Intervals, Thresholds
from adeptree.ghost import two_of_two as exact
from adeptree.ghost.blueprints import Vote, blueprint
from adeptree.ghost.ghost_blocks import refutes
from adeptree.ghost.ghost_bounds import STAGES_UP_TO
from adeptree.ghost.majority import BLOCKS, robust
from adeptree.ghost.plan_table import as_tuples
from adeptree.ghost.plans import plan_for, stage_plan
from adeptree.ghost.stages import first_stage
from adeptree.learners.online_learner import OnlineLearner
from adeptree.oracles.oracle_class import OracleClass
from adeptree.roles.base_learner import PerPath
from adeptree.roles.concept_class import ConceptClass
from adeptree.solvers.lp.perceptron import Perceptron

ROWS = ("mistakes", "contested", "losses")
COUNTS = ("rounds", "asked", "posed", "answered", "overlaps")
SUMS = ("expected_loss", "realised_loss", "variance")
FREE = {"history", "tickets", "points", "blocks", "settings", "sampler"}
"""Where a user's instances are kept, or what checks itself."""
LARGEST = (1 << 63) - 1
"""No number of a learner is larger."""
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
    _check_account(account, learnt)
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


def _check_account(account: dict[str, Any], learnt: dict[str, Any]) -> None:
    """What is a number is one number, what is yes or no is a bool."""
    for name in ("gap", "drift", "last_rate", "heaviest_round"):
        _need(_is_real(learnt.get(name, 0.0)) and abs(learnt.get(name, 0.0)) <= LARGEST, name)
    _need(learnt.get("gap", 0.0) >= -1e-6, "gap")
    _need(account.get("late", False) or learnt.get("drift", 0.0) == 0, "drift")
    for name in ("weighed", "ticketed"):
        _need(isinstance(learnt.get(name, False), bool), name)
    _need(isinstance(account.get("late", False), bool), "late")
    _need(all(_is_count(number) for number in learnt.get("sampled", [])), "sampled")
    _need(all(len(pair) == 2 and type(pair[1]) is int and pair[1] in (0, 1) for pair in learnt.get("history", [])), "y")


def _check_rate(rate: dict[str, Any]) -> None:
    for name in ("eta", "kappa"):
        _need(_is_real(rate.get(name, 1.0)) and rate.get(name, 1.0) >= 0, name)
    stay = rate.get("stay", [0, 0, 0])
    _need(len(stay) == 3 and all(_is_limit(limit) for limit in stay), "stay")


def _is_limit(value: Any) -> bool:
    return isinstance(value, (int, float)) and (abs(value) <= LARGEST or value == math.inf)


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
        width = part["losses"].shape[-1]
        _check_frontier(c, part["frontier"], width)
        _check_base(part["base"], width)
        _need(all(rows[name].ndim == 1 for name in ("mistakes", "contested", "log_g") if name in rows), "rows")
        _need(part["losses"].ndim == (2 if "log_g" in rows else 1), "losses")  # (only tracking knows two kinds)
        _check_waiting(part.get("waiting"), part.get("dropped", {}), width)
    share = part.get("share")
    if share is not None:
        _need(share.shape == part["losses"].shape and share.dtype.kind == "f" and (share <= 1e-9).all(), "share")
    for name in ("zeros", "ones"):
        if name in part:
            _check_counts(name, part[name], rounds)
            _need(len(part[name]) == len(set(part["blocks"])) == len(part["blocks"]), name)
    if "zeros" in part:
        _need(int(part["zeros"].sum() + part["ones"].sum()) == rounds, "zeros and ones")


def _check_counts(name: str, row: Any, most: float) -> None:
    _need(row.dtype.kind == "i" or (name == "losses" and row.dtype.kind == "f"), name)
    _need(row.size == 0 or (row.min() >= 0 and row.max() <= most * (1 + 1e-9)), name)


def _check_frontier(c: ConceptClass, frontier: dict[str, Any], width: int) -> None:
    """Ranges that do not overlap, boxes inside the line, numbers of blocks and cells that there are."""
    _need(frontier.get("width", width) == width, "width")
    for x in () if isinstance(c, OracleClass) else frontier.get("points", ()):
        _need(c.instance(x) == x, "points")
    first, end = (0, c.n) if isinstance(c, (Thresholds, Intervals)) else (-math.inf, math.inf)
    if "feature" in frontier:  # the gaps of all features together
        _check_gaps(c, frontier, width)
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


def _check_gaps(c: ConceptClass, frontier: dict[str, Any], width: int) -> None:
    """Gaps of features that there are, none of which overlap, and cells of rows that there are."""
    feature, low, high, rows = (frontier[name] for name in ("feature", "low", "high", "rows"))
    names = frontier.get("names", getattr(c, "features", ()))
    _need(len(set(names)) == len(names) and all(isinstance(name, str) for name in names), "names")
    _need("names" not in frontier or list(names[:1]) == [""], "names")  # (the first stands for the unseen)
    _need(rows.ndim == 2 and len(rows) == 2 and rows.dtype == feature.dtype == np.int64, "gaps")
    _need(low.dtype == high.dtype == np.float64 and feature.shape == low.shape == high.shape == rows.shape[1:], "gaps")
    _need(feature.min() >= 0 and feature.max() < len(names) and (low < high).all(), "gaps")
    order = np.lexsort((low, feature))
    same = np.diff(feature[order]) == 0
    _need((high[order][:-1] <= low[order][1:])[same].all(), "gaps")
    _need(rows.min() >= -1 and np.array_equal(np.unique(rows[rows >= 0]), np.arange(width)), "gaps")


def _check_waiting(waiting: Any, dropped: dict[str, Any], width: int) -> None:
    """One line of labels for every ticket; what was dropped is counted."""
    if waiting is not None:
        tickets, labels = waiting["tickets"], waiting["labels"]
        _need(isinstance(tickets, list) and all(map(_is_count, tickets)), "tickets")
        _need(labels.dtype == np.bool_ and labels.ndim == 2 and len(labels) == len(set(tickets)), "waiting labels")
        _need(not tickets or labels.shape[1] == width, "waiting labels")
    least = dropped.get("least_loss")
    _need(_is_count(dropped.get("paths", 0)) and _is_real(dropped.get("mass", 0.0)), "dropped")
    _need(least is None or (_is_real(least) and least >= 0), "dropped")


def _check_base(base: dict[str, Any], width: int) -> None:
    """One state of the base learner per path."""
    _need("states" not in base or (isinstance(base["states"], list) and len(base["states"]) == width), "states")
    _need(_is_count(base.get("mistakes", 0)), "mistakes of the base learner")
    if "row_of" in base:
        row_of = base["row_of"]
        _need(row_of.ndim == 1 and row_of.dtype.kind == "i" and -1 <= row_of.min() and row_of.max() < width, "row_of")
    if "ghosts" in base:
        _check_ghosts(base, width)


def _check_ghosts(base: dict[str, Any], width: int) -> None:
    """Ghosts that are rows, plans that are plans."""
    d, dimension, kept, ghosts, plan = (base[name] for name in ("d", "dimension", "kept", "ghosts", "plan"))
    _need(_is_count(d), "d")
    rows = [dimension, kept, plan]
    _need(all(row.shape == (width,) and row.dtype.kind == "i" and row.min() >= 0 for row in rows), "ghosts")
    _need(ghosts.dtype.kind == "i" and ghosts.ndim == 2 and len(ghosts) == width and ghosts.shape[1] > 0, "ghosts")
    _need(-1 <= ghosts.min() and ghosts.max() < width and dimension.max() <= d, "ghosts")
    there = ghosts >= 0
    _need((np.diff(there.astype(int), axis=1) <= 0).all() and (kept <= there.sum(axis=1)).all(), "ghosts")
    plans = [as_tuples(one) for one in base["plans"]]
    _need(len(set(plans)) == len(plans) and np.array_equal(np.unique(plan), np.arange(len(plans))), "plans")
    for number, one in enumerate(plans):
        using = plan == number
        stages = {first_stage(d).plan if d > STAGES_UP_TO else stage_plan(D) for D in dimension[using].tolist() if D}
        _need(len(stages) <= 1, "plans")
        for fresh in stages:
            check_plan(one, fresh, int((there.sum(axis=1) - kept)[using].min()))
    points, labels = base["points"], base["labels"]
    kept_labels = width if 2 <= d <= STAGES_UP_TO else 1  # (others look at no trees)
    _need(_is_count(points) and labels.dtype == np.uint8 and labels.ndim == 2 and len(labels) == kept_labels, "labels")
    _need(labels.shape[1] > 0 and points <= 8 * labels.shape[1], "labels")


def check_plan(plan: Any, fresh: Any, ghosts: int) -> None:
    """Raise ValueError unless a plan of Ghost's can have come of a fresh one by so many ghosts.

    >>> check_plan(("collect", 3, 0b101), ("collect", 3, 0), 3)
    >>> check_plan(("collect", 3, 0b101), ("collect", 3, 0), 2)
    Traceback (most recent call last):
    ...
    ValueError: a plan cannot be what a learner saved
    """
    _need(isinstance(plan, tuple) and len(plan) == len(fresh) and plan[0] == fresh[0], "a plan")
    if plan[0] == "collect":
        _need(plan[1] == fresh[1] and _is_mask(plan[2], ghosts), "a plan")
    elif plan[0] == "exact":
        columns = plan[1]
        _need(len(columns) <= exact.MISTAKES, "a plan")
        _need(all(_is_mask(column, i + 1) and column >> i == 1 for i, column in enumerate(columns)), "a plan")
        _need(exact.can_win(columns, exact.MISTAKES - len(columns)), "a plan")
    elif plan[0] == "vote":
        _check_vote(plan, fresh, ghosts)
    else:
        _check_majority(plan, fresh, ghosts)


def _check_vote(plan: Any, fresh: Any, ghosts: int) -> None:
    _, requirements, family, wrong, rest = plan
    _need(requirements == fresh[1] and (wrong is None) == (rest is None), "a plan")
    if wrong is None:
        check_plan(family, fresh[2], ghosts)
        return
    todo = blueprint(requirements)
    _need(isinstance(todo, Vote) and family == ("collect", 0, 0) and _is_block(wrong, ghosts), "a plan")
    _need(isinstance(todo, Vote) and refutes(wrong, todo.wrong), "a plan")
    if isinstance(todo, Vote):
        check_plan(rest, plan_for(todo.rest), ghosts)


def _check_majority(plan: Any, fresh: Any, ghosts: int) -> None:
    """Recursive majority, and majority with pruning: nested tuples of ghosts."""
    if plan[0] == "pruned":
        families = plan[2]
        _need(len(families) == len(fresh[2]) and plan[1] == int(len(families[-1]) == BLOCKS), "a plan")
        _need(all(len(blocks) <= BLOCKS for blocks in families), "a plan")
        _need(all(_is_mask(block, ghosts) for blocks in families for block in blocks), "a plan")
        return
    _, k, q, blocks, current = plan
    _need((k, q) == fresh[1:3] and len(blocks) <= 2**q and all(_is_tree(block, ghosts) for block in blocks), "a plan")
    if k:
        check_plan(current, robust(k - 1, q if len(blocks) == 2**q else q + 1), ghosts)


def _is_mask(value: Any, ghosts: int) -> bool:
    return type(value) is int and value >= 0 and value.bit_length() <= ghosts


def _is_block(value: Any, ghosts: int) -> bool:
    if value[0] == "split":
        return len(value) == 3 and _is_block(value[1], ghosts) and _is_block(value[2], ghosts)
    return len(value) == 3 and value[0] == "flat" and _is_mask(value[1], ghosts) and value[2] in (0, 1)


def _is_tree(value: Any, ghosts: int) -> bool:
    if isinstance(value, tuple):
        return all(_is_tree(part, ghosts) for part in value)
    return _is_count(value) and value < ghosts


def check_rebuilt(
    rebuild: Callable[[dict[str, Any]], OnlineLearner], saved: dict[str, Any], data_only: bool
) -> OnlineLearner:
    """Return the learner, or raise ValueError if one like it does not go on with numbers that are probabilities.

    It is tried only where the file tells the class (``data_only``): what a user's functions take, nobody knows.
    """
    learner = rebuild(saved)
    for losses in (part["losses"] for part in _parts(saved) if "losses" in part):
        _need(learner.width == losses.shape[-1], f"{losses.shape[-1]} losses of {learner.width} paths")
    # What is proven of a regret is true of it: otherwise some number in the file is not the learner's.
    _need(not learner.regret > learner.bound + 1e-6 * (1 + abs(learner.bound)), "a regret above what is proven of it")
    # (An oracle would be asked, and asking costs.)
    if data_only and not isinstance(learner.concept_class, OracleClass):
        _try(rebuild(copy.deepcopy(saved)))
    for part in (part for part in _parts(saved) if "frontier" in part):
        _try_base(learner, part)
    return learner


def _try_base(learner: Any, part: dict[str, Any]) -> None:
    """Let a Perceptron take one more step from every state: it takes any label, and no oracle is asked."""
    inner = getattr(learner, "inner", learner)
    rows = getattr(inner, "base_rows", None) or getattr(getattr(inner, "engine", None), "base_rows", None)
    if isinstance(rows, PerPath) and isinstance(rows.machine, Perceptron):
        for x in part["frontier"]["points"][-1:]:
            for state in rows.states:
                for label in (0, 1):
                    rows.machine.update(state, x, label)
    partition = getattr(rows, "partition", None)
    if isinstance(partition, Partition):
        _need(partition.row_of.shape == (partition.concept_class.size,), "row_of")


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
    return type(value) is int and 0 <= value <= LARGEST


def _is_real(value: Any) -> bool:
    whole = type(value) is int and abs(value) <= LARGEST
    return whole or (isinstance(value, float) and math.isfinite(value))


def _need(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} cannot be what a learner saved")
