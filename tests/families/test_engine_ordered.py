"""The ordered engine gives the numbers of the paths themselves, round by round, and stays exact when saved."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import steady

import adeptree as at
from adeptree.core.errors import DamagedFile, InvalidArgument, InvalidInstance, MissingExtra, TooLarge
from adeptree.families.line import line_engine as ordered
from adeptree.families.line.line_cells import Cells, Line, Shape
from adeptree.families.line.line_engine import OrderedEngine
from adeptree.families.line.thresholds import RealThresholds
from adeptree.roles.engine import Engine, Leader, Limits
from adeptree.theory.mixture import log_sum, log_weights, mixability_gap, probability_of_one
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

pytest.importorskip("numba")
Pairs = list[tuple[Any, int]]
GRID = 2**62


class Rows:
    """All paths of a line one by one: a row is (largest point labelled 0, smallest labelled 1), k, n and L."""

    def __init__(self, first: float, end: float, prior: Prior) -> None:
        self.low, self.high = np.array([first]), np.array([end])
        self.k, self.n, self.losses = np.zeros((3, 1), dtype=np.int64)
        self.prior, self.rounds, self.rate = prior, 0, 0.0

    def children(self, x: Any) -> tuple[list[Any], Any]:
        """Return the five columns of the children, and what they say."""
        cut = (self.low < x) & (x < self.high)
        wrong1 = cut & ~(x - self.low > self.high - x)  # the nearest point is a 0, or it is a tie
        wrong0 = cut & ~wrong1
        ones = (self.low, np.where(cut, x, self.high), self.k + wrong1, self.n + cut, self.losses)
        zeros = (np.full(len(cut), x), self.high, self.k + wrong0, self.n + cut, self.losses)
        columns = [np.concatenate([one, zero[cut]]) for one, zero in zip(ones, zeros, strict=True)]
        return columns, np.concatenate([cut | (self.high <= x), np.zeros(cut.sum(), dtype=np.bool_)])

    def probability(self, x: Any) -> float:
        (_, _, k, n, losses), says = self.children(x)
        mass = self.prior.log_mass(self.rounds + 1, k, n)
        return probability_of_one(log_weights(mass, losses, int(losses.min()), self.rate), says)

    def commit(self, x: Any, y: int) -> None:
        (self.low, self.high, self.k, self.n, losses), says = self.children(x)
        self.losses = losses + (says != bool(y))
        self.rounds += 1

    @property
    def best_loss(self) -> int:
        return int(self.losses.min())

    def cells(self) -> Cells:
        """The same as the engine's, for a grid."""
        return Cells(self.low + 1, self.high, self.k, self.n, self.losses)


def engine_for(c: Any, prior: Prior, rate: float = 0.3) -> OrderedEngine:
    engine = OrderedEngine(c, prior)
    engine.rate = rate
    return engine


def rows_for(c: Any, prior: Prior, rate: float = 0.3) -> Rows:
    line = Line.of(c)
    rows = Rows(line.first, line.end, prior)
    rows.rate = rate
    return rows


def paper(c: at.Thresholds, T: int) -> PaperPrior:
    return PaperPrior(T, c.littlestone_dimension)


def line_stream(seed: int, n: int, T: int, order: str = "random") -> Pairs:
    """Noisy labels of a threshold; a quarter of the points come again."""
    rng = np.random.default_rng(seed)
    xs = rng.integers(n, size=T)
    xs[rng.random(T) < 0.25] = xs[0]
    if order != "random":
        xs = np.sort(xs)[:: 1 if order == "sorted" else -1]
    ys = (xs >= n // 3) ^ (rng.random(T) < 0.2)
    return list(zip(xs.tolist(), ys.astype(int).tolist(), strict=True))


def arrays(pairs: Pairs) -> tuple[Any, Any, Any]:
    xs, ys = zip(*pairs, strict=True)
    return np.array(xs), np.array(ys), np.full(len(xs), np.nan)


def agree(engine: OrderedEngine, rows: Rows, pairs: Pairs, within: float = 1e-12) -> None:
    for t, (x, y) in enumerate(pairs):
        assert engine.probability(x) == pytest.approx(rows.probability(x), abs=within, rel=0), t
        engine.commit(x, y)
        rows.commit(x, y)
        assert (engine.width, engine.best_loss) == (len(rows.low), rows.best_loss)


def step_by_step(engine: Engine, pairs: Pairs) -> Iterator[float]:
    for x, y in pairs:
        yield engine.probability(x)
        engine.commit(x, y)


def wants_logs(engine: OrderedEngine) -> bool:
    return bool(engine._memory.header[engine._kernels.LOGS])


def to_logs(engine: OrderedEngine) -> OrderedEngine:
    engine._provide(engine._kernels.NEED_LOGS)
    return engine


# --------------------------------------------------------------------------------------------- the same numbers


@st.composite
def games(draw: st.DrawFn) -> tuple[int, Pairs]:
    n = draw(st.sampled_from([1, 2, 3, 7, 20, 1000, GRID]))
    points = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=25))
    xs = draw(st.sampled_from([points, sorted(points), sorted(points, reverse=True), points + points]))
    return n, [(x, draw(st.integers(0, 1))) for x in xs]


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("kt", [False, True])
@given(game=games(), rate=st.sampled_from([0.0, 1e-9, 0.05, 0.7, 3.0, 12.0]), spare=st.integers(0, 40))
@steady
def test_probabilities_are_those_of_the_paths(
    kt: bool, logs: bool, game: tuple[int, Pairs], rate: float, spare: int
) -> None:
    n, pairs = game
    c = at.Thresholds(n)
    prior = KTPrior() if kt else paper(c, len(pairs) + spare)  # (T < M in many of them)
    engine = engine_for(c, prior, rate)
    agree(to_logs(engine) if logs else engine, rows_for(c, prior, rate), pairs)


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
@pytest.mark.parametrize("n", [300, 2**40])
def test_probabilities_are_those_of_the_learner_with_paths(n: int, order: str) -> None:
    c, T = at.Thresholds(n), 1000
    learner = at.Adept(c, horizon=T, engine="paths")
    engine = engine_for(c, paper(c, T), learner.learning_rate)
    for x, y in line_stream(1, n, T, order):
        assert engine.probability(x) == pytest.approx(learner.predict_proba(x), abs=1e-12, rel=0)
        learner.learn(x, y)
        engine.commit(x, y)
        assert (engine.width, engine.best_loss) == (learner.width, learner.best_loss)
        assert engine.queries == learner.queries
    rule, stream = engine.best_rule(), line_stream(1, n, T, order)
    assert sum(rule(x) != y for x, y in stream) == learner.best_loss


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
@pytest.mark.parametrize("kt", [False, True])
def test_many_rounds_across_split_buckets(kt: bool, order: str) -> None:
    c, T = at.Thresholds(10**6), 3000
    prior = KTPrior() if kt else paper(c, T)
    engine, rows = engine_for(c, prior, 0.1), rows_for(c, prior, 0.1)
    pairs = line_stream(2, c.n, T, order)
    xs, ys, p = arrays(pairs)
    assert engine.run(xs, ys, p, Limits()) == T
    for t, (x, y) in enumerate(pairs):
        if t % 50 == 0 or t > T - 5:
            assert p[t] == pytest.approx(rows.probability(x), abs=1e-11, rel=0)
        rows.commit(x, y)
    assert engine._memory.header[engine._kernels.BUCKETS] > 30
    for name, column in vars(rows.cells().in_order()).items():
        assert getattr(engine.cells(), name).tolist() == column.tolist(), name


@pytest.mark.parametrize("kt", [False, True])
def test_the_rate_may_change_in_the_middle(kt: bool) -> None:
    c = at.Thresholds(5000)
    prior = KTPrior() if kt else paper(c, 600)
    engine, rows = engine_for(c, prior), rows_for(c, prior)
    pairs = line_stream(3, c.n, 600)
    for i, rate in enumerate([0.5, 0.0, 4.0, 1e-7, 0.02, 11.0]):
        engine.rate = rows.rate = rate
        agree(engine, rows, pairs[100 * i : 100 * i + 100])


def test_a_short_table_of_losses_grows_with_the_rounds() -> None:
    c, T = at.Thresholds(3), 10_000
    engine, rows = engine_for(c, paper(c, T), 1e-3), rows_for(c, paper(c, T), 1e-3)
    pairs = [(1, int(t % 10 == 0)) for t in range(T)]
    xs, ys, p = arrays(pairs)
    engine.run(xs, ys, p, Limits())
    for t, (x, y) in enumerate(pairs):
        if t % 500 == 0:
            assert p[t] == pytest.approx(rows.probability(x), abs=1e-12, rel=0)
        rows.commit(x, y)
    assert engine._memory.header[engine._kernels.TABLED] > 4096


@pytest.mark.parametrize("labels", ["ones", "zeros", "random"])
@pytest.mark.parametrize("rate", [0.0, 0.05, 6.0])
def test_capacities_beyond_a_double(labels: str, rate: float) -> None:
    # The middle is a tie, so the base learner says 0: the paths just above 0 collect up to 60 mistakes.
    c = at.Thresholds(GRID)
    prior = PaperPrior(T=10**9, M=62)
    engine, rows = engine_for(c, prior, rate), rows_for(c, prior, rate)
    rng = np.random.default_rng(4)
    y = {"ones": np.ones(160), "zeros": np.zeros(160), "random": rng.integers(2, size=160)}[labels].astype(int).tolist()
    pairs = [((1 << (61 - i)) - 1 if i < 60 else int(rng.integers(GRID)), y[i]) for i in range(160)]
    assert prior.log_total > 600
    agree(engine, rows, pairs, within=1e-11)
    assert wants_logs(engine), "the case is too easy"


def test_logarithms_and_doubles_agree_over_many_rounds() -> None:
    c, T = at.Thresholds(10**9), 4000
    xs, ys, p = arrays(line_stream(5, c.n, T))
    for prior in (paper(c, T), KTPrior()):
        plain, safe = engine_for(c, prior, 0.2), to_logs(engine_for(c, prior, 0.2))
        plain.run(xs, ys, p, Limits())
        q = np.empty(T)
        safe.run(xs, ys, q, Limits())
        assert not wants_logs(plain)
        assert wants_logs(safe)
        assert np.abs(p - q).max() < 1e-11


# ----------------------------------------------------------------------------------------------- the real line


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
def test_the_real_line(order: str) -> None:
    rng = np.random.default_rng(6)
    xs = np.concatenate(
        [rng.normal(size=150), rng.normal(size=30) * 1e300, rng.normal(size=30) * 1e-300, [0.0, 5e-324]]
    )
    xs = rng.permutation(np.concatenate([xs, xs[:40]]))
    if order != "random":
        xs = np.sort(xs)[:: 1 if order == "sorted" else -1]
    pairs = [(float(x), int((x > 0.3) ^ (rng.random() < 0.2))) for x in xs]
    c = RealThresholds()
    engine = engine_for(c, KTPrior())
    agree(engine, rows_for(c, KTPrior()), pairs)
    rule = engine.best_rule()
    assert sum(rule(x) != y for x, y in pairs) == engine.best_loss
    again, (points, ys, p) = engine_for(c, KTPrior()), arrays(pairs)
    again.run(points, ys, p, Limits())
    assert p.tolist() == [*step_by_step(engine_for(c, KTPrior()), pairs)]


def test_masses_below_every_double() -> None:
    # Wrong (the middle is a tie), right, wrong, right, ...: a mass near 2^-n on the path just above 0.
    c, x, pairs = RealThresholds(), 1.0, [(0.0, 0), (1.0, 1)]
    for i in range(1000):
        x *= 0.9 if i % 2 else 0.5
        pairs.append((x, 1))
    engine, rows = engine_for(c, KTPrior(), 0.5), rows_for(c, KTPrior(), 0.5)
    agree(engine, rows, pairs, within=1e-11)
    assert wants_logs(engine)
    other = OrderedEngine(c, KTPrior())
    other.restore(engine.state())
    other.rate = 0.5
    assert wants_logs(other)
    assert other.probability(1e-200) == engine.probability(1e-200)


@pytest.mark.parametrize("n", [0, 1, 7, 19, 20, 21, 500, 3000])
def test_kt_masses_to_the_last_digits(n: int) -> None:
    from adeptree.families.line.line_kernels import kt_log_mass

    for k in {0, 1 % (n + 1), n // 3, n // 2, n}:
        mass = Fraction(1)
        for i in range(n):  # the k mistakes first; the order makes no difference
            mass *= Fraction(2 * (i if i < k else i - k) + 1, 2 * (i + 1))
        exact = math.log(mass.numerator) - math.log(mass.denominator)
        assert kt_log_mass(k, n) == pytest.approx(exact, rel=1e-11, abs=1e-14)


# --------------------------------------------------------------------------------------------------- speculation


def test_looking_commits_nothing_and_is_counted_once() -> None:
    c = at.Thresholds(50)
    engine, alone = engine_for(c, KTPrior()), engine_for(c, KTPrior())
    learner = at.Adept(c, horizon=100, engine="paths")
    for x, y in line_stream(7, 50, 60):
        for seen in (x, 49 - x, x, x):
            learner.predict_proba(seen)
            assert engine.probability(seen) == engine.probability(seen)
        learner.discard()
        engine.discard()
        learner.predict_proba(x)
        assert engine.probability(x) == alone.probability(x)
        learner.learn(x, y)
        engine.commit(x, y)
        alone.commit(x, y)
        assert engine.queries == learner.queries
    engine.commit(20, 1)
    learner.learn(20, 1)
    assert engine.queries == learner.queries, "a commit without a look asks too"


def test_a_changed_rate_is_seen_at_a_point_looked_at_before() -> None:
    c = at.Thresholds(50)
    engine, rows = engine_for(c, KTPrior(), 0.1), rows_for(c, KTPrior(), 0.1)
    agree(engine, rows, line_stream(8, 50, 30))
    engine.probability(20)
    asked = engine.queries.asked
    engine.rate = rows.rate = 2.0
    assert engine.probability(20) == pytest.approx(rows.probability(20), abs=1e-12)
    assert engine.queries.asked == asked


def test_predicting_past_the_horizon_uses_capacities_of_one() -> None:
    c = at.Thresholds(GRID)
    prior = PaperPrior(T=3, M=62)
    engine, rows = engine_for(c, prior), rows_for(c, prior)
    agree(engine, rows, [(2**61 - 1, 1), (2**60 - 1, 1), (2**59 - 1, 1)])
    assert engine.probability(2**58 - 1) == pytest.approx(rows.probability(2**58 - 1), abs=1e-12)


# --------------------------------------------------------------------------------------------------------- batches


@pytest.mark.parametrize("kt", [False, True])
def test_a_batch_is_the_same_as_step_by_step(kt: bool) -> None:
    c, T = at.Thresholds(2**30), 2500
    prior = KTPrior() if kt else paper(c, T)
    pairs = line_stream(9, c.n, T)
    xs, ys, p = arrays(pairs)
    one, many = engine_for(c, prior), engine_for(c, prior)
    one.probability(xs[0].item())
    many.probability(xs[0].item())
    played = 0
    for part in (1, 700, 1799):
        rest = slice(played, played + part)
        played += many.run(xs[rest], ys[rest], p[rest], Limits())
    assert [*step_by_step(one, pairs)] == p.tolist()
    assert (one.width, one.best_loss, one.queries) == (many.width, many.best_loss, many.queries)


def test_a_batch_stops_after_the_round_that_reaches_a_limit() -> None:
    c, T = at.Thresholds(1000), 800
    pairs = line_stream(10, c.n, T)
    xs, ys, p = arrays(pairs)
    best, gaps = [], []
    engine = engine_for(c, KTPrior())
    for (_, y), q in zip(pairs, step_by_step(engine, pairs), strict=True):
        best.append(engine.best_loss)
        gaps.append(mixability_gap(abs(q - y), 0.0, 0.3))
    # (The generator is ahead of the commit: entry t of ``best`` is L* before round t.)
    best = [*best[1:], engine.best_loss]
    for bound in (0, 1, 7, 50):
        assert engine_for(c, KTPrior()).run(xs, ys, p, Limits(best_loss=bound)) == best.index(max(bound, best[0])) + 1
    total = np.cumsum(gaps)
    for gap in (0.0, 0.5 * (total[3] + total[4]), 0.5 * (total[600] + total[601])):
        expected = int(np.searchsorted(total, gap)) + 1
        assert engine_for(c, KTPrior()).run(xs, ys, p, Limits(gap=gap)) == expected
    assert engine_for(c, KTPrior()).run(xs, ys, p, Limits(1e9, 1e9)) == T


def test_a_batch_takes_lists_and_refuses_what_is_not_on_the_line() -> None:
    c = at.Thresholds(10)
    engine = engine_for(c, KTPrior())
    p = np.empty(2)
    assert engine.run([3, 4], np.array([0, 1]), p, Limits()) == 2
    for wrong in ([3, 10], [-1, 3], [0.5, 1.0], [True, False], ["a", "b"], [2**70, 1]):
        with pytest.raises(InvalidInstance, match=r"0\.\.9"):
            engine.run(wrong, np.array([0, 1]), p, Limits())
    with pytest.raises(InvalidInstance, match="finite"):
        engine_for(RealThresholds(), KTPrior()).run([0.5, math.nan], np.array([0, 1]), p, Limits())
    assert engine.run([3.0, 4.0], np.array([0, 1]), p, Limits()) == 2
    assert (engine.width, engine.best_loss) == (3, 0)


# ----------------------------------------------------------------------------------------------------------- account


@pytest.mark.parametrize("kt", [False, True])
def test_leader_and_potential(kt: bool) -> None:
    c = at.Thresholds(400)
    prior = KTPrior() if kt else paper(c, 500)
    engine, rows = engine_for(c, prior), rows_for(c, prior)
    for x, y in line_stream(11, c.n, 300):
        engine.commit(x, y)
        rows.commit(x, y)
    mass = prior.log_mass(300, rows.k, rows.n) - prior.log_total
    best = rows.losses == rows.best_loss
    top = np.flatnonzero(best & (mass == mass[best].max()))
    leader = engine.leader()
    assert leader in [Leader(rows.best_loss, int(rows.k[i]), int(rows.n[i]), float(mass[i])) for i in top]
    potential = log_sum(log_weights(mass, rows.losses, rows.best_loss, 0.3))
    assert engine.log_potential() == pytest.approx(potential, abs=1e-12)


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
@pytest.mark.parametrize("kt", [False, True])
def test_below_64_bytes_a_cell_and_no_deep_tree(kt: bool, order: str) -> None:
    c, T = at.Thresholds(2**40), 150_000
    engine = engine_for(c, KTPrior() if kt else paper(c, T), 0.05)
    xs, ys, p = arrays(line_stream(12, c.n, T, order))
    engine.run(xs, ys, p, Limits())
    header, kernels = engine._memory.header, engine._kernels
    assert engine.nbytes < 64 * engine.width
    # No child has more than 7/10 of the buckets, but for subtrees of fewer than 8.
    assert header[kernels.DEPTH] <= math.log(header[kernels.BUCKETS] / 8, 10 / 7) + 8


# ------------------------------------------------------------------------------------------------------------- saving


@pytest.mark.parametrize("kt", [False, True])
def test_saved_in_the_middle_is_as_never_stopped_to_the_last_bit(kt: bool) -> None:
    c, T = at.Thresholds(2**35), 3000
    prior = KTPrior() if kt else paper(c, T)
    alone = engine_for(c, prior)
    xs, ys, p = arrays(line_stream(13, c.n, T))
    alone.run(xs, ys, p, Limits())
    stopped, q, played = engine_for(c, prior), np.empty(T), 0
    for part in (1, 70, 900, 2029):
        rest = slice(played, played + part)
        played += stopped.run(xs[rest], ys[rest], q[rest], Limits())
        state, engine = stopped.state(), OrderedEngine(c, prior)
        assert all(isinstance(value, int) or value.dtype == np.int64 for value in state.values())
        engine.restore(state)
        engine.rate = stopped.rate
        stopped = engine
    assert p.tolist() == q.tolist()
    assert (alone.width, alone.best_loss) == (stopped.width, stopped.best_loss)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda engine: pickle.loads(pickle.dumps(engine))])
def test_a_copy_lives_on_its_own(duplicate: Any) -> None:
    c = at.Thresholds(10**6)
    pairs = line_stream(14, c.n, 900)
    engine, alone = engine_for(c, KTPrior()), engine_for(c, KTPrior())
    first = [*step_by_step(engine, pairs[:300])]
    engine.probability(7)
    other = duplicate(engine)
    assert (other.rate, other.queries, other.width) == (engine.rate, engine.queries, engine.width)
    assert other.queries is not engine.queries
    rest = [*step_by_step(engine, pairs[300:])]
    del engine
    assert [*step_by_step(other, pairs[300:])] == rest
    assert [*step_by_step(alone, pairs)] == first + rest


def test_going_on_with_the_paths_of_another_engine() -> None:
    c, T = at.Thresholds(3000), 700
    prior = paper(c, T)
    rows = rows_for(c, prior)
    pairs = line_stream(15, c.n, T)
    for x, y in pairs[:400]:
        rows.commit(x, y)
    engine = OrderedEngine.from_cells(c, prior, rows.cells(), rounds=400)
    engine.rate = 0.3
    agree(engine, rows, pairs[400:])
    again = engine.cells()
    for name in ("low", "high", "mistakes", "contested", "losses"):
        assert getattr(again, name).dtype == np.int64
    assert again.high[-1] == 3000


def test_damaged_trees_are_refused() -> None:
    c = at.Thresholds(1000)
    engine = engine_for(c, KTPrior())
    for x, y in line_stream(16, c.n, 400):
        engine.commit(x, y)
    state = engine.state()
    # A tree that is one long branch would be right, but deeper than the engine has room for.
    branch = np.array([size for rest in range(200, 1, -1) for size in (rest, 1)] + [1])
    wrong = [
        {"sizes": state["sizes"][:-1]},
        {"sizes": state["sizes"][::-1]},
        {"sizes": state["sizes"] + 1},
        {"counts": state["counts"] + 1},
        {"counts": state["counts"] * 0},
        {"low": state["low"][::-1]},
        {"low": state["low"] + 1},
        {"low": state["low"] * 10},
        {"mistakes": state["mistakes"] - 1},
        {"counts": _split(engine.width, 200), "sizes": branch},
    ]
    for changed in wrong:
        with pytest.raises(DamagedFile):
            OrderedEngine(c, KTPrior()).restore(state | changed)
    OrderedEngine(c, KTPrior()).restore(
        state | {"counts": _split(engine.width, 8), "sizes": Shape.for_cells(8 * 48).sizes}
    )


def _split(cells: int, buckets: int) -> Any:
    return np.array([len(part) for part in np.array_split(np.arange(cells), buckets)])


# ------------------------------------------------------------------------------------------------ what it is for


def test_what_it_is_not_for() -> None:
    with pytest.raises(InvalidArgument, match="must be an int in"):
        OrderedEngine(at.Thresholds(GRID + 1), KTPrior())
    with pytest.raises(InvalidArgument, match="real_thresholds"):
        OrderedEngine(at.Intervals(10), KTPrior())
    with pytest.raises(InvalidArgument, match="M must be at least 4"):
        OrderedEngine(at.Thresholds(16), PaperPrior(T=100, M=3))
    OrderedEngine(at.Thresholds(16), PaperPrior(T=2, M=4))
    with pytest.raises(InvalidArgument, match="M must be at least 100"):
        OrderedEngine(RealThresholds(), PaperPrior(T=100, M=30))
    engine = OrderedEngine(at.Thresholds(16), KTPrior())
    engine.restore(engine.state() | {"rounds": 2**31 - 3})
    with pytest.raises(TooLarge, match="2147483646 rounds"):
        engine.commit(3, 1)


def test_without_numba_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OrderedEngine.available() == (True, "")
    monkeypatch.setattr(ordered, "find_spec", lambda name: None)
    assert OrderedEngine.available() == (False, ordered._MISSING)
    monkeypatch.setitem(__import__("sys").modules, "adeptree.families.line.line_memory", None)
    monkeypatch.delattr("adeptree.families.line.line_memory", raising=False)
    with pytest.raises(MissingExtra, match="fast"):
        OrderedEngine(at.Thresholds(5), KTPrior())
