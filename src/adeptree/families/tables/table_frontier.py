"""The paths of rules on tables, where they are kept one by one: those of every column, put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.declared_state import Array, check_fields, need
from adeptree.core.types import BoolArray, Concept, FloatArray, Instance, IntArray
from adeptree.families.blocks.block_frontier import BlockFrontier
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.line.two_way_engine import turned
from adeptree.families.registry import frontier_of
from adeptree.families.rule_values import Constant
from adeptree.families.tables.table_rules import TableRules
from adeptree.roles.base_learner import RowLearner
from adeptree.roles.frontier import Children, Frontier, Split


@dataclass(frozen=True)
class Kind:
    """One kind of rules of a column: what they say of the cells that they are about may be turned round."""

    feature: str
    of_numbers: bool
    turned: tuple[int, ...]
    """Per copy, whether the rule is turned round ..."""
    else_label: tuple[int, ...]
    """... and its label of the other cells."""

    def asks(self, cell: Any) -> bool:
        """Whether the rules are about this cell."""
        return isinstance(cell, float) == self.of_numbers


class TableFrontier(Frontier):
    """A row is what the rules of one or more columns say alike of all rows of the table so far.

    Of every column there are the paths of its rules about numbers and those of its sets of values, each in a frontier
    of its own. ``homes`` says to which row of this one they belong (-1: it is gone), per copy: a rule may be turned
    round, and has a label for the cells it is not about.

    >>> from adeptree import TableStumps
    >>> frontier = TableFrontier(TableStumps(["age", "sex"]))
    >>> for row in ({"age": 30.0, "sex": "m"}, {"age": 50.0, "sex": "f"}, {"age": 40.0}):
    ...     frontier.grow(frontier.split(row).children)
    >>> frontier.width, [str(frontier.concept(row)) for row in range(4)]
    (8, ['always 0', 'age < 40', 'age >= 50', 'sex is not missing'])
    """

    def __init__(self, concept_class: TableRules) -> None:
        super().__init__()
        self.concept_class = concept_class
        self.kinds = list[Kind]()
        self.frontiers = list[Frontier]()
        ways = (0, 1) if concept_class.falls else (0,)
        for name in concept_class.features:
            self.kinds.append(Kind(name, False, (0, 1), (0, 1)))
            self.kinds.append(Kind(name, True, tuple(way for way in ways for _ in (0, 1)), (0, 1) * len(ways)))
            self.frontiers += BlockFrontier(BlockUnions(concept_class.values)), frontier_of(concept_class.inner)
        self.homes: list[IntArray] = [np.zeros((len(kind.turned), 1), dtype=np.int64) for kind in self.kinds]
        self.points: dict[str, FloatArray] = {name: np.empty(0) for name in concept_class.times}
        """Of every column of times those that were seen, in order."""
        self._width = 1

    @property
    def width(self) -> int:
        """Number of rows that rules belong to."""
        return self._width

    def parts(self) -> list[Any]:
        """Return this one and the columns'."""
        return [self, *(part for frontier in self.frontiers for part in frontier.parts())]

    def _answers(self, x: Instance) -> Split:
        can = np.zeros((2, self._width + 1), dtype=np.bool_)  # (the last column is of those that are gone)
        splits = list[Split | None]()
        for kind, frontier, homes in zip(self.kinds, self.frontiers, self.homes, strict=True):
            cell = x.get(kind.feature)
            split = frontier.split(cell) if kind.asks(cell) else None
            splits.append(split)
            for copy, home in enumerate(homes):
                if split is None:
                    can[kind.else_label[copy]][home] = True
                else:
                    way = kind.turned[copy]
                    can[way][home[split.can0]] = True
                    can[1 - way][home[split.can1]] = True
        return Split(x, can[0, :-1], can[1, :-1], evidence=splits)

    def grow(self, children: Children) -> None:
        """Let every rule follow the child with its label."""
        child = np.concatenate([children.row, np.full((2, 1), -1, dtype=np.int64)], axis=1)
        moved = list[IntArray]()
        for kind, frontier, homes, split in zip(self.kinds, self.frontiers, self.homes, children.evidence, strict=True):
            if split is None:
                moved.append(child[np.array(kind.else_label)[:, None], homes])
                continue
            inner = split.children
            labels = inner.label ^ np.array(kind.turned, dtype=np.bool_)[:, None]
            home = child[labels.astype(np.int64), homes[:, inner.parent]]
            kept = home.max(axis=0) >= 0
            if not kept.any():  # (a frontier has a row at least)
                kept[0] = True
            frontier.grow(inner.only(kept))
            moved.append(home[:, kept])
        for name, points in self.points.items():
            if isinstance(cell := children.x.get(name), float):
                place = int(points.searchsorted(cell))
                if place == len(points) or points[place] != cell:
                    self.points = self.points | {name: np.insert(points, place, cell)}
        self.homes, self._width = moved, len(children.parent)

    def concept(self, row: int) -> Concept:
        """Return the rule that the oracle names: a constant, else the first column's, of its values or its numbers."""
        c = self.concept_class
        empty = np.flatnonzero(self.frontiers[0].count == 0)  # type: ignore[attr-defined]
        for label in (0, 1):
            if (self.homes[0][label][empty] == row).any():
                return Constant(label)
        for kind, frontier, homes in zip(self.kinds, self.frontiers, self.homes, strict=True):
            copies, places = np.nonzero(homes == row)
            if not len(copies):
                continue
            if kind.of_numbers:
                copy = int(copies[0])
                rule: Any = frontier.concept(int(places[0]))
                rule = turned(rule) if kind.turned[copy] else rule
                points = self.points.get(kind.feature, np.empty(0)).tolist()
                return c.about_numbers(kind.feature, rule, kind.else_label[copy], points)
            return c.about_values(
                kind.feature, *_first_set(frontier, zip(copies.tolist(), places.tolist(), strict=True))
            )
        raise IndexError(row)

    def state(self) -> dict[str, Any]:
        """Return the columns' rows, and where they belong."""
        columns = [frontier.state() for frontier in self.frontiers]
        return {"width": self._width, "columns": columns, "homes": self.homes, "points": [*self.points.values()]}

    def invariants(self, state: dict[str, Any]) -> None:
        """Every row has rules, and points are in order."""
        homes, points, columns = state["homes"], state["points"], state["columns"]
        need(len(homes) == len(columns) == len(self.kinds), "columns")
        need(len(points) == len(self.points), "points")
        for seen in points:
            check_fields({"points": seen}, {"points": Array(np.float64, "points")})
            need((np.diff(seen) > 0).all(), "points")
        for kind, frontier, home, column in zip(self.kinds, self.frontiers, homes, columns, strict=True):
            frontier.check(column)
            width = column.get("width", len(column[frontier.ROWS[-1]]))
            check_fields({"homes": home}, {"homes": Array(np.int64, (len(kind.turned), width), -1)})
        found = np.unique(np.concatenate([home.ravel() for home in homes]))
        need(np.array_equal(found[found >= 0], np.arange(state["width"])), "homes")

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned, if every row has rules."""
        super().restore(state)
        for frontier, column in zip(self.frontiers, state["columns"], strict=True):
            frontier.restore(column)
        self.homes, self._width = list(state["homes"]), state["width"]
        self.points = dict(zip(self.points, state["points"], strict=True))


def _first_set(frontier: Any, found: Iterable[tuple[int, int]]) -> tuple[list[str | None], bool]:
    """Return of the sets of values in these copies and rows the one to name: of one value in order, then of several."""
    sets = [(sorted(frontier.concept(row).blocks, key=_text), copy) for copy, row in found]
    values, copy = min(sets, key=lambda one: (len(one[0]) > 1, _text(one[0][0]) if len(one[0]) == 1 else "", one[1]))
    return values, copy == 0


def _text(value: str | None) -> str:
    return value or ""


class NamedRules(RowLearner):
    """What the rule says that the frontier names for each row."""

    def __init__(self, frontier: TableFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        """Ask the rules of the contested rows."""
        labels = split.can1.copy()
        for row in np.flatnonzero(split.contested):
            labels[row] = bool(self.frontier.concept(int(row))(split.x))
        return labels
