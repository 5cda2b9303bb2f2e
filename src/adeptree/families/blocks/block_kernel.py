"""The product tree of block unions: sums over all sets of at most d blocks, in O(d^2 log blocks) per round.

A path is a set S of seen blocks; its weight is a factor of |S| times the product of r_j = exp(eta gain_j)
over j in S, where gain_j is the 1s minus the 0s that block j received. Each node of a binary tree over the
blocks, in order of arrival, holds

    E_s = the sum over the sets S of s of its blocks of prod r_j                  (all priors), and
    H_s = the same with another factor q_j, j the last member of S, S not empty   (all but the paper's: a path
          that has used up its d blocks sees no contested round after its last one, so its mass is q_j).

A round needs these sums without and with the block of x. They are carried from the block's leaf to the root,
multiplying by one sibling a level; nothing is ever divided out. Nodes are made from their children in one way
only, so the counts and the rate decide every bit, whatever was saved, loaded or looked at in between.

Every function here runs as it is, and compiled (``blocks_compiled``); numbers are as in ``blocks_wide``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from adeptree.core.types import FloatArray, IntArray
from adeptree.families.blocks.block_masses import beta_masses, paper_masses
from adeptree.families.blocks.block_wide import (
    EMPTY,
    add_multiple,
    add_wide,
    copy,
    dot,
    exp_wide,
    multiply,
    normal,
    set_constant,
    share,
)

FAT = 8
"""Blocks in a leaf of the tree: adding a block to a sum costs O(d), so small leaves would only cost memory."""

# Rows of F and X before those of the tree: the sums of one climb, a row for each level, and two to work with.
LEVELS = 48
WITHOUT, FULL_WITHOUT, FULL_WITH = 0, LEVELS, 2 * LEVELS
MASS, SPARE = 3 * LEVELS, 3 * LEVELS + 1
TREE = 3 * LEVELS + 2

# Entries of ``status``.
BLOCKS, ROUNDS, ONES, SURPLUS, LEAVES, COMBINED, HORIZON, BUDGET = range(8)
STATUS = 8


class Store(NamedTuple):
    """Everything the engine keeps, in arrays. Counts are the state; all floats are made from them."""

    F: FloatArray
    """Mantissas of the polynomials, by row: work rows, E by heap number of the node, then H (if it is needed)."""
    X: IntArray
    """Their exponents."""
    factor: FloatArray
    """r and q of each block: mantissas."""
    scale: IntArray
    """Their exponents."""
    counts: IntArray
    """How many 0s and 1s each block received."""
    above: IntArray
    """``above[v]``: how many blocks have a gain greater than v."""
    central: FloatArray
    """By part of the prior and n: its share times its mass of no mistake in n contested rounds (KT: C(2n, n) / 4^n)."""
    betas: FloatArray
    """b of each part (KT: 1/2); empty with the paper's prior."""
    status: IntArray


def best_loss(store: Store) -> int:
    """Return L*: all 1s are lost but for the surplus of the best d blocks."""
    return int(store.status[ONES] - store.status[SURPLUS])


def look(store: Store, j: int) -> float:
    """Return the share that says 1 at block j (the next number, if it is new); nothing is committed."""
    F, X, status = store.F, store.X, store.status
    d = F.shape[1] - 1
    full = len(store.betas) > 0
    fresh = j == status[BLOCKS]
    if fresh:
        store.factor[j, 0], store.scale[j, 0] = 1.0, 0
    if full:
        contested = status[BLOCKS] + fresh
        beta_masses(F, X, MASS, contested, store.central, store.betas)
        if fresh:
            store.factor[j, 1], store.scale[j, 1] = F[MASS, d], X[MASS, d]
        F[MASS, d], X[MASS, d] = 0.0, EMPTY
    else:
        paper_masses(F, X, MASS, max(0, status[HORIZON] - status[ROUNDS] - 1), status[BUDGET])
    top = climb(store, j)
    m0, e0 = dot(F, X, MASS, WITHOUT + top, 0)
    m1, e1 = dot(F, X, MASS, WITHOUT + top, 1)
    if full:
        m0, e0 = add_wide(m0, e0, F[FULL_WITHOUT + top, d], X[FULL_WITHOUT + top, d])
        m1, e1 = add_wide(m1, e1, F[FULL_WITH + top, d], X[FULL_WITH + top, d])
    m1, e1 = normal(m1, e1)
    m1, e1 = normal(m1 * store.factor[j, 0], e1 + store.scale[j, 0])
    m0, e0 = normal(m0, e0)
    return share(m1, e1, m0, e0)


def potential(store: Store) -> tuple[float, int]:
    """Return the sum over all paths of mass times prod r_j, from the root."""
    F, X, status = store.F, store.X, store.status
    d = F.shape[1] - 1
    if len(store.betas) == 0:
        paper_masses(F, X, MASS, max(0, status[HORIZON] - status[ROUNDS]), status[BUDGET])
        return dot(F, X, MASS, TREE + 1, 0)
    beta_masses(F, X, MASS, status[BLOCKS], store.central, store.betas)
    F[MASS, d], X[MASS, d] = 0.0, EMPTY
    full = TREE + 2 * status[LEAVES] + 1
    m, e = dot(F, X, MASS, TREE + 1, 0)
    m, e = add_wide(m, e, F[full, d], X[full, d])
    return normal(m, e)


def climb(store: Store, j: int) -> int:
    """Fill the work rows of every level with the sums of j's subtree, j left out or in; return the root's level.

    WITHOUT: E of the other blocks. FULL_WITHOUT: H of the other blocks. FULL_WITH: the part of H whose sets
    contain j, without the factor r_j.
    """
    F, X, status = store.F, store.X, store.status
    full = len(store.betas) > 0
    leaves = status[LEAVES]
    leaf_without(store, j)
    node, level = leaves + j // FAT, 0
    while node > 1:
        e, h, g = WITHOUT + level, FULL_WITHOUT + level, FULL_WITH + level
        sibling = TREE + (node ^ 1)
        other = sibling + 2 * leaves
        if F[sibling, 1] == 0.0:  # no blocks there yet
            copy(F, X, e + 1, e)
            if full:
                copy(F, X, h + 1, h)
                copy(F, X, g + 1, g)
        else:
            multiply(F, X, e + 1, e, sibling)
            status[COMBINED] += 1
            if full and node % 2 == 0:  # the sibling's blocks came later: a last member may be among them
                multiply(F, X, SPARE, e, other)
                copy(F, X, h + 1, h)
                add_multiple(F, X, h + 1, SPARE, 0, 1.0, 0)
                copy(F, X, g + 1, g)
                add_multiple(F, X, g + 1, SPARE, 1, 1.0, 0)
                status[COMBINED] += 1
            elif full:  # the sibling's blocks came earlier
                multiply(F, X, h + 1, h, sibling)
                add_multiple(F, X, h + 1, other, 0, 1.0, 0)
                multiply(F, X, g + 1, g, sibling)
                status[COMBINED] += 2
        node //= 2
        level += 1
    return level


def leaf_without(store: Store, j: int) -> None:
    """Fill the work rows of level 0 from the blocks of j's leaf, one by one."""
    F, X = store.F, store.X
    full = len(store.betas) > 0
    set_constant(F, X, WITHOUT, 1.0)
    set_constant(F, X, FULL_WITHOUT, 0.0)
    set_constant(F, X, FULL_WITH, 0.0)
    first = j // FAT * FAT
    for i in range(first, min(first + FAT, max(store.status[BLOCKS], j + 1))):
        if i != j:
            add_block(store, i, WITHOUT, FULL_WITHOUT, FULL_WITH, i > j)
        elif full:
            add_multiple(F, X, FULL_WITH, WITHOUT, 1, store.factor[j, 1], store.scale[j, 1])


def add_block(store: Store, i: int, e: int, h: int, g: int, later: bool) -> None:
    """Let the sets of rows e (and h, g) take in block i, the last so far; ``later`` than a block they must contain."""
    F, X = store.F, store.X
    m, x = store.factor[i, 0], store.scale[i, 0]
    if len(store.betas) > 0:
        last, exponent = normal(m * store.factor[i, 1], x + store.scale[i, 1])
        add_multiple(F, X, h, e, 1, last, exponent)
        if later:
            add_multiple(F, X, g, e, 2, last, exponent)
    add_multiple(F, X, e, e, 1, m, x)


def settle(store: Store, j: int, label: int, rate: float) -> None:
    """Commit a round: count the label of block j, and make the nodes of its path anew."""
    count(store, j, label)
    set_factor(store, j, rate)
    set_leaf(store, j // FAT)
    node = (store.status[LEAVES] + j // FAT) // 2
    while node > 0:
        set_node(store, node)
        node //= 2


def count(store: Store, j: int, label: int) -> None:
    """Count one label of block j, and follow the surplus: sum over v >= 0 of min(d, number of gains above v)."""
    counts, above, status = store.counts, store.above, store.status
    d = store.F.shape[1] - 1
    if j == status[BLOCKS]:
        status[BLOCKS] += 1
        counts[j, 0], counts[j, 1] = 0, 0
    status[ROUNDS] += 1
    status[ONES] += label
    gain = counts[j, 1] - counts[j, 0]
    counts[j, label] += 1
    if label == 1 and gain >= 0:
        status[SURPLUS] += above[gain] < d
        above[gain] += 1
    elif label == 0 and gain > 0:
        status[SURPLUS] -= above[gain - 1] <= d
        above[gain - 1] -= 1


def set_factor(store: Store, j: int, rate: float) -> None:
    """Make r_j from the counts of block j."""
    store.factor[j, 0], store.scale[j, 0] = exp_wide(rate * (store.counts[j, 1] - store.counts[j, 0]))


def rebuild(store: Store, rate: float) -> None:
    """Make all factors and nodes from the counts."""
    F, X = store.F, store.X
    d = F.shape[1] - 1
    full = len(store.betas) > 0
    leaves = store.status[LEAVES]
    for j in range(store.status[BLOCKS]):
        set_factor(store, j, rate)
        if full:
            beta_masses(F, X, MASS, j + 1, store.central, store.betas)
            store.factor[j, 1], store.scale[j, 1] = F[MASS, d], X[MASS, d]
    for leaf in range(leaves):
        set_leaf(store, leaf)
    for node in range(leaves - 1, 0, -1):
        set_node(store, node)


def set_leaf(store: Store, leaf: int) -> None:
    """Make a leaf from the factors of its blocks."""
    leaves = store.status[LEAVES]
    e = TREE + leaves + leaf
    h = e + 2 * leaves
    set_constant(store.F, store.X, e, 1.0)
    if len(store.betas) > 0:
        set_constant(store.F, store.X, h, 0.0)
    for i in range(leaf * FAT, min(store.status[BLOCKS], (leaf + 1) * FAT)):
        add_block(store, i, e, h, SPARE, False)


def set_node(store: Store, node: int) -> None:
    """Make an inner node from its children: a function of the counts alone, however they came about."""
    F, X, status = store.F, store.X, store.status
    full = len(store.betas) > 0
    e, left, right = TREE + node, TREE + 2 * node, TREE + 2 * node + 1
    over = 2 * status[LEAVES]
    if F[right, 1] == 0.0:  # no blocks there yet
        copy(F, X, e, left)
        if full:
            copy(F, X, e + over, left + over)
        return
    multiply(F, X, e, left, right)
    status[COMBINED] += 1
    if full:
        multiply(F, X, e + over, left, right + over)
        add_multiple(F, X, e + over, left + over, 0, 1.0, 0)
        status[COMBINED] += 1


def play(
    store: Store,
    blocks: IntArray,
    labels: IntArray,
    out: FloatArray,
    rate: float,
    best: float,
    gap: float,
    so_far: float,
) -> tuple[int, float]:
    """Play rounds until they or a limit end; return how many were played and the mixability gap."""
    shrink = math.expm1(-rate)
    for i in range(len(blocks)):
        label = labels[i]
        p = look(store, blocks[i])
        out[i] = p
        settle(store, blocks[i], label, rate)
        if rate > 0.0:
            loss = abs(p - label)
            so_far += max(0.0, loss + math.log1p(loss * shrink) / rate)
        if best_loss(store) >= best or so_far >= gap:
            return i + 1, so_far
    return len(blocks), so_far
