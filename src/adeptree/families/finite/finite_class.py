"""A class given as an explicit table: rows are concepts, columns are points."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, InvalidInstance, TooLarge, got
from adeptree.core.frozen import freeze
from adeptree.core.types import Concept, Instance, LabelArray
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import TableRow
from adeptree.theory.littlestone import LittlestoneSolver
from adeptree.theory.vc_tables import vc_of_table


class FiniteClass(EnumerableClass):
    """Any finite class, as a 0/1 table.

    Parameters
    ----------
    table
        One row per concept, one column per instance: nested sequences, an array, or texts such as "0110". Equal rows
        are one concept: only the first is kept.
    points
        The instances, one per column; by default an instance is the number of its column.

    Examples
    --------
    >>> c = FiniteClass([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    >>> c.size, c.vc_dimension, c.littlestone_dimension
    (3, 1, 1)
    >>> c.realizable([("a", 1), ("b", 0)])
    False
    >>> str(c.erm([("a", 1), ("b", 0), ("b", 0)]))
    'concept 0: always 0'
    """

    explicit = True
    spec_name = "finite"

    def __init__(self, table: Any, points: Sequence[Any] | None = None) -> None:
        rows = _as_table(table)
        # Pack eight labels per byte and a row into one item, which compares 65,536 rows in 1 s in place of 30 s.
        packed = np.packbits(rows, axis=1)
        _, first = np.unique(packed.view(np.dtype((np.void, packed.shape[1]))).ravel(), return_index=True)
        # Stored by columns, because a round reads all labels at one point.
        self.first = np.sort(first)
        """For each concept, the index of the first given row that equals it."""
        self.table: LabelArray = np.asfortranarray(rows[self.first])
        self.table.setflags(write=False)
        self.points: tuple[Any, ...] | None = None if points is None else _as_points(points)
        self._column = None if self.points is None else {freeze(p): j for j, p in enumerate(self.points)}
        if self.points is not None and not len(self._column or ()) == len(self.points) == self.table.shape[1]:
            raise InvalidArgument(
                f"points must name the {self.table.shape[1]} columns, each once; {got('points', points)}"
            )

    @classmethod
    def from_template(
        cls, rule: Callable[..., Any], grid: Mapping[str, Iterable[Any]], instances: Any = None, **options: Any
    ) -> EnumerableClass:
        """Return the rules ``rule(x, **constants)`` with the constants on a grid.

        With a list of ``instances``, equal rules are kept once. Without it, any instance may come (``TemplateClass``).

        >>> c = FiniteClass.from_template(lambda x, a: x >= a, {"a": range(100)}, [3, 7], text="x >= {a}")
        >>> c.size, [str(c.concept(i)) for i in range(c.size)]
        (3, ['x >= 0', 'x >= 4', 'x >= 8'])
        """
        from adeptree.families.templates.template_class import TemplateClass, TemplateTable

        template = TemplateClass(rule, grid, **options)
        return template if instances is None else TemplateTable(template, instances)

    def __repr__(self) -> str:
        rows = ", ".join(repr("".join(map(str, row))) for row in self.table.tolist())
        names = "" if self.points is None else f", points={list(self.points)!r}"
        return f"finite(table=[{rows}]{names})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FiniteClass):
            return NotImplemented
        return self.points == other.points and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.table.shape, self.table.tobytes(), tuple(self._column or ())))

    @property
    def size(self) -> int:
        """Number of distinct concepts."""
        return int(self.table.shape[0])

    @cached_property
    def vc_dimension(self) -> int | None:
        """Exact VC dimension, or None if the search is too large."""
        try:
            return vc_of_table(self.table)[0]
        except TooLarge:
            return None

    @cached_property
    def littlestone_dimension(self) -> int | None:
        """Exact Littlestone dimension, or None if the search is too large."""
        try:
            return self.littlestone.dimension()
        except TooLarge:
            return None

    @cached_property
    def littlestone(self) -> LittlestoneSolver:
        """The solver of this table, which caches the dimensions of subclasses."""
        return LittlestoneSolver(self.table)

    def instance(self, x: Any) -> Instance:
        """Return the point itself, or the column index as an int."""
        if self.points is not None:
            try:
                return self.points[self.column(x)]
            except (KeyError, TypeError):
                raise InvalidInstance(
                    f"x must be one of the {len(self.points)} points of the class; {got('x', x)}"
                ) from None
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)) or not 0 <= x < self.table.shape[1]:
            raise InvalidInstance(f"x must be a column index in 0..{self.table.shape[1] - 1}; {got('x', x)}")
        return int(x)

    def column(self, x: Instance) -> int:
        """Return the column of a canonical instance."""
        return int(x) if self._column is None else self._column[freeze(x)]

    def key(self, x: Instance) -> Hashable:
        """Return the key that identifies x."""
        return freeze(x)

    def labels(self, x: Instance) -> LabelArray:
        """Return the column of x."""
        return self.table[:, self.column(x)]

    def concept(self, index: int) -> Concept:
        """Return row ``index``."""
        return TableRow(index, tuple(self.table[index].tolist()), self.points)

    def instances(self) -> Iterator[Instance]:
        """List the points."""
        return iter(range(self.table.shape[1]) if self.points is None else self.points)

    def to_finite(self, limit: int = 1 << 22) -> FiniteClass:
        """Return this class."""
        return self

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a point uniformly."""
        column = int(rng.integers(self.table.shape[1]))
        return column if self.points is None else self.points[column]


def _as_points(points: Any) -> tuple[Any, ...]:
    refuse_frame("points", points, "give the values of a column, e.g. frame['x']")
    try:
        names = tuple(p.item() if isinstance(p, np.generic) else p for p in points)
        freeze(names)
    except TypeError:
        raise InvalidArgument(f"points must be plain values, one a column; {got('points', points)}") from None
    return names


def _as_table(table: Any) -> LabelArray:
    if isinstance(table, (list, tuple)) and table and all(isinstance(row, str) for row in table):
        table = [[int(bit) if bit in "01" else 2 for bit in row] for row in table]
    try:
        rows = np.asarray(table)
    except ValueError:
        rows = np.zeros(0)
    if rows.ndim != 2 or 0 in rows.shape or not ((rows == 0) | (rows == 1)).all():
        raise InvalidArgument(
            f"table must be a non-empty rectangle of 0 and 1, one row a concept; {got('table', table)}"
        )
    return np.array(rows, dtype=np.uint8, order="C")
