"""The engine of thresholds gives the numbers of the paths themselves, round by round, and stays exact when saved."""

from __future__ import annotations

import copy
import math
import pickle
import tracemalloc
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from kernel_forms import BUILT, forms_of, play_many
from long_form import times
from strategies import steady

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import DamagedFile
from adeptree.families.line import thresholds_engine
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.registry import default_base, frontier_of
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Engine
from adeptree.roles.kernel_engine import NO_COSTS
from adeptree.theory.mixture import log_capacities
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

Pairs = list[tuple[Any, int]]
GRID = 2**62
PRIORS = ["paper", "kt", "mixed"]
FORMS = forms_of("adeptree.structures.thresholds_kernel")


def prior_of(name: str, c: Any, T: int) -> Prior:
    if name == "mixed":
        return MixedPrior(None, frontier_of(c).log_size, of_floats=isinstance(c, at.RealThresholds))
    return KTPrior() if name == "kt" else PaperPrior(T, c.littlestone_dimension)


def engine_for(c: Any, prior: Prior, rate: float = 0.3) -> ThresholdsEngine:
    engine = ThresholdsEngine(c, prior)
    engine.rate, engine.kernel.scale = rate, math.inf
    return engine


def paths_for(c: Any, prior: Prior, rate: float = 0.3) -> Paths:
    paths = Paths(c, default_base(c), prior)
    paths.rate = rate
    return paths


def both_for(c: Any, prior: Prior, rate: float = 0.3) -> tuple[ThresholdsEngine, Paths]:
    return engine_for(c, prior, rate), paths_for(c, prior, rate)


def line_stream(seed: int, n: int, T: int, order: str = "random") -> Pairs:
    """Noisy labels of a threshold; a quarter of the points come again."""
    rng = np.random.default_rng(seed)
    xs = rng.integers(n, size=T)
    xs[rng.random(T) < 0.25] = xs[0]
    if order != "random":
        xs = np.sort(xs)[:: 1 if order == "sorted" else -1]
    ys = (xs >= n // 3) ^ (rng.random(T) < 0.2)
    return list(zip(xs.tolist(), ys.astype(int).tolist(), strict=True))


def play(engine: ThresholdsEngine, pairs: Pairs, costs: Any = NO_COSTS) -> list[float]:
    """Play a batch, and return the chances of guessing 1."""
    xs, ys = zip(*pairs, strict=True)
    p = np.full(len(xs), np.nan)
    assert engine.batch(list(xs)) == len(xs)
    assert play_many(engine, np.array(ys, dtype=np.int64), costs, p, 0) == len(xs)
    return p.tolist()


def step_by_step(engine: Engine, pairs: Pairs) -> Iterator[float]:
    for x, y in pairs:
        yield engine.probability(x)
        engine.commit(x, y)


def same_odds(ours: Any, theirs: Any, within: float = 1e-9) -> bool:
    close = ours.log_odds == pytest.approx(theirs.log_odds, abs=within, rel=1e-9)
    return bool(ours.p == pytest.approx(theirs.p, abs=within, rel=0) and close)


def agree(engine: ThresholdsEngine, paths: Paths, pairs: Pairs, within: float = 1e-10, weights: Any = None) -> None:
    for t, (x, y) in enumerate(pairs):
        assert same_odds(engine.odds(x), paths.odds(x), within), t
        weight = 1 if weights is None else weights[t % len(weights)]
        engine.commit(x, y, weight)
        paths.commit(x, y, weight)
        assert engine.width == paths.width and engine.best_loss == pytest.approx(paths.best_loss)
    assert engine.queries == paths.queries


# --------------------------------------------------------------------------------------------- the same numbers


@st.composite
def games(draw: st.DrawFn) -> tuple[int, Pairs]:
    n = draw(st.sampled_from([1, 2, 3, 7, 20, 1000, GRID]))
    points = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=25))
    xs = draw(st.sampled_from([points, sorted(points), sorted(points, reverse=True), points + points]))
    return n, [(x, draw(st.integers(0, 1))) for x in xs]


rates = st.sampled_from([0.0, 1e-9, 0.05, 0.7, 3.0, 12.0, 60.0, 1e3, 1e6])
WEIGHTS: list[Any] = [None, [1, 2, 0, 5], [0.25, 3.7, 1], [1e-6, 40.0]]


@pytest.mark.parametrize("prior", PRIORS)
@given(game=games(), rate=rates, spare=st.integers(0, 40), weights=st.sampled_from(WEIGHTS))
@steady
def test_probabilities_are_those_of_the_paths(
    prior: str, game: tuple[int, Pairs], rate: float, spare: int, weights: Any
) -> None:
    n, pairs = game
    c = at.Thresholds(n)
    known = prior_of(prior, c, len(pairs) + spare)  # (T < M in many of them)
    agree(*both_for(c, known, rate), pairs, 1e-9, weights)


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
@pytest.mark.parametrize("prior", PRIORS)
def test_many_rounds_across_split_buckets(prior: str, order: str) -> None:
    c, T = at.Thresholds(10**6), 1500
    engine, paths = both_for(c, prior_of(prior, c, T), 0.1)
    pairs = line_stream(2, c.n, T, order)
    p = play(engine, pairs)
    for t, (x, y) in enumerate(pairs):
        if t % 25 == 0 or t > T - 5:
            assert p[t] == pytest.approx(paths.probability(x), abs=1e-10, rel=0)
        paths.commit(x, y)
    assert len(engine.state()["counts"]) > 30
    ours, theirs = engine.rows(), paths.rows()
    order_of = np.argsort([paths.frontier.concept(row).start for row in range(paths.width)])  # type: ignore[attr-defined]
    for name in ("losses", "mistakes", "contested"):
        assert getattr(ours, name).tolist() == getattr(theirs, name)[order_of].tolist(), name
    assert ours.log_mass == pytest.approx(theirs.log_mass[order_of], abs=1e-9)
    rule = engine.best_rule()
    assert sum(rule(x) != y for x, y in pairs) == paths.best_loss


@pytest.mark.parametrize("prior", PRIORS)
def test_the_rate_may_change_in_the_middle(prior: str) -> None:
    c = at.Thresholds(5000)
    engine, paths = both_for(c, prior_of(prior, c, 600))
    pairs = line_stream(3, c.n, 600)
    for i, rate in enumerate([0.5, 0.0, 4.0, 1e-7, 0.02, 11.0]):
        engine.rate = paths.rate = rate
        agree(engine, paths, pairs[100 * i : 100 * i + 100])


def test_first_order_rates_on_their_grid_are_those_of_the_paths() -> None:
    c, T = at.Thresholds(40), 900
    engine, paths = both_for(c, prior_of("paper", c, T))
    learner = at.Adept(c, T, rate="first-order", engine="collapsed")
    for x, y in line_stream(4, c.n, T):
        engine.rate = paths.rate = learner.learning_rate
        assert learner.predict_proba(x) == engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-10)
        for one in (engine, paths):
            one.commit(x, y)
        learner.learn(x, y)
    assert learner.learning_rate < 0.5


def test_a_short_table_of_losses_grows_with_the_rounds() -> None:
    c, T = at.Thresholds(3), 10_000
    engine, paths = both_for(c, prior_of("paper", c, T), 1e-3)
    pairs = [(1, int(t % 10 == 0)) for t in range(T)]
    p = play(engine, pairs)
    for t, (x, y) in enumerate(pairs):
        if t % 500 == 0:
            assert p[t] == pytest.approx(paths.probability(x), abs=1e-12, rel=0)
        paths.commit(x, y)


@pytest.mark.parametrize("labels", ["ones", "zeros", "random"])
@pytest.mark.parametrize("rate", [0.0, 0.05, 6.0])
def test_capacities_far_apart(labels: str, rate: float) -> None:
    # The middle is a tie, so the base learner says 0: the paths just above 0 collect up to 60 mistakes.
    c, prior = at.Thresholds(GRID), PaperPrior(T=700_000, M=62)
    rng = np.random.default_rng(4)
    y = {"ones": np.ones(160), "zeros": np.zeros(160), "random": rng.integers(2, size=160)}[labels].astype(int).tolist()
    pairs = [((1 << (61 - i)) - 1 if i < 60 else int(rng.integers(GRID)), y[i]) for i in range(160)]
    assert 600 < prior.log_total < thresholds_engine.WIDEST
    agree(*both_for(c, prior, rate), pairs)


@pytest.mark.parametrize(("n", "M"), [(0, 3), (1, 3), (5, 5), (6, 2), (40, 40), (10**6, 62), (3, 62)])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_the_row_of_capacities_is_theorys(form: Any, n: int, M: int) -> None:
    """Two paths that differ by a mistake weigh W(k) : W(k + 1), with n rounds to come."""
    logs = log_capacities(n, M)
    kernel = form.ThresholdsKernel(False, -1, GRID, (), (), 0.0, n + 1 + M, M)
    for k in range(M):
        assert kernel.chance((1 << (61 - k)) - 1) >= 0.0
        if kernel.ledger.answered == k:
            kernel.ledger.answered = M  # n rounds to come after the one looked at
            right, wrong = logs[M - k], logs[M - k - 1]
            kernel.discard()
            p = kernel.chance((1 << (61 - k)) - 1)  # the gap's middle, where the base learner says 0
            if k == 0:
                assert p == pytest.approx(1 / (1 + math.exp(right - wrong)), rel=1e-12)
                assert kernel.log_ratio() == pytest.approx(wrong - right, abs=1e-11)
            kernel.ledger.answered = k
        kernel.learn((1 << (61 - k)) - 1, 1)


# ----------------------------------------------------------------------------------------------- the real line


@pytest.mark.parametrize("prior", ["kt", "mixed"])
@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
def test_the_real_line(order: str, prior: str) -> None:
    rng = np.random.default_rng(6)
    odd = [0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 2.2e-308, math.nextafter(1.0, 2.0), 1.0]
    xs = np.concatenate([rng.normal(size=150), rng.normal(size=30) * 1e300, rng.normal(size=30) * 1e-300, odd, odd])
    xs = rng.permutation(np.concatenate([xs, xs[:40]]))
    if order != "random":
        xs = np.sort(xs)[:: 1 if order == "sorted" else -1]
    c = at.RealThresholds()
    pairs = [(c.instance(x), int((x > 0.3) ^ (rng.random() < 0.2))) for x in xs.tolist()]
    engine, paths = both_for(c, prior_of(prior, c, 0))
    agree(engine, paths, pairs)
    rule = engine.best_rule()
    assert sum(rule(x) != y for x, y in pairs) == engine.best_loss
    again = engine_for(c, prior_of(prior, c, 0))
    assert play(again, pairs) == [*step_by_step(engine_for(c, prior_of(prior, c, 0)), pairs)]


def test_zero_has_one_place_on_the_line() -> None:
    engine = engine_for(at.RealThresholds(), KTPrior())
    for x in (0.0, -0.0, 0):
        engine.commit(x, 1)
    assert engine.width == 2


def test_masses_below_every_double() -> None:
    # Wrong (the middle is a tie), right, wrong, right, ...: a mass near 2^-n on the path just above 0.
    c, x, pairs = at.RealThresholds(), 1.0, [(0.0, 0), (1.0, 1)]
    for i in range(1000):
        x *= 0.9 if i % 2 else 0.5
        pairs.append((x, 1))
    engine, paths = both_for(c, KTPrior(), 0.5)
    for x, y in pairs:
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)
        engine.commit(x, y)
        paths.commit(x, y)
    assert paths.rows().log_mass.min() < -600 and engine.best_loss == paths.best_loss


# ----------------------------------------------------------------------------------------------------- late labels


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("rate", [1e-6, 0.4, 5.0, 80.0])
def test_late_labels_in_any_order_are_those_of_the_paths(prior: str, rate: float) -> None:
    c, rng = at.Thresholds(60), np.random.default_rng(8)
    engine, paths = both_for(c, prior_of(prior, c, 400), rate)
    waiting: list[tuple[int, int, float]] = []
    for t in range(300):
        x, y, weight = int(rng.integers(60)), int(rng.integers(2)), float(rng.choice([1, 3, 0.5, 0]))
        assert same_odds(engine.odds(x), paths.odds(x)), t
        what = rng.random()
        if what < 0.4:
            waiting.append((t, x, engine.probability(x)))
            engine.kernel.open(x, 1)
            paths.open(t, x)
        elif what < 0.7 and waiting:
            ticket, x, p = waiting.pop(int(rng.integers(len(waiting))))
            now = paths.odds_of(ticket)
            engine.discard()
            before = engine.kernel.ledger.drift
            engine.kernel.settle(x, y, weight, p, 0.0, 1, 2)
            paths.settle(ticket, y, weight)
            drift = weight * (abs(p - y) - abs(now.p - y))
            assert engine.kernel.ledger.drift - before == pytest.approx(drift, abs=1e-9)
        else:
            engine.commit(x, y, weight)
            paths.commit(x, y, weight)
        assert engine.width == paths.width and engine.best_loss == pytest.approx(paths.best_loss)
        assert engine.kernel.ledger.waiting == len(waiting)
    assert engine.leader().log_prior == pytest.approx(paths.leader().log_prior, abs=1e-9)


# --------------------------------------------------------------------------------------------------- speculation


def test_looking_commits_nothing_and_is_counted_once() -> None:
    c = at.Thresholds(50)
    engine, alone, paths = engine_for(c, KTPrior()), engine_for(c, KTPrior()), paths_for(c, KTPrior())
    for x, y in line_stream(7, 50, 60):
        for seen in (x, 49 - x, x, x):
            paths.probability(seen)
            assert engine.probability(seen) == engine.probability(seen)
        paths.discard()
        engine.discard()
        paths.probability(x)
        assert engine.probability(x) == alone.probability(x)
        for one in (engine, alone, paths):
            one.commit(x, y)
        assert engine.queries == paths.queries
    engine.commit(20, 1)
    paths.commit(20, 1)
    assert engine.queries == paths.queries, "a commit without a look asks too"


def test_a_changed_rate_is_seen_at_a_point_looked_at_before() -> None:
    c = at.Thresholds(50)
    engine, paths = both_for(c, KTPrior(), 0.1)
    agree(engine, paths, line_stream(8, 50, 30))
    engine.probability(20)
    asked = engine.queries.asked
    engine.rate = paths.rate = 2.0
    assert engine.probability(20) == pytest.approx(paths.probability(20), abs=1e-12)
    assert engine.queries.asked == asked


def test_predicting_past_the_horizon_uses_capacities_of_one() -> None:
    c, prior = at.Thresholds(GRID), PaperPrior(T=3, M=62)
    engine, paths = both_for(c, prior)
    agree(engine, paths, [(2**61 - 1, 1), (2**60 - 1, 1), (2**59 - 1, 1)])
    assert engine.probability(2**58 - 1) == pytest.approx(paths.probability(2**58 - 1), abs=1e-12)


# --------------------------------------------------------------------------------------------------------- batches


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_a_batch_is_the_same_as_step_by_step(prior: str, weighed: bool) -> None:
    c, T = at.Thresholds(2**30), 1500
    pairs, known = line_stream(9, c.n, T), prior_of(prior, c, T)
    costs = np.random.default_rng(1).choice([1.0, 2.0, 0.3], T) if weighed else NO_COSTS
    one, many = engine_for(c, known), engine_for(c, known)
    one.probability(pairs[0][0])
    many.probability(pairs[0][0])
    p = [q for a, b in ((0, 1), (1, 700), (700, T)) for q in play(many, pairs[a:b], costs[a:b])]
    for t, (x, y) in enumerate(pairs):
        assert one.probability(x) == p[t]
        one.commit(x, y, costs[t] if weighed else 1)
    assert (one.width, one.best_loss, one.queries) == (many.width, many.best_loss, many.queries)
    assert one.kernel.ledger.copy() == many.kernel.ledger.copy()
    xs = [x for x, _ in pairs[:99]]
    assert many.probabilities(xs).tolist() == [one.probability(x) for x in xs]


def test_a_batch_stops_after_the_round_in_which_the_rate_is_due() -> None:
    c, T = at.Thresholds(1000), 800
    pairs = line_stream(10, c.n, T)
    engine, best, gaps = engine_for(c, KTPrior()), [], []
    for x, y in pairs:
        engine.commit(x, y)
        best.append(engine.best_loss)
        gaps.append(engine.kernel.ledger.gap)
    labels, p = np.array([y for _, y in pairs], dtype=np.int64), np.empty(T)

    def stops(rounds: float = math.inf, best_loss: float = math.inf, gap: float = math.inf) -> int:
        fresh = engine_for(c, KTPrior())
        fresh.kernel.set_limits(rounds, best_loss, gap)
        fresh.batch([x for x, _ in pairs])
        played = play_many(fresh, labels, NO_COSTS, p, 0)
        assert fresh.kernel.due == (played < T or min(rounds - T, best_loss - best[-1], gap - gaps[-1]) <= 0)
        assert fresh.kernel.ledger.rounds == played
        return played

    for bound in (0, 1, 7, 50):
        assert stops(best_loss=bound) == best.index(max(bound, best[0])) + 1
    for gap in (0.0, 0.5 * (gaps[3] + gaps[4]), 0.5 * (gaps[600] + gaps[601])):
        assert stops(gap=gap) == int(np.searchsorted(gaps, gap)) + 1
    assert (stops(rounds=1), stops(rounds=333), stops(1e9, 1e9, 1e9)) == (1, 333, T)


# ----------------------------------------------------------------------------------------------------------- account


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("prior", PRIORS)
def test_leader_and_potential(prior: str, weights: Any) -> None:
    c = at.Thresholds(400)
    engine, paths = both_for(c, prior_of(prior, c, 500))
    for t, (x, y) in enumerate(line_stream(11, c.n, 300)):
        for one in (engine, paths):
            one.commit(x, y, 1 if weights is None else weights[t % len(weights)])
        if t % 20 == 0:
            ours, theirs = engine.leader(), paths.leader()
            assert ours.loss == pytest.approx(theirs.loss)
            assert ours.log_prior == pytest.approx(theirs.log_prior, abs=1e-9)
            assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)
    if weights is None:
        assert isinstance(engine.best_loss, int)


@pytest.mark.parametrize("order", ["random", "sorted", "reversed"])
@pytest.mark.parametrize("prior", PRIORS)
def test_few_bytes_per_value_and_no_deep_tree(prior: str, order: str) -> None:
    c, T = at.Thresholds(2**40), 20_000 if COMPILED else 4_000
    pairs = line_stream(12, c.n, T, order)
    tracemalloc.start()
    engine = engine_for(c, prior_of(prior, c, T), 0.05)
    play(engine, pairs)
    engine.batch([1])
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # (Sorted points leave every bucket half full; the mixture keeps three parts per gap, the paper's prior sums per k.)
    assert taken / engine.width < {"kt": 90, "mixed": 130, "paper": 120}[prior] * (1 if order == "random" else 1.5)
    state = engine.state()
    # No child has more than 7/10 of the buckets, except in subtrees of fewer than 8.
    assert depth_of(state["sizes"]) <= math.log(len(state["counts"]) / 8, 10 / 7) + 8


def depth_of(sizes: Any) -> int:
    deepest, waiting = 0, [0]
    for size in sizes.tolist():
        depth = waiting.pop()
        deepest = max(deepest, depth)
        if size > 1:
            waiting += [depth + 1, depth + 1]
    return deepest


# ------------------------------------------------------------------------------------------------------------- saving


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("prior", PRIORS)
def test_saved_in_the_middle_is_as_never_stopped_to_the_last_bit(prior: str, weighed: bool) -> None:
    c, T = at.Thresholds(2**35), 2000
    known, pairs = prior_of(prior, c, T), line_stream(13, c.n, T)
    costs = np.random.default_rng(1).choice([1.0, 2.0, 0.3], T) if weighed else NO_COSTS
    alone, stopped, q = engine_for(c, known), engine_for(c, known), []
    p = play(alone, pairs, costs)
    for a, b in ((0, 1), (1, 71), (71, 900), (900, T)):
        q += play(stopped, pairs[a:b], costs[a:b])
        engine = ThresholdsEngine(c, known)
        engine.kernel.ledger.back_to(stopped.kernel.ledger.copy())
        engine.restore(pickle.loads(pickle.dumps(stopped.state())))
        engine.rate, engine.kernel.scale = stopped.rate, math.inf
        stopped = engine
    assert p == q
    assert (alone.width, alone.best_loss, alone.leader()) == (stopped.width, stopped.best_loss, stopped.leader())


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda engine: pickle.loads(pickle.dumps(engine))])
def test_a_copy_lives_on_its_own(duplicate: Any) -> None:
    c = at.Thresholds(10**6)
    pairs = line_stream(14, c.n, 600)
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


def test_damaged_trees_are_refused() -> None:
    c = at.Thresholds(1000)
    engine = engine_for(c, KTPrior())
    for x, y in line_stream(16, c.n, 400):
        engine.commit(x, y)
    state = engine.state()
    # A tree that is one long branch would be right, but deeper than the engine has room for.
    branch = np.array([size for rest in range(200, 1, -1) for size in (rest, 1)] + [1])
    one = np.zeros(engine.width)
    one[7] = 1
    wrong = [
        {"sizes": state["sizes"][:-1]},
        {"sizes": state["sizes"][::-1]},
        {"sizes": state["sizes"] + 1},
        {"sizes": state["sizes"].astype(np.float64)},
        {"counts": state["counts"] + 1},
        {"counts": state["counts"] * 0},
        {"counts": _split(engine.width, 200), "sizes": branch},
        {"keys": state["keys"][::-1]},
        {"keys": state["keys"] + 1},
        {"keys": np.append(state["keys"][:-1], 1000)},
        {"keys": state["keys"].astype(np.float64)},
        {"keys": state["keys"].reshape(-1, 1)},
        {"wrong": state["wrong"] - 1},
        {"wrong": state["contested"] + 1},
        {"contested": np.full_like(state["contested"], 2**31 - 1)},
        {"contested": state["contested"] + len(state["contested"])},
        {"mass": state["mass"] * 0},
        {"mass": state["mass"] + 1},
        {"mass": np.where(one, np.nan, state["mass"])},
        {"part": state["part"][:-1]},
        {"part": state["part"] + 1},
        {"gain": np.where(one, np.inf, state["gain"])},
        {"gain": np.where(one, 1e300, state["gain"])},
        {"gain": np.where(one, 0.5, state["gain"])},
        {"gain": state["gain"][1:]},
        {"zeros": -1.0},
        {"zeros": math.nan},
        {"zeros": state["charged"] + 1},
        {"charged": math.inf},
        {"charged": 0.0},
        {"whole": 1},
    ]
    for changed in wrong:
        with pytest.raises((DamagedFile, ValueError)):
            ThresholdsEngine(c, KTPrior()).restore(state | changed)
            pytest.fail(f"{changed} was believed")
    ThresholdsEngine(c, KTPrior()).restore(state | {"counts": _split(engine.width, 8 * 3), "sizes": _balanced(8 * 3)})
    paper = engine_for(c, PaperPrior(T=400, M=10))
    plain = {"mass": np.ones(engine.width), "part": np.empty(0)}
    with pytest.raises((DamagedFile, ValueError)):  # more mistakes than there are columns
        paper.restore(
            state | plain | {"wrong": np.where(one, 11, 0).astype(np.int32), "contested": state["contested"] * 0 + 11}
        )


def _balanced(buckets: int) -> Any:
    """Return the sizes of the most balanced tree, in preorder."""
    sizes, waiting = [], [buckets]
    while waiting:
        sizes.append(size := waiting.pop())
        if size > 1:
            waiting += [size - size // 2, size // 2]
    return np.array(sizes, dtype=np.int64)


def _split(cells: int, buckets: int) -> Any:
    return np.array([len(part) for part in np.array_split(np.arange(cells), buckets)])


# ------------------------------------------------------------------------------------- two forms, and whole rounds


def driven(form: Any, measure: tuple[Any, ...], pairs: Pairs, rate: float) -> list[Any]:
    """All that a kernel says, as hex, while it is driven through every kind of call."""
    kernel, said = form.ThresholdsKernel(*measure), []
    kernel.seed, kernel.scale = 12345, 9.0
    kernel.set_rate(rate)
    waiting: list[tuple[Any, float]] = []
    for t, (x, y) in enumerate(pairs):
        said += [kernel.chance(x).hex(), kernel.log_ratio().hex()]
        if t % 7 == 3:
            waiting.append((x, kernel.p))
            kernel.open(x, 0)
        elif t % 7 == 5:
            z, p = waiting.pop(t % len(waiting))
            kernel.settle(z, y, 1.0, p, 0.0, t % 2, t % 3)
        else:
            kernel.learn(x, y, (1.0, 3.0, 0.4)[t % 3] if t > len(pairs) // 2 else 1.0)
        if t % 50 == 49:
            kernel.set_rate(rate / (1 + t / 50))
        said += [kernel.least().hex(), kernel.count(), kernel.asked, kernel.stamp]
    keys = np.array([kernel.x] * 3, dtype=np.int64)
    kernel.give(keys)
    ps = np.empty(3)
    kernel.run(np.array([1, 0, 1], dtype=np.int64), np.array([1.0, 2.0, 0.5]), ps, 0, 3)
    slots = {name: np.asarray(column).tolist() for name, column in kernel.slots().items()}
    sums = [value.hex() if isinstance(value, float) else value for value in kernel.ledger.copy()]
    return [*said, [p.hex() for p in ps], slots, sums, kernel.leader()]


@pytest.mark.skipif(not BUILT, reason="no machine code here")
@pytest.mark.parametrize("rate", [1e-9, 0.3, 7.0, 1e6])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("order", ["random", "sorted"])
def test_compiled_is_interpreted_to_the_last_bit(prior: str, order: str, rate: float) -> None:
    for c in [at.Thresholds(1000), at.Thresholds(GRID), *([at.RealThresholds()] if prior != "paper" else [])]:
        known = prior_of(prior, c, 500)
        horizon = (known.T, known.M) if isinstance(known, PaperPrior) else ()
        measure = (*ThresholdsEngine(c, known).measure(), *horizon)
        pairs = line_stream(17, getattr(c, "n", 300), times(200, 400), order)
        if isinstance(c, at.RealThresholds):
            pairs = [((x - 150) * 0.1, y) for x, y in pairs]
            pairs[5:8] = [(5e-324, 1), (-0.0, 0), (1.7e308, 1)]
        interpreted, compiled = (driven(form, measure, pairs, rate) for form in FORMS)
        assert interpreted == compiled


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_what_is_not_plainly_a_point_is_left_to_others(form: Any) -> None:
    grid = form.ThresholdsKernel(False, -1, 10, (1.0,), (0.5,), 0.0)
    for x in (-1, 10, 2**70, -(2**70), True, 3.0, "3", None, np.int64(3), (3,)):
        assert grid.chance(x) == grid.quick_look(x) == -1.0 and grid.quick_round(x, 1) == -1
    line = form.ThresholdsKernel(True, *engine_for(at.RealThresholds(), KTPrior()).measure()[1:3], (1.0,), (0.5,), 0.0)
    others: Any = (math.nan, math.inf, -math.inf, 10**400, -(10**400), True, "3", None, np.float32(3))
    for y in others:
        assert line.chance(y) == line.quick_look(y) == -1.0 and line.quick_round(y, 1) == -1
    for kernel in (grid, line):
        for label in (2, -1, 2**70, 1.0, "1", None, np.int64(1)):
            assert kernel.quick_round(3, label) == -1
        assert kernel.ledger.rounds == 0 and kernel.count() == 1 and kernel.asked == 0
        assert kernel.quick_round(3, True) == kernel.quick_round(3, 0) == 0 and kernel.ledger.rounds == 2


def test_losses_that_no_double_holds_exactly_are_no_addresses() -> None:
    """Whole weights beyond 2^53 in sum: differences of losses are rounded, and must not index a table."""
    c, big = at.Thresholds(50), float(2**40)
    engine, paths = both_for(c, KTPrior(), 1e-12)
    rng = np.random.default_rng(18)
    xs, ys = rng.integers(50, size=9000).tolist(), (rng.random(9000) < 0.99).astype(int).tolist()
    play(engine, list(zip(xs, ys, strict=True)), np.full(9000, big))
    for x, y in zip(xs, ys, strict=True):
        paths.commit(x, y, int(big))
    for t in range(300):
        x, y = xs[t], 1 - ys[t]
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)
        engine.commit(x, y, 1.0)
        paths.commit(x, y, 1)
    engine.rate = 3.0
    for x in range(50):
        assert 0.0 <= engine.probability(x) <= 1.0


def test_a_rate_whose_sums_were_interrupted_is_set_again() -> None:
    tears = [True]

    class Torn(FORMS[0].ThresholdsKernel):  # type: ignore[misc]
        def rebuild(self) -> None:
            if self.eta == 2.0 and tears.pop():
                raise KeyboardInterrupt
            super().rebuild()

    torn, whole = (kind(False, -1, 100, (1.0,), (0.5,), 0.0) for kind in (Torn, FORMS[0].ThresholdsKernel))
    for kernel in (torn, whole):
        kernel.set_rate(0.5)
        for x, y in line_stream(20, 100, 40):
            kernel.learn(x, y)
    with pytest.raises(KeyboardInterrupt):
        torn.set_rate(2.0)
    tears.append(False)
    for kernel in (torn, whole):
        kernel.set_rate(2.0)
    assert [torn.chance(x) for x in range(100)] == [whole.chance(x) for x in range(100)]


def test_a_tree_that_grows_calls_nothing_that_lets_other_threads_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("numpy makes zeros without the lock that keeps other threads out")

    engine = ThresholdsEngine(at.RealThresholds(), KTPrior())
    engine.rate = 0.5
    monkeypatch.setattr(np, "zeros", refuse)
    for i in range(2000):
        engine.commit(i / 2000, i % 2)
    assert engine.width == 2001


@pytest.mark.skipif(not COMPILED, reason="only machine code reads ahead, and only in large trees")
@pytest.mark.parametrize("concept_class", [at.RealThresholds(), at.RealIntervals(), at.RealStumps(["a"])], ids=repr)
def test_what_a_batch_reads_ahead_changes_nothing(concept_class: Any) -> None:
    T, rng = 60_000, np.random.default_rng(23)
    xs, ys = rng.random(T), rng.integers(0, 2, T)
    stumps = isinstance(concept_class, at.RealStumps)
    batch, singly = at.Adept(concept_class), at.Adept(concept_class)
    found = batch.learn_many(xs[:, None] if stumps else xs, ys)
    for t, (x, y) in enumerate(zip(xs.tolist(), ys.tolist(), strict=True)):
        assert singly.predict_proba({"a": x} if stumps else x) == found[t]
        singly.learn({"a": x} if stumps else x, y)
    assert batch.regret == singly.regret and batch.best_loss == singly.best_loss


# --------------------------------------------------------------------------------------------- sabotage is found


def test_mutant_a_prior_of_another_name() -> None:
    c = at.Thresholds(100)
    engine, paths = engine_for(c, KTPrior()), paths_for(c, prior_of("mixed", c, 0))
    with pytest.raises(AssertionError):
        agree(engine, paths, line_stream(1, 100, 60))


@pytest.mark.parametrize("what", ["ahead", "zeros", "charged", "mass"])
def test_mutant_a_structure_that_is_slightly_wrong(what: str) -> None:
    c = at.Thresholds(100)
    engine, paths = both_for(c, prior_of("paper" if what == "ahead" else "kt", c, 200))
    pairs = line_stream(1, 100, 120)
    agree(engine, paths, pairs[:60])
    kernel: Any = engine.kernel
    if what == "ahead":
        kernel.ahead = 2
    elif what == "mass":
        state = engine.state()
        state["mass"] = state["mass"] * np.where(np.arange(engine.width) == 5, 1 - 1e-6, 1.0)
        engine.restore(state)
    else:
        setattr(kernel, "zeros" if what == "zeros" else "eta", 0.3 * 1.0001 if what == "charged" else kernel.zeros + 1)
    with pytest.raises(AssertionError):
        agree(engine, paths, pairs[60:])
