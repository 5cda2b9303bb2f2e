"""Number of repetitions of a random game: the short form in the suite, the long one with ``ADEPTREE_LONG_TESTS=1``."""

from __future__ import annotations

import os

LONG = bool(os.environ.get("ADEPTREE_LONG_TESTS"))


def times(short: int, long: int) -> int:
    """Return the number of repeats of this run of the tests."""
    return long if LONG else short
