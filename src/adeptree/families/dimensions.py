"""Exact VC and Littlestone dimensions of concept classes, with witnesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Instance, LabelArray
from adeptree.families.listed import EnumerableClass
from adeptree.roles.concept_class import ConceptClass, check_class
from adeptree.theory.littlestone import LittlestoneSolver, MistakeTree
from adeptree.theory.vc_tables import vc_of_table


@overload
def vc_dimension(c: ConceptClass, witness: Literal[False] = ...) -> int: ...
@overload
def vc_dimension(c: ConceptClass, witness: Literal[True]) -> tuple[int, tuple[Instance, ...]]: ...
def vc_dimension(c: ConceptClass, witness: bool = False) -> int | tuple[int, tuple[Instance, ...]]:
    """Return the VC dimension of the class, with a largest shattered set if ``witness`` is True.

    >>> from adeptree import Intervals
    >>> vc_dimension(Intervals(10))
    2
    """
    if knows_dimension(c, witness) and c.vc_dimension is not None:
        return c.vc_dimension
    table, points = listed_table(c, "VC", witness)
    dimension, columns = vc_of_table(table)
    return (dimension, tuple(points[j] for j in columns)) if witness else dimension


@overload
def littlestone_dimension(c: ConceptClass, witness: Literal[False] = ...) -> int: ...
@overload
def littlestone_dimension(c: ConceptClass, witness: Literal[True]) -> tuple[int, MistakeTree | None]: ...
def littlestone_dimension(c: ConceptClass, witness: bool = False) -> int | tuple[int, MistakeTree | None]:
    """Return the Littlestone dimension of the class, with a full mistake tree if ``witness`` is True.

    >>> from adeptree import Thresholds
    >>> littlestone_dimension(Thresholds(256))
    8
    """
    if knows_dimension(c, witness) and c.littlestone_dimension is not None:
        return c.littlestone_dimension
    table, points = listed_table(c, "Littlestone", witness)
    solver = LittlestoneSolver(table)
    if not witness:
        return solver.dimension()
    tree = solver.tree()
    return solver.dimension(), None if tree is None else tree.map(points.__getitem__)


def knows_dimension(c: ConceptClass, witness: bool) -> bool:
    """Return True if the class knows its dimension; raise an error if ``c`` is not a concept class."""
    return not witness and not check_class(c).explicit


def listed_table(c: ConceptClass, name: str, witness: bool) -> tuple[LabelArray, Sequence[Instance]]:
    """Return the table and the points of the class; raise an error with the reason if there are none."""
    if not isinstance(c, EnumerableClass):
        wanted = f"a witness of the {name} dimension" if witness else f"the {name} dimension"
        raise InvalidArgument(
            f"{wanted} of {c!r} cannot be computed: its concepts cannot be listed"
            + ("" if witness else ", and no formula is known (it may be infinite)")
            + "; take a finite class"
        )
    return c.to_finite().table, list(c.instances())
