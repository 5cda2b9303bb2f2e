"""The lower bound in the dimension as a game: an adversary that makes up the class as it goes, and owns its oracle.

Every round has a new point at which both labels of the true history are possible. Once the label is known, the history
with the other one stays in the class, as a *ghost*. The labels of ghosts at later points are the strategy's choice;
that the class keeps its dimension is proved in ``docs/theory/lower-bound.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from adeptree.core.arguments import check_size, one_of
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Instance, Sample
from adeptree.families.registry import register
from adeptree.games.adversaries import less_likely
from adeptree.games.transcript import Round
from adeptree.ghost import Ghost
from adeptree.ghost.trees import has_tree
from adeptree.ghost.two_two_game import after
from adeptree.roles.family import Family
from adeptree.theory.lower_bounds import forced_mistakes
from reproduction.block_reset import HiddenBlocks, OwnsOracle, unseen

LARGEST_D = 12
NEVER = 3**LARGEST_D
"""The place of a point that was mentioned before it was played: it never will be, and is 0 in every concept."""
BLOCK = 6
"""Number of mistakes for which the wrong ghosts of every point can be kept from having a 2-tree."""


@cache
def keeps(columns: tuple[int, ...]) -> bool:
    """Return True if no point has a 2-tree of wrong ghosts, and if this can be kept until there are six.

    A column tells which ghosts are wrong at a point, as in ``ghost/two_two_game.py``.

    >>> keeps(()), keeps((0b1, 0b11, 0b111, 0b1111))
    (True, False)
    """
    if any(has_tree(columns, wrong, 2) for wrong in columns):
        return False
    return len(columns) == BLOCK or labels_that_keep(columns) is not None


def labels_that_keep(columns: tuple[int, ...]) -> int | None:
    """Return which ghosts say 1 at the next point, so that it can be kept whatever the truth is there; or None."""
    everyone = (1 << len(columns)) - 1
    for ones in range(1 << max(len(columns) - 1, 0)):
        if keeps(after(columns, ones)) and keeps(after(columns, everyone ^ ones)):
            return ones
    return None


def constant(d: int, truth: Sequence[int], ghosts: Sequence[int]) -> list[int]:
    """Have every ghost keep its wrong label: thresholds in an unknown order."""
    return [1 - y for y in truth]


def full(d: int, truth: Sequence[int], ghosts: Sequence[int]) -> list[int]:
    """Return the ghosts' labels at the next point in the game for 3^d mistakes.

    The games for k = d, d - 1, ..., 2, of 2 * 3^(k-1) rounds each, are played one after the other, then three rounds
    are left (two for d = 1); a ghost says 0 after the end of its game. The game for k is three games for k - 1, down to
    blocks of six rounds for k = 2; in it, a ghost of the first of the three says 0 in the later ones, one of the second
    says 1.
    """
    now, begin, k = len(truth), 0, d
    while k > 1 and now >= begin + 2 * 3 ** (k - 1):
        begin, k = begin + 2 * 3 ** (k - 1), k - 1
    if k < 2:
        return [0] * now
    block = (now - begin) // BLOCK
    first = begin + block * BLOCK
    older = [_digit((ghost - begin) // BLOCK, block) for ghost in range(begin, first)]
    columns = tuple(
        sum(((ghosts[ghost] >> x & 1) != truth[x]) << (ghost - first) for ghost in range(first, x + 1))
        for x in range(first, now)
    )
    ones = labels_that_keep(columns) or 0
    return [0] * begin + older + [ones >> i & 1 for i in range(now - first)]


def _digit(one: int, other: int) -> int:
    """Return the first ternary digit of one number that is not the other's."""
    while one // 3 != other // 3:
        one, other = one // 3, other // 3
    return one % 3


Strategy = Callable[[int, Sequence[int], Sequence[int]], list[int]]
STRATEGIES: dict[str, tuple[Strategy, Callable[[int], int]]] = {
    "constant": (constant, lambda d: int(2 ** (d + 1)) - 2),
    "full": (full, forced_mistakes),
    "coined": (full, forced_mistakes),
}
"""The labels of ghosts, and the number of points played."""


@dataclass
class MadeUp(OwnsOracle):
    """Makes up a class of Littlestone dimension at most d on which every deterministic learner errs at every point.

    Learners get ``adversary.oracle``: whatever they ask, every answer stays true of the class in the end. Where
    all points have been played, the last one comes again.

    Parameters
    ----------
    d
        The Littlestone dimension that the class is kept to.
    strategy
        "full": 3^d points (2 for d = 1), and the less likely label at each. "constant": 2^(d+1) - 2 points, thresholds
        in an unknown order. "coined": the points of "full", each with an odd number of fair coins for labels, the
        majority being the truth: ``bounds.dimension_lower_bound(T, d)`` is the expected regret of *every* learner,
        exactly so if T is an odd multiple of their number.
    record
        Whether to keep all queries in ``log``.

    Examples
    --------
    >>> import adeptree as at
    >>> game = MadeUp(2)
    >>> run = at.play(at.FollowTheLeader(game.oracle, 9), game)
    >>> game.points, run.expected_loss, game.best_loss(run), len(game.table)
    (9, 9.0, 0, 10)
    """

    COINS = "made up coins"
    strategy: str = "full"

    def __post_init__(self) -> None:
        self.d = check_size("d", self.d, at_most=LARGEST_D)
        one_of("strategy", self.strategy, STRATEGIES)
        self.oracle = MadeUpClass(self)

    @property
    def points(self) -> int:
        """Number of points that it plays, if there are enough rounds."""
        return STRATEGIES[self.strategy][1](self.d)

    def start(self, rounds: int, seed: int) -> None:
        """Forget the last game: the class contains only unseen points."""
        super().start(rounds, seed)
        share = rounds // max(1, min(self.points, rounds))
        self._times = max(1, share - (share + 1) % 2) if self.strategy == "coined" else 1
        self._tokens: list[int] = []
        self._place: dict[Any, int] = {}
        self._truth: list[int] = []
        self._ghosts: list[int] = []
        """Bit i of a ghost is its label at the i-th point."""
        self._labels: list[int] = []
        """Tokens of the current point, as they came; none is current if there are as many tokens as truths."""

    def instance(self, history: Sequence[Round]) -> int:
        """Return the current point, or a new one."""
        self._round += 1
        place = len(self._truth)
        if place == len(self._tokens) < self.points:
            x = unseen(self.rng, self._place)
            says = STRATEGIES[self.strategy][0](self.d, self._truth, self._ghosts)
            self._ghosts = [row | label << place for row, label in zip(self._ghosts, says, strict=True)]
            self._tokens.append(x)
            self._place[x], self._labels = place, []
        return self._tokens[-1]

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return the less likely label, or a coin; after its last round the point has a truth, and a ghost more."""
        place = len(self._truth)
        if place == len(self._tokens):
            return self._truth[-1]
        self._labels.append(self._coin() if self.strategy == "coined" else less_likely(p))
        if len(self._labels) == self._times:
            y = int(2 * sum(self._labels) > self._times)
            self._ghosts.append(self._row | (1 - y) << place)
            self._truth.append(y)
        return self._labels[-1]

    def _realizable(self, sample: Sample) -> bool:
        placed = self._placed(sample)
        zeros, ones = (sum({1 << place for place, y in placed if y == label}) for label in (0, 1))
        return any(row & ones == ones and not row & zeros for row in self._rows())

    def judge(self, sample: Sample) -> MadeConcept:
        """Return a best concept without counting: the truth among the best, else the oldest ghost."""
        placed = self._placed(sample)
        rows = self._rows()
        best = min(range(len(rows)), key=lambda number: _errors(rows[number], placed))
        following = len(rows) - len(self._ghosts)
        if best >= following:
            return MadeConcept(self, ghost=best - following)
        return MadeConcept(self, since=len(self._truth), first=best)

    @property
    def table(self) -> list[list[int]]:
        """The class as it stands, one list of labels per concept, on the points played: for checks after the game."""
        return [[row >> place & 1 for place in range(len(self._tokens))] for row in self._rows()]

    def place(self, x: Any) -> int:
        """Return which point x is, in the order of the game; one that was not played never will be."""
        self._check_begun()
        try:
            return self._place.setdefault(x, NEVER)
        except TypeError:
            raise InvalidInstance(f"a point must be hashable; {got('x', x)}") from None

    @property
    def _row(self) -> int:
        return sum(y << place for place, y in enumerate(self._truth))

    def _rows(self) -> list[int]:
        """Return all concepts: the truth, with both labels at the running point, and the ghosts."""
        running = len(self._tokens) > len(self._truth)
        return [self._row | label << len(self._truth) for label in range(1 + running)] + self._ghosts

    def _placed(self, sample: Sample) -> list[tuple[int, int]]:
        return [(self.place(x), y) for x, y in sample]


def _errors(row: int, placed: Iterable[tuple[int, int]]) -> int:
    """Count the labels that a concept does not have."""
    return sum(row >> place & 1 != y for place, y in placed)


class MadeConcept:
    """A concept as the oracle hands it out. One that follows the truth says 0 at each point to come, and so may turn
    out to be the ghost that is born there."""

    def __init__(self, game: MadeUp, ghost: int | None = None, since: int = 0, first: int = 0) -> None:
        self._game, self._ghost, self._since, self._first = game, ghost, since, first

    def __call__(self, x: Instance) -> int:
        """Return its label at any point."""
        game, place = self._game, self._game.place(x)
        while self._ghost is None and self._since < len(game._truth):
            if game._truth[self._since] != self._first:
                self._ghost = self._since
            self._since, self._first = self._since + 1, 0
        if self._ghost is not None:
            return game._ghosts[self._ghost] >> place & 1
        return self._first if place == self._since else game._row >> place & 1

    def __str__(self) -> str:
        return "a concept made up so far"


class MadeUpClass(HiddenBlocks):
    """The class as a learner of the game sees it: opaque points, and an oracle that counts every answer."""

    spec_name = "made-up"  # (its VC dimension is at most d, and not known)


register(Family("", MadeUpClass, base=lambda c: Ghost(c.d)))
