"""Decision stumps: one named feature against one cut point."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, Instance, LabelArray
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.feature_values import feature_value, table_of, values_of
from adeptree.families.stumps.stump_vc import stump_vc_dimension
from adeptree.theory.vc_tables import vc_of_table

Cuts = tuple[tuple[str, tuple[float, ...]], ...]
FEW_CELLS = 128
"""Largest number of cells for which the VC dimension is computed from the table of all rules."""


@dataclass(frozen=True, repr=False)
class Stumps(EnumerableClass):
    """Concepts ``feature >= cut``, ``feature < cut`` and the two constants.

    Instances are mappings with a number for every feature that has cuts; other keys are ignored.

    Parameters
    ----------
    cuts
        The cuts of each feature, by its name.

    Examples
    --------
    >>> c = Stumps(cuts={"age": [30, 50], "bmi": [25]})
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (stumps(cuts={'age': (30.0, 50.0), 'bmi': (25.0,)}), 8, 3, 3)
    >>> young, old = {"age": 20, "bmi": 22}, {"age": 60, "bmi": 22}
    >>> str(c.erm([(young, 0), (old, 1)]))
    'age >= 30'
    """

    cuts: Mapping[str, Sequence[float]]
    spec_name = "stumps"

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cuts", _clean_cuts(self.cuts))
        object.__setattr__(self, "cuts", dict(self._cuts))

    _cuts: Cuts = ()

    def __hash__(self) -> int:
        return hash(self._cuts)

    @cached_property
    def _table(self) -> tuple[list[tuple[str, slice]], np.ndarray[Any, np.dtype[np.float64]]]:
        """Every feature's slice into one array of all cuts."""
        ends = list(itertools.accumulate((len(values) for _, values in self._cuts), initial=0))
        slices = [(name, slice(a, b)) for (name, _), a, b in zip(self._cuts, ends, ends[1:], strict=False)]
        return slices, np.array([cut for _, values in self._cuts for cut in values], dtype=np.float64)

    @property
    def size(self) -> int:
        """Number of concepts: two constants and two stumps per cut."""
        return 2 + 2 * sum(len(values) for _, values in self._cuts)

    @cached_property
    def vc_dimension(self) -> int | None:
        """VC dimension, exact by counting chains or by listing a class of few cells; else None."""
        counts = [len(values) for _, values in self._cuts]
        found = stump_vc_dimension(counts)
        if found is None and math.prod(count + 1 for count in counts) <= FEW_CELLS:
            return vc_of_table(self.to_finite().table)[0]
        return found

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: floor(log2 size), by a walk over the cells (``docs/theory/dimensions.md``)."""
        return self.size.bit_length() - 1

    def instance(self, x: Any) -> Instance:
        """Return x as a dict of the features that have cuts, as floats."""
        return values_of(self.cuts, x)

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances; a table of numbers, its columns in the order of the features, is checked at once."""
        table = table_of(self.cuts, xs)
        return super().instances_of(xs) if table is None else table

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts: always 0, always 1, then all ``>=``, then all ``<``."""
        slices, cuts = self._table
        above = np.empty(len(cuts), dtype=np.bool_)
        for name, part in slices:
            above[part] = x[name] >= cuts[part]
        return np.concatenate([[False, True], above, ~above]).astype(np.uint8)

    def concept(self, index: int) -> Concept:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        if index < 2:
            return Constant(int(index))
        flat = [(name, cut) for name, values in self._cuts for cut in values]
        below, place = divmod(index - 2, len(flat))
        return Stump(*flat[place], above=not below)

    def instances(self) -> Iterator[Instance]:
        """List one instance for every combination of cells between the cuts."""
        names = [name for name, _ in self._cuts]
        cells = [(_below(values[0]), *values) for _, values in self._cuts]
        return (dict(zip(names, point, strict=True)) for point in itertools.product(*cells))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one cell of every feature uniformly."""
        return {name: (_below(values[0]), *values)[rng.integers(len(values) + 1)] for name, values in self._cuts}


def _below(cut: float) -> float:
    """Return a number below the cut: cut - 1, or the next smaller float if floats are sparser than that."""
    return min(cut - 1.0, math.nextafter(cut, -math.inf))


def _clean_cuts(cuts: Any) -> Cuts:
    if not isinstance(cuts, Mapping) or not cuts or not all(isinstance(name, str) for name in cuts):
        raise InvalidArgument(f"cuts must map feature names to cut points; {got('cuts', cuts)}")
    clean = []
    for name, values in cuts.items():
        refuse_frame(f"the cut points of {name!r}", values, "give the values of a column")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InvalidArgument(f"the cut points of {name!r} must be a list of numbers; {got(name, values)}")
        numbers = sorted({feature_value(name, value) for value in values})
        if not numbers:
            raise InvalidArgument(f"every feature needs at least one cut point; {name!r} has none")
        clean.append((name, tuple(numbers)))
    return tuple(clean)
