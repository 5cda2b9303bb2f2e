"""The oracle that BlockReset owns: every answer is true in the final class, and none leaks what comes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from budgeted_players import LEARNERS, ROOT, T, games, mean_and_error

import adeptree as at
from adeptree import bounds
from adeptree.core.errors import InvalidArgument, InvalidInstance, OracleError, StateError
from adeptree.families.rule_values import Constant
from adeptree.learners.custom_learner import CustomLearner
from reproduction.block_reset import BlockReset, HiddenUnion
from reproduction.budgeted_learners import BudgetedLeader, Guesser


class Nosy(CustomLearner):
    """Asks whatever comes to mind: old points, the new one, points never played, contradictory labels."""

    kind = "nosy"
    follows_best_loss = False
    bound, width, best_loss = math.inf, 1, 0

    def __init__(self, game: BlockReset, seed: int) -> None:
        super().__init__(game.oracle, T, seed)
        self.rng = np.random.default_rng(seed)
        self.seen: list[Any] = ["never played", 17]
        self.counts = at.Adept(at.Thresholds(2), 1).queries

    @property
    def queries(self) -> Any:
        return self.counts

    def _probability(self, x: Any, raw: Any) -> float:
        return 0.5

    def _commit(self, x: Any, raw: Any, label: int) -> None:
        self.seen.append(x)
        if self.rng.random() < 0.2:
            size = int(self.rng.integers(0, 12))
            picks = self.rng.integers(max(0, len(self.seen) - 30), len(self.seen), size=size)
            sample = [(self.seen[i], int(self.rng.integers(2))) for i in picks]
            concept = self.concept_class.erm(sample)
            self.concept_class.realizable([(z, concept(z)) for z, _ in sample])
            self.concept_class.realizable(sample)
            concept(int(self.rng.integers(1 << 62)))

    def best_rule(self) -> Any:
        return Constant(0)

    def settings(self) -> dict[str, Any]:
        return {}

    def _state(self) -> dict[str, Any]:
        return {}

    def _restore(self, state: dict[str, Any]) -> None:
        pass


def explicit_least_loss(d: int, sample: Sequence[tuple[int, int]]) -> int:
    """The best union of at most d blocks by trying all of them."""
    blocks = {b for b, _ in sample}
    unions = itertools.chain.from_iterable(itertools.combinations(blocks, k) for k in range(d + 1))
    return min(sum(int(b in union) != y for b, y in sample) for union in unions)


@pytest.mark.parametrize("d", [1, 2, 4])
def test_every_answer_is_true_in_the_final_class(d: int) -> None:
    for seed in range(3):
        game = BlockReset(d, record=True)
        run = at.play(Nosy(game, seed), game, seed=seed)
        assert len(game.log) == game.queries > 100
        for _, query in game.log:
            sample = [(game.block_of(x), y) for x, y in query.sample]
            least = explicit_least_loss(d, sample)
            if query.kind == "realizable":
                assert query.answer == (least == 0) == game.hidden_class.realizable(query.sample)
            else:
                assert sum(query.answer(x) != y for x, y in query.sample) == least
        assert game.hidden_class.vc_dimension == game.hidden_class.littlestone_dimension == d
        # Labels are those of the phase's positive block; points are fresh; later points are 0 in every old answer.
        points = [r.x for r in run]
        positive = {blocks[0] for blocks in game.phases}
        assert len(set(points)) == T and all((game.block_of(r.x) in positive) == r.y for r in run)
        for asked, query in game.log:
            assert not any(x in points[asked:] for x, _ in query.sample)
            if query.kind == "erm":
                assert not any(query.answer(x) for x in points[asked:])


@pytest.mark.parametrize("d", [1, 2, 4])
def test_best_loss_is_the_best_union_in_hindsight(d: int) -> None:
    for game, run in games(LEARNERS["leader of recent rounds"], d, 5, seeds=4):
        assert len(game.phases) == 6
        sample = [(game.block_of(r.x), r.y) for r in run]
        assert run.best_loss == game.best_loss(run) == explicit_least_loss(d, sample)


def test_asking_outside_a_game_or_nonsense_is_said() -> None:
    game = BlockReset(1)
    with pytest.raises(OracleError, match="not begun"):
        game.oracle.erm([])
    game.start(3, 0)
    with pytest.raises(InvalidInstance, match="hashable"):
        game.oracle.realizable([([], 1)])
    with pytest.raises(InvalidArgument, match="d must be an int >= 1"):
        BlockReset(0)
    with pytest.raises(StateError, match="one game"):
        Guesser(game.oracle, 3).save("nowhere")
    assert repr(game) == "BlockReset(d=1)" and repr(game.oracle) == "hidden-blocks(d=1)"


# --- Nothing leaks --------------------------------------------------------------------------------


class Flipped(BlockReset):
    """The same game, but the coin of one round falls on the other side."""

    def __init__(self, d: int, flipped: int) -> None:
        super().__init__(d)
        self.flipped = flipped

    def _coin(self) -> int:
        return super()._coin() ^ int(self._round == self.flipped)


@pytest.mark.parametrize("name", LEARNERS)
def test_without_a_query_the_prediction_cannot_depend_on_the_coin(name: str) -> None:
    # Exact: the two games differ in one coin only, which is fair; so the loss of that round is 1/2 on average.
    checked = 0
    for d, flipped in itertools.product((1, 2), (3, 60, 144, 145, 190, T - 9)):
        pair = [Flipped(d, 0), Flipped(d, flipped)]
        runs = [at.play(LEARNERS[name](game, 9, 1), game, rounds=flipped, seed=1) for game in pair]
        a, b = (run.rounds[-1] for run in runs)
        assert a.x == b.x and a.y != b.y
        if flipped not in pair[0].query_rounds:
            assert a.p == b.p
            checked += 1
    assert checked >= 6


def test_the_coins_are_fair_and_query_rounds_are_where_the_learner_gains() -> None:
    quiet: list[float] = []
    asking: list[float] = []
    for game, run in games(LEARNERS["leader of recent rounds"], 2, ROOT, seeds=40):
        for r, loss in zip(run, run.losses.tolist(), strict=True):
            (asking if r.t in game.query_rounds else quiet).append(loss)
    mean, error = mean_and_error(quiet)
    assert abs(mean - 0.5) < 4 * error
    assert np.mean(asking) < 0.02


class Careless(BlockReset):
    """An ERM oracle that breaks ties towards a block it will use next: legal, and fatal for the theorem."""

    def _open_phase(self) -> None:
        if not self.phases:
            super()._open_phase()
            self._next = (self._started.new_block(), self._started.new_block())
            return
        self.phases.append(self._next)

    def erm(self, sample: Any) -> HiddenUnion:
        concept = self.judge(sample)
        if len(concept._blocks) < self.d:
            concept = HiddenUnion([*concept._blocks, self._next[0]], self._started)
        self._count("erm", tuple(sample), concept)
        return concept


class AskOnce(BudgetedLeader):
    """Asks about the empty sample in round 1."""

    @property
    def _allowed(self) -> int:
        return int(self.rounds == 0)


def test_an_oracle_with_unlucky_ties_would_break_the_theorem() -> None:
    for kind, holds in ((BlockReset, True), (Careless, False)):
        game = kind(1)
        run = at.play(AskOnce(game.oracle, T, 1), game)
        assert game.queries == 1
        assert (run.regret >= bounds.query_lower_bound(T, 1, 1)) == holds
        assert holds or run.regret <= 1
