"""Stumps on a line per feature: the exact distribution of ADEPT from the first round on (``stumps_kernel.py``)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.errors import InvalidInstance
from adeptree.core.saved_values import is_real, need
from adeptree.core.types import Concept, FloatArray, IntArray
from adeptree.families.finite.version_space import Halving
from adeptree.families.line.counting_cuts import DOUBLES, value_at
from adeptree.families.line.round_cuts import round_cut
from adeptree.families.line.tree_shape import Shape
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.cell_vote import CellVote
from adeptree.families.stumps.feature_values import Table
from adeptree.families.stumps.open_stumps import UNSEEN, OpenStumps, SparseStump
from adeptree.families.stumps.stumps_given import Stumps
from adeptree.roles.engine import Leader, Problem, Rows
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, nearest, reach_of
from adeptree.theory.priors import Prior

_KERNEL = kernel("adeptree.families.stumps.stumps_kernel")
MANY = 2**20
"""A falling cell's k and n are kept as k + MANY n."""
BEYOND = 2**63 - 2
"""Where the constants stand that are concepts of their own."""
SLOTS: dict[str, Any] = {"keys": np.int64, "gain": np.float64, "mass": np.float64, "part": np.float64}
SLOTS |= {"wrong": np.int32, "contested": np.int32, "counts": np.int64, "sizes": np.int64}
TABLE: dict[str, Any] = {"k": np.int64, "n": np.int64, "mass": np.float64, "loss": np.float64}
TABLE |= {"row": np.int32, "line": np.int32, "down": np.int32, "low": np.int64, "high": np.int64}


@dataclass(frozen=True)
class Cells:
    """The cells of one feature from left to right, rising ones in row 0, falling ones in row 1."""

    low: IntArray
    high: IntArray
    losses: FloatArray
    mass: FloatArray
    """0 where the path is in the table."""
    mistakes: IntArray
    contested: IntArray


class StumpsEngine(KernelEngine):
    """The paths of stumps as cells of the features' lines; the base learner is the vote of the cells, or of the cuts.

    >>> from adeptree import RealStumps
    >>> from adeptree.theory.priors import KTPrior
    >>> engine = StumpsEngine(RealStumps(["age", "bmi"]), KTPrior())
    >>> engine.rate = 0.5
    >>> for age, bmi, y in [(20, 22.5, 0), (60, 24, 1), (41.9, 31, 0), (43.2, 20, 1)]:
    ...     engine.commit({"age": age, "bmi": bmi}, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability({"age": 50, "bmi": 22}), 6)
    (14, 0, 'age >= 43', 0.406422)
    """

    kind = "stumps"

    def __init__(self, concept_class: Any, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, prior
        self.given: Any = concept_class.cuts if isinstance(concept_class, Stumps) else {}
        self.open = isinstance(concept_class, OpenStumps)
        names: list[str] = [UNSEEN] if self.open else list(self.given or concept_class.features)
        size = concept_class.size if self.given else 2 * len(names) * DOUBLES
        cuts = [cut for values in self.given.values() for cut in values]
        ends = np.cumsum([len(values) for values in self.given.values()], dtype=np.int64).tolist()
        per_cut = 0.0 if self.open else prior.counts / size
        self._use(_KERNEL.StumpsKernel(names, _word_of, prior.parts, per_cut, cuts, ends, self.open))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """The natural base learners."""
        return problem.beyond(("kt", "mixed"), CellVote, Halving)

    def batch(self, xs: Any) -> int:
        """Give the kernel the values: of a table in the order of the features, or of mappings."""
        kernel: Any = self.kernel
        if self.open:
            kernel.give(np.empty(0), list(xs))
            return len(xs)
        count = len(kernel.names)
        given = xs.values if isinstance(xs, Table) else xs
        rows = given if isinstance(given, np.ndarray) else list(map(itemgetter(*kernel.names), xs))
        table = np.ascontiguousarray(rows, dtype=np.float64)
        table = table.reshape(-1, 1) if count == 1 and table.ndim == 1 else table
        if len(xs) and (table.shape != (len(xs), count) or not np.isfinite(table).all()):
            raise InvalidInstance(
                f"a table of {count} columns of finite numbers was expected, one per feature; "
                f"got one of shape {table.shape}"
            )
        kernel.give(table.ravel(), [])
        return len(xs)

    # --- What is made of the paths -------------------------------------------------------------------

    def cells(self, f: int) -> Cells:
        """Return the cells of a feature."""
        line: Any = self.kernel.lines[f]  # type: ignore[attr-defined]
        slots = {name: np.asarray(column) for name, column in line.slots().items()}
        over, code = np.cumsum(slots["gain"]), slots["part"][1::2].astype(np.int64)
        return Cells(
            slots["keys"],
            np.append(slots["keys"][1:], line.last),
            np.stack([line.zeros + over, line.charged - line.zeros - over]),
            np.stack([slots["mass"], slots["part"][::2]]),
            np.stack([slots["wrong"], code % MANY]),
            np.stack([slots["contested"], code // MANY]),
        )

    def _table(self) -> dict[str, Any]:
        table: Any = self.kernel.table  # type: ignore[attr-defined]
        return {name: np.array(column) for name, column in table.kept().items()}

    def _listed(self, lines: Sequence[int]) -> Rows:
        """Return the paths of these lines, and those of the table."""
        table, found = self._table(), [self.cells(f) for f in lines]
        columns = [
            np.concatenate([table[name], *(getattr(cells, field)[cells.mass > 0] for cells in found)])
            for name, field in (("loss", "losses"), ("k", "mistakes"), ("n", "contested"), ("mass", "mass"))
        ]
        losses = columns[0].astype(np.int64) if (columns[0] == np.floor(columns[0])).all() else columns[0]
        return Rows(losses, columns[1], columns[2], np.log(columns[3]))

    def rows(self) -> Rows:
        """Return the paths: those of the table, then feature by feature."""
        return self._listed(range(len(self.kernel.lines)))  # type: ignore[attr-defined]

    def leader(self) -> Leader:
        """Return the best path, of several the one with the largest mass; only lines that have one are looked at."""
        lines: list[Any] = self.kernel.lines  # type: ignore[attr-defined]
        return self._listed([f for f, line in enumerate(lines) if line.least() <= self._reach()]).leader()

    def _reach(self) -> float:
        """Return L*, and a little more where losses are not whole: they are not always added up in the same order."""
        best = self.kernel.least()
        return best if best.is_integer() else best * (1 + 1e-12)

    def best_rule(self) -> Concept:
        """Return what an ERM oracle returns: a constant if one is best, else the first feature and lowest gap."""
        return self.rules_within(0, 1)[0].rule

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Look at the lines that have a cell within reach, and at the table; equals are ordered as best rules are."""
        kernel: Any = self.kernel
        reach, table = reach_of(kernel.least(), k, kernel.lines[0].charged), self._table()
        # Of a path with several cells the first place counts.
        places: list[tuple[int, ...]] = [(len(kernel.lines),)] * len(table["loss"])
        losses = table["loss"].tolist()
        for row, *cell in zip(*(table[name].tolist() for name in ("row", "line", "down", "low", "high")), strict=True):
            places[row] = min(places[row], self._place(*cell))
        for f, line in enumerate(kernel.lines):
            if line.least() <= reach:
                cells = self.cells(f)
                alone = np.flatnonzero(cells.mass > 0)
                near = alone[nearest(cells.losses.ravel()[alone], reach, limit + 1)[0]]
                losses += cells.losses.ravel()[near].tolist()
                for down, gap in zip(*divmod(near, len(cells.low)), strict=True):
                    places.append(self._place(f, int(down), int(cells.low[gap]), int(cells.high[gap])))
        order = sorted(range(len(places)), key=places.__getitem__)
        ranked = np.array(losses)[order]
        found, more = nearest(ranked, reach, limit)
        rules = (RankedRule(self._rule(places[order[i]]), float(ranked[i])) for i in found)
        return NearRules(rules, more)

    def _place(self, f: int, down: int, low: int, high: int) -> tuple[int, ...]:
        """Return where a cell comes among equals: the constants first, then the features, or (listed) all that rise."""
        if self.given and low != BEYOND:
            return (down, f, low, high)
        line: Any = self.kernel.lines[f]  # type: ignore[attr-defined]
        if low == BEYOND or high == line.last:
            return (-1, down)
        return (-1, 1 - down) if low == line.first else (f, down, low, high)

    def _rule(self, place: tuple[int, ...]) -> Concept:
        if place[0] < 0:
            return Constant(place[1])
        names: list[str] = self.kernel.names  # type: ignore[attr-defined]
        if self.given:
            down, f, low, _ = place
            return Stump(names[f], self.given[names[f]][low], above=not down)
        f, down, low, high = place
        cut = round_cut(*(float(end) for end in value_at(np.array([low, high]))))
        return (SparseStump if self.open else Stump)(names[f], cut, above=not down)

    # --- Saving --------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the slots of all lines, one after the other, how they lie in their trees, and the table."""
        kernel: Any = self.kernel
        lines, lead = [line.slots() for line in kernel.lines], kernel.lines[0]
        slots = {name: np.concatenate([np.asarray(line[name]) for line in lines]) for name in SLOTS}
        return {
            **slots,
            "cells": np.array([len(line["keys"]) for line in lines]),
            "buckets": np.array([len(line["counts"]) for line in lines]),
            "table": self._table(),
            "names": list(kernel.names),
            "zeros": float(lead.zeros),
            "charged": float(lead.charged),
            "whole": bool(lead.whole),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Plant the same trees again, if they are trees."""
        kernel: Any = self.kernel
        names, table, columns = state["names"], state["table"], {name: state[name] for name in SLOTS}
        unlike = len(set(names)) == len(names) and all(isinstance(name, str) for name in names)
        need(unlike and (names[:1] == [UNSEEN] if self.open else names == list(kernel.names)), "names")
        for name in ("zeros", "charged"):
            need(is_real(state[name]) and state[name] >= 0, name)
        need(isinstance(state["whole"], bool), "whole")
        sizes = {name: state["cells"] * (2 if name == "part" else 1) for name in SLOTS}
        sizes |= {"counts": state["buckets"], "sizes": 2 * state["buckets"] - 1}
        for name, kind in SLOTS.items():
            need(columns[name].dtype == kind and columns[name].ndim == 1, name)
            need(sizes[name].dtype == np.int64 and sizes[name].shape == (len(names),) and sizes[name].min() > 0, name)
            need(sizes[name].max() <= len(columns[name]) and sizes[name].sum() == len(columns[name]), name)
        parts = {name: np.split(columns[name], np.cumsum(sizes[name])[:-1]) for name in SLOTS}
        slots = [{name: np.array(parts[name][f]) for name in SLOTS} for f in range(len(names))]
        shapes = [Shape(line["counts"], line["sizes"]) for line in slots]
        _check_rows(table, len(names), constants=bool(self.given))
        kernel.begin(names)
        for f, line in enumerate(kernel.lines):
            shapes[f].check(len(slots[f]["keys"]))
            _check_slots(slots[f], line.first, line.last, beyond=bool(self.given))
            _check_cells(
                slots[f], line.last, {name: table[name][table["line"] == f] for name in ("down", "low", "high")}
            )
        codes, mass = columns["part"][1::2], np.concatenate([columns["mass"], columns["part"][::2]])
        longest = max(columns["contested"].max(), codes.max() // MANY, table["n"].max())
        kernel.shares.longest, kernel.shares.singles = int(longest), np.count_nonzero(mass)
        kernel.shares.reserve(int(longest) + 1)
        for line, kept, shape in zip(kernel.lines, slots, shapes, strict=True):
            line.zeros, line.charged, line.whole = float(state["zeros"]), float(state["charged"]), state["whole"]
            line.eta = kernel.eta
            line.plant(kept, *shape.nodes())
        kernel.table.resume(table)
        kernel.find_best()


def _check_slots(slots: dict[str, Any], first: int, last: int, beyond: bool) -> None:
    """Raise ValueError unless these may be the slots of a line; of given cuts, one may come after the last."""
    keys, code = slots["keys"], slots["part"][1::2]
    need(keys[0] == first and (keys[1:] > keys[:-1]).all() and keys[-1] < last + beyond, "keys")
    for mass in (slots["mass"], slots["part"][::2]):
        need((mass >= 0).all() and (mass <= 1).all(), "mass")
    need(np.isfinite(slots["gain"]).all(), "gain")
    need((code >= 0).all() and (code < 2**51).all() and (code == np.floor(code)).all(), "part")
    for wrong, contested in ((slots["wrong"], slots["contested"]), (code % MANY, code // MANY)):
        need((wrong >= 0).all() and (wrong <= contested).all() and (contested < 2**31 - 1).all(), "contested")


def _check_rows(table: dict[str, Any], lines: int, constants: bool) -> None:
    """Raise ValueError unless this may be the table of so many lines."""
    for name, kind in TABLE.items():
        need(table[name].dtype == kind and table[name].ndim == 1, name)
        need(len(table[name]) == len(table["k" if name in ("n", "mass", "loss") else "row"]) or name == "k", name)
    need((table["mass"] > 0).all() and (table["mass"] <= 1).all(), "mass")
    need(np.isfinite(table["loss"]).all() and (table["loss"] >= 0).all(), "loss")
    need((table["k"] >= 0).all() and (table["k"] <= table["n"]).all() and (table["n"] < 2**31 - 1).all(), "n")
    rows, sizes = np.unique(table["row"], return_counts=True)
    need(np.array_equal(rows, np.arange(len(table["k"]))) and len(rows), "row")
    beyond = table["low"] == BEYOND
    need((sizes[~np.isin(rows, table["row"][beyond])] > 1).all(), "row")
    need(sorted(table["down"][beyond].tolist()) == [0, 1] * constants, "down")
    need((table["line"] >= 0).all() and (table["line"] < lines).all() and (table["line"][beyond] == 0).all(), "line")
    need(np.isin(table["down"], (0, 1)).all(), "down")


def _check_cells(slots: dict[str, Any], last: int, cells: dict[str, Any]) -> None:
    """Raise ValueError unless the table has exactly those cells of a line that have no mass there."""
    inside = cells["low"] != BEYOND
    down, low, high = (cells[name][inside] for name in ("down", "low", "high"))
    ends = np.append(slots["keys"][1:], last)
    at = np.searchsorted(slots["keys"], low).clip(max=len(ends) - 1)
    need((slots["keys"][at] == low).all() and (ends[at] == high).all(), "low")
    found = np.zeros((2, len(ends)), dtype=np.int64)
    np.add.at(found, (down, at), 1)
    mass = np.stack([slots["mass"], slots["part"][::2]])
    need((found == ((mass == 0) & (slots["keys"] < ends))).all(), "row")


def _word_of(name: str) -> int:
    """Return 64 bits that stand for a feature."""
    return int.from_bytes(hashlib.blake2b(repr(name).encode(errors="surrogatepass"), digest_size=8).digest(), "little")
