"""The frontier: all realizable labellings of the committed points, one row per path.

A labelling of t points is realizable if some concept has these labels. By Sauer's lemma there are at most
sum_{i <= VC} C(t, i) of them, and every one continues with label 0, with label 1, or with both (it is *contested*). So
the rows form a tree, whose new leaves are known from two questions per row.

For every row, :meth:`Frontier.split` returns which of the two labels can continue it at a point. :meth:`Frontier.grow`
commits the point. ``split`` is the only place in the library where ADEPT queries an oracle, and it changes nothing.
Read ``Split``, ``Children`` (whose layout every base learner uses) and ``Frontier``, in this order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.declared_state import Array, Declared, Fields
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import BoolArray, Concept, FloatArray, Instance, IntArray


@dataclass(frozen=True)
class Query:
    """One call that reached an oracle, with its answer."""

    kind: str
    """"realizable", "find" or "erm"."""
    sample: tuple[tuple[Instance, int], ...]
    answer: Any


@dataclass(eq=False, repr=False)
class Queries:
    """Numbers of weak-consistency queries, in three counters that are never merged.

    ``asked`` is what Algorithm 2 asks (2 x width per round, the paper's N_T), ``posed`` counts the calls that reached
    the oracle, and ``inferred`` is the rest: answers deduced by logic. ``unknown`` counts the posed queries that the
    oracle could not decide. :meth:`Frontier.split` counts what is asked, and the layer ``Counting`` of
    ``adeptree.oracles`` the rest.

    >>> Queries(asked=10, posed=4).inferred
    6
    """

    asked: int = 0
    posed: int = 0
    unknown: int = 0
    heard: list[Query] | None = None
    """The recorded calls, if recording is on."""

    def hear(self, kind: str, samples: Iterable[Any], answers: Iterable[Any]) -> None:
        """Record calls if recording is on."""
        if self.heard is not None:
            self.heard += [Query(kind, tuple(s), answer) for s, answer in zip(samples, answers, strict=True)]

    @property
    def inferred(self) -> int:
        """Answers that were deduced instead of asked."""
        return self.asked - self.posed

    def __repr__(self) -> str:
        return f"Queries(asked={self.asked}, posed={self.posed}, unknown={self.unknown})"

    def __eq__(self, other: object) -> bool:  # counters are equal if their numbers are, whatever their type
        return isinstance(other, Queries) and repr(self) == repr(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Children:
    """The paths that follow a round: child i continues row ``parent[i]`` with ``label[i]`` at ``x``.

    Layout, on which every frontier and base learner relies: first each old row in its old place (with
    label 0 if it can take it, else 1), then the 1-children of the contested rows in row order.
    Mistake pruning removes children from this list without moving the others' order.
    """

    x: Instance
    parent: IntArray
    label: BoolArray
    parents: int
    """Number of rows before the round."""
    evidence: Any = None
    """Data that the frontier keeps between ``split`` and ``grow``."""

    def only(self, kept: BoolArray | IntArray) -> Children:
        """Select children by a mask or by their indices."""
        return replace(self, parent=self.parent[kept], label=self.label[kept])

    @cached_property
    def row(self) -> IntArray:
        """``row[b, v]``: the new row that continues old row v with label b, or -1."""
        table = np.full((2, self.parents), -1, dtype=np.int64)
        table[self.label.astype(np.int64), self.parent] = np.arange(len(self.parent))
        return table


@dataclass(frozen=True)
class Split:
    """The labels that each row can take at ``x``: the answers of the weak-consistency oracle."""

    x: Instance
    can0: BoolArray
    can1: BoolArray
    evidence: Any = None

    @cached_property
    def contested(self) -> BoolArray:
        """Mask of the rows that both labels can continue."""
        return self.can0 & self.can1

    @cached_property
    def splits(self) -> int:
        """Number of contested rows."""
        return int(np.count_nonzero(self.contested))

    @cached_property
    def children(self) -> Children:
        """Return every realizable one-step extension."""
        width = len(self.can0)
        parent, label = np.arange(width, dtype=np.int64), ~self.can0
        if self.splits:
            twins = self.contested.nonzero()[0]
            parent, label = np.concatenate([parent, twins]), np.concatenate([label, self.can1[twins]])
        return Children(self.x, parent, label, width, self.evidence)


@dataclass(frozen=True)
class Extension:
    """Steps 1-2 of one round: the next active set V_t, and k and n of its paths."""

    split: Split
    children: Children
    mistakes: IntArray
    contested: IntArray
    cut: IntArray
    """The parents of the children that mistake pruning removed."""


class Frontier(Declared, ABC):
    """All realizable labellings of the points committed so far.

    A subclass defines the labels each row can take, how the rows grow, and the concept of a row. If the arrays named in
    ``ROWS`` hold the whole state, the base class counts and saves the rows.
    """

    ROWS: ClassVar[tuple[str, ...]] = ()
    """The arrays that hold the rows; the last has one entry per row."""
    log_size: float | None = None
    """ln of the number of concepts, if the concepts of each path can be counted."""
    of_floats: bool = False
    """True if concepts are counted in floating point."""
    GROWS: ClassVar[tuple[str, ...]] = ()
    """Lists and dicts that only grow; everything else is replaced when it changes (``learners/transactions.py``)."""

    def parts(self) -> list[Any]:
        """Return the objects that change in a round: the frontier and the containers of its rows."""
        return [self]

    def __init__(self) -> None:
        self.queries = Queries()

    @property
    def width(self) -> int:
        """Number of rows (paths)."""
        return len(getattr(self, self.ROWS[-1]))

    @abstractmethod
    def _answers(self, x: Instance) -> Split:
        """Compute which rows label 0 can continue, and which label 1; nothing is committed."""

    def split(self, x: Instance) -> Split:
        """Answer Algorithm 2's two queries for every row; counted, but nothing is committed."""
        posed = self.queries.posed
        try:
            split = self._answers(x)
        except BaseException:
            # Calls posed before an exception count as asked.
            self.queries.asked += self.queries.posed - posed
            raise
        self.queries.asked += 2 * self.width
        return split

    @abstractmethod
    def grow(self, children: Children) -> None:
        """Replace the rows by ``children``."""

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the number of concepts that follow each child; only if ``log_size`` is not None."""
        raise InvalidArgument(f"{type(self).__name__} counts no concepts: log_size is None; use a prior without counts")

    @abstractmethod
    def concept(self, row: int) -> Concept:
        """Return a concept that labels the committed points as this row does."""

    def declared(self) -> Fields:
        """Return the declared state: by default the arrays that hold the rows."""
        return dict.fromkeys(self.ROWS, Array("biuf", None, -np.inf, np.inf))
