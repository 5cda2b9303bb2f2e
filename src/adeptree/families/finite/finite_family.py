"""The families of classes given as a table, and of all other classes that can be listed."""

from collections.abc import Sequence
from typing import Any

from adeptree.core.cell_text import number
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.families.finite.partition_engine import FiniteEngine, OptimalEngine
from adeptree.families.finite.version_space import SOA, Halving
from adeptree.families.listed import EnumerableClass
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.family import Columns, Family

SOA_LIMIT = 4096
"""Largest table (concepts x points) for which SOA is the default; beyond it, Halving."""


def _point(concept_class: FiniteClass, texts: Sequence[str]) -> Any:
    return texts[0] if texts[0] in (concept_class.points or ()) else number(texts[0])


def _base(concept_class: FiniteClass) -> BaseLearner:
    return SOA(concept_class) if concept_class.table.size <= SOA_LIMIT else Halving(concept_class)


FAMILIES = (
    Family(
        "",
        EnumerableClass,
        frontier=PartitionFrontier,
        base=Halving,
        bases=(SOA,),
        engines=(FiniteEngine, OptimalEngine),
    ),
    Family(
        "finite",
        FiniteClass,
        base=_base,
        columns=Columns(_point, placeholder=""),
        example="finite(table=['001', '011'])",
        small="finite(table=['00000', '00111', '01011', '01101', '11110'], points=['a', 'b', 'c', 'd', 'e'])",
        line="one row of a table; x is a column of it, 0..n-1",
    ),
)
