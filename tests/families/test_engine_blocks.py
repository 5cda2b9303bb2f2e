"""The collapsed engine of block unions against the paths themselves: Adept's, and a literal list of all sets."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.core import files
from adeptree.core.errors import InvalidArgument
from adeptree.families.blocks import block_engine as blocks
from adeptree.families.blocks import block_kernel as blocks_kernel
from adeptree.families.blocks import block_masses as blocks_masses
from adeptree.families.blocks import block_wide as blocks_wide
from adeptree.families.blocks.block_engine import BlocksEngine
from adeptree.roles.engine import Limits
from adeptree.theory.mixture import mixability_gap
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

RATES = [0.0, 0.02, 0.5, 3.0, 40.0]


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


def stream(rounds: int, blocks_: int, seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    xs = rng.integers(blocks_, size=rounds)
    ys = rng.random(rounds) < np.where(xs % 3 == 0, 0.8, 0.3)
    return list(zip(xs.tolist(), ys.astype(int).tolist(), strict=True))


def arrays(pairs: list[tuple[int, int]]) -> tuple[list[int], Any, Any]:
    return [x for x, _ in pairs], np.array([y for _, y in pairs]), np.empty(len(pairs))


def play(engine: BlocksEngine, pairs: list[tuple[int, int]]) -> list[float]:
    out = []
    for x, y in pairs:
        out.append(engine.probability(x))
        engine.commit(x, y)
    return out


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_load_compiled", lambda: None)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(blocks, "COMPILE_FROM", 0)


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
        assert engine.queries == adept.queries
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
    for i, (x, y) in enumerate(pairs):
        engine.rate = rate = rates[i % len(rates)]
        assert engine.probability(x) == pytest.approx(literal.probability(x, rate), abs=1e-9)
        engine.commit(x, y)
        literal.commit(x, y)
        leader = engine.leader()
        assert (leader.loss, leader.log_prior) == pytest.approx(literal.leader(), abs=1e-9)
        assert engine.log_potential() == pytest.approx(literal.log_potential(rate), abs=1e-9)
        assert leader.loss == engine.best_loss


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("d", [1, 2])
def test_many_leaves_and_heavy_repeats(name: str, d: int) -> None:
    """eta T in the hundreds on single blocks, pushed up and then down again; more blocks than a few leaves hold."""
    hammered = [(x, 1) for x in (0, 5, 30) for _ in range(40)] + [(x, 0) for x in (5, 0) for _ in range(50)]
    pairs = stream(50, 36, 3) + hammered + stream(50, 36, 4)
    literal, engine = Literal(d, prior_of(name, len(pairs), d)), engine_of(name, d, len(pairs), 5.0)
    for x, y in pairs:
        assert engine.probability(x) == pytest.approx(literal.probability(x, 5.0), abs=1e-9)
        engine.commit(x, y)
        literal.commit(x, y)
        assert engine.best_loss == literal.best_loss
    assert len(engine.number) > 2 * blocks_kernel.FAT


def test_a_mass_beyond_a_double_is_kept() -> None:
    """Two blocks 4,000 e-folds apart: the sets with the smaller one decide about it all the same."""
    engine = engine_of("paper", 2, 3000, 4.0)
    for label, block in [(1, "up")] * 1000 + [(0, "down")] * 2:
        engine.commit(block, label)
    # Every set that matters holds "up", and may hold "down".
    W = [sum(math.comb(1997, j) for j in range(r + 1)) for r in range(2)]
    odds = Fraction(W[0], W[1]) * Fraction(math.exp(-8.0))
    assert engine.probability("down") == pytest.approx(float(odds / (1 + odds)), rel=1e-9)


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.parametrize("d", [1, 4])
def test_a_batch_is_its_rounds(name: str, d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "CHUNK", 37)
    pairs = stream(150, 60, 1)
    stepped, batched = (engine_of(name, d, 150, 0.3) for _ in range(2))
    expected = play(stepped, pairs)
    xs, ys, out = arrays(pairs)
    batched.probability(xs[0])  # looked at already: its queries count once
    assert batched.run(xs, ys, out, Limits()) == 150
    assert out.tolist() == expected
    assert batched.queries == stepped.queries
    assert (batched.width, batched.best_loss, batched.leader()) == (stepped.width, stepped.best_loss, stepped.leader())
    assert list(batched.number) == list(stepped.number)


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
    limits = Limits(best_loss=20) if which == "best_loss" else Limits(gap=1.0)
    assert batched.run(xs, ys, out, limits) == at_stop < 300
    assert list(batched.number) == list(stepped.number)
    assert batched.queries == stepped.queries
    assert play(batched, pairs[at_stop:]) == play(stepped, pairs[at_stop:])


@pytest.mark.parametrize("name", ["paper", "kt", "mixed"])
@pytest.mark.usefixtures("plain")
def test_plain_and_compiled_agree_to_the_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = stream(120, 40, 5)
    xs, ys, out = arrays(pairs)
    results = []
    for _ in range(2):
        engine = engine_of(name, 3, 240, 6.0)
        probabilities = play(engine, pairs)
        engine.rate = 0.01
        engine.run(xs, ys, out, Limits())
        results.append((probabilities, out.tolist(), engine.combinations))
        monkeypatch.undo()
        pytest.importorskip("numba")
        monkeypatch.setattr(blocks, "COMPILE_FROM", 0)
    assert results[0] == results[1]
    assert "adeptree.families.blocks.block_compiled" in sys.modules


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
def test_saved_in_the_middle_is_never_stopped(name: str) -> None:
    pairs = [(("source", x), y) for x, y in stream(120, 50, 7)]
    whole, first = (engine_of(name, 3, 120, 0.7) for _ in range(2))
    play(first, pairs[:60])  # type: ignore[arg-type]
    kept: list[Any] = []
    saved = files.decode(files.encode(first.state(), kept), kept)
    second = engine_of(name, 3, 120, 0.7)
    second.restore(saved)
    expected = play(whole, pairs)  # type: ignore[arg-type]
    assert play(second, pairs[60:]) == expected[60:]  # type: ignore[arg-type]
    assert (second.best_loss, second.width, second.leader()) == (whole.best_loss, whole.width, whole.leader())
    assert str(second.best_rule()) == str(whole.best_rule())


def test_blocks_come_from_a_function_or_key() -> None:
    engine = BlocksEngine(at.BlockUnions(1, block="sender"), KTPrior())
    engine.rate = 1.0
    c = engine.concept_class
    for x, y in [({"sender": "a", "size": 1}, 1), ({"sender": "b", "size": 1}, 0), ({"sender": "a", "size": 9}, 1)]:
        engine.commit(c.instance(x), y)
    assert (str(engine.best_rule()), engine.best_loss) == ("block in {'a'}", 0)


def test_past_the_horizon_no_rounds_are_left() -> None:
    """LazyAdept looks on after its last commit."""
    engine = BlocksEngine(at.BlockUnions(3), PaperPrior(2, 3))
    engine.rate = 0.5
    play(engine, [(0, 1), (1, 0)])
    a = math.exp(0.5)
    assert engine.probability(0) == pytest.approx(a / (1 + a))
    assert engine.probability("new") == pytest.approx(0.5)


def test_a_mistake_bound_below_d_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least d=3"):
        BlocksEngine(at.BlockUnions(3), PaperPrior(100, 2))


# ------------------------------------------------------------------------------------------------ cost


@pytest.mark.usefixtures("compiled")
def test_the_cost_of_a_round_grows_like_the_logarithm_of_the_blocks() -> None:
    def cost(n: int) -> float:
        pairs = stream(20_000, n, 8)
        engine = engine_of("paper", 10, 20_000, 0.1)
        xs, ys, out = arrays(pairs)
        engine.run(xs[:10_000], ys[:10_000], out[:10_000], Limits())
        before = engine.combinations
        engine.run(xs[10_000:], ys[10_000:], out[10_000:], Limits())
        assert ((0 < out) & (out < 1)).all()
        return (engine.combinations - before) / 10_000

    # One product a level to look, one to settle.
    assert cost(2000) <= 2 * math.log2(2000 / blocks_kernel.FAT) + 1
    assert cost(2000) - cost(250) == pytest.approx(2 * math.log2(2000 / 250), abs=0.5)


# --------------------------------------------------------------------------------------- wide numbers


numbers = st.lists(st.tuples(st.floats(2.0**-127, 2.0**127), st.integers(-4, 4)), min_size=4, max_size=4)


@settings(max_examples=100, deadline=None)
@given(numbers, numbers)
def test_products_of_wide_polynomials_are_exact(a: list[tuple[float, int]], b: list[tuple[float, int]]) -> None:
    F, X = np.zeros((4, 4)), np.full((4, 4), blocks_wide.EMPTY, dtype=np.int64)
    for row, poly in enumerate((a, b)):
        F[row], X[row] = [m for m, _ in poly], [e for _, e in poly]
    blocks_wide.multiply(F, X, 2, 0, 1)
    blocks_wide.copy(F, X, 3, 0)
    blocks_wide.add_multiple(F, X, 3, 1, 1, *b[2])
    A, B = ([Fraction(m) * Fraction(2) ** (256 * e) for m, e in poly] for poly in (a, b))
    product = [sum(A[i] * B[s - i] for i in range(s + 1)) for s in range(4)]
    shifted = [A[s] + (B[s - 1] * B[2] if s else 0) for s in range(4)]
    for row, exact in ((2, product), (3, shifted)):
        for s in range(4):
            assert 2.0**-128 <= F[row, s] < 2.0**128
            value = Fraction(F[row, s]) * Fraction(2) ** (256 * int(X[row, s]))
            assert abs(value / exact[s] - 1) < Fraction(1, 10**14)


@pytest.mark.parametrize(("n", "M"), [(0, 3), (5, 3), (3, 8), (100, 100), (4000, 300)])
def test_masses_are_right(n: int, M: int) -> None:
    d = 4
    F, X = np.zeros((2, d + 1)), np.zeros((2, d + 1), dtype=np.int64)
    blocks_masses.paper_masses(F, X, 0, n, M)
    exact = [sum(math.comb(n, j) for j in range(M - k + 1)) for k in range(d + 1)]
    for k in range(d + 1):
        value = Fraction(F[0, k]) * Fraction(2) ** (256 * int(X[0, k])) if k <= M else Fraction(0)
        assert value == exact[k] == 0 or abs(value / exact[k] - 1) < Fraction(1, 10**12)
