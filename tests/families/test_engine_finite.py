"""The engine of listed classes against the paths engine: same cells in the same order, same numbers."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_forms import play_many

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.families.bits.bit_engine import BitEngine
from adeptree.families.finite import partition_engine as finite
from adeptree.families.finite.partition_engine import FiniteEngine, OptimalEngine
from adeptree.families.finite.version_space import Halving
from adeptree.families.registry import default_base, frontier_of
from adeptree.learners.adept import Paths
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.engine import Problem
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

RATES = [0.0, 1e-9, 0.05, 0.7, 30.0, 1e6]
PRIORS = ["paper", "kt", "mixed"]
COSTS = [1, 1, 1, 3, 0.25, 0]
ON_BITS = [at.Conjunctions(4), at.Disjunctions(4), at.Conjunctions(5, monotone=True), at.Parities(5)]


def base_of(c: Any) -> BaseLearner:
    return default_base(c) if c in (*ON_BITS, SMALL) else Halving(c)


def prior_of(name: str, T: int, c: Any) -> Prior:
    if name == "paper":
        return PaperPrior(T, base_of(c).mistake_bound or 0)
    return KTPrior() if name == "kt" else MixedPrior(None, frontier_of(c).log_size)


def both(c: Any, name: str, T: int, rate: float) -> tuple[Paths, FiniteEngine]:
    prior = prior_of(name, T, c)
    paths = Paths(c, base_of(c), prior)
    engine = (BitEngine if c in ON_BITS else OptimalEngine if c == SMALL else FiniteEngine)(c, prior)
    paths.rate = engine.rate = rate
    engine.kernel.scale = 1e9  # of the learner, who would slow down
    return paths, engine


def random_class(seed: int, concepts: int = 40, points: int = 9) -> at.FiniteClass:
    return at.FiniteClass(np.random.default_rng(seed).integers(2, size=(concepts, points)))


SMALL = random_class(12, concepts=24)
"""Its base learner is SOA."""


def same_odds(paths: Paths, engine: FiniteEngine, x: Any) -> None:
    ours, theirs = engine.odds(x), paths.odds(x)
    assert ours.p == pytest.approx(theirs.p, abs=1e-12)
    assert ours.log_odds == pytest.approx(theirs.log_odds, rel=1e-12, abs=1e-9)


def agree(paths: Paths, engine: FiniteEngine) -> None:
    assert (engine.width, engine.queries.asked) == (paths.width, paths.queries.asked)
    assert engine.best_loss == paths.best_loss
    assert str(engine.best_rule()) == str(paths.best_rule())
    ours, theirs = engine.rows(), paths.rows()
    for name in ("losses", "mistakes", "contested"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.log_mass.tolist() == pytest.approx(theirs.log_mass.tolist(), abs=1e-9)
    assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from([SMALL, *map(random_class, range(20))]),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1), st.sampled_from(COSTS)), min_size=1, max_size=25),
    st.sampled_from(PRIORS),
    st.lists(st.sampled_from(RATES), min_size=1, max_size=4),
)
def test_equals_the_paths_engine(c: Any, rounds: list[Any], name: str, rates: list[float]) -> None:
    paths, engine = both(c, name, len(rounds), 0.0)
    for t, (x, y, cost) in enumerate(rounds):
        paths.rate = engine.rate = rates[t % len(rates)]
        same_odds(paths, engine, x)
        paths.commit(x, y, cost)
        engine.commit(x, y, cost)
        agree(paths, engine)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ON_BITS),
    st.lists(st.tuples(st.integers(0, 31), st.integers(0, 1), st.sampled_from(COSTS)), min_size=1, max_size=30),
    st.sampled_from(PRIORS),
    st.lists(st.sampled_from(RATES), min_size=1, max_size=3),
)
def test_rules_on_bits_equal_the_paths_engine(c: Any, rounds: list[Any], name: str, rates: list[float]) -> None:
    paths, engine = both(c, name, len(rounds), 0.0)
    for t, (number, y, cost) in enumerate(rounds):
        x = tuple(number >> i & 1 for i in range(c.n))
        paths.rate = engine.rate = rates[t % len(rates)]
        same_odds(paths, engine, x)
        paths.commit(x, y, cost)
        engine.commit(x, y, cost)
        assert engine.queries.asked == paths.queries.asked and engine.best_loss == paths.best_loss
    assert sorted(engine.rows().losses.tolist()) == sorted(paths.rows().losses.tolist())
    assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)
    losses = sum(cost * (engine.best_rule()(tuple(n >> i & 1 for i in range(c.n))) != y) for n, y, cost in rounds)
    assert losses == engine.best_loss


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("rate", [0.3, 20.0])
def test_heavy_repeats(name: str, rate: float) -> None:
    """eta L up to 6,000: only differences to the best loss may meet the rate. In batches."""
    pairs = [(0, 1)] * 150 + [(3, 0)] * 100 + [(0, 0)] * 200 + [(x % 9, x % 2) for x in range(50)]
    paths, engine = both(random_class(3), name, len(pairs), rate)
    expected, found = [], np.empty(len(pairs))
    for x, y in pairs:
        expected.append(paths.probability(x))
        paths.commit(x, y)
    assert engine.batch([x for x, _ in pairs]) == len(pairs)
    labels = np.array([y for _, y in pairs])
    assert play_many(engine, labels, np.empty(0), found, 0) == len(pairs)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)
    agree(paths, engine)
    assert engine.probabilities(range(9)).tolist() == pytest.approx([paths.probability(x) for x in range(9)], abs=1e-12)


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("rate", [0.02, 1.5])
def test_rounding_does_not_add_up(name: str, rate: float) -> None:
    """Long enough for weights to be recomputed, both by the count of rounds and by underflow."""
    T, rng = 2500, np.random.default_rng(4)
    paths, engine = both(random_class(6), name, T, rate)
    for t in range(T):
        x, y = int(rng.integers(9)), int(rng.random() < 0.4)
        assert engine.probability(x) == pytest.approx(paths.probability(x), rel=1e-11)
        if t % 250 == 0:
            same_odds(paths, engine, x)
        paths.commit(x, y)
        engine.commit(x, y)
        assert engine.kernel.since < 1024
    agree(paths, engine)


@pytest.mark.parametrize("c", [at.Thresholds(30), at.Stumps(cuts={"a": [1, 2, 3], "b": [0]}), at.Intervals(9)])
@pytest.mark.parametrize("name", ["kt", "mixed"])
def test_any_listed_class(c: Any, name: str) -> None:
    rng = np.random.default_rng(5)
    paths, engine = both(c, name, 40, 0.4)
    for _ in range(40):
        x, y = c.instance(c.random_instance(rng)), int(rng.integers(2))
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)
        paths.commit(x, y)
        engine.commit(x, y)
        assert engine.kernel.word == word_of(c.key(x))
        assert (engine.width, engine.best_loss) == (paths.width, paths.best_loss)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([random_class(7), SMALL, *ON_BITS]),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1), st.booleans()), min_size=1, max_size=25),
    st.sampled_from(PRIORS),
    st.sampled_from(RATES),
    st.randoms(use_true_random=False),
)
def test_late_labels(c: Any, rounds: list[Any], name: str, rate: float, order: Any) -> None:
    """Points enter when they are answered; their labels come in any order."""
    paths, engine = both(c, name, len(rounds), rate)
    waiting = []
    for ticket, (number, y, late) in enumerate(rounds):
        x = number if isinstance(c, at.FiniteClass) else tuple(number >> i & 1 for i in range(c.n))
        same_odds(paths, engine, x)
        if late:
            paths.open(ticket, x)
            assert engine.kernel.open(x, 0)
            waiting.append((ticket, x, y))
        else:
            paths.commit(x, y)
            engine.commit(x, y)
        if waiting and order.random() < 0.5:
            ticket, x, y = waiting.pop(order.randrange(len(waiting)))
            now, drift = paths.odds_of(ticket), engine.kernel.ledger.drift
            paths.settle(ticket, y, 2)
            assert engine.kernel.settle(x, y, 2.0, 0.5, 0.0, 0, 0)
            # The ledger is charged by what would be answered now.
            loss = abs(y - now.p)
            assert engine.kernel.ledger.drift - drift == pytest.approx(2 * (0.5 - loss), abs=1e-9)
        assert engine.best_loss == paths.best_loss
        assert sorted(engine.rows().losses.tolist()) == sorted(paths.rows().losses.tolist())


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize(("how", "rate"), [("saved", 0.1), ("copied", 0.1), ("onto another", 0.1), ("saved", 0.9)])
@pytest.mark.parametrize("c", [random_class(9), ON_BITS[0], SMALL], ids=["table", "bits", "soa"])
def test_goes_on_with_the_same_bits(name: str, how: str, rate: float, c: Any) -> None:
    """Also if the next recomputation of weights depends on the last one, before the file."""
    rng = np.random.default_rng(3)
    xs = list(c.instances())
    _, engine = both(c, name, 3000, 0.4)
    for t in range(2400):
        if t == 1000:
            engine.rate = rate
        if t == 1700:
            _, again = both(c, name, 3000, rate if how == "saved" else 0.0)
            if how == "onto another":
                for x in xs:
                    again.commit(x, 1)
            again.restore(engine.state())
            again = copy.deepcopy(engine) if how == "copied" else again
            again.rate = rate
            again.kernel.scale = 1e9
        x, y, cost = xs[rng.integers(len(xs))], int(rng.integers(2)), float(rng.choice([1, 1, 0.3]))
        if t >= 1700:
            assert again.probability(x).hex() == engine.probability(x).hex()
            again.commit(x, y, cost)
        engine.commit(x, y, cost)
    assert again.queries.asked > 0
    assert again.state()["row_of"].tolist() == engine.state()["row_of"].tolist()


def test_the_weights_of_a_file_are_those_of_its_losses() -> None:
    _, engine = both(random_class(2), "mixed", 20, 0.5)
    for x in range(9):
        engine.commit(x, x % 2)
    changes: list[Any] = [
        lambda s: s["weight"].__imul__(np.linspace(0.9, 1, engine.width)),
        lambda s: s["row_of"].__setitem__(0, -1),
        lambda s: s["mistakes"].__setitem__(0, 40),
        lambda s: s["contested"].__setitem__(0, 10**6),
        lambda s: s.update(losses=s["losses"][:-1]),
    ]
    for change in changes:
        state = copy.deepcopy(engine.state())
        change(state)
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            both(random_class(2), "mixed", 20, 0.5)[1].restore(state)


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("rate", [0.3, 50.0])
def test_compiled_and_interpreted_give_the_same_bits(name: str, rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("adeptree._compiled.partition_kernel")
    rng, found = np.random.default_rng(11), []
    rounds = [(int(rng.integers(9)), int(rng.integers(2)), float(rng.choice([1, 1, 0.7]))) for _ in range(1200)]
    for room in ("structures", "_compiled"):
        theory = "theory" if room != "_compiled" else room
        monkeypatch.setattr(finite, "KERNEL", importlib.import_module(f"adeptree.{room}.partition_kernel"))
        monkeypatch.setattr(finite, "MASSES", importlib.import_module(f"adeptree.{theory}.mass_kernel"))
        _, engine = both(random_class(5), name, len(rounds), rate)
        engine.batch([x for x, _, _ in rounds])
        ps = np.empty(len(rounds))
        play_many(engine, np.array([y for _, y, _ in rounds]), np.array([cost for _, _, cost in rounds]), ps, 0)
        state, ledger = engine.state(), engine.kernel.ledger
        found.append([ps.tobytes(), state["losses"].tobytes(), state["weight"].tobytes(), ledger.copy()])
        found[-1].append([engine.odds(x) for x in range(9)])
    assert found[0] == found[1]


def test_looking_commits_nothing_and_is_counted_once() -> None:
    _, engine = both(random_class(2), "paper", 20, 0.5)
    engine.commit(0, 1)
    before, width = engine.queries.asked, engine.width
    p = engine.probability(1)
    assert engine.probability(1) == p and engine.queries.asked == before + 2 * width
    assert engine.probability(0) != p and engine.probability(1) == p
    assert (engine.width, engine.queries.asked) == (width, before + 6 * width)
    engine.discard()
    engine.probability(1)
    assert engine.queries.asked == before + 8 * width


def test_past_the_horizon_no_rounds_are_left() -> None:
    """LazyAdept looks on after its last commit, where a path may have more mistakes than T."""
    c = random_class(4)
    paths, engine = both(c, "paper", 2, 0.5)
    for x in (0, 1):
        paths.commit(x, 1)
        engine.commit(x, 1)
    for x in range(9):
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)


def test_columns_are_thrown_away_when_they_are_too_many() -> None:
    rng = np.random.default_rng(1)
    (_, engine), (_, kept) = both(random_class(2), "kt", 0, 0.5), both(random_class(2), "kt", 0, 0.5)
    engine.kernel.store = 2000  # bytes, of the 405 of a column
    xs, ys = rng.integers(9, size=300).tolist(), rng.integers(2, size=300)
    found = [np.empty(300), np.empty(300)]
    for one, ps in zip((engine, kept), found, strict=True):
        one.batch(xs)
        play_many(one, ys, np.empty(0), ps, 0)
    assert found[0].tolist() == found[1].tolist()
    assert len(engine.kernel.columns) <= 5 < len(kept.kernel.columns)


def test_a_point_is_what_the_class_says() -> None:
    _, engine = both(at.FiniteClass([[0, 1], [1, 1]]), "kt", 0, 0.5)
    p = engine.probability(1)
    assert engine.probability(np.int64(1)) == p
    for x in (True, 1.0, 2, "1", [1], {"a": 1}):
        with pytest.raises(InvalidInstance):
            engine.kernel.learn(x, 1)
    assert engine.kernel.ledger.rounds == 0


def test_memory() -> None:
    """Per concept and cell; a point takes a bit per concept."""
    c = at.FiniteClass(np.random.default_rng(0).integers(2, size=(3000, 40)))
    _, engine = both(c, "mixed", 0, 0.5)
    for x in range(40):
        engine.commit(x, 1)
    assert engine.width == c.size
    assert sum(len(array) * array.itemsize for array in engine.kernel.arrays.values()) <= 50 * c.size


def test_a_mistake_bound_below_halvings_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least 5"):
        FiniteEngine(random_class(1), PaperPrior(100, 3))


def test_who_is_accepted() -> None:
    c, other = random_class(1), random_class(2)
    for prior in (PaperPrior(100, 7), KTPrior(), MixedPrior(5, 3.0)):
        assert FiniteEngine.accepts(Problem(c, Halving(c), prior)) is None
        assert OptimalEngine.accepts(Problem(c, at.SOA(c), prior)) is None
    for problem in (
        Problem(c, at.SOA(c), KTPrior()),
        Problem(c, Halving(c), KTPrior(), max_width=5),
        Problem(c, Halving(c), KTPrior(), mistake_bound=3),
    ):
        assert "it is made for Halving, all paths kept" in str(FiniteEngine.accepts(problem))
    assert "of the class itself" in str(FiniteEngine.accepts(Problem(c, Halving(other), KTPrior())))
    few, many = at.Conjunctions(8), at.Conjunctions(20)
    assert BitEngine.accepts(Problem(few, default_base(few), KTPrior())) is None
    assert "at most 65536 concepts" in str(BitEngine.accepts(Problem(many, default_base(many), KTPrior())))
    assert FiniteEngine.accepts(Problem(few, Halving(few), KTPrior())) is None


@pytest.mark.parametrize("c", [random_class(9), SMALL, ON_BITS[0]], ids=["table", "soa", "bits"])
def test_what_runs_without_the_lock_runs_no_python(c: Any) -> None:
    """A new point is left to the slow way; afterwards both say the same."""
    kernel, x = both(c, "kt", 0, 0.5)[1].kernel, next(iter(c.instances()))
    assert (kernel.quick_look(x), kernel.quick_round(x, 1)) == (-1.0, -1)
    p = kernel.chance(x)
    assert kernel.quick_look(x) == (-1.0 if c is SMALL else p)  # (before it has come, SOA would be asked)
    assert kernel.learn(x, 1) and kernel.ledger.rounds == 1
    assert kernel.quick_look(x) == kernel.chance(x) >= 0
    assert kernel.quick_round(x, 0) == 0 and kernel.ledger.rounds == 2
    assert (kernel.quick_look([x]), kernel.quick_look(float("nan"))) == (-1.0, -1.0)


def test_a_look_at_the_next_round_stays_within_the_tables() -> None:
    # Predicting goes one contested round beyond what learning has made room for; a batch makes room first.
    rng = np.random.default_rng(0)
    xs = rng.integers(0, 2, (400, 7))
    ys = (xs[:, 0] & xs[:, 3]) ^ (rng.random(400) < 0.2)
    alone, many = at.Adept(at.Conjunctions(7, monotone=True)), at.Adept(at.Conjunctions(7, monotone=True))
    said = []
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        said.append(alone.predict_proba(tuple(x)))
        alone.learn(tuple(x), int(y))
    np.testing.assert_array_equal(said, many.learn_many(xs, ys.astype(int)))
