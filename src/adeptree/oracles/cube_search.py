"""Optimistic cubes: decide the possible labels of all rows at x with few calls to an oracle that returns concepts.

A *cube* is the set of rows that have some given labels on some of the past points. Asking the oracle for a concept with
these labels, and label b at x, asks whether any row of the cube can take b. So a round is group testing: query the
largest cubes without a row known to take b. A "no" decides the whole cube; a "yes" comes with a concept, whose labels
identify a row. The proof and the counts are in ``docs/theory/few-queries.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.errors import ContradictoryOracle, OracleError, OracleUnknown, got
from adeptree.core.types import BoolArray, Concept, Instance, IntArray, ManyLabels, Sample
from adeptree.theory.bit_tables import mask, unpack

NO_WITNESS = -1

Answer = Concept | OracleUnknown | None
"""A concept that fits, None if there is none, or an OracleUnknown (only if unknowns are kept)."""
AskAll = Callable[[Iterable[Sample]], Iterable[Answer]]


@dataclass(frozen=True)
class Found:
    """The results of a round: the answers, and the concepts that came with them."""

    can: BoolArray
    """``can[b, row]``: can the row take label b?"""
    own: IntArray | None = None
    """The label of x under each row's concept, or NO_WITNESS; None if no row has a concept."""
    others: dict[tuple[int, int], Concept] = field(default_factory=dict)
    """Concepts found in this round, by (row, label)."""
    predicted: bool = False
    """True if a yes/no oracle was queried about sets predicted to be denied."""


class Question(NamedTuple):
    """A query: can a row that shares some columns' labels with the given row take label b at x?"""

    b: int
    row: int
    columns: Sequence[int]


class CubeSearch:
    """Finds all rows that can take each label at one point; some of them may be known before.

    ``xs`` are the points seen and, last, the new one. Rows without a concept are allowed, and get no label for free. If
    the oracle ``keeps`` unknowns, there may be rows of no concept: the result then includes all rows that can take a
    label, and possibly others. Queries of one batch concern different undecided rows, but their cubes may overlap, so
    two concepts may identify the same row: this is the price of batches. With ``paths`` every cube is one row with all
    its labels, as in Algorithm 2, and all queries are sent at once.
    """

    def __init__(
        self, table: Any, xs: Sequence[Instance], own: IntArray, keeps: bool = False, paths: bool = False
    ) -> None:
        self.table, self.xs, self.own, self.keeps, self.paths = table, xs, own, keeps, paths
        self.positive = [mask(own == b) for b in (0, 1)]
        self.undecided = [mask(own != b) for b in (0, 1)]
        self.singly = [0, 0]
        """Rows of an undecided cube, which are queried one by one."""
        self.found: dict[tuple[int, int], Concept] = {}

    def run(self, ask: AskAll, batch: int = 1) -> Found:
        """Decide both labels of every row; up to ``batch`` queries are sent together."""
        while questions := self.questions(batch):
            for question, answer in zip(questions, ask(map(self.sample, questions)), strict=True):
                self.note(question, answer)
        can = np.array([unpack(self.positive[b], self.table.rows) for b in (0, 1)])
        return Found(can, self.own, self.found)

    def questions(self, batch: int) -> list[Question]:
        """Return the next queries, about undecided rows that earlier ones of the batch do not cover (or all rows)."""
        chosen: list[Question] = []
        whole = range(len(self.xs) - 1)
        if self.paths:
            both = [unpack(self.undecided[b], self.table.rows).tolist() for b in (0, 1)]
            return [
                Question(b, row, whole) for row, open_ in enumerate(zip(*both, strict=True)) for b in (0, 1) if open_[b]
            ]
        for b in (0, 1):
            left = self.undecided[b]
            while left and len(chosen) < batch:
                row = (left & -left).bit_length() - 1  # the lowest
                alone = self.singly[b] >> row & 1
                columns = whole if alone else self.table.best_cube(row, left, self.positive[b], b)
                chosen.append(Question(b, row, columns))
                left &= ~self._members(chosen[-1])
        return chosen

    def _members(self, question: Question) -> int:
        alone = len(question.columns) == len(self.xs) - 1
        return 1 << question.row if alone else self.table.cube(question.row, question.columns)

    def sample(self, question: Question) -> list[tuple[Instance, int]]:
        """Return the sample of a query."""
        label, row, xs = self.table.label, question.row, self.xs
        return [*((xs[j], label(row, j)) for j in question.columns), (xs[-1], question.b)]

    def note(self, question: Question, answer: Answer) -> None:
        """Record an answer."""
        b = question.b
        if isinstance(answer, OracleUnknown):
            self._leave_open(question)
        elif answer is None:
            self._deny(question)
        else:
            row = self._row_of(answer, question)
            self.found[row, b] = answer
            self.positive[b] |= 1 << row
            self.undecided[b] &= ~(1 << row)

    def _deny(self, question: Question) -> None:
        b, members = question.b, self._members(question)
        if not self.keeps and members & self.positive[b]:
            raise ContradictoryOracle(
                f"the oracle denies label {b} at x={self.xs[-1]!r} to a path that can take it: it returned a concept "
                f"that does, or denies both labels of a realizable path; check that it always gives the same answers"
            )
        denied = members & self.undecided[b]
        self.undecided[b] &= ~members
        # A realizable path has a continuation: a row that cannot take this label can take the other.
        self.positive[1 - b] |= denied
        self.undecided[1 - b] &= ~denied

    def _leave_open(self, question: Question) -> None:
        """Keep an undecided row; for a larger cube, query its rows one by one."""
        members = self._members(question) & self.undecided[question.b]
        if len(question.columns) == len(self.xs) - 1:
            self.positive[question.b] |= members
            self.undecided[question.b] &= ~members
        else:
            self.singly[question.b] |= members

    def _row_of(self, concept: Concept, question: Question) -> int:
        """Return the row that the concept continues; raise an error if the row was denied before."""
        labels, b, asked = labels_on(concept, self.xs), question.b, self.table.label
        if labels[-1] != b or any(labels[j] != asked(question.row, j) for j in question.columns):
            raise ContradictoryOracle(
                f"find returned {concept}, which does not have the labels it was asked for on a sample of "
                f"{len(question.columns) + 1} points; check the oracle"
            )
        row: int = self.table.find(labels)
        if row < 0:
            raise ContradictoryOracle(
                f"find returned {concept}, whose labels on the {len(self.xs) - 1} points seen were denied before; "
                f"check that the oracle always gives the same answers"
            )
        if not (self.undecided[b] | self.positive[b]) >> row & 1:
            raise ContradictoryOracle(
                f"find returned {concept}, though it denied before that a concept has its labels on "
                f"{len(self.xs)} points; check that the oracle always gives the same answers"
            )
        return row


def labels_at(concepts: Iterable[Concept], x: Instance) -> bytes:
    """Return the label of an instance by every concept, a byte each."""
    return _octets(lambda: [concept(x) for concept in concepts])


def labels_on(concept: Concept, xs: Sequence[Instance]) -> bytes:
    """Return a concept's labels of all instances, a byte each; use its ``labels(xs)`` if it has one."""
    many: Any = concept
    octets = _octets(lambda: many.labels(xs) if _labels_many(type(concept)) else [concept(x) for x in xs])
    if len(octets) != len(xs):
        raise OracleError(f"labels(xs) of {concept} must return a label per instance; {got('labels', octets)}")
    return octets


@cache
def _labels_many(kind: type[Any]) -> bool:
    return issubclass(kind, ManyLabels)


def _octets(said: Callable[[], Iterable[Any]]) -> bytes:
    try:
        labels = list(said())
    except Exception as error:
        raise OracleError(f"the concept that find returned raised {type(error).__name__}: {error}") from error
    try:
        octets = bytes(labels)
        if not octets.translate(None, b"\0\1"):
            return octets
    except (TypeError, ValueError):  # not whole, or too large
        pass
    for label in labels:
        if label not in (0, 1):
            raise OracleError(f"a concept that find returns must say 0 or 1; {got('label', label)}")
    return bytes(map(int, labels))
