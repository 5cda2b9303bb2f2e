"""Which contested rows have a D-tree on which side, for all of them at once."""

from __future__ import annotations

import numpy as np

from adeptree.core.types import BoolArray, IntArray
from adeptree.ghost.row_labels import LabelTable
from adeptree.ghost.stages import TWO_TREES, too_small, tree_label

NONE = -1
"""In arrays of row numbers: no ghost here."""


def find_trees(
    d: int, labels: LabelTable, dimension: IntArray, rows: IntArray, ghosts: IntArray, ones: BoolArray
) -> BoolArray:
    """Say for each label and row whether its ghosts with the label and the row itself have a D-tree.

    ``ghosts[i]`` are those of ``rows[i]``, of which ``ones[i]`` take label 1, and ``dimension[i]`` is its D.
    Rows differ from each other, so a 1-tree is any two of them; 2-trees are found for all rows
    together, deeper ones row by row where there are enough ghosts at all.
    """
    sides = ((ghosts != NONE) & ~ones, ones)
    trees = np.stack([side.sum(axis=1) + 1 >= 1 << dimension for side in sides])
    for label, side in enumerate(sides):
        two = np.flatnonzero(trees[label] & (dimension == 2))
        if len(two):
            members = np.concatenate([ghosts[two], rows[two, None]], axis=1)
            inside = np.concatenate([side[two], np.ones((len(two), 1), dtype=np.bool_)], axis=1)
            trees[label, two] = labels.has_two_tree(members, inside)
    for at in np.flatnonzero(trees.any(axis=0) & (dimension > 2)).tolist():
        members = np.append(ghosts[at][ghosts[at] != NONE], rows[at])
        mask = int.from_bytes(np.packbits(ones[at], bitorder="little").tobytes(), "little")
        label_of_tree = tree_label(d, int(dimension[at]), len(members) - 1, mask, labels.columns(members))
        trees[:, at] = (label_of_tree == 0, label_of_tree == 1)
    if trees.all(axis=0).any():
        raise too_small(d, TWO_TREES)
    return trees
