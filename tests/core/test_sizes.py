"""Sizes have limits, and an error message beyond them, before any memory is allocated."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import BlockUnions, Conjunctions, Disjunctions, Hedge, Intervals, Parities, Thresholds, parse
from adeptree.core.arguments import LARGEST_LINE, check_number, check_size
from adeptree.core.errors import AdeptreeError, InvalidArgument, InvalidSpec, TooLarge
from adeptree.solvers.lp import Halfspaces
from adeptree.solvers.sat import DecisionLists, DecisionTrees, Dfas, KTermDnf

HUGE = 10**5000  # more digits than Python writes out
SIZES = [10**9, 10**400, HUGE, -HUGE]


@pytest.fixture(autouse=True)
def quick_and_small() -> Iterator[None]:
    tracemalloc.start()
    started = time.monotonic()
    yield
    took, (_, peak) = time.monotonic() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < 10 and peak < 1 << 28


@pytest.mark.parametrize("n", [LARGEST_LINE + 1, 1 << 63, 1 << 64, *SIZES[1:]], ids=lambda n: f"{n.bit_length()} bits")
@pytest.mark.parametrize("kind", [Thresholds, Intervals])
def test_a_line_has_at_most_two_to_the_62_points(kind: Any, n: int) -> None:
    with pytest.raises(InvalidArgument, match=r"n must be an int (in 1..4611686018427387904|>= 1); got n"):
        kind(n)
    with pytest.raises(InvalidSpec):
        parse(f"{kind.spec_name}(n={n:#x})")


@pytest.mark.parametrize("kind", [Thresholds, Intervals])
def test_the_longest_line_is_learnt_on_but_not_listed(kind: Any) -> None:
    longest = kind(LARGEST_LINE)
    assert longest.instance(LARGEST_LINE - 1) == LARGEST_LINE - 1 and longest.littlestone_dimension >= 62
    for listing in (lambda: longest.labels(3), lambda: Hedge(longest), lambda: Intervals(LARGEST_LINE).concept(7)):
        with pytest.raises(TooLarge, match="too many to look at one by one"):
            listing()


MAKERS: list[Callable[[int], Any]] = [
    BlockUnions,
    Conjunctions,
    Disjunctions,
    Parities,
    Halfspaces,
    lambda n: KTermDnf(n=n, k=2),
    lambda n: KTermDnf(n=4, k=n),
    lambda n: DecisionLists(n=4, k=n),
    lambda n: DecisionTrees(n=4, depth=n),
    lambda n: Dfas(states=n, alphabet="ab"),
]


@pytest.mark.parametrize("size", SIZES, ids=lambda n: f"{n.bit_length()} bits")
@pytest.mark.parametrize("make", MAKERS)
def test_classes_say_how_large_they_may_be(make: Callable[[int], Any], size: int) -> None:
    with pytest.raises(AdeptreeError, match=r"must be an int|over the limit"):
        make(size)


def test_large_classes_are_counted_roughly() -> None:
    with pytest.raises(TooLarge, match=r"conjunctions\(n=100000\) has about 2\^158496 concepts"):
        Hedge(Conjunctions(100_000))
    with pytest.raises(InvalidArgument, match=r"^x must be 100000 bits; got x=") as caught:
        Conjunctions(100_000).instance([0, 1])
    assert len(str(caught.value)) < 100


def test_a_large_grid_is_not_listed() -> None:
    for grid in (Halfspaces(3, grid=10**6), Halfspaces(10_000, grid=2)):
        with pytest.raises(TooLarge, match="too many to list"):
            grid.enumerated()
    assert Halfspaces(40, grid=1).enumerated().size == 2


@pytest.mark.parametrize(
    "inside",
    [
        "(" * 10**5 + ")" * 10**5,
        "[" * 10**5 + "]" * 10**5,
        "[" * 150 + "]" * 150,
        "-" * 10**5 + "1",
        "1+" * 10**4 + "1",
        "n=" + "9" * 10**4,
        "n='" + "x" * 10**7 + "'",
        "1," * (1 << 18),
        "1," * 10**7,
        " " * (1 << 25),
    ],
    ids=lambda inside: f"{inside[:4]} {len(inside)}",
)
def test_specs_of_any_size_end_in_a_short_sentence(inside: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        parse(f"thresholds({inside})")
    assert len(str(caught.value)) < 500


def test_a_size_is_told_by_its_digits_or_its_length() -> None:
    assert check_size("seed", (1 << 256) - 1, at_least=0) == (1 << 256) - 1
    with pytest.raises(InvalidArgument, match=r"seed must be an int in 0..2\^256; got seed of 16610 bits"):
        check_size("seed", HUGE, at_least=0)
    with pytest.raises(InvalidArgument, match=r"n must be an int in 1..4; got n=5 \(int\)"):
        check_size("n", 5, at_most=4)


def test_horizons_and_switches_have_limits() -> None:
    c = at.Thresholds(8)
    builds: tuple[Callable[[], object], ...] = (
        lambda: at.Adept(c, 10**400),
        lambda: at.Hedge(c, 10**400),
        lambda: at.LazyAdept(c, 10**400),
        lambda: at.Adept(c, 10**400, drift=True),
        lambda: at.Adept(c, -(10**5000)),
        lambda: c.instance(10**5000),
    )
    for build in builds:
        with pytest.raises(AdeptreeError) as raised:
            build()
        assert len(str(raised.value)) < 400


@pytest.mark.parametrize("value", [[3], None, "3", 10**400, float("nan"), -1, float("inf")])
def test_formulas_say_what_is_no_number(value: Any) -> None:
    for formula in (at.bounds.sauer, at.bounds.kt_cost, at.bounds.commits, at.bounds.regret):
        with pytest.raises(InvalidArgument, match=r"must be a number from 0 to 1e\+300; got "):
            formula(value, 1)
    learner = at.Adept(at.Thresholds(8), 30)
    with pytest.raises(InvalidArgument, match="best_loss must be a number, at least 0"):
        learner.bound_for(value)
    with pytest.raises(InvalidArgument, match="must be"):
        learner.bound_after(value)


def test_formulas_without_a_value_say_so() -> None:
    with pytest.raises(InvalidArgument, match=r"sauer has no value here \(.*\); got t=2.5"):
        at.bounds.sauer(2.5, 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="rate must be one of"):
        at.Adept(at.Thresholds(8), 30, rate=10**400)
    with pytest.raises(InvalidArgument, match="features must be one or more"):
        at.RealStumps(np.array(3))


def test_the_ghost_learner_has_a_largest_dimension() -> None:
    for d in (33, 10**5, 10**9, 2**63):
        with pytest.raises(InvalidArgument, match="d must be"):
            at.Adept(at.OracleClass(realizable=bool, littlestone_dimension=d))


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, float("nan"), 2, 1j])
def test_what_is_no_such_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgument, match="noise must be a number between 0 and 1; got noise="):
        check_number("noise", value, "a number between 0 and 1", lambda noise: 0 <= noise <= 1)


def test_numbers_of_any_kind_are_taken_as_they_are() -> None:
    for value in (0, 0.5, np.float32(0.5), np.int8(1)):
        assert check_number("noise", value, "a number between 0 and 1", lambda noise: 0 <= noise <= 1) is value
