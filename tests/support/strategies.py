"""Hypothesis strategies and small samples of every shipped family, with their concepts written out by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.roles import engine as engine_role
from reproduction.reference.listed_classes import Labels, Rows

steady = settings(derandomize=True, deadline=None, max_examples=40)
"""Settings of every property test: the same examples in every run."""
every_engine = pytest.mark.parametrize("engine", ["auto", "paths"])
"""Laws of the learner hold on the structure that stands for the paths as they do on the paths."""

Stream = list[tuple[Any, int]]
Rule = Callable[[Any], int]


@dataclass(frozen=True)
class Family:
    """A shipped class at a small size, points of its domain, and its concepts as plain functions."""

    c: at.ConceptClass
    points: tuple[Any, ...]
    rules: tuple[Rule, ...]

    def __repr__(self) -> str:
        return repr(self.c)

    @property
    def rows(self) -> Rows:
        """The labellings of all points."""
        return frozenset(tuple(rule(x) for x in self.points) for rule in self.rules)

    def labellings(self, xs: list[Any]) -> set[Labels]:
        """All realizable labellings of a sequence of points."""
        return {tuple(rule(x) for x in xs) for rule in self.rules}

    def best_loss(self, stream: Stream) -> int:
        return min(sum(rule(x) != y for x, y in stream) for rule in self.rules)

    def stream(self, seed: int, T: int) -> Stream:
        """A random stream with repeats."""
        rng = np.random.default_rng(seed)
        return [(self.points[rng.integers(len(self.points))], int(rng.integers(2))) for _ in range(T)]


def paths_of(learner: at.Adept) -> engine_role.Rows | None:
    """All paths of a learner, one by one; None if its engine is one that cannot list them."""
    try:
        return learner.engine.rows()
    except at.errors.InvalidArgument:
        return None


def cube(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n))


def thresholds(n: int) -> Family:
    rules = tuple((lambda x, a=a: int(x >= a)) for a in range(n + 1))
    return Family(at.Thresholds(n), tuple(range(n)), rules)


def intervals(n: int) -> Family:
    ends = itertools.combinations_with_replacement(range(n + 1), 2)
    rules = tuple((lambda x, a=a, b=b: int(a <= x < b)) for a, b in ends)
    return Family(at.Intervals(n), tuple(range(n)), rules)


def unions(n: int, m: int) -> Family:
    ends = itertools.combinations_with_replacement(range(n + 1), 2 * m)
    rules = tuple((lambda x, cuts=cuts: sum(cut <= x for cut in cuts) % 2) for cuts in ends)
    return Family(at.IntervalUnions(n, m), tuple(range(n)), rules)


def stump(name: str, cut: float, above: bool) -> Rule:
    return lambda x: int((x[name] >= cut) if above else (x[name] < cut))


def stumps(**cuts: list[float]) -> Family:
    rules: list[Rule] = [lambda x: 0, lambda x: 1]
    for name, values in cuts.items():
        for cut in values:
            rules += [stump(name, cut, above=True), stump(name, cut, above=False)]
    cells = [[min(values) - 1, *(value + 0.25 for value in values)] for values in cuts.values()]
    points = tuple(dict(zip(cuts, cell, strict=True)) for cell in itertools.product(*cells))
    return Family(at.Stumps(cuts), points, tuple(rules))


def member(chosen: set[str]) -> Rule:
    return lambda x: int(x in chosen)


def blocks(d: int, n: int) -> Family:
    names = [chr(65 + i) for i in range(n)]
    chosen = [set(s) for size in range(d + 1) for s in itertools.combinations(names, size)]
    return Family(at.BlockUnions(d), tuple(names), tuple(member(s) for s in chosen))


def monomials(n: int, monotone: bool, any_of: bool) -> Family:
    literals = [(i, 1) for i in range(n)] + ([] if monotone else [(i, 0) for i in range(n)])
    sets = [s for size in range(len(literals) + 1) for s in itertools.combinations(literals, size)]
    join = any if any_of else all
    rules = tuple((lambda x, s=s: int(join(x[i] == bit for i, bit in s))) for s in sets)
    kind = at.Disjunctions if any_of else at.Conjunctions
    return Family(kind(n, monotone=monotone), tuple(cube(n)), rules)


def parities(n: int) -> Family:
    rules = tuple((lambda x, a=a: sum(p * q for p, q in zip(a, x, strict=True)) % 2) for a in cube(n))
    return Family(at.Parities(n), tuple(cube(n)), rules)


def table(rows: list[str], points: list[Any] | None = None) -> Family:
    bits = [tuple(map(int, row)) for row in rows]
    names = tuple(range(len(bits[0])) if points is None else points)
    rules = tuple((lambda x, row=row: row[names.index(x)]) for row in bits)
    return Family(at.FiniteClass(rows, points=points), names, rules)


def small_families() -> list[Family]:
    """Every shipped class, small enough for brute force."""
    return [
        thresholds(1),
        thresholds(6),
        intervals(1),
        intervals(6),
        unions(3, 2),
        unions(6, 2),
        stumps(age=[30, 50]),
        stumps(a=[1, 2], b=[0.5]),
        blocks(1, 4),
        blocks(2, 5),
        monomials(2, monotone=False, any_of=False),
        monomials(3, monotone=True, any_of=False),
        monomials(2, monotone=False, any_of=True),
        monomials(3, monotone=True, any_of=True),
        parities(3),
        table(["000", "011", "101", "110", "111"]),
        table(["01", "10", "11"], points=["left", ("right", 1)]),
        table(["0110"]),
    ]


families = st.sampled_from(small_families())


@st.composite
def tables(draw: st.DrawFn, rows: int = 8, columns: int = 5) -> Rows:
    """A random finite class."""
    n = draw(st.integers(1, columns))
    row = st.tuples(*[st.integers(0, 1)] * n)
    return frozenset(draw(st.sets(row, min_size=1, max_size=rows)))


def finite(rows: Rows) -> at.FiniteClass:
    return at.FiniteClass(sorted(rows))


@st.composite
def tables_and_streams(draw: st.DrawFn, longest: int = 12, rows: int = 8) -> tuple[Rows, Stream, int]:
    """A finite class, a stream over its columns, and a horizon at least as long."""
    table = draw(tables(rows=rows))
    horizon = draw(st.integers(1, longest))
    pair = st.tuples(st.integers(0, len(next(iter(table))) - 1), st.integers(0, 1))
    return table, draw(st.lists(pair, min_size=1, max_size=horizon)), horizon


@st.composite
def family_streams(draw: st.DrawFn, longest: int = 12) -> tuple[Family, Stream]:
    """A shipped family and a stream for it: random, sorted or with one point only."""
    family = draw(families)
    pair = st.tuples(st.integers(0, len(family.points) - 1), st.integers(0, 1))
    numbers = draw(st.lists(pair, min_size=1, max_size=longest))
    order = draw(st.sampled_from(["random", "sorted", "repeated"]))
    if order == "sorted":
        numbers.sort()
    if order == "repeated":
        numbers = [(numbers[0][0] if i % 2 else x, y) for i, (x, y) in enumerate(numbers)]
    return family, [(family.points[i], y) for i, y in numbers]
