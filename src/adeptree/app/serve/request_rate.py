"""How many requests an address may send: so many per second, and after a pause as many at once."""

from __future__ import annotations

from collections import OrderedDict

from adeptree.app.serve.refusals import Refusal

MOST_ADDRESSES = 10_000
"""Addresses that are remembered; the one that asked longest ago is forgotten first."""


class RequestRate:
    """A bucket per address, which fills at the rate and holds one second's worth.

    >>> rate = RequestRate(2)
    >>> [rate.check("a", now) for now in (0.0, 0.1, 0.6)], rate.check("b", 0.6)
    ([None, None, None], None)
    >>> rate.check("a", 0.7)
    Traceback (most recent call last):
    ...
    adeptree.app.serve.refusals.Refusal: more than 2 requests per second came from this address; wait, or send batches
    """

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, address: str, now: float) -> None:
        """Count a request, or refuse it."""
        size = max(1.0, self._per_second)
        left, before = self._left.pop(address, (size, now))
        left = min(size, left + (now - before) * self._per_second)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)
        if left < 1:
            sentence = (
                f"more than {self._per_second:g} requests per second came from this address; wait, or send batches"
            )
            raise Refusal(429, sentence, {"Retry-After": "1"})
