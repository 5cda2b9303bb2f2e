"""Random streams derived from one seed: every random part of adeptree derives its own by name."""

from __future__ import annotations

import numpy as np

from adeptree.core.arguments import check_size


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the random stream called ``name``; streams of different names are independent.

    >>> float(stream(0, "coin").random()) == float(stream(0, "coin").random())
    True
    """
    import zlib

    check_size("seed", seed, at_least=0)
    return np.random.default_rng([seed, zlib.crc32(name.encode())])
