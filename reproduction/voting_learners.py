"""The three cited learners: the last function, the majority of many, and the weighted majority of all.

Import this module before you load a saved learner that has one of them as its base learner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adeptree.core.arguments import LARGEST_INT, check_size
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import BoolArray, FloatArray, IntArray
from adeptree.families.registry import register
from adeptree.ghost.ghost_learner import LARGEST_D
from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.base_learner import RowLearner
from adeptree.roles.family import Family
from adeptree.roles.frontier import Frontier
from reproduction.voting_rows import NONE, Council, VotesOfConcepts, Voting

BLOCKS = 16
"""Blocks per family."""


@dataclass(frozen=True)
class Consistent(Voting):
    """Follows a function that fits the history until it errs, then another: the naive learner, for comparison.

    It has no mistake bound in the Littlestone dimension: on thresholds in an unlucky order it errs at every point.

    Examples
    --------
    >>> import adeptree as at
    >>> learner = at.Adept(at.Thresholds(8), prior="kt", base=Consistent())
    >>> learner.mistake_bound is None
    True
    """

    def vote(self, council: Council, ones: BoolArray) -> BoolArray:
        """Return what the function says."""
        return ones[:, 0]

    def learn(self, council: Council, ones: BoolArray, y: BoolArray, born: IntArray) -> Council:
        """Take one that fits where it erred."""
        return council._replace(functions=np.where(ones[:, 0] == y, council.functions[:, 0], born)[:, None])

    def fits(self, council: Council) -> bool:
        """Return True if there is one function each."""
        return council.functions.shape[1] == 1 and bool((council.size == 1).all())


@dataclass(frozen=True)
class MajorityPruning(Voting):
    """Majority with pruning, of Kozachinskiy and Steifer (COLT 2024, arXiv 2308.08055, Algorithm 3).

    Fewer than 16 + 16^2 + ... + 16^(2d) mistakes on every class of Littlestone dimension d, by its oracle alone. A
    function is taken after each mistake of the last; 16 of them are a family, whose majority is followed until it errs;
    the half that was wrong is a block, and 16 blocks are a family again. ``Ghost(d)`` grew out of it
    (``docs/theory/ghost.md``), and errs much less.

    Parameters
    ----------
    d
        The Littlestone dimension of the class, or more; only the mistake bound depends on it.

    Examples
    --------
    >>> MajorityPruning(1), [MajorityPruning(d).mistake_bound for d in (1, 2, 3)]
    (MajorityPruning(d=1), [271, 69903, 17895695])
    """

    d: int
    FUNCTIONS = 0
    NOTES = (1, 0)
    """N, the number of the next function; j, the level of the family that votes (0: the last function alone)."""

    def __post_init__(self) -> None:
        """Check the dimension."""
        object.__setattr__(self, "d", check_size("d", self.d, at_least=0, at_most=LARGEST_D))

    @property
    def mistake_bound(self) -> int:
        """16 + ... + 16^(2d) - 1, or 2^256 where that is less; 1 for d = 0: it has no function before a mistake."""
        many: int = (BLOCKS ** (2 * self.d + 1) - BLOCKS) // (BLOCKS - 1) - 1
        return min(max(1, many), LARGEST_INT)

    def unasked_rows(self, frontier: Frontier) -> RowLearner:
        """Return it fed with the rows' concepts: they label every point, and every mistake is in its bound."""
        if not (isinstance(frontier, OracleFrontier) and frontier.has_witnesses):
            raise InvalidArgument(
                f'prune="late" with {self!r} needs an oracle that returns concepts (find=); got {frontier!r}'
            )
        return VotesOfConcepts(self, frontier)

    def vote(self, council: Council, ones: BoolArray) -> BoolArray:
        """Return the majority of the family, 0 on a tie (and before there is a function)."""
        label = np.zeros(len(ones), dtype=np.bool_)
        for level in np.unique(council.notes[:, 1]).tolist():
            rows = np.flatnonzero(council.notes[:, 1] == level)
            at = _last(council.size[rows], level)
            label[rows] = 2 * ones[rows[:, None], at].sum(axis=1) > at.shape[1]
        return label

    def learn(self, council: Council, ones: BoolArray, y: BoolArray, born: IntArray) -> Council:
        """After a mistake take a function, or keep half of the family, on the wrong side."""
        label, count = self.vote(council, ones), council.size
        council = council.with_room()
        number, level = council.notes.T
        wrong = label != y
        for j in np.unique(level[wrong]).tolist():
            rows = np.flatnonzero(wrong & (level == j))
            if j == 0:
                council.functions[rows, count[rows]] = born[rows]
                continue
            rows, at = rows[:, None], _last(count[rows], j)
            half = at.shape[1] // 2
            agreed = np.argsort(ones[rows, at] != label[rows], axis=1, kind="stable")[:, :half]
            kept = np.take_along_axis(council.functions[rows, at], agreed, axis=1)
            council.functions[rows, at] = NONE
            council.functions[rows, at[:, :half]] = kept
        higher = number % BLOCKS ** (level + 1) == 0
        after = np.where(higher, (number, level + 1), (number + 1, 0 * level))
        return council._replace(notes=np.where(wrong, after, (number, level)).T)

    def fits(self, council: Council) -> bool:
        """Return True if every voting family exists."""
        number, level = council.notes.T
        if number.min() < 1 or level.min() < 0 or level.max() > 20:
            return False
        there = council.size >= np.where(level, 2 * (BLOCKS // 2) ** level, 1)
        return bool((there | ((number == 1) & (level == 0))).all())


def _last(count: IntArray, level: int) -> IntArray:
    """Return the places of the family that votes: the last function, or the last 2 * 8^level of them.

    (One without functions has only empty places, the last of which is asked for here.)
    """
    size = 2 * (BLOCKS // 2) ** level if level else 1
    return np.asarray(count[:, None] - size + np.arange(size))


@dataclass(frozen=True)
class WeightedVote(Voting):
    """The weighted vote of Assos, Attias, Dagan, Daskalakis and Fishelson (COLT 2023, arXiv 2307.01689).

    Phase j has j functions, weighted by the errors of each in the phase, and ends after about 8 ln j rounds in which at
    least half of the weight was wrong; then a function that fits all joins them. It errs exp(O(d)) times on classes
    of Littlestone dimension d, with a constant that is not given, so it has no mistake bound: use ``prior="kt"``.

    Examples
    --------
    >>> import adeptree as at
    >>> at.Adept(at.Thresholds(8), horizon=100, base=WeightedVote())
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: no mistake bound is known for WeightedVote() on thresholds(n=8); ...
    >>> at.Adept(at.Thresholds(8), prior="kt", base=WeightedVote()).learn(3, 1)
    """

    NOTES = (0,)
    """Number of rounds of the phase that changed weights."""

    def vote(self, council: Council, ones: BoolArray) -> BoolArray:
        """Return 1 if at least half of the weight predicts 1."""
        return np.asarray(_margin(council, ones) >= 0)

    def learn(self, council: Council, ones: BoolArray, y: BoolArray, born: IntArray) -> Council:
        """Count errors where at least half of the weight was wrong, and end the phase after enough of that."""
        margin, count = _margin(council, ones), council.size
        counts = np.where(y, margin <= 0, margin >= 0)
        erred = (council.functions != NONE) & (ones != y[:, None]) & counts[:, None]
        notes = council.notes + counts[:, None]
        council = council._replace(errors=council.errors + erred, notes=notes).with_room()
        over = np.flatnonzero(council.notes[:, 0] >= _length(count))
        council.functions[over, count[over]] = born[over]
        council.errors[over], council.notes[over] = 0, 0
        return council

    def fits(self, council: Council) -> bool:
        """Return True if no function erred more often than the phase is long."""
        done = council.notes[:, 0]
        one = council.size.min() >= 1 and done.min() >= 0
        return bool(one and (done < _length(council.size)).all() and (council.errors <= done[:, None]).all())


def _length(count: IntArray) -> FloatArray:
    """Return the length of the phase with this number of functions: C ln(j) / alpha^2 with C = 1/2 and alpha = 1/4."""
    return np.asarray(np.maximum(1, np.ceil(8 * np.log(count))))


def _margin(council: Council, ones: BoolArray) -> FloatArray:
    """Return the weight of label 1 less that of label 0, where e errors weigh exp(-eta e).

    Functions with equally many errors are counted before they are weighed, so that a tie is exactly 0.
    """
    count = council.size
    eta = np.sqrt(8 * np.log(count) / _length(count))
    sides = np.where(council.functions == NONE, 0, np.where(ones, 1, -1))
    margin = np.zeros(len(ones))
    for e in range(int(council.errors.max()) + 1):
        margin += np.where(council.errors == e, sides, 0).sum(axis=1) * np.exp(-eta * e)
    return margin


register(Family("", OracleClass, bases=(MajorityPruning, WeightedVote, Consistent)))
