"""The arrays of the engine of block unions: made, enlarged by doubling, and filled from saved counts."""

from __future__ import annotations

import numpy as np

from adeptree.core.types import FloatArray, IntArray
from adeptree.families.blocks.block_kernel import (
    BLOCKS,
    BUDGET,
    FAT,
    HORIZON,
    LEAVES,
    ONES,
    ROUNDS,
    STATUS,
    SURPLUS,
    TREE,
    Store,
)
from adeptree.families.blocks.block_wide import EMPTY
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior


def empty_store(d: int, prior: PaperPrior | KTPrior | MixedPrior) -> Store:
    """Return the arrays before the first round, with room for one leaf."""
    status = np.zeros(STATUS, dtype=np.int64)
    if isinstance(prior, PaperPrior):
        # M is at least d, or T where no path can have so many mistakes: then any larger M gives the same masses.
        status[HORIZON], status[BUDGET] = prior.T, max(prior.M, d)
    parts = [] if isinstance(prior, PaperPrior) else prior.parts
    betas, shares = np.array([b for _, b in parts]), np.array([share for share, _ in parts])
    central = central_terms(FAT, betas) * shares[:, None]
    return _store_for(1, d, status, np.zeros((FAT, 2), dtype=np.int64), np.zeros(FAT, dtype=np.int64), central, betas)


def _store_for(
    leaves: int, d: int, status: IntArray, counts: IntArray, above: IntArray, central: FloatArray, betas: FloatArray
) -> Store:
    status[LEAVES] = leaves
    rows = TREE + 2 * leaves * (2 if len(betas) else 1)
    F, X = np.zeros((rows, d + 1)), np.full((rows, d + 1), EMPTY, dtype=np.int64)
    F[TREE : TREE + 2 * leaves, 0], X[TREE : TREE + 2 * leaves, 0] = 1.0, 0
    factor, scale = np.ones((leaves * FAT, 2)), np.zeros((leaves * FAT, 2), dtype=np.int64)
    return Store(F, X, factor, scale, counts, above, central, betas, status)


def roomier(store: Store, blocks: int, gain: int) -> Store:
    """Return the store if it holds so many blocks and such a gain, else a larger one (then to be rebuilt)."""
    if gain + 1 >= len(store.above):
        store = store._replace(above=_enlarged(store.above, 2 * (gain + 1)))
    leaves = int(store.status[LEAVES])
    if blocks <= leaves * FAT:
        return store
    while blocks > leaves * FAT:
        leaves *= 2
    counts = _enlarged(store.counts, leaves * FAT)
    central = central_terms(leaves * FAT, store.betas) * store.central[:, :1]
    return _store_for(leaves, store.F.shape[1] - 1, store.status.copy(), counts, store.above, central, store.betas)


def restored_store(store: Store, counts: IntArray) -> Store:
    """Return a store like this one with the given numbers of 0s and 1s per block (then to be rebuilt)."""
    gains = np.maximum(counts[:, 1] - counts[:, 0], 0)
    top = int(gains.max(initial=0))
    d = store.F.shape[1] - 1
    # Blocks with a gain above v: all those beyond the first so many in sorted order.
    above = len(gains) - np.searchsorted(np.sort(gains), np.arange(top + 1), side="right")
    status = store.status.copy()
    status[BLOCKS], status[ROUNDS], status[ONES] = len(counts), counts.sum(), counts[:, 1].sum()
    status[SURPLUS] = np.minimum(above, d).sum()
    central = central_terms(FAT, store.betas) * store.central[:, :1]
    fresh = _store_for(1, d, status, np.zeros((FAT, 2), dtype=np.int64), above.astype(np.int64), central, store.betas)
    fresh = roomier(fresh, len(counts), top)
    fresh.counts[: len(counts)] = counts
    return fresh


def central_terms(n: int, betas: FloatArray) -> FloatArray:
    """Return B(1/2, i + b) / B(1/2, b) for every b and i = 0..n, multiplied up in long doubles.

    >>> central_terms(3, np.array([0.5])).tolist()  # KT: C(2i, i) / 4^i
    [[1.0, 0.5, 0.375, 0.3125]]
    """
    i = np.arange(n, dtype=np.longdouble) + betas.astype(np.longdouble)[:, None]
    return np.cumprod(np.hstack([np.ones((len(betas), 1)), i / (i + 0.5)]), axis=1).astype(np.float64)


def _enlarged(array: IntArray, length: int) -> IntArray:
    larger = np.zeros((length, *array.shape[1:]), dtype=np.int64)
    larger[: len(array)] = array
    return larger
