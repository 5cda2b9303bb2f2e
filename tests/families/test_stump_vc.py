"""The VC dimension of stumps, against brute force on explicit grids."""

from __future__ import annotations

import itertools
from math import comb, prod

import numpy as np
import pytest

from adeptree.core.errors import InvalidArgument
from adeptree.families.stumps.stump_vc import _VcSearch, stump_vc_dimension
from adeptree.theory.vc_tables import vc_of_table


def grid_table(cuts: tuple[int, ...]) -> np.ndarray:
    """All stumps and both constants on all combinations of cells."""
    points = np.array(list(itertools.product(*(range(m + 1) for m in cuts))))
    rows = [np.zeros(len(points), dtype=int), np.ones(len(points), dtype=int)]
    for j, m in enumerate(cuts):
        for cut in range(1, m + 1):
            rows += [(points[:, j] >= cut).astype(int), (points[:, j] < cut).astype(int)]
    return np.array(rows)


SMALL = [
    cuts
    for features in range(5)
    for cuts in itertools.combinations_with_replacement(range(5), features)
    if prod(m + 1 for m in cuts) <= 200
]


def test_agrees_with_brute_force_on_every_small_grid() -> None:
    assert len(SMALL) > 80
    wrong = [c for c in SMALL if stump_vc_dimension(c) != vc_of_table(grid_table(c))[0]]
    assert wrong == []


@pytest.mark.parametrize("cuts", [(1,) * 6, (1,) * 7, (1,) * 8, (2, 2, 1, 1), (2, 2, 1, 1, 1), (3, 1, 1, 1, 1)])
def test_agrees_with_brute_force_on_many_short_features(cuts: tuple[int, ...]) -> None:
    assert stump_vc_dimension(cuts) == vc_of_table(grid_table(cuts))[0]


@pytest.mark.parametrize("points", range(2, 9))
def test_the_search_confirms_the_theorem_for_features_with_many_cuts(points: int) -> None:
    features = (comb(points, points // 2) + 1) // 2
    assert _VcSearch(points, 1_000_000).splits([points - 1] * features) is True
    assert stump_vc_dimension([points - 1] * features) == points
    assert stump_vc_dimension([points + 5] * (features - 1)) == points - 1


@pytest.mark.parametrize("bits", range(1, 9))
def test_binary_features_need_one_feature_per_subset_up_to_complement(bits: int) -> None:
    needed = 2 ** (bits - 1) - 1
    assert stump_vc_dimension([1] * needed) == bits
    if needed > 1:
        assert stump_vc_dimension([1] * (needed - 1)) == bits - 1


def test_order_and_features_without_cuts_do_not_matter() -> None:
    assert (
        stump_vc_dimension([3, 0, 1, 2])
        == stump_vc_dimension((1, 2, 3))
        == stump_vc_dimension(list(np.array([2, 3, 1])))
    )
    assert stump_vc_dimension([0, 0]) == stump_vc_dimension([]) == 1


def test_more_cuts_never_lower_the_dimension() -> None:
    for cuts in itertools.combinations_with_replacement(range(1, 5), 4):
        smaller = stump_vc_dimension(cuts)
        larger = stump_vc_dimension((*cuts[:-1], cuts[-1] + 1))
        assert smaller is not None
        assert larger is not None
        assert smaller <= larger <= smaller + 1


def test_a_search_that_is_too_long_says_unknown() -> None:
    assert stump_vc_dimension([4] * 18) == 7
    assert stump_vc_dimension([4] * 18, budget=100) is None


@pytest.mark.parametrize("count", [-1, 1.5, "2", True, None])
def test_bad_counts_are_refused(count: object) -> None:
    with pytest.raises(InvalidArgument, match="number of cuts"):
        stump_vc_dimension([2, count])  # type: ignore[list-item]
