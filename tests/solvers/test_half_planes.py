"""Half-planes in the plane: rows, lines, masses and bounds against slow references; compiled and interpreted."""

from __future__ import annotations

import copy
import functools
import importlib
import itertools
import math
import random
import signal
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interrupting import struck
from long_form import times
from serving import Inside, sent
from typer.testing import CliRunner

import adeptree as at
from adeptree.app.cli import app
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import InvalidArgument, InvalidInstance, StateError, UnsupportedCombination
from adeptree.solvers.lp import Halfspaces
from adeptree.solvers.lp import half_plane_engine as planes
from adeptree.solvers.lp.dichotomies import dichotomies
from adeptree.solvers.lp.half_plane_engine import HalfPlaneEngine
from adeptree.solvers.lp.lifting import dot, lift
from adeptree.theory.priors import KTPrior, MixedPrior

Point = tuple[Any, Any]
Stream = Callable[[random.Random], Point]
TINY = (0, 0, 1e-16, -1e-16, 1e-9)
WILD = (1e300, -1e300, 1e-300, 5e-324, 3, 0, 10**400, -(10**400), 1.7e308, -1.7e308, Fraction(1, 3))
STREAMS: dict[str, Stream] = {
    "grid": lambda r: (r.randrange(5), r.randrange(5)),
    "a line": lambda r: (r.randrange(9), 3 * r.randrange(2)),
    "tenths": lambda r: (r.randrange(9) / 10, r.randrange(9) / 10),
    "normal": lambda r: (r.gauss(0, 1), r.gauss(3, 1)),
    "nearly collinear": lambda r: (lambda a: (a, 3 * a + r.choice(TINY)))(r.randrange(9) / 7),
    "at 2^24": lambda r: (2**24 - r.randrange(5), r.randrange(-(2**24), 2**24)),
    "beyond 2^24": lambda r: (2**25 + r.randrange(3), 2**53 + r.randrange(4)),
    "beyond 2^63": lambda r: (2**70 + r.randrange(5), -(2**90) + r.randrange(3)),
    "fractions": lambda r: (Fraction(r.randrange(7), 7), Fraction(r.randrange(5), 3)),
    "wild": lambda r: (r.choice(WILD), r.choice(WILD)),
}


def drawn(name: str, count: int, seed: int = 0) -> list[Point]:
    r = random.Random(f"{name} {seed}")
    return [STREAMS[name](r) for _ in range(count)]


def says(line: tuple[int, int, int], closed: int, x: Point) -> int:
    value = dot(line, lift(x))
    return closed if value == 0 else int(value > 0)


def labelled(engine: HalfPlaneEngine, points: list[Point]) -> list[tuple[int, ...]]:
    """Return the labels of the points by the exact line of each row."""
    lines = [(engine.kernel.line(r), int(engine.cells("closed")[r])) for r in range(engine.width)]
    return [tuple(says(*line, x) for x in points) for line in lines]


@pytest.fixture(params=["_compiled", "structures"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both forms of the kernel."""
    if request.param == "_compiled":
        pytest.importorskip("adeptree._compiled.half_plane_kernel")
    found = importlib.import_module(f"adeptree.{request.param}.half_plane_kernel")
    monkeypatch.setattr(planes, "KERNEL", found)
    return str(request.param)


@pytest.mark.parametrize("name", STREAMS)
def test_rows_are_all_labellings_by_half_planes(form: str, name: str) -> None:
    for seed in range(times(2, 10)):
        engine = HalfPlaneEngine(Halfspaces(2), MixedPrior())
        points: list[Point] = []
        for x in drawn(name, 13, seed):
            points += [] if any(lift(x) == lift(other) for other in points) else [x]
            engine.commit(x, len(points) % 2)
            assert sorted(labelled(engine, points)) == sorted(dichotomies([lift(p) for p in points]))
            assert math.fsum(np.exp(engine.cells("log_mass"))) == pytest.approx(1, abs=1e-13)
            assert engine.cells("log_mass") == pytest.approx(engine.rows().log_mass, abs=1e-12)


CLUSTERS = {
    "tiny": [
        (1.0001016387767106e-250, 3.387959223693027e-255),
        (9.996669593289019e-251, -1.1101355703261119e-254),
        (-2.0009421135915953e-251, -4.000314037863766e-251),
        (-5.841661186858443e-251, -5.280553728952814e-251),
        (9.99982383735297e-251, -5.872088224366913e-256),
        (1.0000367060181326e-250, 1.2235339377535068e-255),
        (9.891670876274457e-251, -3.610970790851438e-253),
        (1.0033823262597793e-250, 1.1274420866030564e-253),
    ],
    "huge": [
        (1.0000325771035648e200, 1.0859034521583514e195),
        (9.999997059358927e199, -9.802136910759801e192),
        (-5.639848421149016e199, -5.213282807049671e199),
        (-4.693122252945736e199, -4.897707417648579e199),
        (1.0315768401837183e200, 1.0525613394572828e198),
        (9.998790781583619e199, -4.0307280545914126e195),
        (1.0000003199235546e200, 1.0664118481693813e193),
    ],
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_signs_are_those_of_the_exact_lines(form: str, name: str) -> None:
    """Products of coordinates of these clusters underflow or overflow; a wrong sign gives a row wrong labels."""
    engine, seen = HalfPlaneEngine(Halfspaces(2), KTPrior()), list[Point]()
    for t, point in enumerate(CLUSTERS[name]):
        engine.probability(point)
        lines = [(engine.kernel.line(row), int(engine.cells("closed")[row])) for row in range(engine.width)]
        assert [row & 1 for row in engine.kernel.say[: engine.width]] == [says(*line, point) for line in lines]
        engine.commit(point, t in (2, 4) if name == "huge" else 1)
        seen.append(point)
        assert sorted(labelled(engine, seen)) == sorted(dichotomies([lift(p) for p in seen]))
        ys = [int(k in (2, 4)) if name == "huge" else 1 for k in range(t + 1)]
        losses = [sum(a != b for a, b in zip(row, ys, strict=True)) for row in labelled(engine, seen)]
        assert list(engine.rows().losses) == losses


def test_few_signs_need_integers_if_one_axis_is_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers beyond 2^53 next to small floats, as time stamps in nanoseconds next to a score."""
    found = importlib.import_module("adeptree.structures.half_plane_kernel")
    monkeypatch.setattr(planes, "KERNEL", found)
    direction, calls = found.direction, 0

    def counted(p: Any, x: Any) -> Any:
        nonlocal calls
        calls += 1
        return direction(p, x)

    monkeypatch.setattr(found, "direction", counted)
    engine, r = HalfPlaneEngine(Halfspaces(2), KTPrior()), random.Random(3)
    for _ in range(30):
        engine.commit((1763600000 * 10**9 + r.randrange(3600 * 10**9), r.random()), r.randrange(2))
    assert engine.width == 30 * 29 + 2
    assert calls < 4 * 30 * 30  # two in each gap of each round; about t^3 if every sign were computed in integers


def test_the_width_in_general_position() -> None:
    engine = HalfPlaneEngine(Halfspaces(2), KTPrior())
    r = random.Random(1)
    for t in range(1, 80):
        engine.commit((r.random(), r.random()), r.randrange(2))
        assert engine.width == t * t - t + 2 == 2 * sum(math.comb(t - 1, i) for i in range(3))


class Reference:
    """The learner from its definition: rows as labels, masses as fractions, and only the kernel's new lines taken."""

    def __init__(self, parts: list[tuple[Fraction, Fraction]]) -> None:
        self.parts = parts
        self.rows: dict[tuple[int, ...], tuple[tuple[tuple[int, int, int], int], int, int]] = {
            (): (((0, 0, 0), 0), 0, 0)
        }
        self.points: list[Point] = []
        self.loss: dict[tuple[int, ...], float] = {(): 0.0}

    def mass(self, k: int, n: int) -> Fraction:
        total = Fraction(0)
        for share, b in self.parts:
            for i in range(k):
                share *= (i + Fraction(1, 2)) / (i + Fraction(1, 2) + b)
            for i in range(n - k):
                share *= (i + b) / (k + i + Fraction(1, 2) + b)
            total += share
        return total

    def children(self, x: Point) -> dict[tuple[int, ...], tuple[tuple[int, ...], int, int]]:
        """Return each new row with its parent, k and n; the labels are all that exist, by enumeration."""
        found = {}
        after = dichotomies([lift(p) for p in [*self.points, x]])
        for labels, (line, k, n) in self.rows.items():
            both = [y for y in (0, 1) if (*labels, y) in after]
            assert both
            for y in both:
                wrong = says(*line, x) != y
                assert len(both) == 2 or not wrong  # a row's own line is never wrong about a forced label
                found[*labels, y] = (labels, k + (len(both) == 2 and wrong), n + (len(both) == 2))
        return found

    def chance(self, x: Point, eta: float) -> float:
        weights = [0.0, 0.0]
        known = [lift(p) for p in self.points]
        if lift(x) in known:
            at_x = known.index(lift(x))
            for labels, (_, k, n) in self.rows.items():
                weights[labels[at_x]] += float(self.mass(k, n)) * math.exp(-eta * self.loss[labels])
        else:
            for labels, (parent, k, n) in self.children(x).items():
                weights[labels[-1]] += float(self.mass(k, n)) * math.exp(-eta * self.loss[parent])
        return weights[1] / sum(weights)

    def learn(self, x: Point, label: int, cost: float, engine: HalfPlaneEngine) -> None:
        known = [lift(p) for p in self.points]
        if lift(x) not in known:
            found = self.children(x)
            self.points.append(x)
            lines = {}
            for r, labels in enumerate(labelled(engine, self.points)):
                lines[labels] = (engine.kernel.line(r), int(engine.cells("closed")[r]))
            for labels, (parent, k, _) in found.items():
                if k == self.rows[parent][1]:
                    assert lines[labels] == self.rows[parent][0]  # no mistake, no change
            self.loss = {labels: self.loss[parent] for labels, (parent, _, _) in found.items()}
            self.rows = {labels: (lines[labels], k, n) for labels, (_, k, n) in found.items()}
            known.append(lift(x))
        at_x = known.index(lift(x))
        for labels in self.loss:
            self.loss[labels] += cost * (labels[at_x] != label)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("prior", [KTPrior(), MixedPrior()], ids=["kt", "mixed"])
def test_chances_are_those_of_the_definition(name: str, prior: Any) -> None:
    r = random.Random(name)
    shares = [(Fraction(1), Fraction(1, 2))]
    if prior.name == "mixed":
        shares = [(Fraction(1, 2), Fraction(1, 2)), *((Fraction(1, 6), Fraction(b)) for b in (8, 64, 512))]
    engine, reference = HalfPlaneEngine(Halfspaces(2), prior), Reference(shares)
    for t, x in enumerate(drawn(name, 12)):
        engine.rate = eta = 3.0 / (1 + t // 3)
        p, (y, cost) = engine.probability(x), (r.randrange(2), r.choice((1.0, 0.3)))
        assert p == pytest.approx(reference.chance(x, eta), abs=1e-13)
        odds = engine.odds(x)
        assert odds.log_odds == pytest.approx(math.log(p) - math.log1p(-p), abs=1e-9)
        engine.commit(x, y, cost)
        reference.learn(x, y, cost, engine)
        assert engine.best_loss == pytest.approx(min(reference.loss.values()))
    of_row = {labels: (k, n) for labels, (_, k, n) in reference.rows.items()}
    rows = engine.rows()
    for r_, labels in enumerate(labelled(engine, reference.points)):
        assert (rows.mistakes[r_], rows.contested[r_]) == of_row[labels]
        assert rows.losses[r_] == pytest.approx(reference.loss[labels])
        assert engine.cells("log_mass")[r_] == pytest.approx(math.log(reference.mass(*of_row[labels])), abs=1e-12)


def test_both_forms_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("adeptree._compiled.half_plane_kernel")
    for name in STREAMS:
        found = []
        for room in ("_compiled", "structures"):
            monkeypatch.setattr(planes, "KERNEL", importlib.import_module(f"adeptree.{room}.half_plane_kernel"))
            engine, r, ps = HalfPlaneEngine(Halfspaces(2), MixedPrior()), random.Random(3), []
            for t, x in enumerate(drawn(name, 25)):
                engine.rate = 4.0 / (1 + t // 5)
                ps += [engine.odds(x), engine.log_potential(), engine.best_loss]
                engine.commit(x, r.randrange(2), r.choice((1, 5, 0.1)))
            found.append((ps, engine.cells("weight").tolist(), engine.cells("hashes").tolist()))
        assert found[0] == found[1]


@pytest.mark.parametrize("bits", [63, 58, 54, 52])
def test_rows_with_one_hash_are_told_apart(form: str, bits: int) -> None:
    usual, narrow = (HalfPlaneEngine(Halfspaces(2), MixedPrior()) for _ in range(2))
    narrow.kernel.narrowed = bits  # marks of 64 - bits bits: many rows have the hash of another
    narrow.kernel.begin()
    for x, y in zip(drawn("grid", 30), itertools.cycle((0, 1, 1)), strict=False):
        assert narrow.probability(x) == usual.probability(x)
        usual.commit(x, y)
        narrow.commit(x, y)
    assert narrow.kernel.salt > 0 and usual.kernel.salt == 0
    assert narrow.cells("weight").tolist() == usual.cells("weight").tolist()


@pytest.mark.parametrize("looked", [True, False])
def test_weights_are_computed_again_in_the_same_rounds(form: str, looked: bool) -> None:
    """The rate stays for some rounds, so the record must tell in which rounds weights were computed again."""
    usual, narrow = (HalfPlaneEngine(Halfspaces(2), MixedPrior()) for _ in range(2))
    narrow.kernel.narrowed = 54
    narrow.kernel.begin()
    for t, (x, y) in enumerate(zip(drawn("tenths", 30), itertools.cycle((0, 1, 1)), strict=False)):
        for engine in (usual, narrow):
            engine.rate = 1.3 / (1 + t // 11)  # several rounds between two changes
            engine.commit(x, y, 0.7)
    if looked:
        usual.rate = narrow.rate = 0.1  # weights are fresh, and no round has come since
    again = HalfPlaneEngine(Halfspaces(2), MixedPrior())
    again.restore(usual.state())
    assert narrow.kernel.salt > 0 and usual.kernel.since == (0 if looked else 8)
    for other in (narrow, again):
        assert other.cells("weight").tolist() == usual.cells("weight").tolist()
        assert (other.kernel.since, other.kernel.anchor) == (usual.kernel.since, usual.kernel.anchor)
    ps = [other.probability((0.35, 0.15)) for other in (usual, narrow, again)]
    assert len(set(ps)) == 1


def test_weights_are_computed_again_before_all_are_lost() -> None:
    """Points close in from both sides: the row that fits has a mass of 2^-n, and all heavier rows have lost."""
    engine = HalfPlaneEngine(Halfspaces(2), KTPrior())
    engine.rate, n = 4.0, 2000
    for j in range(500):
        for x, y in ((j - n, 0), (n - j, 1)):
            assert 0 <= engine.probability((x, 0)) <= 1
            engine.commit((x, 0), y)
        assert engine.cells("weight").max() > 1e-101
    assert engine.kernel.since < 1000 and engine.best_loss == 0
    rows = engine.rows()
    z = rows.log_mass - 4.0 * rows.losses
    assert z.max() < math.log(1e-290)  # beyond it a weight counts as none
    ones = np.array([labels[0] for labels in labelled(engine, [(1 - n, 0)])])
    p = engine.probability((1 - n, 0))
    assert p == pytest.approx(float(np.exp(z - z.max()) @ ones / np.exp(z - z.max()).sum()), abs=1e-12)


# --- Bounds ------------------------------------------------------------------------------------------


def bisecting(learner: at.Adept, r: random.Random) -> Iterator[tuple[Point, int]]:
    """A line, and always the middle of what is open: each round is contested for the best row."""
    low, high = Fraction(0), Fraction(1)
    while True:
        z = (low + high) / 2
        y = int(learner.predict_proba((z, 0)) < 0.5)
        yield (z, 0), y
        low, high = (low, z) if y else (z, high)


def greedy(learner: at.Adept, r: random.Random) -> Iterator[tuple[Point, int]]:
    """Choose the least certain of some points, and the label that costs more."""
    while True:
        candidates = [(r.randrange(30), r.randrange(30)) for _ in range(8)]
        x = min(candidates, key=lambda x: abs(learner.predict_proba(x) - 0.5))
        yield x, int(learner.predict_proba(x) < 0.5)


def circling(learner: at.Adept, r: random.Random) -> Iterator[tuple[Point, int]]:
    """Corners of a convex polygon: the rows with one label for nearly all are contested in all rounds."""
    for t in itertools.count():
        x = (t, t * t)
        yield x, int(learner.predict_proba(x) < 0.5) if t % 3 else 0


@pytest.mark.parametrize("adversary", [bisecting, greedy, circling])
@pytest.mark.parametrize("rate", ["adaptive", 0.7, 40.0])
def test_the_bound_holds_against_every_labelling(adversary: Any, rate: Any) -> None:
    learner = at.Adept(Halfspaces(2), rate=rate)
    delta = 0.0
    game = adversary(learner, random.Random(7))
    for _ in range(times(40, 120)):
        x, y = next(game)
        eta, odds = learner.engine.rate, learner.engine.odds(x)
        z = -odds.log_odds if y else odds.log_odds  # of the side that loses
        loss = 1 / (1 + math.exp(-max(-700.0, min(700.0, z))))
        delta += max(0.0, loss + math.log1p(loss * math.expm1(-eta)) / eta if z < 30 else 0.0)
        learner.learn(x, y)
        assert learner.regret <= learner.bound + 1e-9
        rows = learner.engine.rows()
        assert math.fsum(np.exp(rows.log_mass)) == pytest.approx(1, abs=1e-11)
        of_each = learner.expected_loss - rows.losses
        if rate == 0.7:  # (the gap as computed here is right for all its rounds)
            assert (of_each <= -rows.log_mass / eta + delta + 1e-9).all()
    assert learner.certificate().in_advance is None and learner.in_advance is None


def test_no_learner_can_promise_less_than_a_coin() -> None:
    """The bisecting opponent: some half-plane fits, and the learner loses half a mistake in every round."""
    learner = at.Adept(Halfspaces(2))
    for x, y in itertools.islice(bisecting(learner, random.Random(0)), 60):
        learner.learn(x, y)
    assert learner.best_loss == 0 and learner.expected_loss >= 30 and learner.bound >= learner.regret


def test_weights_far_below_the_best_come_back() -> None:
    """Only a rule of tiny mass fits. After all others have lost, it has the weight."""
    learner = at.Adept(Halfspaces(2), rate=4.0)
    for x, y in itertools.islice(bisecting(learner, random.Random(0)), 400):
        learner.learn(x, y)
    assert learner.best_loss == 0 and learner.engine.leader().log_prior < -250
    assert learner.regret <= learner.bound and 0 <= learner.predict_proba((0, 1)) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_mistakes_are_few_on_points_that_are_drawn(seed: int) -> None:
    """Count the mistakes of the row of a fixed half-plane; Theorem 4 of the docs bounds their mean over the points."""
    r = random.Random(seed)
    T, engine = times(120, 300), HalfPlaneEngine(Halfspaces(2), KTPrior())
    a, b = r.gauss(0, 1), r.gauss(0, 1)
    points = [(r.gauss(0, 1), r.gauss(0, 1)) for _ in range(T)]
    for x in points:
        engine.commit(x, int(a * x[0] + b * x[1] >= 0.2))
    assert engine.best_loss == 0
    row = engine.rows().leader()
    bound = min(T, 4 + sum(min(1, (math.log(8 * s**3) + 1) / (s - 3)) for s in range(4, T)))
    assert row.mistakes is not None and row.mistakes <= 20 < bound


# --- The learner -------------------------------------------------------------------------------------


def test_which_learners_have_it() -> None:
    made: Any = {"engine": "half-planes", **dict.fromkeys(("base", "mistake_bound"))}
    told = at.Adept(Halfspaces(2)).certificate()
    assert {name: getattr(told, name) for name in made} == made
    assert at.Adept(Halfspaces(2, radius=9), prior="kt").engine.kind == "half-planes"
    assert at.Adept(Halfspaces(2), engine="collapsed").engine.kind == "half-planes"
    paths = at.Adept(Halfspaces(2), engine="paths").certificate()
    assert paths.engine == "paths" and paths.base == "Perceptron"
    others = [Halfspaces(3), Halfspaces(1), Halfspaces(2, strategy="literal"), Halfspaces(2, solver="highs")]
    others += [Halfspaces(2, seconds=5.0), Halfspaces(2, radius=4, margin=1)]
    assert {at.Adept(c, on_excess="prune", horizon=None).engine.kind for c in others} == {"paths"}
    assert at.Adept(Halfspaces(2), max_width=90).engine.kind == "paths"
    assert at.Adept(Halfspaces(2), drift=True).engine.kind == "shared-paths"
    with pytest.raises(UnsupportedCombination, match="price"):
        at.Adept(Halfspaces(2), review=0.2, feedback="reviewed")


def test_no_question_goes_to_a_solver() -> None:
    c = Halfspaces(2)
    learner = at.Adept(c)
    for x in drawn("normal", 30):
        learner.learn(x, int(x[0] > 0))
    assert learner.queries.posed == 0 and not c.decider.rungs and learner.queries.asked > 30


def test_points_that_are_equal_are_one(form: str) -> None:
    learner: Any = at.Adept(Halfspaces(2))
    for x in [(1, 2), (1.0, 2.0), (Fraction(2, 2), 2), (Fraction(1, 3), 0), (0.1, -0.0), (0.1, 0)]:
        learner.learn(x, 1)
    assert learner.width == 8 and learner.engine.kernel.number == 3


@pytest.mark.parametrize("name", ["grid", "tenths", "beyond 2^63"])
def test_a_file_continues_to_the_last_bit(tmp_path: Path, name: str) -> None:
    r = random.Random(4)
    learner: Any = at.Adept(Halfspaces(2), costs=(3, 1))
    stream = [(x, r.randrange(2)) for x in drawn(name, 30)]
    for x, y in stream[:15]:
        learner.learn(x, y, weight=r.choice((0.5, 1)))
    tickets = [learner.answer(x) for x, _ in stream[15:20]]
    learner.learn(tickets[3], 1)
    learner.save(tmp_path / "planes.adept")
    others: list[Any] = [at.load(tmp_path / "planes.adept"), copy.deepcopy(learner)]
    for player in (learner, *others):
        player.learn(next(iter(player.tickets)), 0)
        for x, y in stream[20:]:
            player.learn(x, y)
    for other in others:
        assert other.bound == learner.bound and other.expected_loss == learner.expected_loss
        assert other.engine.cells("weight").tolist() == learner.engine.cells("weight").tolist()
        assert str(other.best_rule()) == str(learner.best_rule())


def test_a_batch_is_its_rounds() -> None:
    one, many = at.Adept(Halfspaces(2)), at.Adept(Halfspaces(2))
    points = drawn("tenths", 40)
    ys = [int(a > b) for a, b in points]
    for x, y in zip(points, ys, strict=True):
        one.learn(x, y)
    many.learn_many(points, ys)
    assert many.bound == one.bound and many.predict_proba((1, 3)) == one.predict_proba((1, 3))


def test_the_best_rule_fits_what_its_row_says() -> None:
    learner = at.Adept(Halfspaces(2))
    points = drawn("nearly collinear", 20) + drawn("wild", 12)
    for i, x in enumerate(points):
        learner.learn(x, i % 2)
    rules = learner.engine.rules_of(range(learner.width))
    expected = labelled(learner.engine, points)  # type: ignore[arg-type]
    assert [tuple(rule(x) for x in points) for rule in rules] == expected
    assert sum(learner.best_rule()(x) != i % 2 for i, x in enumerate(points)) == learner.best_loss


HOSTILE = [(math.nan, 1), (1, math.inf), ("1", 2), (1,), (1, 2, 3), None, "ab", (True, 1), {"a": 1}, ((1, 2), 3), 7]


@pytest.mark.parametrize("x", HOSTILE)
def test_values_that_are_not_points_change_nothing(x: Any) -> None:
    learner = at.Adept(Halfspaces(2))
    learner.learn((1, 2), 1)
    for call in (learner.predict_proba, learner.answer, lambda x: learner.learn(x, 1)):
        with pytest.raises(InvalidInstance, match="2 finite numbers"):
            call(x)
    twin = at.Adept(Halfspaces(2))
    twin.learn((1, 2), 1)
    assert learner.predict_proba((2, 5)) == twin.predict_proba((2, 5)) and learner.width == twin.width


def test_an_interrupted_look_commits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal while integers decide: the next call is that of a learner to which nothing happened."""
    learner, twin = at.Adept(Halfspaces(2)), at.Adept(Halfspaces(2))
    points = drawn("wild", 8)
    for i, x in enumerate(points[:6]):
        learner.learn(x, i % 2)
        twin.learn(x, i % 2)
    read = learner.concept_class.key
    monkeypatch.setattr(learner.concept_class, "key", lambda x: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        learner.learn(points[6], 1)
    monkeypatch.setattr(learner.concept_class, "key", read)
    for x in points[6:]:
        assert learner.predict_proba(x) == twin.predict_proba(x)
        learner.learn(x, 1)
        twin.learn(x, 1)
    assert learner.bound == twin.bound


# --- With the rest of the library ---------------------------------------------------------------------

ALTERED: list[tuple[str, Callable[[Any], Any]]] = [
    ("points", lambda points: points[:-1]),
    ("points", lambda points: points[:-3]),
    ("points", lambda points: [2 * value for value in points]),
    ("points", lambda points: points[:3] + points[:3] + points[6:]),
    ("points", lambda points: list(map(float, points))),
    ("came", lambda came: came[::-1].copy()),
    ("came", lambda came: came[:-1]),
    ("came", lambda came: 0 * came),
    ("labels", lambda labels: labels + 4),
    ("costs", lambda costs: -costs),
    ("costs", lambda costs: math.nan * costs),
    ("rates", lambda rates: math.inf * rates),
    ("rate", lambda rate: -rate),
    ("rate", lambda rate: 2 * rate),  # without new weights
    ("rates", lambda rates: rates * ([1, 2] * 6)),  # the same
    ("labels", lambda labels: labels % 2),  # the first weights of all are new
    ("fresh", lambda fresh: 2),
]


@pytest.mark.parametrize(("name", "change"), ALTERED)
def test_an_altered_file_is_refused(name: str, change: Callable[[Any], Any]) -> None:
    engine = HalfPlaneEngine(Halfspaces(2), KTPrior())
    engine.rate, r = 0.5, random.Random(3)
    for x in drawn("grid", 12):
        engine.commit(x, r.randrange(2))
    state = engine.state()
    with pytest.raises(ValueError, match="cannot be what a learner saved"):
        HalfPlaneEngine(Halfspaces(2), KTPrior()).restore(state | {name: change(state[name])})


def test_a_file_with_points_outside_the_class_is_refused() -> None:
    engine = HalfPlaneEngine(Halfspaces(2), KTPrior())
    engine.commit((30, 4), 1)
    with pytest.raises(InvalidInstance, match="radius=9"):
        HalfPlaneEngine(Halfspaces(2, radius=9), KTPrior()).restore(engine.state())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_a_batch_that_ctrl_c_ends_continues_with_the_same_bits() -> None:
    """After a real signal the rounds so far count; the learner, and a copy, play the others like an unbroken one."""
    points = drawn("normal", times(300, 600))
    labels = [int(a > b - 3) for a, b in points]
    ended = 0
    for wait in (0.002, 0.01, 0.03, 0.08):
        broken, whole = at.Adept(Halfspaces(2)), at.Adept(Halfspaces(2))
        ended += struck(functools.partial(broken.learn_many, points, labels), wait)
        try:
            rounds = broken.rounds
        except StateError:  # (interpreted kernels only)
            assert not COMPILED
            continue
        whole.learn_many(points[:rounds], labels[:rounds])
        for x, y in zip(points[rounds : rounds + 20], labels[rounds : rounds + 20], strict=True):
            for learner in (broken, whole):
                learner.learn(x, y)
        again = copy.deepcopy(broken)  # plays the recorded rounds
        assert again.engine.cells("weight").tolist() == whole.engine.cells("weight").tolist()  # type: ignore[attr-defined]
        assert (broken.bound, broken.expected_loss, broken.width) == (whole.bound, whole.expected_loss, whole.width)
    assert ended


def test_a_run_over_two_columns_continues_from_its_folder(tmp_path: Path) -> None:
    r, learner = random.Random(5), at.Adept(Halfspaces(2))
    rows = [(x, y, int(x + 2 * y > 6) ^ (r.random() < 0.1)) for x, y in drawn("grid", 60)]
    table, kept = tmp_path / "rows.csv", tmp_path / "kept"
    command = ["run", str(table), "--rules", "halfspaces(dim=2)", "--save", str(kept), "--resume"]
    for count in (35, 60):
        table.write_text("\n".join(["a,b,label", *(",".join(map(str, row)) for row in rows[:count])]) + "\n")
        found = CliRunner().invoke(app, command)
        assert found.exit_code == 0, found.output
    learner.learn_many([row[:2] for row in rows], [row[2] for row in rows])
    assert f"at most {learner.bound:.1f} more than the best rule" in found.output


def test_a_service_answers_over_two_columns_with_tickets() -> None:
    with Inside(main="halfspaces(dim=2)") as inside:
        learner = inside.served["main"].learner
        twin: Any = at.Adept(Halfspaces(2))
        for t, (a, b) in enumerate(drawn("tenths", 30)):
            ticket = twin.answer((a, b))
            assert inside.ask("/answer", {"x": [a, b]}).body == sent(ticket)
            twin.learn(ticket, t % 2)
            inside.ask("/learn", {"ticket": ticket.id, "y": t % 2})
        assert learner.engine.kind == "half-planes" and learner.bound == twin.bound


def test_segments_need_rules_that_name_columns() -> None:
    with pytest.raises(InvalidArgument, match=r"must name the columns they read; got rules=halfspaces\(dim=2\)"):
        at.Adept(Halfspaces(2), by="who")


def test_adapters_for_rows_with_names_refuse_points() -> None:
    """River and scikit-learn give rows with names; half-planes read tuples."""
    sklearn, river = pytest.importorskip("adeptree.compat.sklearn"), pytest.importorskip("adeptree.compat.river")
    with pytest.raises(InvalidInstance, match="must be a tuple of 2 finite numbers"):
        sklearn.AdeptClassifier("halfspaces(dim=2)").fit([[1, 2], [2, 3]], [0, 1])
    with pytest.raises(InvalidInstance, match="must be a tuple of 2 finite numbers"):
        river.AdeptClassifier("halfspaces(dim=2)").learn_one({"a": 1, "b": 2}, True)


def test_half_planes_need_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    learner = at.Adept(Halfspaces(2))
    for x, y in [((0, 0), 0), ((4, 1), 1), ((1, 3), 0), ((5, 5), 1)]:
        learner.learn(x, y)
    assert learner.width == 14 and learner.best_loss == 0
    others: list[dict[str, Any]] = [{"dim": 3}, {"dim": 2, "grid": 3}, {"dim": 2, "solver": "highs"}]
    for settings in others:
        with pytest.raises(at.errors.MissingExtra, match="highspy"):
            Halfspaces(**settings)
