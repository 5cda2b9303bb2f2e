"""Thresholds, intervals and stumps over floats: exact without a grid."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import Family, Rule, Stream, steady, stump
from test_frontiers import walk

import adeptree as at
from adeptree.checks import Check, parametrize_with_checks, subject
from adeptree.core import files
from adeptree.core.errors import InvalidArgument, InvalidInstance, InvalidSpec
from adeptree.families.line.line_domain import nearer_to_high
from adeptree.families.line.readable_cuts import round_cut
from adeptree.families.registry import base_for, default_base, frontier_of
from adeptree.families.rule_values import Constant, Interval, Stump, Threshold
from adeptree.families.stumps.stump_vc import stump_vc_dimension
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.base_learner import PerPath
from adeptree.roles.frontier import Frontier

LINE, SPANS = at.RealThresholds(), at.RealIntervals()
ONE, TWO = at.RealStumps(["age"]), at.RealStumps(["age", "bmi"])
EVERY: list[at.ConceptClass] = [LINE, SPANS, ONE, TWO]
every_class = pytest.mark.parametrize("c", EVERY, ids=repr)


# --------------------------------------------------------------------------- the rules, written out by hand


def cuts_for(values: list[float]) -> list[float]:
    """A cut below, between and above all values, found without the library."""
    order = sorted(set(values))
    return [-math.inf, *((a + b) / 2 for a, b in itertools.pairwise(order)), math.inf]


def between(a: float, b: float) -> Rule:
    return lambda x: int(a <= x < b)


def line_rules(points: list[float]) -> list[Rule]:
    return [between(a, math.inf) for a in cuts_for(points)]


def span_rules(points: list[float]) -> list[Rule]:
    return [between(a, b) for a, b in itertools.combinations_with_replacement(cuts_for(points), 2)]


def stump_rules(points: list[dict[str, float]]) -> list[Rule]:
    return [
        stump(name, cut, above)
        for name in points[0]
        for cut in cuts_for([x[name] for x in points])
        for above in (True, False)
    ]


def family(c: at.ConceptClass, points: list[Any]) -> Family:
    make: Any = line_rules if c == LINE else span_rules if c == SPANS else stump_rules
    return Family(c, tuple(points), tuple(make(points)))


numbers = st.sampled_from([-7.5, -1.0, 0.0, 0.1, 0.3, 2.0, 2.5, 1e6])
"""Few numbers, so that values repeat and features tie."""


@st.composite
def real_streams(draw: st.DrawFn, longest: int = 9) -> tuple[Family, Stream]:
    c = draw(st.sampled_from(EVERY))
    names = getattr(c, "features", ())
    point = st.fixed_dictionaries({name: numbers for name in names}) if names else numbers
    stream = draw(st.lists(st.tuples(point, st.integers(0, 1)), min_size=1, max_size=longest))
    return family(c, [x for x, _ in stream]), stream


# --------------------------------------------------------------------------- frontiers


@steady
@given(real_streams())
def test_rows_are_exactly_the_realizable_labellings(drawn: tuple[Family, Stream]) -> None:
    walk(drawn[0], frontier_of(drawn[0].c), drawn[1])


@pytest.mark.parametrize("names", ["a", "ab", "abc"])
@pytest.mark.parametrize("digits", [0, 1, 6])
def test_stumps_on_many_features_with_ties(names: str, digits: int) -> None:
    c = at.RealStumps(tuple(names))
    rng = np.random.default_rng(len(names) + digits)
    points = [dict(zip(names, row, strict=True)) for row in rng.normal(size=(14, len(names))).round(digits).tolist()]
    walk(family(c, points), frontier_of(c), [(x, 0) for x in points])


def test_a_labelling_of_several_features_is_one_row() -> None:
    frontier = frontier_of(TWO)
    for value in (1.0, 2.0, 3.0):
        frontier.grow(frontier.split({"age": value, "bmi": 10 * value}).children)
    assert frontier.width == 6, "as with one feature alone"
    frontier.grow(frontier.split({"age": 2.5, "bmi": 15.0}).children)
    # Age and bmi disagree only in the paths that put their cut between 2 and 2.5, or between 15 and 20.
    assert frontier.width == 10


@every_class
def test_pruned_children_stay_gone(c: at.ConceptClass) -> None:
    rng = np.random.default_rng(5)
    points = [c.instance(c.random_instance(rng)) for _ in range(7)]
    stream = [points[i] for i in rng.integers(7, size=12)]
    rules = family(c, points).rules
    frontier = frontier_of(c)
    rows: list[tuple[int, ...]] = [()]
    for t, x in enumerate(stream):
        children = frontier.split(x).children
        listed = [(*rows[p], int(b)) for p, b in zip(children.parent, children.label, strict=True)]
        possible = {tuple(rule(z) for z in stream[: t + 1]) for rule in rules}
        assert sorted(listed) == sorted(row for row in possible if row[:-1] in rows)
        kept = rng.random(len(listed)) < 0.7
        kept[rng.integers(len(listed))] = True
        frontier.grow(children.only(kept))
        rows = [row for row, keep in zip(listed, kept, strict=True) if keep]
        for i, row in enumerate(rows):
            assert tuple(frontier.concept(i)(z) for z in stream[: t + 1]) == row


def assert_same_rows(one: Frontier, other: Frontier, points: list[tuple[Any, Any]]) -> None:
    for x, z in points:
        first, second = one.split(x), other.split(z)
        assert first.can0.tolist() == second.can0.tolist()
        assert first.can1.tolist() == second.can1.tolist()
        one.grow(first.children)
        other.grow(second.children)


@pytest.mark.parametrize("seed", range(3))
def test_on_a_grid_the_rows_are_those_of_the_grid_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = [(float(i), int(i)) for i in rng.integers(12, size=30)]
    assert_same_rows(frontier_of(LINE), frontier_of(at.Thresholds(12)), points)
    assert_same_rows(frontier_of(SPANS), frontier_of(at.Intervals(12)), points)
    grid = at.Stumps({name: [i - 0.5 for i in range(1, 6)] for name in "abc"})
    values = [dict(zip("abc", row, strict=True)) for row in rng.integers(6, size=(40, 3)).astype(float).tolist()]
    assert_same_rows(frontier_of(at.RealStumps(["a", "b", "c"])), frontier_of(grid), [(x, x) for x in values])


@every_class
def test_infinite_ends_survive_the_state_file(c: at.ConceptClass, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    one, other = frontier_of(c), frontier_of(c)
    points = [c.random_instance(rng) for _ in range(8)]
    files.save(tmp_path / "blank", one.state())
    other.restore(files.load(tmp_path / "blank"))
    assert_same_rows(one, other, [(x, x) for x in points[:4]])
    files.save(tmp_path / "grown", one.state())
    restored = frontier_of(c)
    restored.restore(files.load(tmp_path / "grown"))
    assert_same_rows(one, restored, [(x, x) for x in points[4:]])


# --------------------------------------------------------------------------- the classes


@steady
@given(real_streams())
def test_realizable_and_erm_are_those_of_all_cuts(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    best = family.best_loss(stream)
    assert family.c.realizable(stream) is (best == 0)
    found = family.c.erm(stream)
    assert sum(found(x) != y for x, y in stream) == best


@pytest.mark.parametrize("count", range(1, 8))
def test_vc_dimension_of_stumps_is_that_of_very_many_cuts(count: int) -> None:
    c = at.RealStumps([f"f{i}" for i in range(count)])
    assert c.vc_dimension == stump_vc_dimension([40] * count)
    assert c.littlestone_dimension is None


@every_class
def test_infinite_dimensions_are_not_computed(c: at.ConceptClass) -> None:
    assert at.vc_dimension(c) == c.vc_dimension
    with pytest.raises(InvalidArgument, match="it may be infinite"):
        at.littlestone_dimension(c)
    with pytest.raises(InvalidArgument, match="no mistake bound is known"):
        at.Adept(c, 10)


@every_class
def test_specs(c: at.ConceptClass) -> None:
    assert at.parse(repr(c)) == c and hash(at.parse(repr(c))) == hash(c)
    assert repr(TWO) == "real_stumps(features=('age', 'bmi'))" and repr(LINE) == "real_thresholds()"
    assert at.parse("real_stumps(['age', 'bmi'])") == TWO != at.parse("real_stumps(['bmi', 'age'])")


@pytest.mark.parametrize("spec", ["real_thresholds(3)", "real_stumps()", "real_stumps([])", "real_stumps([1])"])
def test_specs_that_fit_nothing(spec: str) -> None:
    with pytest.raises(InvalidSpec, match="does not fit"):
        at.parse(spec)


@pytest.mark.parametrize("features", ["", [], "a,b".split(",") * 2, [1], 7, None, b"ab"])
def test_features_are_checked(features: Any) -> None:
    with pytest.raises(InvalidArgument, match="features must be"):
        at.RealStumps(features)


WRONG = (float("nan"), float("inf"), -math.inf, "2", None, (1,), 10**400, 1j, np.longdouble("1e400"))


@pytest.mark.parametrize("wrong", [*WRONG, True, np.True_], ids=repr)
def test_instances_outside_the_line(wrong: Any) -> None:
    for c in (LINE, SPANS):
        with pytest.raises(InvalidInstance, match="x must be a finite number; got x="):
            c.realizable([(wrong, 0)])


@pytest.mark.parametrize("wrong", [3, [1, 2], {}, {"age": 3}, *({"age": 3, "bmi": value} for value in WRONG)], ids=repr)
def test_instances_without_the_features(wrong: Any) -> None:
    with pytest.raises(InvalidInstance, match="must"):
        TWO.instance(wrong)


def test_numbers_are_accepted_as_floats() -> None:
    for number in (3, 3.0, np.int32(3), np.float32(3)):
        assert LINE.instance(number) == 3.0 and type(LINE.instance(number)) is float
    assert math.copysign(1, LINE.instance(-0.0)) == 1
    assert TWO.instance({"age": 3, "bmi": np.float64(1.5), "name": "x"}) == {"age": 3.0, "bmi": 1.5}


# --------------------------------------------------------------------------- readable cuts


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (42.0, 43.0, 43.0),
        (41.93, 43.2, 43.0),
        (42.31, 42.77, 42.5),
        (10.0, 18.0, 15.0),
        (8.0, 13.0, 10.0),
        (0.0, 0.7, 0.5),
        (0.0, 0.3, 0.2),
        (-3.5, 8.0, 0.0),
        (-0.7, 0.0, 0.0),
        (-18.0, -10.0, -10.0),
        (-17.9, -10.5, -15.0),
        (-14.9, -10.5, -13.0),
        (0.1, 0.30000000000000004, 0.2),
        (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 2.0)),
        (0.0, 5e-324, 5e-324),
        (1.71e308, 1.74e308, 1.73e308),
        (-1.7e308, 1.7e308, 0.0),
    ],
)
def test_cuts_are_round(low: float, high: float, cut: float) -> None:
    assert round_cut(low, high) == cut


floats = st.floats(allow_nan=False, allow_infinity=False)


@steady
@given(floats, floats)
@example(math.nextafter(1e16, 2e16), math.nextafter(1e16, 2e16) + 2)
@example(5e-324, 1e-323)
def test_no_rounder_cut_fits(one: float, other: float) -> None:
    assume(one != other)
    low, high = sorted((one, other))
    cut = round_cut(low, high)
    assert low < cut <= high
    # Its own last digit's place; no multiple of the next power of ten may lie in the gap.
    place = int(Decimal(repr(cut)).normalize().as_tuple().exponent) + 1
    rounder = math.floor(Fraction(high) / Fraction(10) ** place)
    assert cut == 0 or float(f"{rounder}e{place}") <= low


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Threshold(42.5), "x >= 42.5"),
        (Threshold(17), "x >= 17"),
        (Threshold(43.0), "x >= 43"),
        (Interval(0.25, 3.0), "0.25 <= x < 3"),
        (Interval(-math.inf, 3.5), "x < 3.5"),
        (Interval(-2.0, math.inf), "x >= -2"),
        (Interval(-math.inf, math.inf), "always 1"),
        (Interval(0, 0), "never 1 (empty interval)"),
        (Stump("age", 123456.75, above=False), "age < 123456.75"),
        (Stump("age", np.float64(40.0), above=True), "age >= 40"),
    ],
)
def test_rules_over_floats_are_readable_and_exact(rule: Any, text: str) -> None:
    assert str(rule) == text


def test_constants_are_called_constants() -> None:
    low, high = {"age": 1.0, "bmi": 1.0}, {"age": 2.0, "bmi": 2.0}
    for label in (0, 1):
        assert TWO.erm([(low, label), (high, label)]) == Constant(label)
        assert LINE.erm([(1.0, label), (2.0, label)]) == Constant(label)
    frontier = frontier_of(TWO)
    for x in (low, high):
        frontier.grow(frontier.split(x).children)
    texts = sorted(str(frontier.concept(row)) for row in range(frontier.width))
    assert texts == ["age < 2", "age >= 2", "always 0", "always 1"]


# --------------------------------------------------------------------------- the natural base learners


@parametrize_with_checks(
    [
        *EVERY,
        *(subject(default_base(c), concept_class=c) for c in EVERY),
        *(partial(at.Adept, c, mistake_bound=16) for c in (LINE, SPANS, TWO)),
    ]
)
def test_contract(check: Check) -> None:
    check()


@steady
@given(real_streams())
def test_bases_are_the_same_on_rows_and_right_where_forced(drawn: tuple[Family, Stream]) -> None:
    c = drawn[0].c
    base = base_for(None, c)
    frontier = frontier_of(c)
    fast, plain = base.rows(frontier), PerPath(base)
    for x, _ in drawn[1]:
        split = frontier.split(c.instance(x))
        guess = fast.predict(split)
        assert guess.tolist() == [base.predict(state, c.instance(x)) for state in plain.states]
        assert (guess == split.can1)[~split.contested].all()
        fast.grow(split.children)
        plain.grow(split.children)
        frontier.grow(split.children)


@every_class
def test_by_their_own_oracle_they_are_the_same_game(c: at.ConceptClass) -> None:
    rng = np.random.default_rng(1)
    points = [c.instance(c.random_instance(rng)) for _ in range(6)]
    own, asked = frontier_of(c), OracleFrontier(c)
    fast, plain = default_base(c).rows(own), default_base(c).rows(asked)
    assert isinstance(plain, PerPath) and not isinstance(fast, PerPath)
    for x in [*points, *points[:2]]:
        one, two = own.split(x), asked.split(x)
        assert one.can0.tolist() == two.can0.tolist() and one.can1.tolist() == two.can1.tolist()
        assert fast.predict(one).tolist() == plain.predict(two).tolist()
        for rows, frontier, split in ((fast, own, one), (plain, asked, two)):
            rows.grow(split.children)
            frontier.grow(split.children)


def test_nearest_label_at_the_ends_of_the_floats() -> None:
    top, tiny = 1.7e308, 5e-324
    for low, high, x, said in [
        (-top, top, 0.0, False),  # a tie
        (-top, top, 1.0e300, True),
        (-top, top, -1.0e300, False),
        (-top, math.inf, top, False),
        (-math.inf, top, -top, True),
        (-math.inf, math.inf, 0.0, False),
        (0.0, tiny, tiny, True),  # forced, though half of it is 0
        (tiny, 2 * tiny, tiny, False),
    ]:
        assert nearer_to_high(low, high, x) is said
        assert nearer_to_high(np.array([low]), np.array([high]), x).tolist() == [said]


@pytest.mark.parametrize(("rule", "ends"), [(Threshold(0.37), 1), (Interval(0.21, 0.68), 2)], ids=str)
def test_mistakes_on_a_uniform_stream_grow_like_the_logarithm(rule: Any, ends: int) -> None:
    """At round t the gap reaches about 1/t to each side of the cut, so a mistake has chance 1/(2t) an end."""
    base = default_base(LINE if ends == 1 else SPANS)
    seeds, late = 16, 0
    for seed in range(seeds):
        state = base.start()
        for t, x in enumerate(np.random.default_rng(seed).random(8_000).tolist()):
            late += t >= 80 and base.predict(state, x) != rule(x)
            state = base.update(state, x, rule(x))
    assert late / seeds == pytest.approx(ends * math.log(100) / 2, abs=0.6 * ends)


# --------------------------------------------------------------------------- learning with them


@every_class
def test_adept_finds_the_best_rule_and_goes_on_after_a_save(c: at.ConceptClass, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rule = c.random_concept(rng)
    xs = [c.random_instance(rng) for _ in range(60)]
    ys = [rule(x) ^ int(rng.random() < 0.15) for x in xs]
    learner = at.Adept(c, 60, mistake_bound=60)
    learner.learn_many(xs[:30], ys[:30])
    learner.save(tmp_path / "half")
    again = at.load(tmp_path / "half")
    assert learner.learn_many(xs[30:], ys[30:]).tolist() == again.learn_many(xs[30:], ys[30:]).tolist()
    sample = list(zip(xs, ys, strict=True))
    best = learner.best_rule()
    assert sum(best(x) != y for x, y in sample) == learner.best_loss
    assert learner.best_loss == sum(c.erm(sample)(x) != y for x, y in sample)
    assert learner.regret <= learner.bound


@every_class
def test_without_horizon_and_mistake_bound_the_bound_holds(c: at.ConceptClass) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rule = c.random_concept(rng)
        learner = at.Adept(c, seed=seed)
        sample = [(x, rule(x) ^ int(rng.random() < 0.2)) for x in (c.random_instance(rng) for _ in range(80))]
        for x, y in sample:
            learner.learn(x, y)
            assert learner.regret <= learner.bound + 1e-9
        assert learner.best_loss == sum(c.erm(sample)(x) != y for x, y in sample)


def test_the_best_stump_is_readable() -> None:
    learner = at.Adept(TWO, 5, mistake_bound=5)
    for age, bmi, y in [(20, 30.5, 0), (42.3, 21.0, 0), (42.8, 24.5, 1), (60, 22.5, 1), (71, 33.0, 1)]:
        learner.learn({"age": age, "bmi": bmi}, y)
    assert str(learner.best_rule()) == "age >= 42.5"
