"""A round is all or nothing: whatever is raised in the middle of it, the learner is as before the call.

The rule that makes this cheap: what a round changes is *replaced* (new arrays, new dicts), never altered in place, but
for lists and dicts that only grow, which a class names in ``GROWS``, and random generators. So a mark is a shallow copy
of a few dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


class Mark:
    """Where some objects stand, to go back to.

    >>> class Part:
    ...     GROWS = ("seen",)
    ...     def __init__(self): self.total, self.seen = 0, []
    >>> part = Part()
    >>> mark = Mark([part])
    >>> part.total = 5
    >>> part.seen.append("x")
    >>> mark.undo()
    >>> part.total, part.seen
    (0, [])
    """

    __slots__ = ("_draws", "_saved")

    def __init__(self, parts: Iterable[Any]) -> None:
        self._draws = []
        self._saved = []
        for part in parts:
            if isinstance(part, np.random.Generator):
                self._draws.append((part, part.bit_generator.state))
            else:
                lengths = [len(getattr(part, name)) for name in getattr(type(part), "GROWS", ())]
                self._saved.append((part, part.__dict__.copy(), lengths))

    def undo(self) -> None:
        """Bring all of them back."""
        for generator, state in self._draws:
            generator.bit_generator.state = state
        for part, attributes, lengths in self._saved:
            part.__dict__.clear()
            part.__dict__.update(attributes)
            for name, length in zip(getattr(type(part), "GROWS", ()), lengths, strict=True):
                grown = getattr(part, name)
                if isinstance(grown, list):
                    del grown[length:]
                else:
                    while len(grown) > length:
                        grown.popitem()  # the last one that came
