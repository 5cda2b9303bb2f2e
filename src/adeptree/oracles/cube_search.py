"""Optimistic cubes: which rows can take which label at x, with few calls to an oracle that returns concepts.

A *cube* is the set of rows that have some given labels on some of the past points. Asking the oracle for a
concept with these labels, and label b at x, asks whether any row of the cube can take b. So a round is group
testing: ask about cubes that hold no row known to take b, as large as possible. A "no" decides the whole cube;
a "yes" comes with a concept, whose labels name a row. The proof and the counts are in ``docs/few-queries.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from adeptree.core.errors import ContradictoryOracle, OracleError, OracleUnknown, got
from adeptree.core.types import BoolArray, Concept, Instance, IntArray, Sample
from adeptree.oracles.bitsets import LabelColumns, WordArray, count, counts, first, pack, single, unpack

NO_WITNESS = -1
COMPILE_FROM = 1024
"""Words in the label table from which the compiled search is worth loading (if numba is installed)."""

Answer = Concept | OracleUnknown | None
"""A concept that fits, None if there is none, or why neither is known (only where that is kept)."""
AskAll = Callable[[list[Sample]], Sequence[Answer]]


@dataclass(frozen=True)
class Found:
    """What a round found out: the answers, and where concepts came with them."""

    can: BoolArray
    """``can[b, row]``: can the row take label b?"""
    own: IntArray | None = None
    """The label that each row's own concept gives x, or NO_WITNESS; None where no row has a concept."""
    others: dict[tuple[int, int], Concept] = field(default_factory=dict)
    """Concepts found in this round, by (row, label)."""
    calls: int | None = None
    """How many calls it took, if sets of rows were asked about."""


def split_by_cubes(
    table: LabelColumns,
    points: Sequence[Instance],
    witnesses: Sequence[Concept | None],
    x: Instance,
    ask: AskAll,
    batch: int = 1,
    keeps: bool = False,
) -> Found:
    """Decide both labels of every row. Rows without a concept are allowed, and have no label for free.

    Up to ``batch`` questions go out together. If the oracle ``keeps`` what it cannot decide, there may be rows that
    no concept has: the theorem then gives all rows that can take a label, and some that may.
    """
    labels = [NO_WITNESS if concept is None else label_by(concept, x) for concept in witnesses]
    own = np.array(labels, dtype=np.int64)
    search = CubeSearch(table, points, x, np.stack([own == 0, own == 1]), keeps)
    while questions := search.questions(batch):
        answers = ask([search.sample(question) for question in questions])
        for question, answer in zip(questions, answers, strict=True):
            search.note(question, answer)
    return Found(search.outcome(), own, search.found)


@dataclass(frozen=True)
class Question:
    """Can a row that has the given labels in some columns take label b at x?"""

    b: int
    labels: BoolArray
    columns: list[int]
    alone: bool
    """Whether this is one row with all its labels."""


class CubeSearch:
    """Find all rows that can take each label at one point, some of them being known beforehand.

    Questions of one batch are about different undecided rows, but their cubes may overlap: then two concepts may
    name the same row, which is the price of asking them together.
    """

    def __init__(
        self, table: LabelColumns, points: Sequence[Instance], x: Instance, known: BoolArray, keeps: bool
    ) -> None:
        self.table = table
        self.keeps = keeps
        self.points = points
        self.x = x
        self.positive = [pack(known[b]) for b in (0, 1)]
        self.undecided = [table.everyone() & ~self.positive[b] for b in (0, 1)]
        self.singly = [np.zeros_like(self.positive[b]) for b in (0, 1)]
        """Rows in a cube that the oracle could not decide: they are asked about one by one."""
        self.found: dict[tuple[int, int], Concept] = {}

    def questions(self, batch: int) -> list[Question]:
        """Return the next questions, about undecided rows that no earlier one of them covers."""
        chosen: list[Question] = []
        for b in (0, 1):
            left = self.undecided[b].copy()
            while len(chosen) < batch and left.any():
                row = first(left)
                labels = self.table.labels_of(row)
                if (single(row, self.table.words) & self.singly[b]).any():
                    chosen.append(Question(b, labels, list(range(self.table.points)), True))
                else:
                    cube = best_cube(self.table, labels, left, self.positive[b])
                    chosen.append(Question(b, labels, cube, len(cube) == self.table.points))
                left &= outside(self.table, labels, chosen[-1].columns)
        return chosen

    def sample(self, question: Question) -> list[tuple[Instance, int]]:
        """Return a question as the oracle gets it."""
        return [*((self.points[j], int(question.labels[j])) for j in question.columns), (self.x, question.b)]

    def note(self, question: Question, answer: Answer) -> None:
        """Take in an answer."""
        b = question.b
        if isinstance(answer, OracleUnknown):
            self._leave_open(question)
        elif answer is None:
            self._deny(question)
        else:
            row = self._row_of(answer, b)
            self.found[row, b] = answer
            self.positive[b] |= single(row, self.table.words)
            self.undecided[b] &= ~self.positive[b]

    def _deny(self, question: Question) -> None:
        b, members = question.b, ~outside(self.table, question.labels, question.columns)
        if not self.keeps and (members & self.positive[b]).any():
            raise ContradictoryOracle(
                f"the oracle denies label {b} at x={self.x!r} to a path that can take it: it returned a concept that "
                f"does, or denies both labels of a realizable path; check that it always gives the same answers"
            )
        denied = members & self.undecided[b]
        self.undecided[b] &= ~members
        # A realizable path has a continuation: a row that cannot take this label can take the other.
        self.positive[1 - b] |= denied
        self.undecided[1 - b] &= ~denied

    def _leave_open(self, question: Question) -> None:
        """Keep a row of which nothing is known; of a larger cube, ask about the rows one by one."""
        members = ~outside(self.table, question.labels, question.columns) & self.undecided[question.b]
        if question.alone:
            self.positive[question.b] |= members
            self.undecided[question.b] &= ~members
        else:
            self.singly[question.b] |= members

    def _row_of(self, concept: Concept, b: int) -> int:
        """Return the row that the concept continues; with a sound oracle it is none that was denied."""
        labels = np.array([label_by(concept, x) for x in self.points], dtype=np.bool_)
        row = self.table.where(labels)
        if row is None:
            raise ContradictoryOracle(
                f"find returned {concept}, whose labels on the {len(self.points)} points seen were denied before; "
                f"check that the oracle always gives the same answers"
            )
        if not (single(row, self.table.words) & (self.undecided[b] | self.positive[b])).any():
            raise ContradictoryOracle(
                f"find returned {concept}, though it denied before that a concept has its labels on "
                f"{len(self.points) + 1} points; check that the oracle always gives the same answers"
            )
        return row

    def outcome(self) -> BoolArray:
        """Return ``can[b, row]`` once everything is decided."""
        return np.stack([unpack(self.positive[b], self.table.rows) for b in (0, 1)])


def label_by(concept: Concept, x: Instance) -> int:
    """Ask a concept that the oracle returned for its label at x."""
    try:
        label = concept(x)
    except Exception as error:
        raise OracleError(f"the concept that find returned raised {type(error).__name__}: {error}") from error
    if label not in (0, 1):
        raise OracleError(f"a concept that find returns must say 0 or 1; {got('label', label)}")
    return int(label)


# --- The choice of a cube: it holds no row known to take the label, and many of which nothing is known ---------------


def best_cube(table: LabelColumns, labels: BoolArray, undecided: WordArray, positive: WordArray) -> list[int]:
    """Return columns; the rows with the given labels there hold no positive row and many undecided ones.

    Two candidates are tried, each pruned until every label in it is needed, and the one with more undecided
    rows is taken (the greedy one on a tie).
    """
    if (compiled := _compiled(table)) is not None:
        return compiled.best_cube(table.room, table.points, labels, undecided, positive).tolist()  # type: ignore[no-any-return]
    differing = table.differing(labels)
    # Columns in which no positive row differs can exclude nothing.
    useful = np.flatnonzero((differing & positive).any(axis=1))
    differing = differing[useful]
    greedy = _prime(_greedy(differing, undecided, positive), differing, positive)
    path = _prime(_path(differing, positive), differing, positive)
    covers = [count(undecided & ~_union(differing, cube)) for cube in (greedy, path)]
    return useful[greedy if covers[0] >= covers[1] else path].tolist()  # type: ignore[no-any-return]


def _greedy(differing: WordArray, undecided: WordArray, positive: WordArray) -> list[int]:
    """Add the label that excludes most positive rows for each undecided row it loses, until none is left."""
    chosen = []
    while positive.any():
        score = counts(differing & positive) / (counts(differing & undecided) + 0.5)
        chosen.append(int(score.argmax()))
        positive = positive & ~differing[chosen[-1]]
        undecided = undecided & ~differing[chosen[-1]]
    return chosen


def _path(differing: WordArray, positive: WordArray) -> list[int]:
    """Go through the points in the order they came, and take the labels that exclude a positive row still left.

    So these are the columns where some positive row differs for the first time (the branches that leave
    the path of the labels in the trie of all rows).
    """
    excluded = np.bitwise_or.accumulate(differing & positive, axis=0)
    new = excluded.copy()
    new[1:] &= ~excluded[:-1]
    return np.flatnonzero(new.any(axis=1)).tolist()


def _prime(chosen: list[int], differing: WordArray, positive: WordArray) -> list[int]:
    """Drop labels, first come first dropped, while the rest still exclude all positive rows."""
    if len(chosen) < 2:
        return chosen
    hits = differing[chosen] & positive
    later = np.bitwise_or.accumulate(hits[::-1], axis=0)[::-1]
    excluded = np.zeros_like(positive)
    kept = []
    for i, column in enumerate(chosen):
        others = excluded | later[i + 1] if i + 1 < len(chosen) else excluded
        if (others != positive).any():
            kept.append(column)
            excluded = excluded | hits[i]
    return kept


def _union(differing: WordArray, chosen: list[int]) -> WordArray:
    result: WordArray = np.bitwise_or.reduce(differing[chosen], axis=0, initial=np.uint64(0))
    return result


def outside(table: LabelColumns, labels: BoolArray, cube: list[int]) -> WordArray:
    """Return the rows that lack one of the labels (with stray bits past the end)."""
    result: WordArray = np.zeros(table.words, dtype=np.uint64)
    for j in cube:
        column = table.room[j, : table.words]
        result |= ~column if labels[j] else column
    return result


def _compiled(table: LabelColumns) -> Any:
    """Return the compiled search, or None where numba is not installed or the table too small to load it for."""
    if "adeptree.oracles.cubes_compiled" not in sys.modules and table.points * table.words < COMPILE_FROM:
        return None
    return _load_compiled()


@cache
def _load_compiled() -> Any:
    try:
        from adeptree.oracles import cubes_compiled
    except (ImportError, RuntimeError):  # numba is missing, or finds no place to keep what it compiles
        return None
    return cubes_compiled
