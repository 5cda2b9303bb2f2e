"""The frontier of any class that can only say whether a sample is realizable."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from adeptree.classes.base import ConceptClass
from adeptree.classes.oracle import Labelling, OracleClass, freeze
from adeptree.errors import ContradictoryOracle
from adeptree.frontiers.base import Children, Frontier, Split
from adeptree.frontiers.bits_only import BitsOnly
from adeptree.frontiers.bitsets import LabelColumns, unpack
from adeptree.frontiers.cubes import NO_WITNESS, Found, label_by, split_by_cubes
from adeptree.types import BoolArray, Concept, Instance, IntArray, Sample


class OracleFrontier(Frontier):
    """A row is a labelling of the points; the oracle is asked no more than it takes to decide them all.

    Free in any case are repeated instances, and the second label of a path whose first was denied (a
    realizable path has a continuation). What else is asked depends on the oracle and on ``strategy``:

    - "cubes", with an oracle that returns concepts: whole sets of rows in one call (``frontiers/cubes.py``);
    - "bits", with one that says yes or no: whole sets too, but a yes names no row (``frontiers/bits_only.py``);
    - "literal": every row by itself, with its whole sample, as Algorithm 2 does.

    The first two rely on the rows being *all* realizable labellings. Once rows have been dropped (mistake
    pruning, for which a valid M gives no occasion) a "yes" may come from one that is gone, so from then on
    the frontier goes on literally.
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        super().__init__()
        self.concept_class = concept_class
        self.infers_repeats = getattr(concept_class, "repeats", "infer") == "infer"
        self.has_witnesses: bool = getattr(concept_class, "gives_witnesses", hasattr(concept_class, "find"))
        self.points: list[Instance] = []
        self.column: dict[Hashable, int] = {}
        self.table = LabelColumns()
        self.witnesses: list[Concept | None] = [None]
        """A concept that fits the row, as far as one is known (only with an oracle that returns them)."""
        self.complete = True
        """Whether no row was ever dropped."""
        self.bits_only = BitsOnly()

    @property
    def width(self) -> int:
        """Number of realizable labellings."""
        return self.table.rows

    @property
    def labels(self) -> BoolArray:
        """All labels: rows by points."""
        return self.table.labels()

    @property
    def strategy(self) -> str:
        """How the next point will be asked about."""
        wanted = getattr(self.concept_class, "strategy", "auto")
        if wanted == "literal" or not self.infers_repeats or not self.complete:
            return "literal"
        return "cubes" if self.has_witnesses else "bits"

    def _answers(self, x: Instance) -> Split:
        column = self.column.get(self._key(x)) if self.infers_repeats else None
        found = self._ask_about(x) if column is None else self._repeated(column)
        return Split(x, found.can[0], found.can[1], evidence=found)

    def _repeated(self, column: int) -> Found:
        label = unpack(self.table.columns[column], self.width)
        known = np.array([concept is not None for concept in self.witnesses], dtype=np.bool_)
        return Found(np.stack([~label, label]), np.where(known, label, NO_WITNESS).astype(np.int64))

    def _ask_about(self, x: Instance) -> Found:
        if not self.points and self.has_witnesses:
            self._witness(0)  # also proves that there is a concept at all
        if self.strategy == "cubes":
            return split_by_cubes(self.table, self.points, self.witnesses, x, self._find)
        if self.strategy == "bits":
            return Found(self.bits_only.split(self.table, self.points, x, self._realizable, self.queries.inferred))
        return self._by_witness(x) if self.has_witnesses else self._by_bit(x)

    def _by_bit(self, x: Instance) -> Found:
        can = np.ones((2, self.width), dtype=np.bool_)
        for row in range(self.width):
            sample = self.sample(row)
            can[0, row] = self._realizable([*sample, (x, 0)])
            if can[0, row]:
                can[1, row] = self._realizable([*sample, (x, 1)])
        return Found(can)

    def _by_witness(self, x: Instance) -> Found:
        own: IntArray = np.array([label_by(self._witness(row), x) for row in range(self.width)], dtype=np.int64)
        can = np.stack([own == 0, own == 1])
        others: dict[tuple[int, int], Concept] = {}
        for row, label in enumerate((1 - own).tolist()):
            concept = self._find([*self.sample(row), (x, label)])
            if concept is not None:
                others[row, label] = concept
                can[label, row] = True
        return Found(can, own, others)

    def sample(self, row: int) -> list[tuple[Instance, int]]:
        """Return the row as a labelled sample."""
        return list(zip(self.points, self.table.labels_of(row).astype(int).tolist(), strict=True))

    def _realizable(self, sample: Sample) -> bool:
        self.queries.posed += 1
        return self.concept_class.realizable(sample)

    def _find(self, sample: Sample) -> Concept | None:
        self.queries.posed += 1
        concept: Concept | None = self.concept_class.find(sample)  # type: ignore[attr-defined]
        if concept is not None and any(label_by(concept, x) != y for x, y in sample):
            raise ContradictoryOracle(
                f"find returned {concept}, which does not have the labels it was asked for on a sample of "
                f"{len(sample)} points; check the oracle"
            )
        return concept

    def _witness(self, row: int) -> Concept:
        known = self.witnesses[row]
        if known is None:
            known = self._find(self.sample(row))
        if known is None:
            raise ContradictoryOracle(
                f"the oracle denies a sample of {len(self.points)} points that it accepted before (or the "
                f"empty sample); check that it always gives the same answers"
            )
        self.witnesses[row] = known
        return known

    def grow(self, children: Children) -> None:
        """Append a column, unless the point was seen before."""
        found: Found | None = children.evidence
        whole = found is not None and len(children.parent) == self.width + int(found.can.all(axis=0).sum())
        key = self._key(children.x)
        repeated = self.infers_repeats and key in self.column
        if found is not None and whole and not repeated and self.strategy == "bits":
            self.bits_only.learn(self.table, found.can)
        self.witnesses = self._inherited(children, found)
        self._grow_table(children, whole, repeated)
        self.complete = self.complete and whole
        if not repeated:
            self.column.setdefault(key, len(self.points))
            self.points.append(children.x)

    def _grow_table(self, children: Children, whole: bool, repeated: bool) -> None:
        width = self.width
        if not whole:
            labels = self.labels[children.parent]
            self.table = LabelColumns.of(labels if repeated else np.column_stack([labels, children.label]))
        elif not repeated:
            self.table.append(children.label[:width], children.parent[width:])

    def _inherited(self, children: Children, found: Found | None) -> list[Concept | None]:
        """Return the concept that each child takes over: its parent's, or one found in this round."""
        if found is None or found.own is None:
            return [None] * len(children.parent)
        own = found.own.tolist()
        return [
            self.witnesses[row] if own[row] == label else found.others.get((row, int(label)))
            for row, label in zip(children.parent.tolist(), children.label.tolist(), strict=True)
        ]

    def concept(self, row: int) -> Concept:
        """Return the row's known concept, or the rule of its labels; nothing is asked."""
        known = self.witnesses[row]
        if known is not None:
            return known
        return Labelling(tuple(self.sample(row)), self.concept_class.realizable, self._key)

    def _key(self, x: Instance) -> Hashable:
        return self.concept_class.key(x) if isinstance(self.concept_class, OracleClass) else freeze(x)

    def state(self) -> dict[str, Any]:
        """Return the labels and points (concepts are not data: after loading they are found again when needed)."""
        return {
            "labels": self.labels,
            "points": list(self.points),
            "complete": self.complete,
            "bits_only": self.bits_only.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved rows."""
        self.table, self.points = LabelColumns.of(np.asarray(state["labels"], dtype=np.bool_)), list(state["points"])
        self.complete = bool(state["complete"])
        self.bits_only.restore(state["bits_only"])
        self.column = {}
        for i, x in enumerate(self.points):
            self.column.setdefault(self._key(x), i)
        self.witnesses = [None] * self.width
