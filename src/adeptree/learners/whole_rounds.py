"""A round is all or nothing: whatever is raised in the middle of it, the learner is as before the call.

The rule that makes this cheap: what a round changes is *replaced* (new arrays, new dicts), never altered in place, but
for lists and dicts that only grow, which a class names in ``GROWS``, and random generators. So a mark is a shallow copy
of a few dictionaries. (Engines that change arrays in place are made anew: ``retracing.py``.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.random import Generator


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
        self._draws: list[tuple[Generator, Any]] = []
        self._saved: list[tuple[Any, dict[str, Any], Sequence[int]]] = []
        for part in parts:
            if isinstance(part, Generator):
                self._draws.append((part, part.bit_generator.state))
            else:
                grows = getattr(type(part), "GROWS", ())
                lengths = [len(getattr(part, name)) for name in grows] if grows else ()
                self._saved.append((part, part.__dict__.copy(), lengths))

    def undo(self) -> None:
        """Bring all of them back; an undo that is interrupted may be done again."""
        for generator, state in self._draws:
            generator.bit_generator.state = state
        for part, attributes, lengths in self._saved:
            own = part.__dict__
            own.update(attributes)  # (not cleared before: another thread may look for the lock in it)
            for name in own.keys() - attributes.keys():
                del own[name]
            for name, length in zip(getattr(type(part), "GROWS", ()), lengths, strict=True):
                grown = getattr(part, name)
                if isinstance(grown, list):
                    del grown[length:]
                else:
                    while len(grown) > length:
                        grown.popitem()  # the last one that came
