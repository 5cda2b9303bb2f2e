"""The loss of the best learner on a table of concepts: with coins, with k errors, and with bandit feedback.

Randomized and k-Littlestone dimension: Filmus, Hanneke, Mehalel and Moran (COLT 2023, arXiv 2302.13849). Bandit
Littlestone dimension: Daniely and Helbertal (COLT 2013, PMLR 30:93-104).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, TooLarge
from adeptree.core.types import Instance
from adeptree.theory import bit_tables
from adeptree.theory.littlestone import MistakeTree

State: TypeAlias = tuple[int, ...]
"""Entry b: the mask of the concepts that may still err b times."""

BUDGET = 2_000_000
"""Search steps before refusal: one step is one column looked at in one state, all of which are kept."""
DEEPEST = 150
"""Most concepts times errors: a search may go as deep, in calls of Python's own stack."""


class OptimalMistakes:
    """Optimal mistakes against an adversary whose best concept errs at most k times, for every state of such a game.

    A label costs one error to those concepts that say the other. ``randomized``: the learner draws its labels, and the
    mistakes are expected ones.

    >>> game = OptimalMistakes([[0], [1]], k=1, randomized=True)
    >>> game.value(game.start), game.value(game.after(game.start, 0b10, 1)), game.value((0, 0))
    (Fraction(7, 4), Fraction(5, 4), Fraction(-1, 1))
    """

    def __init__(self, table: ArrayLike, k: int = 0, randomized: bool = False, budget: int = BUDGET) -> None:
        bits = bit_tables.checked(table)
        self.k = check_size("k", k, at_least=0)
        self.randomized = randomized
        if len(bits) * (k + 1) > DEEPEST:
            raise TooLarge(
                f"this search is for at most {DEEPEST} concepts times errors, and {len(bits)} times {k + 1} were "
                f"given; take a smaller class or a smaller k"
            )
        self.start: State = ((1 << len(bits)) - 1,) * (k + 1)
        # Equal columns are kept once; constant ones count, because labels may be wrong.
        self._index = {column: j for j, column in reversed([*enumerate(bit_tables.masks(bits.T))])}
        self._steps = bit_tables.Steps(budget, len(bits), "randomized Littlestone" if randomized else "k-Littlestone")
        self._known: dict[State, Fraction] = {}

    def value(self, state: State) -> Fraction:
        """Return the optimal number of mistakes from here; -1 if no concept is left."""
        if not state[0]:
            return Fraction(-1)
        if state not in self._known:
            self._steps.spend(len(self._index))
            best = Fraction(0)
            for column in self._index:
                zero, one = self.after(state, column, 0), self.after(state, column, 1)
                if zero[0] and one[0]:
                    best = max(best, self._after_both(state, zero, one))
            self._known[state] = best
        return self._known[state]

    def _after_both(self, state: State, zero: State, one: State) -> Fraction:
        if state in (zero, one):
            # All agree. To say so is best, and a label like theirs changes nothing: only the other one counts.
            return 1 + self.value(zero if state == one else one)
        values = self.value(zero), self.value(one)
        return (1 + values[0] + values[1]) / 2 if self.randomized else 1 + min(values)

    def after(self, state: State, ones: int, label: int) -> State:
        """Return the state after a label at a point where the concepts in the mask say 1."""
        return _paid(state, ones if label else self.start[0] ^ ones)

    def chance(self, state: State, ones: int) -> Fraction:
        """Return the optimal chance of guessing 1 there (RandSOA): both labels then cost the same, if they can."""
        zero, one = (self.value(self.after(state, ones, label)) for label in (0, 1))
        return min(Fraction(1), max(Fraction(0), (1 + one - zero) / 2))

    def tree(self) -> MistakeTree | None:
        """Return a tree of points that forces the value, its x being columns; None if that is 0.

        Every path has the labels of some concept except for k. The value is its depth, or with coins half the mean
        length of a path whose labels are drawn (k = 0: with more there is no finite one).
        """
        if self.randomized and self.k:
            raise InvalidArgument(
                "with coins and k > 0 no finite tree forces this many mistakes: where all rules agree, the point is "
                "repeated until they err; take k=0 or randomized=False for a witness"
            )
        return self._tree(self.start, self.value(self.start))

    def _tree(self, state: State, wanted: Fraction) -> MistakeTree | None:
        for column, j in self._index.items() if wanted > 0 else ():
            zero, one = self.after(state, column, 0), self.after(state, column, 1)
            if not (zero[0] and one[0] and self._after_both(state, zero, one) >= wanted):
                continue
            if self.randomized:
                return MistakeTree(j, self._tree(zero, self.value(zero)), self._tree(one, self.value(one)))
            return MistakeTree(j, self._tree(zero, wanted - 1), self._tree(one, wanted - 1))
        return None


def _paid(state: State, agree: int) -> State:
    """Return the state after a label with which these concepts agree, and which costs the others one error."""
    return tuple(may & agree | more & ~agree for may, more in zip(state, (*state[1:], 0), strict=True))


@dataclass(frozen=True)
class BanditTree:
    """A tree that forces ``depth`` mistakes of a learner that only learns if its guess was right.

    >>> BanditTree("a", {0: None, 1: BanditTree("b", {0: None, 1: None})}).depth
    1
    """

    x: Instance
    wrong: dict[int, BanditTree | None]
    """The subtree for each label of x under a remaining concept, if the label was guessed and wrong."""

    @property
    def depth(self) -> int:
        """Number of mistakes on the shortest path."""
        return 1 + min(0 if below is None else below.depth for below in self.wrong.values())


class BanditMistakes:
    """Optimal mistakes of a learner told only right or wrong, on a table of labels of any number.

    >>> BanditMistakes([[0], [1], [2]]).dimension()
    2
    """

    def __init__(self, table: ArrayLike, budget: int = BUDGET) -> None:
        rows = np.asarray(table)
        if rows.ndim != 2 or 0 in rows.shape or rows.dtype.kind not in "iub":
            raise InvalidArgument(
                "table must be a non-empty rectangle of whole numbers, one row per concept; "
                f"got an array of shape {rows.shape} and type {rows.dtype}"
            )
        if len(rows) > DEEPEST:
            raise TooLarge(f"this search is for at most {DEEPEST} concepts; {len(rows)} were given")
        self._start = (1 << len(rows)) - 1
        self._columns = [{int(y): bit_tables.mask(column == y) for y in np.unique(column)} for column in rows.T]
        self._steps = bit_tables.Steps(budget, len(rows), "bandit Littlestone")
        self._known: dict[int, int] = {}

    def dimension(self) -> int:
        """Return the bandit Littlestone dimension of all rows."""
        return self._value(self._start)

    def tree(self) -> BanditTree | None:
        """Return a tree that forces as many mistakes, its x being columns; None if no two rows differ."""
        return self._tree(self._start, self.dimension())

    def _value(self, left: int) -> int:
        if left not in self._known:
            self._steps.spend(len(self._columns))
            self._known[left] = max([self._forced(left, column) for column in self._columns])
        return self._known[left]

    def _forced(self, left: int, column: dict[int, int]) -> int:
        """Return what a point is worth: the best guess is one that some concept left makes, but not all."""
        rests = [left & ~says for says in column.values() if left & says]
        return 0 if 0 in rests else 1 + min([self._value(rest) for rest in rests])

    def _tree(self, left: int, depth: int) -> BanditTree | None:
        for j, column in enumerate(self._columns if depth > 0 else ()):
            if self._forced(left, column) >= depth:
                made = {y: left & ~says for y, says in column.items() if left & says}
                return BanditTree(j, {y: self._tree(rest, depth - 1) for y, rest in made.items()})
        return None


def mapped(tree: BanditTree | None, names: Any) -> BanditTree | None:
    """Return the same tree with every x replaced by ``names[x]``."""
    if tree is None:
        return None
    return BanditTree(names[tree.x], {y: mapped(below, names) for y, below in tree.wrong.items()})
