"""Keys of queries: equal questions have equal keys, under which caches store answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

from adeptree.core.errors import InvalidInstance, got
from adeptree.core.frozen import freeze
from adeptree.core.types import Instance, Sample, label_of
from adeptree.roles.oracle import Kind

Key = Callable[[Any], Hashable]
PLAIN = {int, str, float}
"""Types of instances that are their own keys; checked first, because every point of every query needs a key."""


def point_key(x: Instance, key: Key | None = None, who: str = "this layer") -> Hashable:
    """Return the key of an instance.

    >>> point_key([1, 2]) == point_key((1, 2))
    True
    """
    if key is not None:
        return key(x)
    if type(x) in PLAIN:
        return x  # type: ignore[no-any-return]
    try:
        return freeze(x)
    except TypeError:
        raise InvalidInstance(f"x must be hashable, or {who} be given key=; {got('x', x)}") from None


def sample_key(kind: Kind, sample: Sample, key: Key | None = None) -> Hashable:
    """Return the key of a query: the order of the sample never matters, repeats only for ``best``.

    >>> sample_key("find", [(1, 0), (2, 1)]) == sample_key("find", [(2, 1), (1, 0), (1, 0)])
    True
    >>> sample_key("best", [(1, 0), (2, 1)]) == sample_key("best", [(2, 1), (1, 0), (1, 0)])
    False
    """
    pairs = [(point_key(x, key), label_of(y)) for x, y in sample]
    # The best concept depends on how often an example occurs; realizability does not.
    return frozenset(Counter(pairs).items()) if kind == "best" else frozenset(pairs)
