"""Exact dimensions, against known values and a naive recursion."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from long_form import times

from adeptree.core.errors import InvalidArgument, TooLarge
from adeptree.families.dimensions import littlestone_dimension, vc_dimension
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory.littlestone import LittlestoneSolver, MistakeTree
from adeptree.theory.vc_tables import vc_of_table

Rows = frozenset[tuple[int, ...]]


@cache
def naive_littlestone(rows: Rows) -> int:
    """Ldim(V) = 1 + max over x of min over y of Ldim(V restricted to (x, y))."""
    if len(rows) < 2:
        return len(rows) - 1
    best = 0
    for j in range(len(next(iter(rows)))):
        ones = frozenset(row for row in rows if row[j])
        if 0 < len(ones) < len(rows):
            best = max(best, 1 + min(naive_littlestone(ones), naive_littlestone(rows - ones)))
    return best


def shattered(table: np.ndarray, columns: tuple[int, ...]) -> bool:
    return len({tuple(row) for row in table[:, list(columns)].tolist()}) == 1 << len(columns)


def naive_vc(table: np.ndarray) -> int:
    sets = itertools.chain.from_iterable(
        itertools.combinations(range(table.shape[1]), k) for k in range(table.shape[1] + 1)
    )
    return max(len(columns) for columns in sets if shattered(table, columns))


def rows_of(table: np.ndarray) -> Rows:
    return frozenset(map(tuple, table.tolist()))


def check_tree(table: np.ndarray, tree: MistakeTree | None, depth: int) -> None:
    """Every path is realizable and every leaf lies at the same depth."""
    assert len(table) > 0
    if tree is None:
        assert depth == 0
        return
    assert tree.depth == depth
    for label, below in ((0, tree.zero), (1, tree.one)):
        check_tree(table[table[:, tree.x] == label], below, depth - 1)


def thresholds(n: int) -> np.ndarray:
    return (np.arange(n)[None, :] >= np.arange(n + 1)[:, None]).astype(int)


def two_sided(n: int) -> np.ndarray:
    return np.unique(np.vstack([thresholds(n), 1 - thresholds(n)]), axis=0)


def intervals(n: int) -> np.ndarray:
    x = np.arange(n)
    rows = [((x >= a) & (x < b)).astype(int) for a in range(n) for b in range(a + 1, n + 1)]
    return np.array([np.zeros(n, dtype=int), *rows])


def parities(n: int) -> np.ndarray:
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return np.asarray((bits @ bits.T) % 2)


def conjunctions(n: int) -> np.ndarray:
    masks = np.arange(2**n)
    return np.asarray(masks[:, None] & masks[None, :] == masks[:, None], dtype=int)


def unions(d: int, blocks: int) -> np.ndarray:
    sets = [s for k in range(d + 1) for s in itertools.combinations(range(blocks), k)]
    return np.array([[int(b in s) for b in range(blocks)] for s in sets])


tables = st.tuples(st.integers(1, 24), st.integers(1, 7)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 1))
)


@settings(max_examples=times(60, 150), deadline=None)
@given(tables)
def test_littlestone_agrees_with_the_naive_recursion(table: np.ndarray) -> None:
    solver = LittlestoneSolver(table)
    dimension = solver.dimension()
    assert dimension == naive_littlestone(rows_of(table))
    check_tree(table, solver.tree(), dimension)


@pytest.mark.parametrize("seed", range(40))
def test_both_agree_with_the_naive_on_lopsided_tables(seed: int) -> None:
    # Uneven columns keep the dimension far below log2 of the size, where the pruning has work to do.
    rng = np.random.default_rng(seed)
    table = (rng.random((80, 9)) < rng.choice([0.1, 0.2, 0.35, 0.5, 0.9], 9)).astype(int)
    solver = LittlestoneSolver(table)
    assert solver.dimension() == naive_littlestone(rows_of(table))
    check_tree(table, solver.tree(), solver.dimension())
    assert vc_of_table(table)[0] == naive_vc(table)


@pytest.mark.parametrize("seed", range(60))
def test_littlestone_agrees_with_the_naive_on_nested_columns(seed: int) -> None:
    # Concepts are cells of a grid and points are cuts of it, so one side of a point often contains another.
    rng = np.random.default_rng(seed)
    cells = rng.choice(6, (int(rng.integers(8, 60)), 3), p=rng.dirichlet(np.ones(6)))
    table = (cells[:, :, None] >= np.arange(1, 6)).reshape(len(cells), -1).astype(int)
    solver = LittlestoneSolver(table)
    assert solver.dimension() == naive_littlestone(rows_of(table))
    check_tree(table, solver.tree(), solver.dimension())


@pytest.mark.parametrize("seed", [*range(10), 225, 799, 945, 2088])
def test_littlestone_agrees_with_the_naive_when_richness_varies(seed: int) -> None:
    # Nested cuts between rich and poor groups of concepts; the last seeds are ones where mistaking a
    # subset of a good side for a good side gives a wrong dimension.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 90))
    group = rng.integers(0, 5, n)
    density = rng.choice([0.05, 0.1, 0.2, 0.5], 5)[group]
    rest = (rng.random((n, 8)) < density[:, None]).astype(int)
    table = np.hstack([(group[:, None] >= np.arange(1, 5)).astype(int), rest])
    assert LittlestoneSolver(table).dimension() == naive_littlestone(rows_of(table))


@settings(max_examples=times(60, 150), deadline=None)
@given(tables)
def test_vc_agrees_with_trying_every_set(table: np.ndarray) -> None:
    dimension, columns = vc_of_table(table)
    assert dimension == len(columns) == naive_vc(table)
    assert shattered(table, columns)


@settings(max_examples=60, deadline=None)
@given(tables, st.data())
def test_masks_refer_to_the_given_rows_even_repeated_ones(table: np.ndarray, data: st.DataObject) -> None:
    solver = LittlestoneSolver(table)
    for _ in range(5):
        mask = data.draw(st.integers(0, 2 ** len(table) - 1))
        chosen = table[[i for i in range(len(table)) if mask >> i & 1]]
        assert solver.dimension(mask) == naive_littlestone(rows_of(chosen))


def test_what_was_proved_before_does_not_change_answers() -> None:
    table = np.random.default_rng(3).integers(0, 2, (60, 7))
    solver = LittlestoneSolver(table)
    rng = np.random.default_rng(4)
    for _ in range(200):
        mask = sum(1 << int(i) for i in rng.choice(60, int(rng.integers(1, 40)), replace=False))
        assert solver.dimension(mask) == LittlestoneSolver(table).dimension(mask)


def test_a_memo_that_overflows_only_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    table = intervals(19)
    monkeypatch.setattr("adeptree.theory.littlestone.MEMO_BYTES", 2000)
    solver = LittlestoneSolver(table)
    assert solver.dimension() == 7
    check_tree(table, solver.tree(), 7)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 8, 62, 63, 64, 200, 1000])
def test_thresholds(n: int) -> None:
    assert LittlestoneSolver(thresholds(n)).dimension() == (n + 1).bit_length() - 1
    assert vc_of_table(thresholds(n))[0] == 1


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, 9, 31, 32, 33])
def test_two_sided_thresholds(n: int) -> None:
    assert LittlestoneSolver(two_sided(n)).dimension() == 1 + n.bit_length() - 1
    assert vc_of_table(two_sided(n))[0] == 2


@pytest.mark.parametrize(("k", "first"), list(enumerate([1, 2, 4, 6, 9, 13, 19, 27, 39], start=1)))
def test_intervals(k: int, first: int) -> None:
    assert LittlestoneSolver(intervals(first)).dimension() == k
    if first > 1:
        assert LittlestoneSolver(intervals(first - 1)).dimension() == k - 1
    assert vc_of_table(intervals(first))[0] == min(2, first)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_parities_and_monotone_conjunctions(n: int) -> None:
    for table in (parities(n), conjunctions(n)):
        assert LittlestoneSolver(table).dimension() == n
        assert vc_of_table(table)[0] == n


@pytest.mark.parametrize(("d", "blocks"), [(0, 3), (1, 1), (2, 5), (3, 15), (5, 3), (2, 40)])
def test_unions_of_blocks(d: int, blocks: int) -> None:
    assert LittlestoneSolver(unions(d, blocks)).dimension() == min(d, blocks)
    assert vc_of_table(unions(d, blocks))[0] == min(d, blocks)


def test_a_thousand_concepts_have_a_checked_witness() -> None:
    rng = np.random.default_rng(0)
    table = (rng.random((1000, 24)) < 0.3).astype(int)
    solver = LittlestoneSolver(table)
    check_tree(table, solver.tree(), solver.dimension())
    dimension, columns = vc_of_table(table)
    assert shattered(table, columns)
    assert dimension <= solver.dimension() <= 9


def test_one_concept_and_no_concept() -> None:
    one = LittlestoneSolver([[0, 1]])
    assert (one.dimension(), one.tree(), one.dimension(0)) == (0, None, -1)
    assert vc_of_table([[0, 1]]) == (0, ())
    nothing = np.zeros((0, 3), dtype=int)
    assert LittlestoneSolver(nothing).dimension() == -1
    assert LittlestoneSolver(nothing).tree() is None
    assert vc_of_table(nothing) == (-1, ())
    assert LittlestoneSolver(np.zeros((2, 0), dtype=int)).dimension() == 0


def test_too_large_is_refused_and_leaves_the_solver_usable() -> None:
    table = np.random.default_rng(0).integers(0, 2, (1000, 40))
    with pytest.raises(TooLarge, match=r"VC dimension .* 1000 concepts .* smaller class"):
        vc_of_table(table, budget=100_000)
    solver = LittlestoneSolver(table, budget=1000)
    with pytest.raises(TooLarge, match=r"Littlestone dimension .* 1000 search steps"):
        solver.dimension()
    assert solver.dimension(0b1011) == 1


@pytest.mark.parametrize("table", [[0, 1], [[0, 2]], [[[0]]], [["a"]], [[0.5]]])
def test_bad_tables_are_refused(table: Any) -> None:
    with pytest.raises(InvalidArgument, match="two-dimensional"):
        LittlestoneSolver(table)
    with pytest.raises(InvalidArgument, match="two-dimensional"):
        vc_of_table(table)


@pytest.mark.parametrize("mask", [-1, 4])
def test_masks_outside_the_table_are_refused(mask: int) -> None:
    with pytest.raises(InvalidArgument, match="mask over 2 rows"):
        LittlestoneSolver([[0], [1]]).dimension(mask)


def test_class_level_uses_the_points_of_the_class() -> None:
    c = FiniteClass(thresholds(3), points=["a", "b", "c"])
    assert vc_dimension(c) == 1
    assert littlestone_dimension(c) == 2
    assert vc_dimension(c, witness=True)[1][0] in "abc"
    expected = MistakeTree("b", MistakeTree("c"), MistakeTree("a"))
    assert littlestone_dimension(c, witness=True) == (2, expected)
    assert littlestone_dimension(FiniteClass([[0, 0]]), witness=True) == (0, None)
    assert littlestone_dimension(FiniteClass([[0, 0], [0, 1]]), witness=True) == (1, MistakeTree(1))


class Formula(ConceptClass):
    """A class that cannot be listed."""

    vc_dimension = 1
    littlestone_dimension = None
    instance = realizable = erm = random_instance = random_concept = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "formula()"


def test_classes_that_cannot_be_listed() -> None:
    assert vc_dimension(Formula()) == 1
    with pytest.raises(InvalidArgument, match=r"Littlestone dimension of formula\(\) .* may be infinite"):
        littlestone_dimension(Formula())
    with pytest.raises(InvalidArgument, match=r"a witness of the VC dimension of formula\(\)"):
        vc_dimension(Formula(), witness=True)


def test_the_picture_of_a_tree() -> None:
    tree = MistakeTree("b", MistakeTree("c"), MistakeTree("a"))
    assert str(tree).splitlines() == [
        "b",
        "+-0- c",
        "|    +-0- *",
        "|    +-1- *",
        "+-1- a",
        "     +-0- *",
        "     +-1- *",
    ]
    assert tree.map(str.upper).x == "B"
