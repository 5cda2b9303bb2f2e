"""The coin of a round: a fixed function of the seed, the round's number and the point, and of nothing else.

So a guess may be asked for again and again, looking at other points neither reveals nor disturbs it, and nothing has
to be kept or saved. It is a well-mixed hash (the finaliser of SplitMix64), not a cipher: who knows the seed
knows all coins, and a guarantee about drawn labels is for opponents who do not.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.types import FloatArray
from adeptree.core.words import MASK, word_of

GOLDEN = 0x9E3779B97F4A7C15
ONE, TWO = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
UNIT = 2.0**-53

Words = NDArray[np.uint64]


class Coins:
    """The coins that belong to a seed.

    >>> coins = Coins(7)
    >>> coins.of(1, "a") == coins.of(1, "a"), coins.of(1, "a") == coins.of(1, "b"), 0 <= coins.of(2, "a") < 1
    (True, False, True)
    >>> coins.many(1, np.array([3, 5])).tolist() == [coins.of(1, 3), coins.of(2, 5)]
    True
    """

    def __init__(self, seed: int) -> None:
        self._seed = int.from_bytes(hashlib.blake2b(str(int(seed)).encode(), digest_size=8).digest(), "little")

    def of(self, t: int, key: Any) -> float:
        """Return the coin of round t at the point with this key, uniform in [0, 1)."""
        return (_mixed(_mixed((self._seed + t * GOLDEN) & MASK) ^ word_of(key)) >> 11) * UNIT

    def many(self, first: int, keys: Any) -> FloatArray:
        """Return the coins of the rounds ``first``, ``first + 1``, ... at these points."""
        words = _words(keys)
        if words is None:
            return np.array([self.of(first + i, key) for i, key in enumerate(keys)], dtype=np.float64)
        with np.errstate(over="ignore"):
            t = np.arange(first, first + len(words), dtype=np.uint64)
            rounds = _mixed_many(np.uint64(self._seed) + t * np.uint64(GOLDEN))
            coins: FloatArray = (_mixed_many(rounds ^ words) >> np.uint64(11)).astype(np.float64) * UNIT
        return coins


def _words(keys: Any) -> Words | None:
    if not isinstance(keys, np.ndarray) or keys.ndim != 1:
        return None
    if keys.dtype.kind == "i":
        return keys.astype(np.int64).view(np.uint64)
    if keys.dtype == np.float64 and (np.abs(keys) < 2.0**62).all():
        whole = keys == np.floor(keys)
        words: Words = np.where(
            whole, np.where(whole, keys, 0.0).astype(np.int64).view(np.uint64), keys.view(np.uint64)
        )
        return words
    return None


def _mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * ONE) & MASK
    z = ((z ^ (z >> 27)) * TWO) & MASK
    return z ^ (z >> 31)


def _mixed_many(z: Words) -> Words:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(ONE)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(TWO)
    return z ^ (z >> np.uint64(31))
