"""The lower bound in the dimension: its base cases by exhaustive search, every learner, every coin, every answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import bounds
from adeptree.core.errors import InvalidArgument, InvalidInstance, OracleError
from adeptree.ghost.trees import has_tree
from reproduction.budgeted_learners import Guesser
from reproduction.ghost_adversary import BLOCK, NEVER, STRATEGIES, MadeUp, full, keeps
from reproduction.reference.listed_classes import littlestone_dimension
from reproduction.voting_learners import Consistent, MajorityPruning, WeightedVote

Columns = tuple[int, ...]

# ------------------------------------------------- the base cases: all adversaries against all learners of small games


def after(columns: Columns, wrong: int) -> Columns:
    """A mistake: these old ghosts, and the one born now, are wrong at the new point."""
    return (*columns, wrong | 1 << len(columns))


def keeps_dimension(d: int) -> Callable[[Columns], bool]:
    """Ghosts and truth have Littlestone dimension <= d (labels being told relative to the truth's)."""

    @cache
    def legal(columns: Columns) -> bool:
        rows = frozenset(tuple(c >> ghost & 1 for c in columns) for ghost in range(len(columns) + 1))
        return littlestone_dimension(rows) <= d

    return legal


def keeps_wrong_ones(d: int) -> Callable[[Columns], bool]:
    """P(d): the ghosts that are wrong at a point have Littlestone dimension <= d - 1."""

    @cache
    def legal(columns: Columns) -> bool:
        rows = [tuple(c >> ghost & 1 for c in columns) for ghost in range(len(columns))]
        return all(
            littlestone_dimension(frozenset(rows[g] for g in range(len(rows)) if c >> g & 1)) <= d - 1 for c in columns
        )

    return legal


def value(legal: Callable[[Columns], bool], most: int) -> int:
    """Return the number of mistakes that can be forced, up to ``most``, with legal positions, by exhaustion."""

    @cache
    def forces(columns: Columns, left: int) -> bool:
        everyone = (1 << len(columns)) - 1
        return left == 0 or any(
            all(legal(new) and forces(new, left - 1) for new in (after(columns, side), after(columns, everyone ^ side)))
            for side in range(1 << max(len(columns) - 1, 0))
        )

    return next((m for m in range(most) if not forces((), m + 1)), most)


def test_the_base_cases() -> None:
    assert value(keeps_wrong_ones(1), 9) == 1
    assert value(keeps_wrong_ones(2), 9) == BLOCK == 6
    assert value(keeps_dimension(1), 9) == 2 == at.Ghost(1).mistake_bound
    assert keeps(()) and not keeps((0b1, 0b11, 0b111, 0b1111))


# --------------------------------------------------------------------------------------- all deterministic learners


def played(d: int, predictions: Any, strategy: str = "full") -> MadeUp:
    """Play a learner that always predicts this."""
    game = MadeUp(d, strategy)
    game.start(len(predictions), 0)
    for predicted in predictions:
        assert game.label([], game.instance([]), float(predicted)) == 1 - predicted
    return game


@pytest.mark.parametrize("strategy", ["full", "constant"])
@pytest.mark.parametrize("d", [1, 2])
def test_every_deterministic_learner_errs_at_every_point(d: int, strategy: str) -> None:
    """For d = 2 these are nine mistakes, as many as Ghost(2) makes at most: neither can be improved."""
    points = MadeUp(d, strategy).points
    assert points == {("full", 1): 2, ("full", 2): 9, ("constant", 1): 2, ("constant", 2): 6}[strategy, d]
    for predictions in itertools.product((0, 1), repeat=points):
        table = played(d, predictions, strategy).table
        assert len(set(map(tuple, table))) == points + 1
        assert littlestone_dimension(frozenset(map(tuple, table))) <= d


def wrong_ones(game: MadeUp) -> tuple[list[int], int]:
    """The columns of the final class, relative to the truth, and all concepts as members."""
    truth, *ghosts = game.table
    columns = [sum((g[x] != y) << number for number, g in enumerate(ghosts)) for x, y in enumerate(truth)]
    return columns, (1 << len(ghosts) + 1) - 1


def learners(rounds: int, count: int) -> Iterator[list[int]]:
    rng = np.random.default_rng(rounds)
    yield from ([0] * rounds, [1] * rounds, [t % 2 for t in range(rounds)])
    for chance in rng.choice([0.1, 0.5, 0.9], size=count):
        yield (rng.random(rounds) < chance).astype(int).tolist()


@pytest.mark.parametrize(
    ("d", "strategy", "count"), [(3, "full", 40), (4, "full", 1), (3, "constant", 9), (4, "constant", 4)]
)
def test_larger_dimensions_are_kept_against_random_learners(d: int, strategy: str, count: int) -> None:
    for predictions in learners(MadeUp(d, strategy).points, count):
        columns, everyone = wrong_ones(played(d, predictions, strategy))
        assert len(columns) == (3**d if strategy == "full" else 2 ** (d + 1) - 2)
        assert has_tree(columns, everyone, d - 1) and not has_tree(columns, everyone, d + 1)


def test_the_tripled_game_keeps_its_wrong_ones() -> None:
    """Lemma 1: after 2 * 3^(d-1) mistakes the wrong ghosts of every point have dimension <= d - 1."""
    for d, count in ((2, 20), (3, 20)):
        for predictions in learners(2 * 3 ** (d - 1), count):
            columns, _ = wrong_ones(played(d, predictions))
            assert all(not has_tree(columns, wrong, d) for wrong in columns)


def test_ghost_errs_at_every_point() -> None:
    """The same learners by the oracle of the game; Ghost(3) errs 27 times, which no probing adversary brought about."""
    for d in (1, 2, 3):
        bases: list[Any] = [at.Ghost(d), MajorityPruning(d), WeightedVote(), Consistent()]
        for base in bases:
            game = MadeUp(d)
            game.start(game.points, 0)
            learner = base.bind(game.oracle)
            state, mistakes = learner.start(), 0
            for _ in range(game.points):
                x = game.instance([])
                predicted = learner.predict(state, x)
                y = game.label([], x, predicted)
                state = learner.update(state, x, y)
                mistakes += predicted != y
            assert mistakes == game.points == bounds.forced_mistakes(d) and game.queries > 0


# ------------------------------------------------------------------------------------------- the oracle of the game


def test_every_answer_is_true_in_the_final_class() -> None:
    rng = np.random.default_rng(0)
    for strategy, d in itertools.product(STRATEGIES, (1, 2)):
        game = MadeUp(d, strategy, record=True)
        rounds = 3 * game.points + 2
        game.start(rounds, 1)
        seen: list[Any] = ["never played", 17]
        evaluated: list[tuple[Any, Any, int]] = []
        concepts: list[Any] = []
        for _ in range(rounds):
            seen.append(game.instance([]))
            for _ in range(3):
                sample = [(seen[i], int(rng.integers(2))) for i in rng.integers(len(seen), size=int(rng.integers(6)))]
                concepts.append(game.oracle.erm(sample))
                game.oracle.realizable([(x, concepts[-1](x)) for x, _ in sample])
                game.oracle.realizable(sample)
            for concept in (concepts[int(i)] for i in rng.integers(len(concepts), size=4)):
                x = seen[int(rng.integers(len(seen)))]
                evaluated.append((concept, x, concept(x)))
            game.label([], seen[-1], float(rng.integers(2)))
        rows = game.table
        assert len(game._place) > len(rows[0]), "points that nobody played were mentioned"

        def errors(row: list[int], sample: Any, game: MadeUp = game) -> int:
            return sum((row[game.place(x)] if game.place(x) < NEVER else 0) != y for x, y in sample)

        assert len(game.log) == game.queries == 9 * rounds
        for _, query in game.log:
            least = min(errors(row, query.sample) for row in rows)
            if query.kind == "realizable":
                assert query.answer == (least == 0)
            else:
                assert sum(query.answer(x) != y for x, y in query.sample) == least
        assert all(concept(x) == label for concept, x, label in evaluated)
        points = game._tokens
        assert all([concept(x) for x in points] in rows and concept("elsewhere") == 0 for concept in concepts)
        assert littlestone_dimension(frozenset(map(tuple, rows))) <= d


def test_points_that_were_mentioned_are_not_played() -> None:
    game = MadeUp(1)
    game.start(5, 0)
    first = game.instance([])
    game.label([], first, 0.0)
    other = MadeUp(1)
    other.start(5, 0)
    other.instance([])
    other.label([], first, 0.0)
    other.oracle.realizable([(game.instance([]), 0)])
    assert other.instance([]) != game._tokens[1]


class Flipped(MadeUp):
    """The same game, but the coin of one round falls on the other side."""

    flipped = 0

    def _coin(self) -> int:
        return super()._coin() ^ int(self._round == self.flipped)


class Tossed(MadeUp):
    """The coins are given."""

    coins: Iterator[int]

    def _coin(self) -> int:
        return next(self.coins)


PLAYERS: dict[str, Callable[[Any, int], Any]] = {
    "guesser": lambda oracle, T: Guesser(oracle, T, 0),
    "leader": at.FollowTheLeader,
    "adept": lambda oracle, T: at.Adept(oracle, T),
    "adept of its own prior": lambda oracle, T: at.Adept(oracle, prior="kt", base=WeightedVote()),
}


@pytest.mark.parametrize("name", PLAYERS)
def test_predictions_cannot_depend_on_the_coin(name: str) -> None:
    for d, flipped in itertools.product((1, 2), (1, 2, 7, 20, 26)):
        pair = [Flipped(d, "coined"), Flipped(d, "coined")]
        pair[1].flipped = flipped
        runs = [at.play(PLAYERS[name](game.oracle, 27), game, rounds=27, seed=3) for game in pair]
        a, b = (run.rounds[flipped - 1] for run in runs)
        assert a.x == b.x and a.p == b.p and a.y != b.y


# ------------------------------------------------------------------------------------------------------- regret


def absolute_sum(n: int) -> Fraction:
    """E|S_n| from the definition."""
    return sum((abs(2 * k - n) * Fraction(math.comb(n, k), 2**n) for k in range(n + 1)), Fraction(0))


def test_the_bound_is_its_formula() -> None:
    assert [bounds.forced_mistakes(d) for d in range(6)] == [0, 2, 9, 27, 81, 243]
    for T, d in itertools.product((1, 2, 3, 8, 9, 26, 27, 45, 100, 1234), (1, 2, 3)):
        m = min(T, bounds.forced_mistakes(d))
        n = next(n for n in range(T // m, 0, -1) if n % 2)
        assert bounds.dimension_lower_bound(T, d) == pytest.approx(float(absolute_sum(n)) * m / 2, rel=1e-12)
    assert bounds.dimension_lower_bound(0, 3) == bounds.dimension_lower_bound(7, 0) == 0
    assert bounds.dimension_lower_bound(10**6, 4) == pytest.approx(math.sqrt(10**6 * 81 / (2 * math.pi)), rel=1e-3)


@pytest.mark.parametrize(
    ("name", "d", "T"),
    [
        (name, d, T)
        for name in PLAYERS
        for d, T in ((1, 1), (1, 2), (1, 6), (1, 10), (2, 9))
        if (d, T) in ((1, 1), (1, 2), (1, 6)) or name in ("leader", "guesser")
    ],
)
def test_over_all_coins_every_learner_has_exactly_that_regret(name: str, d: int, T: int) -> None:
    total = 0.0
    for coins in itertools.product((0, 1), repeat=T):
        game = Tossed(d, "coined")
        game.coins = iter(coins)
        run = at.play(PLAYERS[name](game.oracle, T), game, rounds=T)
        assert run.expected_loss - game.best_loss(run) == pytest.approx(run.regret)
        total += run.regret
    assert total / 2**T == pytest.approx(bounds.dimension_lower_bound(T, d), abs=1e-9)


def test_regret_over_some_coins() -> None:
    for name in ("guesser", "adept"):
        for d, T in ((1, 42), (2, 63)):
            regrets = []
            for seed in range(30):
                game = MadeUp(d, "coined")
                regrets.append(at.play(PLAYERS[name](game.oracle, T), game, rounds=T, seed=seed).regret)
            error = float(np.std(regrets)) / math.sqrt(len(regrets))
            assert abs(np.mean(regrets) - bounds.dimension_lower_bound(T, d)) < 3 * error


def test_rounds_that_are_left_over() -> None:
    game = MadeUp(1, "coined")
    run = at.play(Guesser(game.oracle, 9, 0), game, rounds=9)
    points = [r.x for r in run]
    assert points == [points[0]] * 3 + [points[3]] * 6 and len(set(points)) == 2
    assert len({r.y for r in run.rounds[6:]}) == 1
    assert [len(set(map(tuple, played(2, [0] * n).table))) for n in (0, 4)] == [1, 5], "a game may end early"
    game = MadeUp(2)
    run = at.play(at.FollowTheLeader(game.oracle, 12), game)
    assert run.expected_loss == 9 and game.best_loss(run) == 0 and len(set(r.x for r in run)) == 9


def test_arguments() -> None:
    game = MadeUp(2)
    assert repr(game) == "MadeUp(d=2, strategy='full')" and repr(game.oracle) == "made-up(d=2)"
    assert game.oracle.littlestone_dimension == 2 and game.oracle.vc_dimension is None
    with pytest.raises(OracleError, match="not begun"):
        game.oracle.erm([(1, 1)])
    game.start(3, 0)
    with pytest.raises(InvalidInstance, match="hashable"):
        game.oracle.realizable([([], 1)])
    with pytest.raises(
        InvalidArgument, match="strategy must be one of 'constant', 'full', 'coined'; got strategy='fair'"
    ):
        MadeUp(2, "fair")
    for wrong in (0, 13, 1.5):
        with pytest.raises(InvalidArgument, match="d must be an int"):
            MadeUp(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="come from the game itself"):
        game.oracle.random_instance(np.random.default_rng(0))
    assert full(1, [1], [0]) == [0]
