"""The query-budget lower bound as a game: an adversary that owns the oracle (Theorem "Lower Bound for
Bounded Query Algorithms with an ERM oracle"). The construction in words is in ``docs/theory/lower-bound.md``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, InvalidInstance, OracleError, got
from adeptree.core.seeds import stream
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.registry import register
from adeptree.games.adversaries import Adversary
from adeptree.games.transcript import Round
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Family
from adeptree.roles.frontier import Query

TOKENS = 1 << 62
"""Points of the game are ints below this, drawn uniformly: a point says nothing about its block."""


def unseen(rng: np.random.Generator, seen: Container[Any]) -> int:
    """Draw a point that was not used before."""
    x = int(rng.integers(TOKENS))
    while x in seen:
        x = int(rng.integers(TOKENS))
    return x


class HiddenPartition:
    """A partition of all points into infinite blocks, decided only at points that were queried."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._block: dict[Hashable, int] = {}
        self._blocks = 0

    def new_block(self) -> int:
        """Return a block in which no point lies yet."""
        self._blocks += 1
        return self._blocks

    def fresh(self, block: int) -> int:
        """Put a new point into the block, and return it."""
        x = unseen(self._rng, self._block)
        self._block[x] = block
        return x

    def block_of(self, x: Any) -> int:
        """Return the block of x; a point that was never played gets a block that never will be."""
        try:
            known = self._block.get(x)
        except TypeError:
            raise InvalidInstance(f"a point must be hashable; {got('x', x)}") from None
        if known is None:
            known = self._block[x] = self.new_block()
        return known


class HiddenUnion:
    """A concept as the oracle hands it out: it can be evaluated anywhere, and shows nothing else."""

    __slots__ = ("_blocks", "_partition")

    def __init__(self, blocks: Iterable[Hashable], partition: HiddenPartition) -> None:
        self._blocks = frozenset(blocks)
        self._partition = partition

    def __call__(self, x: Instance) -> int:
        """Return 1 if x lies in one of the blocks (always 0 on points of later phases)."""
        return int(self._partition.block_of(x) in self._blocks)

    def __str__(self) -> str:
        return f"a union of {len(self._blocks)} hidden blocks"


@dataclass
class OwnsOracle(Adversary):
    """An adversary that answers and counts queries about the class that it builds.

    To write one: what it plays, ``_realizable`` and ``judge``.
    """

    COINS: ClassVar[str]
    """The name of its stream of coins."""
    d: int
    record: bool = field(default=False, kw_only=True, repr=False)
    _begun = False

    def start(self, rounds: int, seed: int) -> None:
        """Forget the last game, and every query."""
        super().start(rounds, seed)
        # The coins have a separate stream, so that the points do not depend on them.
        self._coins = stream(seed, self.COINS)
        self.queries = 0
        self.query_rounds: list[int] = []
        """Rounds in which the oracle was asked (0: before the first)."""
        self.log: list[tuple[int, Query]] = []
        """Every call, with its round (0: before the first)."""
        self._round = 0
        self._begun = True

    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle (counted)."""
        pairs = tuple(sample)
        answer = self._realizable(pairs)
        self._count("realizable", pairs, answer)
        return answer

    def erm(self, sample: Sample) -> Concept:
        """ERM oracle (counted)."""
        pairs = tuple(sample)
        concept = self.judge(pairs)
        self._count("erm", pairs, concept)
        return concept

    @abstractmethod
    def _realizable(self, sample: Sample) -> bool:
        """Return whether a concept of the class has the labels of the sample."""

    @abstractmethod
    def judge(self, sample: Sample) -> Concept:
        """Return a best concept without counting: for the account of a game, never for a learner's prediction."""

    def best_loss(self, history: Iterable[Round]) -> int:
        """Return the exact loss of the best concept in hindsight."""
        pairs = [(r.x, r.y) for r in history]
        rule = self.judge(pairs)
        return sum(rule(x) != y for x, y in pairs)

    def _coin(self) -> int:
        return int(self._coins.integers(2))

    def _check_begun(self) -> None:
        if not self._begun:
            name = type(self).__name__
            raise OracleError(f"the game has not begun: {name} answers only between start() and the end of a game")

    def _count(self, kind: str, sample: tuple[tuple[Instance, int], ...], answer: Any) -> None:
        self.queries += 1
        if not self.query_rounds or self.query_rounds[-1] != self._round:
            self.query_rounds.append(self._round)
        if self.record:
            self.log.append((self._round, Query(kind, sample, answer)))


@dataclass
class BlockReset(OwnsOracle):
    """Plays one hidden pair of blocks per phase, and opens a new phase after every round with a query.

    In each round a fair coin chooses the positive block (label 1) or the negative block (label 0) of the
    phase, and x_t is a fresh point of it. The class is the paper's: unions of at most d blocks of the
    hidden partition. Learners get ``adversary.oracle``, a class whose every answer is counted in ``queries``;
    the explicit class (``hidden_class``) is for those who check the game. ``record`` keeps all queries in ``log``.

    >>> from adeptree.games import play
    >>> from adeptree import FollowTheLeader
    >>> game = BlockReset(d=1)
    >>> run = play(FollowTheLeader(game.oracle, horizon=40), game)
    >>> game.queries, len(game.phases), run.best_loss == game.best_loss(run)
    (40, 40, True)
    """

    listens = False
    COINS = "block reset coins"

    def __post_init__(self) -> None:
        self.d = check_size("d", self.d)
        self.oracle = HiddenBlocks(self, vc_dimension=self.d)  # (both dimensions are public)

    def start(self, rounds: int, seed: int) -> None:
        """Forget the last game: a new partition, phase 0, no query."""
        super().start(rounds, seed)
        self._partition = HiddenPartition(self.rng)
        self.phases: list[tuple[int, int]] = []
        """The (positive, negative) block of each phase."""
        self._open_phase()

    def instance(self, history: Sequence[Round]) -> int:
        """Return a fresh point of the phase's positive or negative block; queries since the last end the phase."""
        if self.query_rounds and self.query_rounds[-1] == self._round:
            self._open_phase()
        self._round += 1
        self._label = self._coin()
        return self._started.fresh(self.phases[-1][1 - self._label])

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return 1 on the positive block: the coin was tossed before the learner spoke."""
        return self._label

    def _realizable(self, sample: Sample) -> bool:
        return self.hidden_class.realizable(sample)

    def judge(self, sample: Sample) -> HiddenUnion:
        """Return the d blocks with the largest positive surplus of 1s on the sample, without counting.

        Blocks of later phases do not exist yet, so no answer can speak of them.
        """
        return HiddenUnion(self.hidden_class.erm(sample).blocks, self._started)

    @property
    def hidden_class(self) -> BlockUnions:
        """The class itself, partition and all: for checks after the game."""
        return BlockUnions(self.d, block=self._started.block_of)

    def block_of(self, x: Any) -> int:
        """Return the hidden block of x: for checks after the game."""
        return self._started.block_of(x)

    def _open_phase(self) -> None:
        self.phases.append((self._started.new_block(), self._started.new_block()))

    @property
    def _started(self) -> HiddenPartition:
        self._check_begun()
        return self._partition


class HiddenBlocks(ConceptClass):
    """The class as a learner of the game sees it: opaque points, and an oracle that counts every answer."""

    spec_name = "hidden-blocks"
    strategy = "literal"
    """Frontiers ask as Algorithm 2 does, at most 2 x width queries per round: a budget can be planned with that."""

    def __init__(self, adversary: OwnsOracle, vc_dimension: int | None = None) -> None:
        self.d = adversary.d
        self._vc_dimension = vc_dimension
        self._adversary = adversary

    @property
    def vc_dimension(self) -> int | None:
        """The adversary's answers about the class that it builds."""
        return self._vc_dimension

    @property
    def littlestone_dimension(self) -> int | None:
        """The d of the game."""
        return self.d

    def __repr__(self) -> str:
        return f"{self.spec_name}(d={self.d})"

    def instance(self, x: Any) -> Instance:
        """Return x: learners see points, never blocks."""
        return x

    def realizable(self, sample: Sample) -> bool:
        """Ask the adversary: one query."""
        return self._adversary.realizable(sample)

    def erm(self, sample: Sample) -> Concept:
        """Ask the adversary: one query."""
        return self._adversary.erm(sample)

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for the account only: not a query."""
        return self._adversary.judge(sample)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Refuse: only the adversary knows which points are fresh."""
        raise InvalidArgument(f"points of {self!r} come from the game itself; play against the adversary")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Refuse: the blocks are hidden."""
        raise InvalidArgument(f"the concepts of {self!r} are hidden; ask the adversary after the game")


def hidden_base(concept_class: HiddenBlocks) -> DefaultZero:
    """Return the base learner that predicts 0."""
    # On opaque points too a contested 1 uses up a block, so "predict 0" errs at most d times.
    return DefaultZero(BlockUnions(concept_class.d))


register(Family("", HiddenBlocks, base=hidden_base))
