"""The VC dimension of stumps, against brute force on explicit grids."""

from __future__ import annotations

import itertools
from math import comb, prod

import numpy as np
import pytest

import adeptree as at
from adeptree.families.stumps.stump_vc import stump_vc_dimension
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
    found = {cuts: stump_vc_dimension(cuts) for cuts in SMALL}
    known = {cuts: value for cuts, value in found.items() if value is not None}
    assert len(known) > 40
    assert known == {cuts: vc_of_table(grid_table(cuts))[0] for cuts in known}


@pytest.mark.parametrize("cuts", [(1,) * 6, (1,) * 7, (2, 2, 1, 1), (2, 2, 1, 1, 1), (3, 1, 1, 1, 1), (2, 1), (4, 3)])
def test_few_cells_are_listed(cuts: tuple[int, ...]) -> None:
    c = at.Stumps({f"f{i}": range(count) for i, count in enumerate(cuts)})
    assert c.vc_dimension == at.vc_dimension(c) == vc_of_table(grid_table(cuts))[0]


def test_many_cells_are_not_listed() -> None:
    c = at.Stumps({f"f{i}": range(count) for i, count in enumerate((1, 1, 1, 30))})
    assert c.vc_dimension is None


@pytest.mark.parametrize("points", range(2, 9))
def test_features_with_many_cuts_have_the_dimension_of_the_theorem(points: int) -> None:
    features = (comb(points, points // 2) + 1) // 2
    assert stump_vc_dimension([points - 1] * features) == points
    assert stump_vc_dimension([points + 5] * (features - 1)) == points - 1


def test_order_and_features_without_cuts_do_not_matter() -> None:
    assert stump_vc_dimension([3, 0, 4, 5]) == stump_vc_dimension((5, 3, 4)) == 4
    assert stump_vc_dimension([0, 0]) == stump_vc_dimension([]) == 1
