"""Validate a saved state of Ghost: ghosts must be rows, and plans must be reachable."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.declared_state import COUNT, Array, check_fields, is_count, need
from adeptree.core.types import LabelArray
from adeptree.ghost import two_two_game as exact
from adeptree.ghost.covering_plans import Vote, as_tuples, blueprint
from adeptree.ghost.ghost_plans import plan_for, refutes, stage_plan
from adeptree.ghost.majority import robust


def packed_labels(table: Any) -> LabelArray:
    """Return the labels of a table, eight to a byte, at least one byte for each row."""
    labels = np.frombuffer(table.labels(), dtype=np.uint8).reshape(table.rows, table.points)
    packed = np.packbits(labels, axis=1, bitorder="little")
    return packed if table.points else np.zeros((table.rows, 1), dtype=np.uint8)


def check_ghosts(base: dict[str, Any], width: int) -> None:
    """Raise ValueError unless ghosts are rows and plans are valid."""
    d, dimension, kept, ghosts, plan = (base[name] for name in ("d", "dimension", "kept", "ghosts", "plan"))
    grows = isinstance(d, np.ndarray)
    need(d.shape == (width,) and d.dtype.kind == "i" and d.min() >= 1 if grows else is_count(d), "d")
    row, rows = Array("i", (width,), 0), Array("i", (width, "ghosts"), -1, width - 1)
    check_fields(base, {"dimension": row, "kept": row, "plan": row, "ghosts": rows, "points": COUNT})
    need(ghosts.size > 0 and (dimension <= d).all(), "ghosts")
    there = ghosts >= 0
    need((np.diff(there.astype(int), axis=1) <= 0).all() and (kept <= there.sum(axis=1)).all(), "ghosts")
    plans = [as_tuples(one) for one in base["plans"]]
    need(len(set(plans)) == len(plans) and np.array_equal(np.unique(plan), np.arange(len(plans))), "plans")
    for number, one in enumerate(plans):
        using = plan == number
        stages = {stage_plan(D) for D in dimension[using].tolist() if D}
        need(len(stages) <= 1, "plans")
        for fresh in stages:
            check_plan(one, fresh, int((there.sum(axis=1) - kept)[using].min()))
    points, labels = base["points"], base["labels"]
    kept_labels = width if grows or d >= 2 else 1  # otherwise trees are not used
    need(labels.dtype == np.uint8 and labels.ndim == 2 and len(labels) == kept_labels, "labels")
    need(labels.shape[1] > 0 and points <= 8 * labels.shape[1], "labels")


def check_plan(plan: Any, fresh: Any, ghosts: int) -> None:
    """Raise ValueError unless a plan is reachable from an initial one with this number of ghosts.

    >>> check_plan(("collect", 3, 0b101), ("collect", 3, 0), 3)
    >>> check_plan(("collect", 3, 0b101), ("collect", 3, 0), 2)
    Traceback (most recent call last):
    ...
    ValueError: a plan cannot be what a learner saved
    """
    need(isinstance(plan, tuple) and len(plan) == len(fresh) and plan[0] == fresh[0], "a plan")
    if plan[0] == "collect":
        need(plan[1] == fresh[1] and _is_mask(plan[2], ghosts), "a plan")
    elif plan[0] == "exact":
        columns = plan[1]
        need(len(columns) <= exact.MISTAKES, "a plan")
        need(all(_is_mask(column, i + 1) and column >> i == 1 for i, column in enumerate(columns)), "a plan")
        need(exact.can_win(columns, exact.MISTAKES - len(columns)), "a plan")
    elif plan[0] == "vote":
        _check_vote(plan, fresh, ghosts)
    else:
        _check_majority(plan, fresh, ghosts)


def _check_vote(plan: Any, fresh: Any, ghosts: int) -> None:
    _, requirements, family, wrong, rest = plan
    need(requirements == fresh[1] and (wrong is None) == (rest is None), "a plan")
    if wrong is None:
        check_plan(family, fresh[2], ghosts)
        return
    todo = blueprint(requirements)
    need(isinstance(todo, Vote) and family == ("collect", 0, 0) and _is_block(wrong, ghosts), "a plan")
    need(isinstance(todo, Vote) and refutes(wrong, todo.wrong), "a plan")
    if isinstance(todo, Vote):
        check_plan(rest, plan_for(todo.rest), ghosts)


def _check_majority(plan: Any, fresh: Any, ghosts: int) -> None:
    """Check a plan of recursive majority: nested tuples of ghosts."""
    _, k, q, blocks, current = plan
    need((k, q) == fresh[1:3] and len(blocks) <= 2**q and all(_is_tree(block, ghosts) for block in blocks), "a plan")
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
    return is_count(value) and value < ghosts
