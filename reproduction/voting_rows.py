"""Learners that vote over functions which once fitted their history, one at a time and on all rows of a frontier.

A *function* is a realizable labelling of the points so far. At a new point it takes label 0 if the oracle allows it,
else 1: so Attias, Hanneke and Ramaswami (NeurIPS 2025, arXiv 2506.00135) replace an oracle that returns concepts by one
that says yes or no. On a frontier a function is a row, whose number never changes, and what it does at a point is in
the answers that ADEPT got anyway (``docs/theory/ghost.md``, section 7).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from adeptree.core.declared_state import Array, check_fields, need
from adeptree.core.types import BoolArray, Instance, IntArray, label_of
from adeptree.ghost.ghost_learner import Labels, Oracle, OracleLearner, RecentAnswers
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.base_learner import RowLearner
from adeptree.roles.frontier import Children, Frontier, Split

NONE = -1
"""In arrays of functions: none here."""


class Council(NamedTuple):
    """The states of learners of one kind, one line per learner."""

    functions: IntArray
    """The numbers of its functions in order of birth, NONE behind the last."""
    errors: IntArray
    """Number of errors of each of them, if the learner counts them."""
    notes: IntArray
    """Further counters."""

    @property
    def size(self) -> IntArray:
        """Number of functions of each."""
        return np.asarray((self.functions != NONE).sum(axis=1), dtype=np.int64)

    def with_room(self) -> Council:
        """Return a copy in which every learner can take one more function."""
        room = (self.functions[:, -1] != NONE).any() * self.functions.shape[1]
        functions, errors = (
            np.pad(part, ((0, 0), (0, room)), constant_values=value)
            for part, value in ((self.functions, NONE), (self.errors, 0))
        )
        return Council(functions, errors, self.notes.copy())


class Voters(NamedTuple):
    """A scalar state: the labelled points, the functions' labels on them, and what the learner counts."""

    points: tuple[Instance, ...]
    truth: Labels
    functions: tuple[Labels, ...]
    errors: tuple[int, ...]
    notes: tuple[int, ...]


@dataclass(frozen=True)
class Voting(OracleLearner):
    """A learner that is a rule for votes and one for what a label changes, both for many learners at once."""

    oracle: Oracle | None = field(default=None, repr=False, compare=False, kw_only=True)
    _recent: RecentAnswers = field(default_factory=RecentAnswers, init=False, repr=False, compare=False)
    FUNCTIONS: ClassVar[int] = 1
    """Initial number of functions: one that fits the empty history, or none."""
    NOTES: ClassVar[tuple[int, ...]] = ()
    """The notes it begins with."""

    @abstractmethod
    def vote(self, council: Council, ones: BoolArray) -> BoolArray:
        """Return what each learner predicts, where ``ones`` are the functions with label 1 (False where none is)."""

    @abstractmethod
    def learn(self, council: Council, ones: BoolArray, y: BoolArray, born: IntArray) -> Council:
        """Return the learners after their labels y; ``born`` is the number of a function with the whole history."""

    @abstractmethod
    def fits(self, council: Council) -> bool:
        """Return True if notes and errors are possible."""

    def begin(self, rows: IntArray) -> Council:
        """Return learners that begin; the rows are functions that fit what each has seen."""
        functions = np.where(self.FUNCTIONS, rows, NONE)[:, None]
        notes = np.full((len(rows), len(self.NOTES)), self.NOTES, dtype=np.int64)
        return Council(functions, np.zeros_like(functions), notes)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Return this learner run on the frontier's rows, where it asks no oracle."""
        return VotingRows(self)

    def start(self) -> Voters:
        """Return the empty history."""
        return Voters((), (), ((),) * self.FUNCTIONS, (0,) * self.FUNCTIONS, self.NOTES)

    def predict(self, state: Voters, x: Instance) -> int:
        """Return the vote at x."""
        return int(self.vote(_alone(state), self._ask(state, x))[0])

    def update(self, state: Voters, x: Instance, y: int) -> Voters:
        """Return the history with label y at x."""
        y, ones = label_of(y), self._ask(state, x)
        points, truth = (*state.points, x), (*state.truth, y)
        moved = [(*labels, int(one)) for labels, one in zip(state.functions, ones[0].tolist(), strict=False)]
        after = self.learn(_alone(state), ones, np.array([y == 1]), np.array([len(moved)]))
        kept = after.functions[0][after.functions[0] != NONE].tolist()
        functions, errors = tuple([*moved, truth][number] for number in kept), after.errors[0, : len(kept)]
        return Voters(points, truth, functions, tuple(errors.tolist()), tuple(after.notes[0].tolist()))

    def _query(self, state: Voters, x: Instance) -> BoolArray:
        """Ask one query about each function: can it take 0?"""
        return np.array([[not self._realizable(state.points, labels, x, 0) for labels in state.functions] or [False]])


def _alone(state: Voters) -> Council:
    """Return a history as a council of one, whose functions are numbered from 0."""
    numbers, errors = list(range(len(state.functions))) or [NONE], state.errors or (0,)
    return Council(np.array([numbers]), np.array([errors]), np.array([state.notes], dtype=np.int64))


class VotingRows(RowLearner):
    """A voting learner on all rows, without any oracle query.

    Dropping rows (mistake pruning) voids the mistake bound: a row that loses a function starts over.
    """

    def __init__(self, learner: Voting) -> None:
        self._learner = learner
        self._council = learner.begin(np.zeros(1, dtype=np.int64))
        self._step: tuple[Instance, BoolArray] | None = None

    def predict(self, split: Split) -> BoolArray:
        """Return the vote of every row."""
        self._step = (split.x, ~split.can0)
        return self._learner.vote(self._council, self._ones(~split.can0))

    def _ones(self, step: BoolArray) -> BoolArray:
        return np.asarray(np.append(step, False)[self._council.functions])

    def grow(self, children: Children) -> None:
        """Hand every child its parent's functions, each moved on by one point, and let it learn."""
        asked = self._step is not None and self._step[0] is children.x
        step = self._step[1] if asked and self._step is not None else children.row[0] == NONE
        parent, rows = children.parent, np.arange(len(children.parent))
        moved = np.append(children.row[step.astype(np.int64), np.arange(children.parents)], NONE)
        before, errors, notes = (part[parent] for part in self._council)
        council, ones = Council(moved[before], errors, notes), self._ones(step)[parent]
        lost = np.flatnonzero(((before != NONE) & (council.functions == NONE)).any(axis=1))
        for part, empty, anew in zip(council, (NONE, 0, 0), self._learner.begin(lost), strict=True):
            part[lost] = empty
            part[lost, : anew.shape[1]] = anew
        ones[lost] = (council.functions[lost] != NONE) & children.label[
            lost, None
        ]  # (their function is the row itself)
        council = self._learner.learn(council, ones, children.label, rows)
        self._council, self._step = council, None

    def state(self) -> dict[str, Any]:
        """Return the three arrays."""
        return self._council._asdict()

    def restore(self, state: dict[str, Any], width: int) -> None:
        """Restore a saved state, if functions are rows and the state is reachable."""
        council = Council(*(np.array(state[name]) for name in Council._fields))
        functions = council.functions
        shape, noted = (width, "functions"), Array("i", (width, len(self._learner.NOTES)))
        fields = {"functions": Array("i", shape, NONE, width - 1), "errors": Array("i", shape, 0), "notes": noted}
        check_fields(council._asdict(), fields)
        need(functions.size > 0, "functions")
        need((np.diff((functions != NONE).astype(int), axis=1) <= 0).all(), "functions")
        need(self._learner.fits(council), "the notes of a vote")
        self._council, self._step = council, None


class VotesOfConcepts(VotingRows):
    """The same without queries about rows: a function is the concept of its row, with its own label."""

    def __init__(self, learner: Voting, frontier: OracleFrontier) -> None:
        super().__init__(learner)
        self._frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        """Return the vote of every row, each function being its concept."""
        # (Before the first commit no concept is known, and none votes.)
        known = self._frontier.witnesses
        ones = np.array([concept is not None and concept(split.x) == 1 for concept in known], dtype=np.bool_)
        return super().predict(Split(split.x, ~ones, ones))
