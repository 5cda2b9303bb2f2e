"""The coin of a round: a fixed function of the seed, the round's number and the point only.

So a guess can be repeated, predictions at other points neither reveal nor change it, and nothing is stored. It is a
well-mixed hash (``theory/ledger_kernel.py``), not a cipher: an opponent who has the seed knows all coins. A guarantee
about drawn labels needs an opponent without the seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel

_KERNEL = kernel("adeptree.theory.ledger_kernel")
MASK = (1 << 64) - 1


class Coins:
    """The coins of a seed.

    >>> coins = Coins(7)
    >>> coins.of(1, "a") == coins.of(1, "a"), coins.of(1, "a") == coins.of(1, "b"), 0 <= coins.of(2, "a") < 1
    (True, False, True)
    """

    def __init__(self, seed: int) -> None:
        self.seed = _hashed(str(int(seed)))

    def of(self, t: int, key: Any) -> float:
        """Return the coin of round t at the point with this key, uniform in [0, 1)."""
        return float(_KERNEL.coin(self.seed, t, word_of(key)))


def word_of(key: Any) -> int:
    """Return 64 bits that represent a key; the same in every process and on every machine.

    >>> word_of(3) == word_of(np.int64(3)), word_of({"b": 1, "a": 2}) == word_of({"a": 2, "b": 1})
    (True, True)
    """
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, int):
        return key & MASK
    if isinstance(key, float):
        return int(_KERNEL.word_of_float(key))  # 1 and 1.0 are the same point, and so are 0.0 and -0.0
    if isinstance(key, Mapping):  # a feature that is 0 equals an absent one: its word is 0
        words = (_KERNEL.mixed(word_of(str(name)) ^ word) for name, value in key.items() if (word := word_of(value)))
        return int(sum(words) & MASK)
    return _word_of_text(key) if isinstance(key, str) else _hashed(_text(key))


@lru_cache(1 << 12)
def _word_of_text(key: str) -> int:
    """Return the word of a text; cached, because most texts are names of features, which recur in every round."""
    return _hashed(_text(key))


def _hashed(text: str) -> int:
    from hashlib import blake2b  # (imports slowly)

    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little")


def _text(key: Any) -> str:
    if type(key) is float:  # the usual cases first, because this runs for every feature in every round
        return repr(int(key) if key.is_integer() else key)
    if isinstance(key, np.ndarray):
        key = key.tolist()
    if isinstance(key, Mapping):
        pairs = sorted([(str(name), value) for name, value in key.items()])
        return "(" + ",".join([f"({name!r},{_text(value)})" for name, value in pairs]) + ")"
    if isinstance(key, (frozenset, set)):
        return "{" + ",".join(sorted(map(_text, key))) + "}"
    if isinstance(key, (list, tuple)):
        return "(" + ",".join(map(_text, key)) + ")"
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, bool) or (isinstance(key, float) and key.is_integer()):
        key = int(key)
    plain = key is None or isinstance(key, (bool, int, float, str, bytes))
    # The text of other objects may contain their address, which differs between runs.
    text = repr(key)
    return text if plain or " at 0x" not in text else type(key).__name__
