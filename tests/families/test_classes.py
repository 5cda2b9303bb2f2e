"""Concept classes: closed forms against brute force, specs, readable rules and refused arguments."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import (
    Family,
    Stream,
    blocks,
    family_streams,
    intervals,
    monomials,
    parities,
    small_families,
    steady,
    stumps,
    table,
    tables,
    thresholds,
)

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidInstance, InvalidLabel, TooLarge
from adeptree.families.listed import EnumerableClass
from adeptree.theory.littlestone import LittlestoneSolver
from adeptree.theory.vc_tables import vc_of_table

every_family = pytest.mark.parametrize("family", small_families(), ids=repr)

# --------------------------------------------------------------------------------- closed forms, oracles


@steady
@given(family_streams())
def test_realizable_is_brute_force(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    for end in range(len(stream) + 1):
        sample = stream[:end]
        fits = any(all(rule(x) == y for x, y in sample) for rule in family.rules)
        assert family.c.realizable(sample) is fits


@every_family
def test_realizable_on_all_short_samples(family: Family) -> None:
    pairs = [(x, y) for x in family.points for y in (0, 1)]
    for sample in itertools.islice(itertools.product(pairs, repeat=3), 0, 6000):
        fits = any(all(rule(x) == y for x, y in sample) for rule in family.rules)
        assert family.c.realizable(sample) is fits


@steady
@given(family_streams())
def test_erm_is_optimal(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    for sample in (stream, stream[:1], []):
        concept = family.c.erm(sample)
        assert sum(int(concept(x)) != y for x, y in sample) == family.best_loss(sample)
        labels = tuple(int(concept(x)) for x in family.points)
        assert labels in family.rows, "the concept must belong to the class"


@steady
@given(family_streams(longest=6))
def test_erm_of_an_oracle_is_optimal(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn

    def find(sample: Any) -> Any:
        return next((rule for rule in family.rules if all(rule(x) == y for x, y in sample)), None)

    for c in (at.OracleClass(find=find), at.OracleClass(realizable=lambda sample: find(sample) is not None)):
        concept = c.erm(stream)
        assert sum(int(concept(x)) != y for x, y in stream) == family.best_loss(stream)


@pytest.mark.parametrize("family", [f for f in small_families() if isinstance(f.c, EnumerableClass)], ids=repr)
def test_listed_concepts_are_the_class(family: Family) -> None:
    c = family.c
    assert isinstance(c, EnumerableClass)
    concepts = [c.concept(i) for i in range(c.size)]
    rows = [tuple(int(concept(x)) for x in family.points) for concept in concepts]
    assert len(set(rows)) == c.size and set(rows) == family.rows
    for j, x in enumerate(family.points):
        labels = c.labels(c.instance(x))
        assert labels.dtype == np.uint8 and labels.tolist() == [row[j] for row in rows]
    assert {tuple(row) for row in c.to_finite().table.tolist()} == {
        tuple(int(concept(x)) for x in c.instances()) for concept in concepts
    }
    assert c.to_finite().size == c.size
    rng = np.random.default_rng(0)
    for _ in range(20):
        drawn = c.random_concept(rng)
        assert tuple(int(drawn(x)) for x in family.points) in family.rows
        assert c.instance(c.random_instance(rng)) is not None


# ------------------------------------------------------------------------------------------- dimensions


def every_dimension() -> list[Family]:
    return [
        *(thresholds(n) for n in range(1, 20)),
        *(intervals(n) for n in range(1, 14)),
        *(blocks(d, n) for d, n in [(1, 1), (1, 4), (2, 2), (2, 5), (3, 5)]),
        *(monomials(n, False, any_of) for n in (1, 2, 3) for any_of in (False, True)),
        *(monomials(n, True, any_of) for n in (1, 2, 3, 4) for any_of in (False, True)),
        *(parities(n) for n in (1, 2, 3, 4)),
        stumps(a=[1]),
        stumps(a=[1, 2, 3]),
        stumps(a=[1], b=[1]),
        stumps(a=[1], b=[1], c=[1]),
        stumps(a=[1, 2], b=[1, 2], c=[1, 2]),
        stumps(a=[1, 2, 3, 4], b=[1]),
        table(["0000", "0011", "0101", "1111", "1000"]),
    ]


@pytest.mark.parametrize("family", every_dimension(), ids=repr)
def test_dimensions_are_brute_force(family: Family) -> None:
    rows = sorted(family.rows)
    assert family.c.vc_dimension == vc_of_table(rows)[0]
    assert family.c.littlestone_dimension == LittlestoneSolver(rows).dimension()


@pytest.mark.parametrize("family", [intervals(5), stumps(a=[1, 2], b=[3])], ids=repr)
def test_dimension_witnesses_are_instances_of_the_class(family: Family) -> None:
    dimension, points = at.vc_dimension(family.c, witness=True)
    assert len(points) == dimension == family.c.vc_dimension
    assert len(family.labellings(list(points))) == 2**dimension
    depth, tree = at.littlestone_dimension(family.c, witness=True)
    assert tree is not None and tree.depth == depth == family.c.littlestone_dimension

    def forced(node: Any, sample: Stream) -> None:
        for y, below in ((0, node.zero), (1, node.one)):
            assert family.c.realizable([*sample, (node.x, y)])
            if below is not None:
                forced(below, [*sample, (node.x, y)])

    forced(tree, [])


# --------------------------------------------------------------------------------------- specs and texts


@every_family
def test_repr_is_a_spec(family: Family) -> None:
    again = at.parse(repr(family.c))
    assert again == family.c and hash(again) == hash(family.c) and repr(again) == repr(family.c)
    assert family.c != at.Thresholds(99)


@steady
@given(tables())
def test_repr_of_any_table_is_a_spec(rows: frozenset[tuple[int, ...]]) -> None:
    c = at.FiniteClass(list(rows))
    assert at.parse(repr(c)) == c and hash(at.parse(repr(c))) == hash(c)


def test_equal_rows_are_one_concept() -> None:
    c = at.FiniteClass([[1, 0], [0, 1], [1, 0]])
    assert c.size == 2 and c == at.FiniteClass(["10", "01"])
    assert c != at.FiniteClass(["01", "10"]) and c != at.FiniteClass(["10", "01"], points=["a", "b"])


def test_points_from_numpy_are_plain_values() -> None:
    c = at.FiniteClass([[0, 1], [1, 1]], points=np.arange(2))  # type: ignore[arg-type]
    assert at.parse(repr(c)) == c and c.instance(np.int64(1)) == 1


def test_a_block_function_is_shown_by_name() -> None:
    """Saved files compare this text, so it may not hold an address."""

    def sender(x: Any) -> str:
        return str(x["from"])

    c = at.BlockUnions(2, block=sender)
    assert repr(c).endswith("sender)") and " at 0x" not in repr(c)
    assert c.realizable([({"from": "a"}, 1), ({"from": "a", "to": "b"}, 1), ({"from": "c"}, 0)])
    assert not c.realizable([({"from": "a", "to": "c"}, 1), ({"from": "a"}, 0)])
    named = at.BlockUnions(2, block="from")
    assert at.parse(repr(named)) == named
    assert named.block_of({"from": "a"}) == "a" == named.block_of(named.instance({"from": "a"}))


@pytest.mark.parametrize(
    ("c", "index", "text"),
    [
        (at.Thresholds(9), 4, "x >= 4"),
        (at.Intervals(4), 0, "never 1 (empty interval)"),
        (at.Intervals(4), 2, "0 <= x < 2"),
        (at.Conjunctions(3), 0, "always 1"),
        (at.Conjunctions(3), 27, "always 0"),
        (at.Conjunctions(3), 11, "x0 and not x2"),
        (at.Disjunctions(2), 0, "always 0"),
        (at.Disjunctions(2), 9, "always 1"),
        (at.Disjunctions(2), 5, "x0 or not x1"),
        (at.Parities(4), 0, "always 0"),
        (at.Parities(4), 9, "x0 xor x3"),
        (at.Stumps({"age": [30, 40.5]}), 0, "always 0"),
        (at.Stumps({"age": [30, 40.5]}), 3, "age >= 40.5"),
        (at.Stumps({"age": [30, 40.5]}), 4, "age < 30"),
        (at.FiniteClass(["011", "111"], points=["a", "b", "c"]), 0, "concept 0: 1 on {'b', 'c'}"),
        (at.FiniteClass(["011", "111"]), 1, "concept 1: always 1"),
    ],
)
def test_concepts_are_readable(c: EnumerableClass, index: int, text: str) -> None:
    assert str(c.concept(index)) == text


def test_unions_are_readable() -> None:
    c = at.BlockUnions(2)
    assert str(c.erm([("a", 1), ("b", 1), ("b", 1), ("c", 1), ("c", 0)])) == "block in {'b', 'a'}"
    assert str(c.erm([("a", 0)])) == "never 1 (no block)"


# ---------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("c", "wrong"),
    [
        *((at.Thresholds(5), x) for x in (-1, 5, 2.5, "2", None, True, float("nan"), float("inf"), (1,))),
        *((at.Intervals(5), x) for x in (-1, 5, 2.5, "2", None)),
        *((at.FiniteClass(["01", "11"]), x) for x in (-1, 2, 0.0, True, "0", None, [0])),
        *((at.FiniteClass(["01"], points=["a", "b"]), x) for x in ("c", 0, None, ["a"], {"a": 1})),
        *((at.Conjunctions(2), x) for x in ((0,), (0, 1, 1), (0, 2), "01", 3, None, (0, None), [[0, 1], [1, 0]])),
        *((at.Parities(2), x) for x in ((0,), (0, -1), 1.0)),
        *((at.Stumps({"a": [1]}), x) for x in ({}, {"b": 1}, 3, {"a": "1"}, {"a": float("nan")}, {"a": 10**400})),
        *((at.BlockUnions(1), x) for x in ([1], {"a": 1}, {1})),
        (at.BlockUnions(1, block="sender"), {"from": 1}),
        (at.OracleClass(realizable=lambda s: True), {1, 2}),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_instances_outside_the_domain(c: at.ConceptClass, wrong: Any) -> None:
    with pytest.raises(InvalidInstance, match="must"):
        c.instance(wrong)
    with pytest.raises(InvalidInstance):
        c.realizable([(wrong, 0)]) if not isinstance(c, at.OracleClass) else c.erm([(wrong, 0)])


@every_family
def test_labels_of_samples_are_checked(family: Family) -> None:
    for wrong in (2, -1, 0.5, "1", None):
        with pytest.raises(InvalidLabel, match="a label must be 0 or 1"):
            family.c.realizable([(family.points[0], wrong)])  # type: ignore[list-item]
        with pytest.raises(InvalidLabel):
            family.c.erm([(family.points[0], wrong)])  # type: ignore[list-item]


@pytest.mark.parametrize("kind", [at.Thresholds, at.Intervals, at.Conjunctions, at.Parities, at.BlockUnions])
@pytest.mark.parametrize("wrong", [0, -3, 1.5, "4", None, True])
def test_sizes_are_checked(kind: Any, wrong: Any) -> None:
    with pytest.raises(InvalidArgument, match="must be an int >= 1; got"):
        kind(wrong)


@pytest.mark.parametrize(
    "make",
    [
        lambda: at.FiniteClass([]),
        lambda: at.FiniteClass([[]]),
        lambda: at.FiniteClass([0, 1]),
        lambda: at.FiniteClass([[0, 2]]),
        lambda: at.FiniteClass([[0], [0, 1]]),
        lambda: at.FiniteClass(["0x"]),
        lambda: at.FiniteClass("01"),
        lambda: at.FiniteClass([[0, 1]], points=["a"]),
        lambda: at.FiniteClass([[0, 1]], points=["a", "a"]),
        lambda: at.FiniteClass([[0, 1]], points=["a", "b", "a"]),
        lambda: at.FiniteClass([[0, 1]], points=[{"a"}, {"b"}]),
        lambda: at.Stumps({}),
        lambda: at.Stumps({"a": []}),
        lambda: at.Stumps({"a": 5}),  # type: ignore[dict-item]
        lambda: at.Stumps({"a": "12"}),  # type: ignore[dict-item]
        lambda: at.Stumps({"a": [float("nan")]}),
        lambda: at.Stumps({1: [1]}),  # type: ignore[dict-item]
        lambda: at.Stumps([1, 2]),  # type: ignore[arg-type]
        lambda: at.BlockUnions(1, block=3),  # type: ignore[arg-type]
        lambda: at.OracleClass(),
        lambda: at.OracleClass(find=lambda s: None, realizable=lambda s: True),
        lambda: at.OracleClass(realizable=lambda s: True, repeats="maybe"),
    ],
)
def test_arguments_are_checked(make: Any) -> None:
    with pytest.raises(InvalidArgument):
        make()


def test_cuts_beyond_2_to_the_53_still_separate() -> None:
    c = at.Stumps({"a": [1e300]})
    low, high = c.instances()
    assert c.labels(low).tolist() == [0, 1, 0, 1] and c.labels(high).tolist() == [0, 1, 1, 0]


def test_too_many_concepts_are_not_listed() -> None:
    with pytest.raises(TooLarge, match="take a smaller class"):
        at.Conjunctions(40).labels((0,) * 40)
    with pytest.raises(TooLarge, match="take a smaller class"):
        at.Thresholds(1 << 20).to_finite()
    assert at.Conjunctions(40).realizable([((0,) * 40, 1), ((1,) * 40, 0)])


@steady
@given(st.integers(65, 80), st.randoms(use_true_random=False))
def test_more_bits_than_a_word(n: int, random: Any) -> None:
    """Packed words must not mix up bits 64 and beyond."""
    x = tuple(random.randrange(2) for _ in range(n))
    flipped = tuple(bit ^ (i == n - 1) for i, bit in enumerate(x))
    for c in (at.Conjunctions(n), at.Disjunctions(n)):
        strong = int(isinstance(c, at.Conjunctions))
        assert c.realizable([(x, strong), (flipped, 1 - strong)])
    p = at.Parities(n)
    assert not p.realizable([((0,) * n, 1)]) and p.realizable([(x, 1), (flipped, 0)]) is any(x)


def test_points_of_a_table_may_be_plain_data_of_any_kind() -> None:
    rows: list[Any] = [{"age": 30, "sex": "f"}, [1, 2], "a"]
    c = at.FiniteClass([[0, 1, 1], [1, 0, 0]], points=rows)
    learner = at.Adept(c)
    for x, y in zip([*rows, {"sex": "f", "age": 30}, (1, 2)], [0, 1, 1, 0, 1], strict=True):
        learner.learn(x, y)
    assert learner.best_loss == 0 and at.parse(repr(c)) == c and hash(at.parse(repr(c))) == hash(c)
    with pytest.raises(at.errors.InvalidInstance, match="one of the 3 points"):
        learner.learn({"age": 31}, 0)
