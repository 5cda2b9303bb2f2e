"""64 bits that stand for a point, the same in every process and on every machine: what its coins are made of."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

MASK = (1 << 64) - 1


def word_of(key: Any) -> int:
    """Return 64 bits that stand for a key; the same in every process, on every machine.

    >>> word_of(3) == word_of(np.int64(3)), word_of({"b": 1, "a": 2}) == word_of({"a": 2, "b": 1})
    (True, True)
    """
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, float) and key.is_integer():
        key = int(key)  # 1 and 1.0, 0.0 and -0.0 are one point
    if isinstance(key, int):
        return key & MASK
    if isinstance(key, float):
        return int.from_bytes(struct.pack("<d", key), "little")
    return int.from_bytes(hashlib.blake2b(_text(key).encode(errors="surrogatepass"), digest_size=8).digest(), "little")


def _text(key: Any) -> str:
    if isinstance(key, np.ndarray):
        key = key.tolist()
    if isinstance(key, Mapping):
        key = sorted((str(name), value) for name, value in key.items())
    if isinstance(key, (frozenset, set)):
        return "{" + ",".join(sorted(map(_text, key))) + "}"
    if isinstance(key, (list, tuple)):
        return "(" + ",".join(map(_text, key)) + ")"
    if isinstance(key, np.generic):
        key = key.item()
    if isinstance(key, bool) or (isinstance(key, float) and key.is_integer()):
        key = int(key)
    plain = key is None or isinstance(key, (bool, int, float, str, bytes))
    # What is no plain value may print its address, which differs from run to run.
    text = repr(key)
    return text if plain or " at 0x" not in text else type(key).__name__
