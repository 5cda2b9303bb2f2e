"""The base class of engines on a tree of points: conversion of points to keys, and saving of the tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, MOST, SUM, Array, Fields, Number, need
from adeptree.core.types import Concept, FloatArray, IntArray, NDArray
from adeptree.families.line.counting_cuts import place_of, value_at
from adeptree.families.line.line_domain import Line, OnALine
from adeptree.families.line.tree_shape import Shape
from adeptree.roles.dropping import Dropped
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, nearest, reach_of
from adeptree.theory.priors import Prior

LARGEST_GRID = 2**62
"""Largest point: points are stored as int64."""
_SHARING = kernel("adeptree.structures.shared_line_kernel")
LEAST_MASS = 1e-290
"""Least mass of a gap (``line_tree_kernel.py``)."""


class Gap(NamedTuple):
    """A rule of one cut: its loss, the ends of its gap in the frontier's form, and its direction."""

    loss: float
    low: Any
    high: Any
    falls: bool
    edge: bool
    """True if it is the first or the last gap, so that the rule is constant so far."""


class LineEngine(KernelEngine):
    """An engine whose kernel is a ``LineTree``."""

    kernel: Any

    def __init__(self, concept_class: OnALine, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, prior
        self.line: Line = concept_class.line
        self.single = False
        """True if rules are about single points, which occur only in a column with drift."""
        self.shared: dict[str, int] = {}
        """With drift: weights per gap, windows, and rounds in the ring."""

    def share_line(self, directions: int, share: float, lanes: int, spans: Any, room: int, *how: Any) -> list[Any]:
        """Keep one weight per lane, gap and direction; ``how`` holds the options of a table's column."""
        self.shared = {"each": directions * lanes * (how or (1,))[0], "windows": len(spans), "room": room}
        self._use(_SHARING.SharedLine(self.measure(), directions, share, lanes, spans, room, *how))
        return [self.kernel]

    def measure(self) -> tuple[Any, ...]:
        """Return the arguments of a tree: kind and ends of the line, and the prior of one cut."""
        first, last = self.keys_of([self.line.before, self.line.end]).tolist()
        shares, betas = zip(*self.prior.parts, strict=True) if self.prior.parts else ((), ())
        return self.line.of_floats, first, last, shares, betas, float(self.prior.counts)

    def keys_of(self, xs: Any) -> IntArray:
        """Convert points to the kernel's keys: floats to their rank among all doubles."""
        points = np.asarray(xs, dtype=self.line.dtype)
        return np.ascontiguousarray(place_of(points) if self.line.of_floats else points, dtype=np.int64)

    def batch(self, xs: Any) -> int:
        """Hand the keys of the points to the kernel."""
        self.kernel.give(self.keys_of(xs))
        return len(xs)

    def gaps(self) -> dict[str, Any]:
        """Return the gaps from left to right: ``low`` and ``high`` in the frontier's form, and the kernel's columns."""
        kept = {name: np.asarray(column) for name, column in self.kernel.slots().items()}
        ends: NDArray[Any] = np.append(kept["keys"], self.keys_of([self.line.end]))
        ends = value_at(ends) if self.line.of_floats else ends
        return kept | {"low": ends[:-1] + self.line.step, "high": ends[1:]}

    def near_gaps(self, reach: float, limit: int) -> tuple[list[Gap], bool]:
        """Return the rules of one cut that lose at most ``reach``, the best first, and whether there are more."""
        columns: Any = list(zip(*self.kernel.within(reach), strict=True))[:4]
        order, more = nearest(np.array(columns[0]), reach, limit, self.kernel.charged)
        losses, low, high, falls = (np.array(column)[order] for column in columns)
        edge = (low == self.kernel.first) | (high == self.kernel.last)
        low, high = (value_at(keys) if self.line.of_floats else keys for keys in (low, high))
        columns = losses.tolist(), low + self.line.step, high, falls.tolist(), edge.tolist()
        return list(map(Gap, *columns)), more

    def rule_of(self, gap: Gap) -> Concept:
        """Return the rule of a gap."""
        return self.line.threshold(gap.low, gap.high)

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the rules of the gaps that lose at most ``best_loss + k``."""
        gaps, more = self.near_gaps(reach_of(self.best_loss, k, self.kernel.charged), limit)
        return NearRules((RankedRule(self.rule_of(gap), gap.loss) for gap in gaps), more or self.dropped != Dropped())

    def best_rule(self) -> Concept:
        """Return the rule of a best gap."""
        return self.rules_within(0, 1)[0].rule

    def log_shares(self, gaps: dict[str, Any]) -> FloatArray | None:
        """Return ln of each gap's share of all cuts, if the prior needs it."""
        if not self.prior.counts:
            return None
        shares: FloatArray = np.log(self.line.count(gaps["low"], gaps["high"])) - np.log(float(self.line.cuts))
        return shares

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the slots and the shape of the tree, so that every later sum is the same to the last bit."""
        kept: dict[str, Any] = {name: np.asarray(column) for name, column in self.kernel.slots().items()}
        sums = {name: getattr(self.kernel, name) for name in ("zeros", "charged", "clock", "log_z")}
        return kept | sums | {"whole": bool(self.kernel.whole)}

    def declared(self) -> Fields:
        """Declare the slots, the slots per bucket, the buckets per node, and the total charged."""
        mass, count = Array(np.float64, "cells", LEAST_MASS, 1), Array(np.int32, "cells", 0)
        each, windows, room = (self.shared.get(name, 0) for name in ("each", "windows", "room"))
        of_nodes = dict.fromkeys(("node_weights", "factors", "shifts"), Array(np.float64, ("nodes", each), 0))
        rounds = {"ring": Array(np.int64, (room,)), "ends": Array(np.int64, (windows, 3))}
        rounds["of_windows"] = Array(np.float64, (windows + 1, 2), 0)
        shared: Fields = {"weights": Array(np.float64, ("cells", each), 0), **of_nodes, **rounds}
        return {
            **{"keys": Array(np.int64, "cells"), "gain": Array(np.float64, "cells"), "mass": mass},
            **{"part": Array(np.float64, "parts", 0, 1), "wrong": count, "contested": count},
            **{"counts": Array(np.int64, "buckets", 1), "sizes": Array(np.int64, "nodes", 1)},
            **{"zeros": SUM, "charged": SUM, "whole": FLAG, "clock": SUM, "log_z": Number(float, -MOST, 1e-6)},
            **(shared if self.shared else {}),
        }

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless keys increase from end to end and the tree covers all of them."""
        keys, gain, charged, contested = (state[name] for name in ("keys", "gain", "charged", "contested"))
        need(keys[0] == self.kernel.first and (keys[:-1] < keys[1:]).all() and keys[-1] < self.kernel.last, "keys")
        need(len(state["part"]) == len(keys) * self.kernel.parts, "part")
        need((state["wrong"] <= contested).all() and contested.max() < len(keys), "contested")
        losses, error = state["zeros"] + (gain if self.single else np.cumsum(gain)), 1e-9 * (1 + charged)
        need(max(float(np.abs(gain).sum()), state["zeros"]) <= charged + error, "charged")
        need((losses >= -error).all() and (losses <= charged + error).all(), "gain")
        # Whole losses are looked up in a table.
        need(not state["whole"] or ((gain == np.floor(gain)).all() and charged <= 2**53), "whole")
        self.shape(state).check(len(keys))
        if self.shared:
            ring, ends = state["ring"], state["ends"]
            known = (ring == 0) | (ring == 1 - 2**63) | ((ring > self.kernel.first) & (ring < self.kernel.last))
            need(known.all(), "ring")
            inside = (ends[:, :2] >= self.kernel.first) & (ends[:, :2] < self.kernel.last)
            need((inside | (np.abs(ends[:, :2]) == 2**63 - 1)).all() and ((ends[:, 2] | 1) == 1).all(), "ends")

    def shape(self, state: dict[str, Any]) -> Shape:
        """Return the shape of the tree."""
        return Shape(state["counts"], state["sizes"])

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the same tree, after checking it."""
        self.check(state)
        for name in ("zeros", "charged", "clock", "log_z"):
            setattr(self.kernel, name, float(state[name]))
        self.kernel.whole = state["whole"]
        kept = {name: np.array(value) for name, value in state.items() if isinstance(value, np.ndarray)}
        self.kernel.plant(kept, *self.shape(kept).nodes())
