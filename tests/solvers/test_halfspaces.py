from __future__ import annotations

import itertools
import pickle
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from long_form import times

from adeptree import Adept, Halving
from adeptree.core.errors import (
    InvalidArgument,
    InvalidInstance,
    MissingExtra,
    MistakeBoundExceeded,
    OracleUnknown,
    TooLarge,
)
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.solvers.lp import Halfspace, Halfspaces, Infeasibility
from adeptree.solvers.lp.deciding import Decider, separated
from adeptree.solvers.lp.exact_simplex import separate
from adeptree.solvers.lp.highs import Model, Outcome
from adeptree.solvers.lp.perceptron import Perceptron, halfspace_base

Point = tuple[Any, ...]
Labelled = list[tuple[Point, int]]


# --- The reference: hyperplanes through the points, in rationals -------------------------------------


def kernel(rows: Sequence[Sequence[Fraction]], size: int) -> list[list[Fraction]]:
    """Return a basis of the vectors orthogonal to the rows, by Gauss-Jordan elimination."""
    work: list[list[Fraction]] = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(size):
        r = len(pivots)
        found = next((i for i in range(r, len(work)) if work[i][column]), None)
        if found is None:
            continue
        work[r], work[found] = work[found], work[r]
        work[r] = [value / work[r][column] for value in work[r]]
        for i, row in enumerate(work):
            if i != r and row[column]:
                work[i] = [a - row[column] * b for a, b in zip(row, work[r], strict=True)]
        pivots.append(column)
    basis = []
    for free in (j for j in range(size) if j not in pivots):
        vector = [Fraction(0)] * size
        vector[free] = Fraction(1)
        for i, column in enumerate(pivots):
            vector[column] = -work[i][free]
        basis.append(vector)
    return basis


def separable(signed: Sequence[Sequence[Fraction]]) -> bool:
    """Is there a v with v.a > 0 for every a? Every cell of the arrangement touches an extreme ray of it."""
    if not signed:
        return True
    size = len(signed[0])
    flat = kernel(signed, size)
    rank = size - len(flat)
    for chosen in itertools.combinations(range(len(signed)), rank - 1):
        # Work modulo the vectors on which all are 0, so that a ray is one-dimensional.
        ray = kernel([*(signed[i] for i in chosen), *flat], size)
        if len(ray) != 1:
            continue
        sides = [sum(a * b for a, b in zip(ray[0], p, strict=True)) for p in signed]
        for sign in (1, -1):
            if min(sign * side for side in sides) >= 0 and any(sides):
                rest = [p for p, side in zip(signed, sides, strict=True) if not side]
                if separable(rest):
                    return True
    return False


def reference(sample: Labelled) -> bool:
    signed = {tuple((1 if y else -1) * Fraction(v) for v in (*x, 1)) for x, y in sample}
    return separable(sorted(signed))


def test_the_reference_knows_the_textbook() -> None:
    square: list[Point] = [(0, 0), (0, 1), (1, 0), (1, 1)]
    fits = [reference(list(zip(square, y, strict=True))) for y in itertools.product((0, 1), repeat=4)]
    assert sum(fits) == 14
    line: list[Point] = [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert sum(reference(list(zip(line, y, strict=True))) for y in itertools.product((0, 1), repeat=4)) == 8


# --- Solver = reference -----------------------------------------------------------------------------


def samples(dim: int, count: int, seed: int) -> Iterator[Labelled]:
    """Random samples: few or many values a coordinate, on a line at times, with repeated points, ints to floats."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        n, spread = int(rng.integers(1, 9)), int(rng.choice([2, 3, 5, 50]))
        points = rng.integers(-spread, spread + 1, size=(n, dim))
        if i % 5 == 0:  # on a line
            points = np.outer(rng.integers(-spread, spread + 1, size=n), rng.integers(-2, 3, size=dim)) + points[0]
        scale: Any = [1, Fraction(1, 3), 0.1, 1e-6][i % 4]
        labels = rng.integers(2, size=n)
        if i % 3:  # near a halfspace, so that both answers occur
            labels = (points @ rng.normal(size=dim) > rng.normal()).astype(int)
            labels[0] ^= int(i % 3 == 1)
        yield [(tuple(int(v) * scale for v in x), int(y)) for x, y in zip(points, labels, strict=True)]


def check(c: Halfspaces, sample: Labelled) -> bool:
    rule, proof = c.find(sample), c.certificate(sample)
    assert (rule is None) != (proof is None)
    if rule is not None:
        assert all(rule(x) == y for x, y in sample), (rule, sample)
        return True
    assert proof is not None and len(proof.points) <= c.dim + 2
    verify_by_hand(proof, sample)
    assert proof.verify(sample) and proof.verify()
    return False


def verify_by_hand(proof: Infeasibility, sample: Labelled) -> None:
    assert all(item in sample for item in proof.points) and all(weight > 0 for weight in proof.weights)
    signs = [(1 if y else -1) * weight for (_, y), weight in zip(proof.points, proof.weights, strict=True)]
    for row in zip(*((*x, 1) for x, _ in proof.points), strict=True):
        assert sum(sign * Fraction(value) for sign, value in zip(signs, row, strict=True)) == 0


@pytest.mark.parametrize(("dim", "count"), [(1, times(100, 500)), (2, times(200, 1000)), (3, times(80, 400))])
def test_solver_agrees_with_the_reference(dim: int, count: int) -> None:
    small, highs = Halfspaces(dim), Halfspaces(dim, solver="highs")
    answers = set()
    for sample in samples(dim, count, seed=dim):
        fits = reference(sample)
        assert check(small, sample) == check(highs, sample) == fits
        answers.add(fits)
    assert answers == {True, False}
    assert not small.decider.rungs["highs"] and highs.decider.rungs["highs"] > count / 2
    assert highs.decider.rungs["exact"] < count / 10


@pytest.mark.parametrize("dim", [2, 5, 10])
def test_large_samples_are_proved_too(dim: int) -> None:
    rng = np.random.default_rng(dim)
    c = Halfspaces(dim, solver="highs")
    seen = set()
    for i in range(60):
        points = [tuple(row) for row in rng.integers(-50, 51, size=(40, dim)).tolist()]
        target = c.random_concept(rng)
        sample = [(x, target(x)) for x in points]
        if i % 2:
            sample[0] = (points[0], 1 - sample[0][1])
        fits = check(c, sample)
        assert fits or i % 2
        seen.add(fits)
    assert seen == {True, False}


def test_nearly_touching_points_are_decided_exactly() -> None:
    # Far below what floating point resolves: the middle point is off the segment by 2^-60, on it, or beyond.
    c = Halfspaces(2, solver="highs")
    tiny = Fraction(1, 1 << 60)
    for off, fits in ((tiny, True), (Fraction(0), False), (-tiny, True)):
        sample: Labelled = [((0, 0), 0), ((2, 2), 0), ((1 - off, 1 + off), 1)]
        assert check(c, sample) is fits
    assert c.decider.rungs["exact"] >= 1
    huge: Labelled = [((1e200, 0.0), 1), ((0.0, 1e200), 0), ((1e-200, 0.0), 0)]
    assert check(c, huge) is True


def test_the_exact_simplex_method_proves_what_it_says() -> None:
    """In any dimension and with any sizes: a vector or weights that hold; and no vector keeps a larger distance."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    said = set()
    for i in range(300):
        size, count = int(rng.integers(2, 7)), int(rng.integers(1, 14))
        signed = rng.integers(-10, 11, size=(count, size)) * [1, 10**7][i % 2]
        if i % 3:
            signed = np.where((signed @ rng.integers(-9, 10, size=size) > 0)[:, None], signed, -signed)
        vectors = [tuple(row) for row in signed.tolist()]
        decision = separate(vectors)
        assert (
            decision is not None and decision.holds(vectors) and (decision.vector is None) != (decision.weights is None)
        )
        said.add(decision.vector is None)
        if decision.vector is not None:
            largest = max(map(abs, decision.vector))
            margin = min(sum(a * b for a, b in zip(decision.vector, row, strict=True)) for row in vectors) / largest
            rows = np.column_stack([-signed, np.ones(count)])
            box = [(-1, 1)] * size + [(None, None)]
            best = -optimize.linprog([0] * size + [-1], A_ub=rows, b_ub=np.zeros(count), bounds=box).fun
            assert margin == pytest.approx(best, rel=1e-6)
        assert separate(vectors, pivots=0) is None and separate(vectors, until=0.0) in (None, decision)
    assert said == {True, False}


def test_a_no_has_a_core() -> None:
    c = Halfspaces(1)
    with pytest.raises(InvalidArgument, match="the last answer was none"):
        c.core()
    assert c.find([((5,), 1), *FAILS, ((0,), 0)]) is None
    assert c.core() == (1, 2, 3, 4)
    assert c.find(FITS) is not None
    with pytest.raises(InvalidArgument, match="the last answer was none"):
        c.core()


def test_floats_are_the_rationals_they_are() -> None:
    c = Halfspaces(1)
    assert check(c, [((0.1,), 1), ((Fraction(1, 10),), 0), ((1,), 0)]) is False
    assert Fraction(0.1) > Fraction(1, 10)  # by less than 1e-17
    assert check(c, [((0.1,), 1), ((Fraction(1, 10),), 0)]) is True
    assert check(c, [((1,), 1), ((1.0,), 0)]) is False  # the same point


# --- The ladder --------------------------------------------------------------------------------------


class Broken(Model):
    """A solver with prescribed answers."""

    def __init__(self, answer: Outcome | None) -> None:
        super().__init__(1)
        self.answer = answer

    def solve(self, sample: Sequence[tuple[Point, int]], seconds: float | None = None) -> Outcome | None:
        return self.answer


FITS: Labelled = [((0,), 0), ((1,), 1)]
FAILS: Labelled = [((0,), 0), ((1,), 1), ((2,), 0)]
LIES = [None, Outcome([0.0, 0.0], []), Outcome([-1.0, 0.5], []), Outcome([float(0), 1.0], [0, 1])]


@pytest.mark.parametrize("lie", LIES)
def test_what_the_solver_says_wrongly_changes_nothing(lie: Outcome | None) -> None:
    decider = Decider(1, small=False)
    decider.model = Broken(lie)
    assert isinstance(decider.decide(FITS), Halfspace) and isinstance(decider.decide(FAILS), Infeasibility)
    assert decider.rungs["exact"] == 2


def test_unknown_is_said_and_never_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    c = Halfspaces(1)
    c.decider.model = Broken(None)
    monkeypatch.setattr("adeptree.solvers.lp.exact_simplex.separate", lambda signed, until: None)
    for ask in (c.find, c.realizable, c.certificate):
        with pytest.raises(OracleUnknown, match="sample of 3 points"):
            ask(FAILS)


def test_the_model_starts_over_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adeptree.solvers.lp.highs.ROW_LIMIT", 20)
    c = Halfspaces(2, solver="highs")
    for sample in samples(2, 60, seed=9):
        assert check(c, sample) == reference(sample)
    assert len(c.decider.model.first_row) <= 20


def test_certificates_that_are_wrong_do_not_verify() -> None:
    proof = Halfspaces(1).certificate(FAILS)
    assert proof is not None and proof.verify(FAILS)
    assert not proof.verify(FITS)
    assert not Infeasibility(proof.points, tuple(weight / 2 for weight in proof.weights)).verify()
    assert not Infeasibility(proof.points[1:], proof.weights[1:]).verify()
    assert not Infeasibility(proof.points, proof.weights[1:]).verify()
    assert not Infeasibility(((((0,), 1)), ((1,), 0)), (Fraction(1), Fraction(1))).verify()


# --- As a class --------------------------------------------------------------------------------------


def test_rules_are_readable() -> None:
    shown = [Halfspace((2, -1), 3), Halfspace((-1, 0, 5), -2), Halfspace((0, 0), 0), Halfspace((0, 0), 1)]
    assert list(map(str, shown)) == ["2 x0 - x1 >= 3", "-x0 + 5 x2 >= -2", "always 1", "always 0"]
    assert Halfspace.of((4, -2, -6)) == Halfspace((2, -1), 3)


def test_instances_are_checked() -> None:
    for bad in ((1,), (1, 2, 3), (1, float("nan")), (1, float("inf")), ("a", 1), (True, 1), "ab", 5, None):
        with pytest.raises(InvalidInstance, match="2 finite numbers"):
            Halfspaces(2).find([(bad, 1)])
    with pytest.raises(InvalidInstance, match=r"0\.\.3"):
        Halfspaces(2, grid=4).instance((1, 4))
    with pytest.raises(InvalidInstance, match="radius=5"):
        Halfspaces(2, radius=5).instance((4, 3.0000001))
    assert Halfspaces(2, radius=5).instance(np.array([4, 3])) == (4, 3)
    rule = Halfspace((1, 0), 1)
    assert rule([2, 0]) == 1
    with pytest.raises(InvalidInstance):
        rule((1,))


def test_settings_are_checked() -> None:
    bad: Any
    for bad in ({"dim": 0}, {"dim": 2, "grid": 0}, {"dim": 2, "margin": 1}, {"dim": 2, "grid": 3, "radius": 1}):
        with pytest.raises(InvalidArgument):
            Halfspaces(**bad)
    for radius, margin in ((0, None), (2, 0), (2, 1.5), (-1, None)):
        with pytest.raises(InvalidArgument, match="radius"):
            Halfspaces(2, radius=radius, margin=margin)
    with pytest.raises(InvalidArgument, match="solver"):
        Halfspaces(2, solver="simplex")


def test_class_is_a_value_and_travels() -> None:
    c = Halfspaces(2, radius=3, margin=Fraction(1, 2))
    assert c.realizable([((0, 0), 1), ((1, 1), 0)])
    copy = pickle.loads(pickle.dumps(c))
    assert copy == c and hash(copy) == hash(c) and copy != Halfspaces(2)
    assert copy.realizable([((0, 0), 1), ((1, 1), 0)])
    assert repr(Halfspaces(2, grid=4)) == "halfspaces(dim=2, grid=4)"
    assert (Halfspaces(3).vc_dimension, Halfspaces(3).littlestone_dimension) == (4, None)
    rng = np.random.default_rng(0)
    for kind in (Halfspaces(2), Halfspaces(2, grid=4), c):
        x, concept = kind.random_instance(rng), kind.random_concept(rng)
        assert kind.instance(x) == x and concept(x) in (0, 1)


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[lp\]'"):
        Halfspaces(3)


# --- In ADEPT ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_frontier_in_the_plane_has_the_width_of_general_position(solver: str) -> None:
    rng = np.random.default_rng(3)
    c = Halfspaces(2, solver=solver)
    frontier = OracleFrontier(c)
    for n in range(1, 17):
        x = tuple(rng.integers(-10_000, 10_001, size=2).tolist())
        frontier.grow(frontier.split(x).children)
        assert frontier.width == n * n - n + 2
    assert frontier.queries.posed < 0.25 * frontier.queries.asked


def test_enumerated_grid_equals_the_frontier_and_the_reference() -> None:
    for dim, n, size in ((1, 5, 10), (2, 2, 14), (2, 3, 58), (3, 2, 104)):
        c = Halfspaces(dim, grid=n)
        table = c.enumerated()
        points = list(itertools.product(range(n), repeat=dim))
        frontier = OracleFrontier(c)
        for x in points:
            frontier.grow(frontier.split(x).children)
        assert table.size == frontier.width == size
        assert set(map(tuple, table.table.tolist())) == set(map(tuple, frontier.labels.astype(int).tolist()))
        assert table.size.bit_length() - 1 <= c.halving_bound
        assert table.vc_dimension == c.vc_dimension
    with pytest.raises(TooLarge, match="smaller grid"):
        Halfspaces(3, grid=50).enumerated()
    with pytest.raises(InvalidArgument, match="grid="):
        Halfspaces(3).enumerated()


def test_adept_on_a_grid_by_halving() -> None:
    c = Halfspaces(2, grid=4)
    base = halfspace_base(c)
    assert isinstance(base, Halving) and base.mistake_bound == 7 <= c.halving_bound
    rng = np.random.default_rng(1)
    target = Halfspace((2, 1), 5)
    learner = Adept(c, 60, base=base)
    twin = Adept(c.enumerated(), 60, base=base)
    for _ in range(60):
        x = c.random_instance(rng)
        y = target(x) ^ int(rng.random() < 0.1)
        assert learner.predict_proba(x) == pytest.approx(twin.predict_proba(x), abs=1e-12)
        learner.learn(x, y)
        twin.learn(x, y)
    assert learner.regret < learner.bound
    assert learner.width == twin.width and learner.best_loss == twin.best_loss


def runs_with_margin(c: Halfspaces, seed: int) -> Iterator[tuple[Point, int]]:
    """Points of the ball in random order, labelled by a halfspace of unit normal that keeps the margin."""
    rng = np.random.default_rng(seed)
    assert c.radius is not None and c.margin is not None
    angle = rng.random() * 2 * np.pi
    w, room = np.array([np.cos(angle), np.sin(angle)]), float(c.radius) - float(c.margin)
    b = rng.uniform(-room, room) if seed % 4 else 10.0
    while True:
        x = c.random_instance(rng)
        side = float(w @ np.array(x) - b)
        if abs(side) >= float(c.margin) * 1.0001:
            yield x, int(side > 0)


@pytest.mark.parametrize("seed", range(12))
def test_perceptron_keeps_its_bound(seed: int) -> None:
    c = Halfspaces(2, radius=2, margin=[0.1, 0.3, 0.5, 1][seed % 3 + (seed > 8)])
    base = Perceptron().bind(c)
    assert base.mistake_bound == int((2 * Fraction(2) / Fraction(c.margin or 0) - 1) ** 2)
    state, mistakes = base.start(), 0
    for x, y in itertools.islice(runs_with_margin(c, seed), 400):
        mistakes += base.predict(state, x) != y
        state = base.update(state, x, y)
    assert mistakes <= base.mistake_bound


def test_perceptron_meets_hard_sequences() -> None:
    # Both ends of the ball and one label only: the bound must cover constant labels too.
    c = Halfspaces(1, radius=1, margin=Fraction(1, 2))
    base = Perceptron(c)
    for labels in itertools.product((0, 1), repeat=2):
        state, mistakes = base.start(), 0
        for i in range(60):
            x, y = ((-1,), labels[0]) if i % 2 else ((1,), labels[1])
            mistakes += base.predict(state, x) != y
            state = base.update(state, x, y)
        assert mistakes <= (base.mistake_bound or 0) == 9


def test_adept_with_the_perceptron_competes_with_all_that_keep_the_margin() -> None:
    c = Halfspaces(2, radius=2, margin=1)
    learner = Adept(c, 14, base=halfspace_base(c), on_excess="prune")
    rng = np.random.default_rng(5)
    loss = 0
    for x, y in itertools.islice(runs_with_margin(c, 5), 14):
        flipped = int(rng.random() < 0.15)
        learner.learn(x, y ^ flipped)
        loss += flipped
    assert learner.mistake_bound == 9 and learner.best_loss <= loss
    assert learner.expected_loss <= loss + learner.bound


def test_paths_without_the_margin_are_reported_unless_pruned() -> None:
    # Bisection against the Perceptron: a path of labels that it always gets wrong, with ever less margin.
    c = Halfspaces(1, radius=8, margin=4)
    base = Perceptron(c)
    strict, pruning = Adept(c, 20, base=base), Adept(c, 20, base=base, on_excess="prune")
    state, low, high = base.start(), Fraction(-8), Fraction(8)
    with pytest.raises(MistakeBoundExceeded, match="M=9"):
        for _ in range(20):
            x = ((low + high) / 2,)
            y = 1 - base.predict(state, x)
            pruning.learn(x, y)
            strict.learn(x, y)
            state = base.update(state, x, y)
            low, high = (low, x[0]) if y else (x[0], high)
    assert pruning.rounds == strict.rounds + 1 == 10


def test_no_bound_without_grid_or_margin() -> None:
    for c in (Halfspaces(2), Halfspaces(2, radius=1)):
        assert halfspace_base(c) == Perceptron(c) and Perceptron(c).mistake_bound is None
        with pytest.raises(InvalidArgument, match='prior="mixed", which needs none'):
            Adept(c, horizon=5)


def test_without_a_bound_the_anytime_learner_runs() -> None:
    rng = np.random.default_rng(4)
    learner = Adept(Halfspaces(2))
    for _ in range(12):
        x = tuple(rng.integers(-5, 6, 2).tolist())
        learner.learn(x, int(x[0] + 2 * x[1] > 1))
    assert learner.best_loss == 0 and learner.regret <= learner.bound


def test_exact_decision_of_floats_with_long_mantissas() -> None:
    rng = np.random.default_rng(8)
    for _ in range(100):
        sample = [
            (tuple(x), int(y)) for x, y in zip(rng.normal(size=(6, 2)).tolist(), rng.integers(2, size=6), strict=True)
        ]
        assert isinstance(separated(sample), Halfspace) == reference(sample)
