"""Transactions: an exception in the middle of a round leaves the learner as it was before the call.

Marks are cheap by one rule: a round *replaces* what it changes (new arrays, new dictionaries) and never alters it in
place. Lists and dictionaries that only grow are named in ``GROWS``; random generators are copied, and so is every part
that has ``copy()`` and ``back_to(copied)``. So a mark is a shallow copy of a few dictionaries. Compiled kernels change
arrays in place and need no mark: nothing interrupts their commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

from adeptree.roles.structure import Structure

Result = TypeVar("Result")


class Mark:
    """The state of some objects before a round, to restore if the round raises.

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

    __slots__ = ("_copied", "_draws", "_saved")

    def __init__(self, parts: Iterable[Any]) -> None:
        self._draws: list[tuple[Any, Any]] = []
        self._copied: list[tuple[Any, list[Any]]] = []
        self._saved: list[tuple[Any, dict[str, Any], Sequence[int]]] = []
        for part in parts:
            how = _how(part.__class__)
            if how == "drawn":
                self._draws.append((part, part.bit_generator.state))
            elif how == "copied":
                self._copied.append((part, part.copy()))
            else:
                lengths = [len(getattr(part, name)) for name in how] if how else ()
                self._saved.append((part, part.__dict__.copy(), lengths))

    def undo(self) -> None:
        """Restore all objects; an interrupted undo can be repeated."""
        for generator, state in self._draws:
            generator.bit_generator.state = state
        for part, attributes, lengths in self._saved:
            own = part.__dict__
            own.update(attributes)
            for name in own.keys() - attributes.keys():
                del own[name]
            for name, length in zip(_how(part.__class__), lengths, strict=True):
                grown = getattr(part, name)
                if isinstance(grown, list):
                    del grown[length:]
                else:
                    while len(grown) > length:
                        grown.popitem()  # the last item added
        for part, sums in self._copied:
            part.back_to(sums)


@cache
def _how(kind: Any) -> str | tuple[str, ...]:
    """Return how objects of a type are restored: "drawn", "copied", or the names of their growing attributes."""
    if hasattr(kind, "bit_generator"):
        return "drawn"
    return "copied" if hasattr(kind, "back_to") else getattr(kind, "GROWS", ())


def undone_if_raised(structure: Structure, parts: Iterable[Any], do: Callable[..., Result], *arguments: Any) -> Result:
    """Run a function as one transaction: if it raises, the parts are restored, unless a compiled commit is over."""
    mark, stamp, due = Mark(parts), structure.kernel.stamp, structure.kernel.due
    try:
        return do(*arguments)
    except BaseException:
        try:
            _undo(structure, mark, stamp, due)
        except BaseException:  # for example a second Ctrl-C: the undo is repeated and now runs to its end
            _undo(structure, mark, stamp, due)
            raise
        raise


def _undo(structure: Structure, mark: Mark, stamp: int, due: bool) -> None:
    """Restore the mark, unless a compiled commit is over: then only the update of the rate is pending."""
    if structure.kernel.stamp == stamp or structure.parts():
        mark.undo()
        structure.kernel.due = structure.kernel.due or due  # the rate rule is restored too
