"""The frontier of any class that can only say whether a sample is realizable."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from adeptree.classes.base import ConceptClass
from adeptree.classes.oracle import Labelling, OracleClass, freeze
from adeptree.errors import ContradictoryOracle, OracleError, got
from adeptree.frontiers.base import Children, Frontier, Split
from adeptree.types import BoolArray, Concept, Instance


class OracleFrontier(Frontier):
    """A row is a labelling of the points; every continuation is asked, except what logic gives for free.

    Free are: repeated instances; the second label of a path whose first was denied (a realizable path
    has a continuation); and, when the oracle returns concepts, the label that a path's own concept
    gives to x.
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        super().__init__()
        self.concept_class = concept_class
        self.infers_repeats = getattr(concept_class, "repeats", "infer") == "infer"
        self.points: list[Instance] = []
        self.column: dict[Hashable, int] = {}
        self.labels: BoolArray = np.zeros((1, 0), dtype=np.bool_)
        self.witnesses: list[Concept | None] = [None]
        """A concept that fits the row, as far as one is known (only with an oracle that returns them)."""

    @property
    def width(self) -> int:
        """Number of realizable labellings."""
        return len(self.labels)

    def _answers(self, x: Instance) -> Split:
        column = self.column.get(self._key(x)) if self.infers_repeats else None
        if column is not None:
            label = self.labels[:, column]
            known = [{int(bit): w} for bit, w in zip(label, self.witnesses, strict=True)]
            return Split(x, ~label, label, evidence=known)
        if getattr(self.concept_class, "gives_witnesses", False):
            return self._split_by_witness(x)
        return self._split_by_bit(x)

    def _split_by_bit(self, x: Instance) -> Split:
        can = np.ones((2, self.width), dtype=np.bool_)
        for row in range(self.width):
            can[0, row] = self._realizable(row, x, 0)
            if can[0, row]:
                can[1, row] = self._realizable(row, x, 1)
        return Split(x, can[0], can[1])

    def _split_by_witness(self, x: Instance) -> Split:
        can = np.zeros((2, self.width), dtype=np.bool_)
        found: list[dict[int, Concept]] = []
        for row in range(self.width):
            own = self._witness(row)
            label = _label(own, x)
            other = self._find([*self.sample(row), (x, 1 - label)])
            found.append({label: own} if other is None else {label: own, 1 - label: other})
            can[list(found[row]), row] = True
        return Split(x, can[0], can[1], evidence=found)

    def sample(self, row: int) -> list[tuple[Instance, int]]:
        """Return the row as a labelled sample."""
        return list(zip(self.points, self.labels[row].astype(int).tolist(), strict=True))

    def _realizable(self, row: int, x: Instance, label: int) -> bool:
        self.queries.posed += 1
        return self.concept_class.realizable([*self.sample(row), (x, label)])

    def _find(self, sample: list[tuple[Instance, int]]) -> Concept | None:
        assert isinstance(self.concept_class, OracleClass)
        self.queries.posed += 1
        concept = self.concept_class.find(sample)
        if concept is not None and any(_label(concept, x) != y for x, y in sample):
            raise ContradictoryOracle(
                f"find returned {concept}, which does not have the labels it was asked for on a sample of "
                f"{len(sample)} points; check the oracle"
            )
        return concept

    def _witness(self, row: int) -> Concept:
        known = self.witnesses[row] or self._find(self.sample(row))
        if known is None:
            raise ContradictoryOracle(
                f"the oracle denies a sample of {len(self.points)} points that it accepted before (or the "
                f"empty sample); check that it always gives the same answers"
            )
        self.witnesses[row] = known
        return known

    def grow(self, children: Children) -> None:
        """Append a column, unless the point was seen before."""
        pairs = zip(children.parent.tolist(), children.label.tolist(), strict=True)
        known = children.evidence
        self.witnesses = [known[parent].get(int(label)) if known else None for parent, label in pairs]
        self.labels = self.labels[children.parent]
        key = self._key(children.x)
        if self.infers_repeats and key in self.column:
            return
        self.column.setdefault(key, len(self.points))
        self.points.append(children.x)
        self.labels = np.column_stack([self.labels, children.label])

    def concept(self, row: int) -> Concept:
        """Return the row's known concept, or the rule of its labels; nothing is asked."""
        return self.witnesses[row] or Labelling(tuple(self.sample(row)), self.concept_class.realizable, self._key)

    def _key(self, x: Instance) -> Hashable:
        return self.concept_class.key(x) if isinstance(self.concept_class, OracleClass) else freeze(x)

    def state(self) -> dict[str, Any]:
        """Return the labels and points (concepts are not data: after loading they are asked for again)."""
        return {"labels": self.labels, "points": self.points}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved rows."""
        self.labels, self.points = state["labels"], list(state["points"])
        self.column = {}
        for i, x in enumerate(self.points):
            self.column.setdefault(self._key(x), i)
        self.witnesses = [None] * len(self.labels)


def _label(concept: Concept, x: Instance) -> int:
    """Ask a concept that the oracle returned for its label at x."""
    try:
        label = concept(x)
    except Exception as error:
        raise OracleError(f"the concept that find returned raised {type(error).__name__}: {error}") from error
    if label not in (0, 1):
        raise OracleError(f"a concept that find returns must say 0 or 1; {got('label', label)}")
    return int(label)
