"""The frontier of any class with an oracle.

A round must decide, for each of w rows and both labels, if a concept continues the row: 2w questions. Three facts save
queries. A row that cannot take one label can take the other. A concept that fits a row also labels x. And one query
about the labels that many rows have in common, a *cube*, decides all of them if the oracle denies it.

Read ``OracleFrontier._answers`` first. It chooses the strategy: ``cube_search.py`` with concepts,
``yes_no_strategy.py`` without, or one query per row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import need
from adeptree.core.errors import ContradictoryOracle, OracleUnknown
from adeptree.core.frozen import freeze
from adeptree.core.types import BoolArray, Concept, Instance, IntArray, Sample
from adeptree.oracles.chain import Asking, Counting, bits
from adeptree.oracles.cube_search import NO_WITNESS, Answer, CubeSearch, Found, labels_at
from adeptree.oracles.labelling import Labelling
from adeptree.oracles.sources import ClassOracle
from adeptree.oracles.yes_no_strategy import BitsOnly
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Children, Frontier, Split
from adeptree.theory.bit_tables import unpack

TABLES = kernel("adeptree.oracles.label_table_kernel")

FEW = 64
"""Below this number of rows choosing cubes takes little time, so cubes are always used."""
PAYS = {"cubes": 5e-5, "bits": 2.5e-3}
"""Least duration of a call, in seconds, for which choosing cubes pays off (measured: ``benchmarks/strategies.py``)."""


def regrown(table: Any, parent: IntArray, label: BoolArray | None, whole: bool) -> Any:
    """Return the children's table, with their labels as a new point if given; updated in place if no row is removed."""
    if whole and label is not None:
        table.append(label[: table.rows].tobytes(), parent[table.rows :].tolist())
        return table
    labels = np.frombuffer(table.labels(), dtype=np.bool_).reshape(table.rows, table.points)[parent]
    labels = labels if label is None else np.column_stack([labels, label])
    return TABLES.LabelTable(*labels.shape, labels.tobytes())


class OracleFrontier(Frontier):
    """A frontier whose rows are labellings of the points, decided with few oracle queries.

    Repeated instances need no query, nor does the second label of a path whose first was denied (a realizable path has
    a continuation). Other queries depend on the oracle and on ``strategy``:

    - "cubes", with an oracle that returns concepts: whole sets of rows in one call (``cube_search.py``);
    - "bits", with a yes/no oracle: whole sets too, but a yes identifies no row (``yes_no_strategy.py``);
    - "literal": every row separately, with its whole sample, as in Algorithm 2;
    - "paper": the same without inference: both labels of every row are queried.

    The first two need the rows to be *all* realizable labellings. Once rows have been dropped (by mistake pruning,
    which never happens with a valid M), a "yes" may come from a dropped row, so the frontier continues literally. The
    rows and their order depend only on the oracle's class, not on the strategy or on the order of answers (unless
    unknown answers are kept).
    """

    GROWS = ("column", "points")

    def __init__(self, concept_class: ConceptClass) -> None:
        super().__init__()
        self.concept_class = concept_class
        self.infers_repeats = concept_class.infers_repeats
        self.has_witnesses = concept_class.finds
        self.points: list[Instance] = []
        self.column: dict[Hashable, int] = {}
        self.table: Any = TABLES.LabelTable(1, 0, b"")
        self.witnesses: list[Concept | None] = [None]
        """For each row, a known concept that fits, or None (only with an oracle that returns concepts)."""
        self.complete = True
        """True if no row was ever dropped."""

    @cached_property
    def oracle(self) -> Counting:
        """The chain that this frontier queries, with the frontier's counters."""
        c = self.concept_class
        return Counting((None if c.asked_by_methods else c.oracle) or Asking(ClassOracle(c)), self.queries)

    @cached_property
    def bits_only(self) -> BitsOnly:
        """Statistics about a yes/no oracle."""
        return BitsOnly()

    def parts(self) -> list[Any]:
        """Return the frontier, its table and the statistics."""
        return [self, self.bits_only, self.table]

    @property
    def width(self) -> int:
        """Number of realizable labellings."""
        return int(self.table.rows)

    @property
    def labels(self) -> BoolArray:
        """All labels: rows by points."""
        return np.frombuffer(self.table.labels(), dtype=np.bool_).reshape(self.table.rows, self.table.points)

    @property
    def strategy(self) -> str:
        """The strategy for the next point."""
        c, sets = self.concept_class, "cubes" if self.has_witnesses else "bits"
        if c.strategy in ("literal", "paper") or not self.infers_repeats or not self.complete:
            return "paper" if c.strategy == "paper" else "literal"
        if c.strategy == "auto":
            cheap = c.call_cost is not None and c.call_cost < PAYS[sets]
            # Only separate queries of paths can be distributed to workers.
            if (cheap and self.width >= FEW and not c.keeps_unknown) or (sets == "bits" and c.by_workers):
                return "literal"
        return sets

    def _answers(self, x: Instance) -> Split:
        column = self.column.get(self._key(x)) if self.infers_repeats else None
        found = self._ask_about(x) if column is None else self._repeated(column)
        return Split(x, found.can[0], found.can[1], evidence=found)

    def _repeated(self, column: int) -> Found:
        label = unpack(self.table.column(column), self.width)
        most = np.array([NO_WITNESS if concept is None else 1 for concept in self.witnesses])
        return Found(np.stack([~label, label]), np.minimum(most, label))

    def _ask_about(self, x: Instance) -> Found:
        if not self.points and self.has_witnesses and self.strategy != "paper" and self.witnesses[0] is None:
            (found,) = self._find_all([[]])
            if found is None:
                raise ContradictoryOracle("the oracle denies the empty sample: no concept is left; check the oracle")
            self.witnesses = [None if isinstance(found, OracleUnknown) else found]
        c, strategy = self.concept_class, self.strategy
        if strategy == "bits":
            can = self.bits_only.split(self.table, self.points, x, self._realizable, self.queries.inferred)
            return Found(can, predicted=True)
        if strategy != "cubes" and (strategy == "paper" or not self.has_witnesses or c.keeps_unknown):
            return self._by_bit(x)
        paths = strategy == "literal"
        search = CubeSearch(self.table, [*self.points, x], self._own(x), c.keeps_unknown, paths)
        return search.run(self._find_all, c.batch)

    def _lists(self, samples: Iterable[Sample]) -> Iterable[list[Sample]]:
        """Divide queries into batches: single ones unless the class sets a batch, because an exception ends a batch."""
        return [list(samples)] if self.concept_class.batch > 1 else ([sample] for sample in samples)

    def _own(self, x: Instance) -> IntArray:
        """Return the label of x under each row's concept, or NO_WITNESS."""
        own, known = np.full(self.width, NO_WITNESS), [concept for concept in self.witnesses if concept is not None]
        has = slice(None) if len(known) == len(own) else [concept is not None for concept in self.witnesses]
        own[has] = np.frombuffer(labels_at(known, x), dtype=np.uint8)
        return own

    def _find_all(self, samples: Iterable[Sample]) -> Iterator[Answer]:
        """Ask for a concept for each sample; unknown answers are kept if the class allows it."""
        for some in self._lists(samples):
            for answer in self.oracle.ask_many("find", some):
                if isinstance(answer, OracleUnknown) and not self.concept_class.keeps_unknown:
                    raise answer
                yield answer

    def _realizable_all(self, samples: Iterable[Sample]) -> list[bool]:
        """Return True for each realizable sample; unknown answers count as True if they are kept."""
        keep = self.concept_class.keeps_unknown
        lists = (bits(self.oracle.ask_many("realizable", some), keep) for some in self._lists(samples))
        return [bit for some in lists for bit in some]

    def _realizable(self, sample: Sample) -> bool:
        return self._realizable_all([sample])[0]

    def _by_bit(self, x: Instance) -> Found:
        can = np.ones((2, self.width), dtype=np.bool_)
        can[0] = self._realizable_all([*self.sample(row), (x, 0)] for row in range(self.width))
        # A realizable path has a continuation; only the empty path was never queried.
        asked = np.arange(self.width) if self.strategy == "paper" or not self.points else np.flatnonzero(can[0])
        can[1, asked] = self._realizable_all([*self.sample(row), (x, 1)] for row in asked.tolist())
        if not can.any(axis=0).all():
            raise ContradictoryOracle(
                f"the oracle denies both labels of x={x!r} on a path of {len(self.points)} points that it accepted "
                f"(or on the empty one: then no concept is left); check that it always gives the same answers"
            )
        return Found(can)

    def sample(self, row: int) -> list[tuple[Instance, int]]:
        """Return the row as a labelled sample."""
        return list(zip(self.points, self.table.row(row), strict=True))

    def grow(self, children: Children) -> None:
        """Append a column, unless the point was seen before."""
        found: Found | None = children.evidence
        whole = found is not None and len(children.parent) == self.width + int(found.can.all(axis=0).sum())
        key = self._key(children.x)
        repeated = self.infers_repeats and key in self.column
        if found is not None and whole and found.predicted:
            self.bits_only.learn(self.table, found.can)
        self.witnesses = self._inherited(children, found)
        if not (whole and repeated):
            self.table = regrown(self.table, children.parent, None if repeated else children.label, whole)
        self.complete = self.complete and whole
        if not repeated:
            self.column.setdefault(key, len(self.points))
            self.points.append(children.x)

    def _inherited(self, children: Children, found: Found | None) -> list[Concept | None]:
        """Return each child's concept: its parent's, or one found in this round."""
        if found is None or found.own is None:
            return [None] * len(children.parent)
        whole, rows = slice(len(found.own)), children.parent
        if not np.array_equal(rows[whole], np.arange(len(found.own))):
            whole = slice(0)
        witnesses = [*self.witnesses[whole], *(self.witnesses[row] for row in rows[whole.stop :].tolist())]
        for i in (found.own[rows] != children.label).nonzero()[0].tolist():
            witnesses[i] = found.others.get((int(rows[i]), int(children.label[i])))
        return witnesses

    def concept(self, row: int) -> Concept:
        """Return the row's known concept, or the rule of its labels, without a query (unless the class names one)."""
        known = self.witnesses[row]
        if known is not None:
            return known
        if self.concept_class.oracle is None:
            return self.concept_class.judge(self.sample(row))
        return Labelling(tuple(self.sample(row)), self.concept_class.realizable, self._key)

    def _key(self, x: Instance) -> Hashable:
        return freeze(x) if self.concept_class.oracle is None else self.concept_class.key(x)

    def state(self) -> dict[str, Any]:
        """Return the labels and points. (Concepts are not saved; after loading they are found again when needed.)"""
        return {
            "labels": self.labels,
            "points": list(self.points),
            "complete": self.complete,
            "bits_only": self.bits_only.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved rows after checking them; the oracle is not queried again."""
        labels, points, complete = state["labels"], list(state["points"]), state["complete"]
        need(labels.dtype == np.bool_ and labels.shape == (len(labels), len(points)), "labels of other points")
        need(isinstance(complete, bool), "complete")
        need(
            len({row.tobytes() for row in np.packbits(labels, axis=1)}) == len(labels), "two rows with the same labels"
        )
        keys = [self._key(x) for x in points]
        need([self._key(self.concept_class.instance(x)) for x in points] == keys, "points that are not instances")
        need(not self.infers_repeats or len(set(keys)) == len(keys), "a point twice")
        self.table, self.points, self.complete = TABLES.LabelTable(*labels.shape, labels.tobytes()), points, complete
        self.bits_only.restore(state["bits_only"])
        self.column = {}
        for i, x in enumerate(self.points):
            self.column.setdefault(self._key(x), i)
        self.witnesses = [None] * self.width
