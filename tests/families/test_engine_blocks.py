"""The engine of block unions against the paths themselves: Adept's, and a literal list of all sets."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kernel_forms import play_many

import adeptree as at
from adeptree.core import files
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.families.blocks import block_engine as blocks
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_engine import BlocksEngine
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Problem
from adeptree.roles.kernel_engine import NO_COSTS
from adeptree.theory.coins import word_of
from adeptree.theory.mixture import mixability_gap
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

RATES = [0.0, 0.02, 0.5, 3.0, 40.0]
SOURCE: Any = import_module("adeptree.structures.block_kernel")
"""The kernel as it is written, interpreted."""


class Literal:
    """Every path with its k, n and L, one by one: contested means that both labels are realizable."""

    def __init__(self, d: int, prior: Prior) -> None:
        self.d, self.prior, self.t = d, prior, 0
        self.seen: set[Any] = set()
        self.paths: dict[tuple[Any, ...], tuple[int, int, int]] = {(): (0, 0, 0)}

    def children(self, x: Any) -> list[tuple[tuple[Any, ...], int, int, int, int]]:
        """(set, label, k, n, L before the label) of all that follow."""
        out = []
        for path, (k, n, loss) in self.paths.items():
            can = [x not in path, x in path or (x not in self.seen and len(path) < self.d)]
            both = int(all(can))
            if can[0]:
                out.append((path, 0, k, n + both, loss))
            if can[1]:  # where both can be, the base learner says 0
                out.append((path if x in path else (*path, x), 1, k + both, n + both, loss))
        return out

    def weights(self, t: int, rows: list[tuple[int, int, int]], rate: float) -> Any:
        k, n, loss = np.array(rows, dtype=np.int64).T
        return self.prior.log_mass(t, k, n) - rate * (loss - self.best_loss)

    def probability(self, x: Any, rate: float) -> float:
        children = self.children(x)
        logs = self.weights(self.t + 1, [c[2:] for c in children], rate)
        w = np.exp(logs - logs.max())
        return math.fsum(w[[c[1] == 1 for c in children]]) / math.fsum(w)

    def commit(self, x: Any, y: int) -> None:
        self.paths = {path: (k, n, loss + (label != y)) for path, label, k, n, loss in self.children(x)}
        self.seen.add(x)
        self.t += 1

    @property
    def best_loss(self) -> int:
        return min(loss for _, _, loss in self.paths.values())

    def leader(self) -> tuple[int, float]:
        best = [(k, n, loss) for k, n, loss in self.paths.values() if loss == self.best_loss]
        return self.best_loss, float(self.weights(self.t, best, 0.0).max()) - self.prior.log_total

    def log_potential(self, rate: float) -> float:
        return float(np.logaddexp.reduce(self.weights(self.t, list(self.paths.values()), rate))) - self.prior.log_total


def prior_of(name: str, T: int, M: int) -> PaperPrior | KTPrior | MixedPrior:
    if name == "paper":
        return PaperPrior(T, M)
    return KTPrior() if name == "kt" else MixedPrior()


def engine_of(name: str, d: int, T: int, rate: float) -> BlocksEngine:
    engine = BlocksEngine(at.BlockUnions(d), prior_of(name, T, d))
    engine.rate = rate
    return engine


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., BlocksEngine]:
    """Return what makes an engine on the source of the kernel."""

    def make(*arguments: Any) -> BlocksEngine:
        with monkeypatch.context() as change:
            change.setattr(blocks, "BlocksKernel", SOURCE.BlocksKernel)
            return engine_of(*arguments)

    return make


def stream(rounds: int, blocks_: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    xs = rng.integers(blocks_, size=rounds)
    ys = rng.random(rounds) < np.where(xs % 3 == 0, 0.8, 0.3)
    return list(zip(xs.tolist(), ys.astype(int).tolist(), strict=True))


def arrays(pairs: list[tuple[int, int]]) -> tuple[list[int], Any, Any]:
    return [x for x, _ in pairs], np.array([y for _, y in pairs]), np.empty(len(pairs))


def play(engine: BlocksEngine, pairs: list[tuple[Any, int]]) -> list[float]:
    out = []
    for x, y in pairs:
        out.append(engine.probability(x))
        engine.commit(x, y)
    return out


def run(engine: BlocksEngine, pairs: list[tuple[int, int]], costs: Any = NO_COSTS) -> list[float]:
    """Play a batch, also beyond where the rate would be looked at."""
    xs, ys, out = arrays(pairs)
    done = 0
    engine.batch(xs)
    while done < len(xs):
        engine.kernel.due = False
        done = play_many(engine, ys, costs, out, done)
    played: list[float] = out.tolist()
    return played


pairs_of = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 1)), min_size=1, max_size=25)


# ------------------------------------------------------------------------------------ the same numbers


@settings(max_examples=40, deadline=None)
@given(pairs_of, st.integers(1, 5), st.sampled_from(RATES[1:]))
def test_equals_the_paths_engine(pairs: list[tuple[int, int]], d: int, rate: float) -> None:
    T = len(pairs)
    adept = at.Adept(at.BlockUnions(d), horizon=T, rate=rate, engine="paths")
    engine = engine_of("paper", d, T, rate)
    for x, y in pairs:
        assert engine.probability(x) == pytest.approx(adept.predict_proba(x), abs=1e-9)
        adept.learn(x, y)
        engine.commit(x, y)
        assert (engine.width, engine.best_loss) == (adept.width, adept.best_loss)
        assert (engine.queries.asked, engine.queries.posed) == (adept.queries.asked, adept.queries.posed)
    assert sum(engine.best_rule()(x) != y for x, y in pairs) == adept.best_loss


@settings(max_examples=60, deadline=None)
@given(
    pairs_of, st.integers(1, 4), st.sampled_from(["paper", "kt", "mixed"]), st.lists(st.sampled_from(RATES), min_size=1)
)
def test_equals_the_list_of_all_sets_at_changing_rates(
    pairs: list[tuple[int, int]], d: int, name: str, rates: list[float]
) -> None:
    literal = Literal(d, prior_of(name, len(pairs), d))
    engine = engine_of(name, d, len(pairs), 0.0)
    assert engine.log_potential() == 0.0
    for i, (x, y) in enumerate(pairs):
        engine.rate = rate = rates[i % len(rates)]
        assert engine.probability(x) == pytest.approx(literal.probability(x, rate), abs=1e-9)
        engine.commit(x, y)
        literal.commit(x, y)
        leader = engine.leader()
        assert (leader.loss, leader.log_prior) == pytest.approx(literal.leader(), abs=1e-9)
        assert engine.log_potential() == pytest.approx(literal.log_potential(rate), abs=1e-9)
        assert leader.loss == engine.best_loss


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["paper", "kt", "mixed"]), st.integers(1, 4))
def test_equals_the_paths_with_weights_late_labels_and_extreme_rates(seed: int, name: str, d: int) -> None:
    """All of it at once: rates from 1e-300 to 1e6 that change, labels that come later, whole and other weights."""
    rng = random.Random(seed)
    T = rng.randint(1, 40)
    prior = prior_of(name, T, d + rng.choice([0, 3]))
    c = at.BlockUnions(d)
    paths, engine = Paths(c, DefaultZero().bind(c), prior), BlocksEngine(c, prior)
    kernel: Any = engine.kernel
    kernel.scale = math.inf
    weights: list[float] = rng.choice([[1], [1], [0.5, 1, 2.25], [0, 1, 3], [5, 1]])
    waiting: dict[int, tuple[int, int, float]] = {}
    asked = 0
    for t in range(T):
        if t == 0 or rng.random() < 0.2:
            paths.rate = engine.rate = rng.choice([0, 1e-300, 1e-9, 0.01, 0.3, 2, 10, 300, 1e4, 1e6])
        x, y, weight = rng.randrange(rng.choice([2, 9])), rng.randrange(2), rng.choice(weights)
        exact, found = paths.odds(x), engine.odds(x)
        assert found.p == pytest.approx(exact.p, abs=1e-12)
        assert found.log_odds == pytest.approx(exact.log_odds, rel=1e-12, abs=1e-11)
        if rng.random() < 0.3:
            paths.open(t, x)
            assert kernel.open(x, 0)
            waiting[t] = x, y, weight
        else:
            paths.commit(x, y, weight)
            engine.commit(x, y, weight)
        while waiting and rng.random() < 0.5:
            ticket = rng.choice(list(waiting))
            x, y, weight = waiting.pop(ticket)
            exact = paths.odds_of(ticket)
            paths.settle(ticket, y, weight)
            engine.probability(x)  # a look at the same block, as if it were a new round, is another thing
            assert kernel.settle(x, y, weight, 0.5, 0.0, 0, 0)
            asked += 2 * engine.width
            assert kernel.p == pytest.approx(exact.p, abs=1e-12)
            assert kernel.log_ratio() == pytest.approx(exact.log_odds, rel=1e-12, abs=1e-11)
        assert (engine.width, engine.queries.asked) == (paths.width, paths.queries.asked + asked)
        assert engine.best_loss == paths.best_loss
        assert engine.log_potential() == pytest.approx(paths.log_potential(), rel=1e-12, abs=1e-11)
        assert engine.leader().log_prior == pytest.approx(paths.leader().log_prior, abs=1e-11)


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("d", [1, 2])
def test_many_blocks_and_heavy_repeats(name: str, d: int) -> None:
    """eta T in the hundreds on single blocks, pushed up and then down again; enough blocks to allocate room twice."""
    hammered = [(x, 1) for x in (0, 5, 30) for _ in range(40)] + [(x, 0) for x in (5, 0) for _ in range(50)]
    pairs = stream(50, 36, 3) + hammered + stream(50, 36, 4)
    literal, engine = Literal(d, prior_of(name, len(pairs), d)), engine_of(name, d, len(pairs), 5.0)
    for x, y in pairs:
        assert engine.probability(x) == pytest.approx(literal.probability(x, 5.0), abs=1e-9)
        engine.commit(x, y)
        literal.commit(x, y)
        assert engine.best_loss == literal.best_loss
    assert len(engine.kernel.number) > 24


def test_a_mass_beyond_a_double_is_kept() -> None:
    """Two blocks 4,000 e-folds apart: the sets with the smaller one decide about it all the same."""
    engine = engine_of("paper", 2, 3000, 4.0)
    for label, block in [(1, "up")] * 1000 + [(0, "down")] * 2:
        engine.commit(block, label)
    # Every set that matters holds "up", and may hold "down".
    W = [sum(math.comb(1997, j) for j in range(r + 1)) for r in range(2)]
    odds = Fraction(W[0], W[1]) * Fraction(math.exp(-8.0))
    assert engine.probability("down") == pytest.approx(float(odds / (1 + odds)), rel=1e-9)


def test_equal_losses_weigh_the_same_at_any_rate() -> None:
    """50 + 50 = 100, although eta times these has no digit left after the point."""
    engine = engine_of("kt", 2, 0, 3e5)
    for x, label, times in [("a", 1, 50), ("b", 1, 50), ("c", 1, 100), ("d", 1, 100)]:
        for _ in range(times):
            engine.commit(x, label)
    mass = np.exp(KTPrior().log_mass(0, np.array([2, 2]), np.array([3, 4])))
    # {c, d} alone is best; without d, {a, c} and {b, c}: e^-(50 eta) of it, to the last digit.
    odds = engine.odds("d")
    assert odds.log_odds == pytest.approx(50 * 3e5 + math.log(mass[1] / (2 * mass[0])), abs=1e-8)
    assert odds.p == 1.0


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("d", [1, 4, 70])
def test_a_batch_is_its_rounds(name: str, d: int) -> None:
    pairs = stream(150, 60, 1)
    stepped, batched = (engine_of(name, d, 150, 0.3) for _ in range(2))
    expected = play(stepped, pairs)
    batched.probability(pairs[0][0])  # looked at already: its queries count once
    assert run(batched, pairs) == expected
    assert batched.queries == stepped.queries
    assert (batched.width, batched.best_loss, batched.leader()) == (stepped.width, stepped.best_loss, stepped.leader())
    assert list(batched.kernel.number) == list(stepped.kernel.number)
    assert batched.kernel.ledger.copy() == stepped.kernel.ledger.copy()
    xs = [x for x, _ in pairs[:20]] + ["new", "newer", "new"]
    assert batched.probabilities(xs).tolist() == [stepped.probability(x) for x in xs]
    assert batched.width == stepped.width


def test_a_batch_has_weights() -> None:
    pairs = stream(80, 20, 9)
    costs = np.random.default_rng(0).choice([0.25, 1.0, 3.0], size=80)
    stepped, batched = (engine_of("mixed", 3, 0, 0.3) for _ in range(2))
    stepped.kernel.scale = batched.kernel.scale = 3.0
    expected = []
    for (x, y), cost in zip(pairs, costs.tolist(), strict=True):
        expected.append(stepped.probability(x))
        stepped.commit(x, y, cost)
    assert run(batched, pairs, costs) == expected
    assert batched.best_loss == stepped.best_loss


@pytest.mark.parametrize("which", ["best_loss", "gap"])
def test_a_batch_stops_where_it_must(which: str) -> None:
    pairs = stream(300, 30, 2)
    stepped, batched = (engine_of("kt", 2, 300, 0.3) for _ in range(2))
    gap, at_stop = 0.0, 0
    for x, y in pairs:
        gap += mixability_gap(abs(stepped.probability(x) - y), 0.0, 0.3)
        stepped.commit(x, y)
        at_stop += 1
        if (stepped.best_loss if which == "best_loss" else gap) >= (20 if which == "best_loss" else 1.0):
            break
    xs, ys, out = arrays(pairs)
    batched.kernel.set_limits(math.inf, 20 if which == "best_loss" else math.inf, 1.0 if which == "gap" else math.inf)
    batched.batch(xs)
    assert play_many(batched, ys, NO_COSTS, out, 0) == at_stop < 300
    assert batched.kernel.due
    assert list(batched.kernel.number) == list(stepped.kernel.number)
    assert batched.queries == stepped.queries
    batched.kernel.set_limits(math.inf, math.inf, math.inf)
    assert play(batched, pairs[at_stop:]) == play(stepped, pairs[at_stop:])


@pytest.mark.skipif(not COMPILED, reason="no machine code was built")
@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("rates", [(6.0, 0.01), (0.0, 1e6), (300.0, 1e-9)])
def test_interpreted_and_compiled_agree_to_the_bit(
    name: str, rates: tuple[float, float], interpreted: Callable[..., BlocksEngine]
) -> None:
    pairs = stream(120, 40, 5)
    costs = np.random.default_rng(1).choice([0.3, 1.0, 2.0], size=120)
    results = []
    for make in (interpreted, engine_of):
        engine = make(name, 3, 480, rates[0])
        engine.kernel.scale = 2.0
        kind = type(engine.kernel).__module__
        parts: list[Any] = [play(engine, pairs)]
        engine.rate = rates[1]
        parts += [run(engine, pairs, costs), engine.log_potential(), engine.odds(7), engine.odds("new")]
        parts += [
            list(map(float, engine.kernel.ledger.copy())),
            engine.queries.asked,
            repr(engine.state()),
            engine.leader(),
        ]
        results.append((kind, repr(parts)))
    assert results[0][1] == results[1][1]
    assert [kind for kind, _ in results] == [SOURCE.__name__, "adeptree._compiled.block_kernel"]


# ------------------------------------------------------------------------------- speculation and saving


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
def test_looking_commits_nothing(name: str) -> None:
    pairs = stream(40, 20, 6)
    quiet, curious = (engine_of(name, 2, 40, 0.4) for _ in range(2))
    for x, y in pairs:
        p = quiet.probability(x)
        for other in ("never seen", x + 1, "never seen", x):
            curious.probability(other)
        assert curious.probability(x) == p
        curious.log_potential()  # (asks nothing)
        quiet.commit(x, y)
        curious.commit(x, y)
    assert curious.width == quiet.width
    assert curious.queries.asked == 4 * quiet.queries.asked
    curious.probability("x")
    curious.discard()
    before = curious.queries.asked
    curious.probability("x")
    assert curious.queries.asked == before + 2 * curious.width


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("d", [3, 40])
def test_saved_in_the_middle_is_never_stopped(name: str, d: int) -> None:
    pairs = [(("source", x), y) for x, y in stream(160, 50, 7)]
    whole, first = (engine_of(name, d, 160, 0.7) for _ in range(2))
    first.kernel.scale = whole.kernel.scale = 1.0
    play(first, pairs[:60])
    first.probability("never seen")
    kept: list[Any] = []
    saved = files.decode(files.encode(first.state(), kept), kept)
    second = engine_of(name, d, 160, 0.7)
    second.restore(saved)
    expected = play(whole, pairs[:130])
    assert play(second, pairs[60:130]) == expected[60:]
    assert (second.best_loss, second.width, second.leader()) == (whole.best_loss, whole.width, whole.leader())
    assert str(second.best_rule()) == str(whole.best_rule())
    third = pickle.loads(pickle.dumps(second))
    assert (third.queries.asked, third.rate) == (second.queries.asked, 0.7)
    second.kernel.open(("source", 1), 0)
    whole.kernel.open(("source", 1), 0)
    fourth = engine_of(name, d, 160, 0.7)
    fourth.restore(second.state())
    for engine in (whole, second, fourth):
        engine.kernel.settle(("source", 1), 1, 0.3, 0.5, 0.0, 1, 0)  # type: ignore[no-untyped-call]
        engine.kernel.scale = 2.0
    expected = play(whole, pairs[130:])
    assert play(second, pairs[130:]) == play(fourth, pairs[130:]) == expected
    assert second.log_potential() == fourth.log_potential() == whole.log_potential()


@pytest.mark.parametrize(
    "wrong",
    [
        {"gains": np.array([1.0, math.nan])},
        {"gains": np.array([1.0, math.inf])},
        {"gains": np.array([1.0])},
        {"gains": np.array([[1.0], [0.0]])},
        {"gains": np.array(["1", "0"])},
        {"gains": [1.0, 0.0]},
        {"blocks": ["a", "a"]},
        {"blocks": ("a", "b")},
        {"lost": 0.5},
        {"lost": -1.0},
        {"lost": math.nan},
        {"lost": 1e300},
        {"rounds": 1},
        {"rounds": 2.0},
    ],
)
def test_what_no_engine_saved_is_not_taken_over(wrong: dict[str, Any]) -> None:
    engine = engine_of("kt", 2, 0, 0.5)
    play(engine, [("x", 1)])
    good = {"blocks": ["a", "b"], "gains": np.array([1.0, 0.0]), "lost": 1.5, "rounds": 2}
    before = repr(engine.state())
    with pytest.raises(ValueError, match="cannot be what a learner saved"):
        engine.restore(good | wrong)
    assert repr(engine.state()) == before
    engine.restore(good)
    assert (engine.best_loss, engine.width) == (0.5, 4)


def test_blocks_come_from_a_function_or_key() -> None:
    engine = BlocksEngine(at.BlockUnions(1, block="sender"), KTPrior())
    engine.rate = 1.0
    c = engine.concept_class
    for x, y in [({"sender": "a", "size": 1}, 1), ({"sender": "b", "size": 1}, 0), ({"sender": "a", "size": 9}, 1)]:
        engine.commit(c.instance(x), y)
    assert (str(engine.best_rule()), engine.best_loss) == ("block in {'a'}", 0)
    by_function = BlocksEngine(at.BlockUnions(1, block=lambda x: x // 10), KTPrior())
    by_function.rate = 1.0
    for number, y in [(10, 1), (25, 0), (19, 1)]:
        by_function.commit(number, y)
    assert by_function.probability(11) == engine.probability({"sender": "a"})
    assert list(by_function.kernel.number) == [1, 2]
    xs = by_function.concept_class.instances_of([12, 30])
    assert by_function.probabilities(xs).tolist() == [by_function.probability(x) for x in (12, 30)]


def test_points_are_what_the_class_takes() -> None:
    engine = engine_of("kt", 1, 0, 0.5)
    for x in (np.int64(3), 3.0, True, np.str_("a"), "a", (1, 2)):
        engine.commit(x, 1)
    assert [type(name) for name in engine.kernel.number] == [int, bool, str, tuple]
    with pytest.raises(InvalidInstance, match="hashable"):
        engine.probability(["a list"])
    assert engine.width == 5


@pytest.mark.parametrize("block", [None, "sender"])
def test_the_coin_of_a_block_is_that_of_its_key(block: str | None) -> None:
    engine = BlocksEngine(at.BlockUnions(2, block=block), KTPrior())
    c = engine.concept_class
    for name in ("a", 7, 2.5, ("a", 1)):
        x = name if block is None else {"sender": name}
        for _ in range(3):
            engine.probability(x)
            assert engine.kernel.word == word_of(c.key(c.instance(x)))
            engine.commit(x, 1)
    again = BlocksEngine(c, KTPrior())
    again.restore(engine.state())
    for one in (engine, again):
        x = "a" if block is None else {"sender": "a"}
        one.probability(x)
        assert one.kernel.word == word_of(c.key(c.instance(x)))


def test_past_the_horizon_no_rounds_are_left() -> None:
    """LazyAdept looks on after its last commit."""
    engine = BlocksEngine(at.BlockUnions(3), PaperPrior(2, 3))
    engine.rate = 0.5
    play(engine, [(0, 1), (1, 0)])
    a = math.exp(0.5)
    assert engine.probability(0) == pytest.approx(a / (1 + a))
    assert engine.probability("new") == pytest.approx(0.5)


def test_what_the_engine_accepts() -> None:
    c = at.BlockUnions(3)
    base = DefaultZero().bind(c)
    with pytest.raises(InvalidArgument, match="at least d=3"):
        BlocksEngine(c, PaperPrior(100, 2))
    with pytest.raises(InvalidArgument, match="without counts"):
        BlocksEngine(c, MixedPrior(3, 2.0))
    for prior in (PaperPrior(100, 3), KTPrior(), MixedPrior()):
        assert BlocksEngine.accepts(Problem(c, base, prior)) is None
    assert "priors" in str(BlocksEngine.accepts(Problem(c, base, MixedPrior(3, 2.0))))
    assert "DefaultZero" in str(BlocksEngine.accepts(Problem(c, base, KTPrior(), max_width=5)))
    with pytest.raises(InvalidArgument, match="keeps no list of paths"):
        engine_of("kt", 2, 0, 0.5).rows()


# ------------------------------------------------------------------------------------- the best set, and width


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1), st.sampled_from([0.1, 0.5, 1.0, 2.5])), max_size=120),
)
def test_the_best_loss_is_that_of_the_largest_gains(d: int, rounds: list[tuple[int, int, float]]) -> None:
    engine = engine_of("kt", d, 0, 0.1)
    engine.kernel.scale = math.inf
    gains: dict[int, float] = {}
    lost = 0.0
    for x, y, cost in rounds:
        engine.commit(x, y, cost)
        gains[x] = gains.get(x, 0.0) + (cost if y else -cost)
        lost += cost * y
        best = sorted((gain for gain in gains.values() if gain > 0), reverse=True)[:d]
        surplus = 0.0
        for gain in best:
            surplus += gain
        assert engine.best_loss == lost - surplus
    again = engine_of("kt", d, 0, 0.1)
    again.restore(engine.state())
    assert again.best_loss == engine.best_loss


@pytest.mark.parametrize("d", [1, 4, 25])
def test_widths_and_queries_are_exact_up_to_61_bits(d: int) -> None:
    n, asked, most = 200, 0, 2**61
    engine = engine_of("kt", d, 0, 0.1)
    for j in range(n):
        width = sum(math.comb(j, s) for s in range(d + 1))
        assert engine.width == width or engine.width == most < 50 * width
        asked += 2 * width
        engine.commit(j, j % 2)
    assert engine.queries.asked == min(asked, most)
    again = engine_of("kt", d, 0, 0.1)
    again.restore(engine.state())
    assert again.width == engine.width
    again.queries.asked = engine.queries.asked
    again.probability(5)
    assert again.queries.asked == min(asked + 2 * engine.width, most)
    again.commit("one more", 0)
    assert again.width == min(sum(math.comb(n + 1, s) for s in range(d + 1)), most)


def test_as_many_blocks_as_one_likes_may_be_in_a_set() -> None:
    """With more than there are blocks, every block is decided by itself."""
    engine = engine_of("kt", 1 << 20, 0, 0.5)
    play(engine, stream(100, 40, 3))
    n = len(engine.kernel.number)
    assert engine.width == 2**n
    mass = KTPrior().log_mass(0, np.arange(n + 1), np.full(n + 1, n))
    gains = engine.state()["gains"]
    E = np.ones(1)
    for gain in gains[1:]:
        E = np.convolve(E, [1.0, math.exp(0.5 * gain)])
    zero, one = E @ np.exp(mass[:-1]), E @ np.exp(mass[1:]) * math.exp(0.5 * gains[0])
    assert engine.probability(next(iter(engine.kernel.number))) == pytest.approx(one / (zero + one), rel=1e-12)


# ------------------------------------------------------------------------------------------------ cost


def test_the_cost_of_a_round_grows_like_the_logarithm_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch, interpreted: Callable[..., BlocksEngine]
) -> None:
    d, products = 2, 0
    multiply = SOURCE.BlocksKernel.multiply

    def counted(self: Any, out: int, low: int, high: int, *factors: Any) -> None:
        nonlocal products
        products += high - low == d
        multiply(self, out, low, high, *factors)

    monkeypatch.setattr(SOURCE.BlocksKernel, "multiply", counted)

    def cost(n: int, name: str, spread: int) -> float:
        nonlocal products
        engine = interpreted(name, d, 10_000, 0.1)
        engine.restore({"blocks": list(range(n)), "gains": np.zeros(n), "lost": 0.0, "rounds": n})
        rng, products = random.Random(0), 0
        for _ in range(200):
            engine.commit(rng.randrange(spread), rng.randrange(2))
        return products / 200

    # One product per level to look, one to compute the node again; two each where the last block of a set matters.
    assert cost(1024, "paper", 1024) <= 2 * 10
    assert cost(1024, "paper", 1024) - cost(128, "paper", 128) == pytest.approx(2 * 3, abs=0.5)
    assert cost(1024, "kt", 1024) <= 6 * 10
    # Only the nodes between one point and the next are computed again.
    assert cost(1024, "paper", 8) <= 2 * 3
    assert cost(1024, "kt", 1) <= 0.2


def test_memory_stays_small() -> None:
    """20,000 blocks, d = 20: the paths would be 1e67. Names and tree stay below 60 MB, in a separate process."""
    code = """
import resource, numpy as np, adeptree as at
from adeptree.families.blocks.block_engine import BlocksEngine
from adeptree.theory.priors import MixedPrior
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
engine = BlocksEngine(at.BlockUnions(20), MixedPrior())
engine.rate = 0.1
names = [f"value {i}" for i in range(20_000)]
engine.restore({"blocks": names, "gains": np.arange(20_000.0) % 7 - 5, "lost": 1e6, "rounds": 10**6})
p = engine.probability("value 77")
assert 0 < p < 1
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    kilobytes = int(done.stdout) / (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 60_000


# --------------------------------------------------------------------------------------- wide numbers


numbers = st.lists(st.tuples(st.floats(-127, 127), st.integers(-4, 4)), min_size=4, max_size=4)
FAR = [(127.0, 0), (-127.0, 1), (0.0, 0), (0.0, 0)], [(-127.0, 1), (127.0, 0), (0.0, 0), (0.0, 0)]
"""Products whose exponents differ by two, and that matter to each other all the same."""


@settings(max_examples=100, deadline=None)
@example(*FAR, set(), False)
@given(numbers, numbers, st.sets(st.integers(0, 7), max_size=3), st.booleans())
def test_products_of_wide_polynomials_are_exact(
    a: list[tuple[float, int]], b: list[tuple[float, int]], zeros: set[int], more: bool
) -> None:
    kernel = SOURCE.BlocksKernel(8, str, word_of, True, [1.0], [0.5], 0, 0)
    kernel.set_rate(1.0)
    M, X = kernel.M, kernel.X
    radix = Fraction(kernel.radix)
    rows = [
        [(0.0, 0) if 4 * r + s in zeros else (math.exp(y), e) for s, (y, e) in enumerate(row)]
        for r, row in enumerate((a, b))
    ]
    for r, row in enumerate([*rows, rows[0]]):
        for s, (m, e) in enumerate(row):
            M[10 * r + s], X[10 * r + s] = m, e
    kernel.multiply(20, 1, 3, 0, 3, 10, 2, more)
    A, B = ([Fraction(m) * radix**e for m, e in row] for row in rows)
    for s in range(1, 4):
        exact = sum((A[s - i] * B[i] for i in range(min(2, s) + 1)), A[s] if more else Fraction(0))
        m, e = M[20 + s], X[20 + s]
        if exact == 0:
            assert (m, e) == (0.0, 0.0)
        else:
            assert kernel.low <= m < kernel.high
            assert abs(Fraction(m) * radix ** int(e) / exact - 1) < Fraction(1, 10**14)
    assert (M[20], X[20]) == rows[0][0]  # below ``low`` nothing is touched


@pytest.mark.parametrize(("n", "M"), [(0, 4), (5, 4), (3, 8), (100, 100), (4000, 300), (10**7, 40)])
def test_masses_of_the_paper_are_right(n: int, M: int) -> None:
    kernel = SOURCE.BlocksKernel(4, str, word_of, True, [], [], n, M)
    kernel.weigh_sizes(n)
    for k in range(5):
        exact = sum(math.comb(n, j) for j in range(M - k + 1))
        assert kernel.logs[k] == pytest.approx(math.log(exact), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize(("n", "d"), [(0, 3), (1, 3), (6, 3), (300, 250), (3000, 250)])
@pytest.mark.parametrize("prior", [KTPrior(), MixedPrior()])
def test_masses_of_the_other_priors_are_right(n: int, d: int, prior: KTPrior | MixedPrior) -> None:
    shares, betas = (list(column) for column in zip(*prior.parts, strict=True))
    kernel = SOURCE.BlocksKernel(d, str, word_of, True, shares, betas, 0, 0)
    kernel.make_room(n + 20)
    for _ in range(n):
        kernel.admit()
    for m in (n, n + 1):  # as it is, and with a block to come
        kernel.weigh_sizes(m)
        k = np.arange(min(d, m) + 1)
        assert list(kernel.logs)[: len(k)] == pytest.approx(
            prior.log_mass(0, k, np.full(len(k), m)), rel=1e-12, abs=1e-12
        )


@pytest.mark.skipif(not COMPILED, reason="arrays of Python are of another size")
@pytest.mark.parametrize(("d", "most"), [(3, 260), (10, 330)])
def test_a_block_takes_few_bytes(d: int, most: int) -> None:
    """Its name is not counted: the list of names is there before."""
    names = [f"sender-{i}" for i in range(50_000)]
    engine = BlocksEngine(at.BlockUnions(d), KTPrior())
    tracemalloc.start()
    engine.rate = 0.1
    engine.batch(names)
    play_many(engine, np.zeros(len(names), dtype=np.int64), NO_COSTS, np.empty(len(names)), 0)
    engine.batch([])
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / len(names) < most
