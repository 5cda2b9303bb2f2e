"""A round is all or nothing: whatever is raised in the middle of it, the learner is as before the call.

The rule that makes this cheap: what a round changes is *replaced* (new arrays, new dicts), never altered in place, but
for lists and dicts that only grow, which a class names in ``GROWS``, and random generators. So a mark is a shallow copy
of a few dictionaries. (Engines that change arrays in place are made anew: ``retracing.py``.)
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from numpy.random import Generator

from adeptree.core.compiled import COMPILED, kernel

if TYPE_CHECKING:
    from adeptree.theory.ledger_kernel import Ledger
else:
    Ledger = kernel("adeptree.theory.ledger_kernel").Ledger


def new_lock() -> Any:
    """Return a lock that a thread may take again; compiled rounds keep out while somebody has it."""
    return kernel("adeptree.core.gate_kernel").Gate() if COMPILED else threading.RLock()


Result = TypeVar("Result")


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

    __slots__ = ("_draws", "_saved", "_sums", "stamp")

    def __init__(self, parts: Iterable[Any]) -> None:
        self._draws: list[tuple[Generator, Any]] = []
        self._sums: list[tuple[Ledger, list[Any]]] = []
        self.stamp = 0
        self._saved: list[tuple[Any, dict[str, Any], Sequence[int]]] = []
        for part in parts:
            if isinstance(part, Generator):
                self._draws.append((part, part.bit_generator.state))
            elif isinstance(part, Ledger):
                self._sums.append((part, part.copy()))
            else:
                grows = getattr(type(part), "GROWS", ())
                lengths = [len(getattr(part, name)) for name in grows] if grows else ()
                self._saved.append((part, part.__dict__.copy(), lengths))

    def undo(self) -> None:
        """Bring all of them back; an undo that is interrupted may be done again."""
        for generator, state in self._draws:
            generator.bit_generator.state = state
        for ledger, sums in self._sums:
            ledger.back_to(sums)
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


READERS = (
    "best_loss",
    "best_rule",
    "bound",
    "bound_after",
    "bound_for",
    "certificate",
    "final",
    "in_advance",
    "realised_bound",
    "width",
)
"""What reads several numbers of a learner, and must not see half a round of another thread."""


def _behind_the_lock(reader: Any) -> Any:
    """Return a method or property that waits until no other thread is inside the learner."""
    inner: Any = reader.fget if isinstance(reader, property) else reader

    @functools.wraps(inner)
    def waits(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._lock: return inner(self._up_to_date(), *arguments, **named)  # fmt: skip  # noqa: E701

    return property(waits, doc=reader.__doc__) if isinstance(reader, property) else waits


class WholeRounds:
    """A learner whose calls are all or nothing, one thread at a time."""

    GROWS: ClassVar[tuple[str, ...]] = ()
    """Lists and dicts that only grow; all else that a round changes is replaced."""

    def __init__(self) -> None:
        self._lock = new_lock()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in READERS:
            if name in cls.__dict__ and not getattr(cls.__dict__[name], "__isabstractmethod__", False):
                setattr(cls, name, _behind_the_lock(cls.__dict__[name]))

    def _parts(self) -> list[Any]:
        """Return the objects that change in a round, this one among them."""
        return [self]

    def _whole(self, do: Callable[..., Result], *arguments: Any) -> Result:
        """Do something that is all or nothing, one thread at a time: whatever is raised leaves no trace."""
        # On one line, so that nothing can be raised between a line of ours and letting go of the lock.
        with self._lock: return self._undone_if_raised(do, arguments)  # fmt: skip  # noqa: E701

    def _undone_if_raised(self, do: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        mark = self._mark()
        try:
            return do(*arguments)
        except BaseException:
            try:
                self._undo(mark)
            except BaseException:  # a second Ctrl-C, say: an undo may be done again, and now it is done to the end
                self._undo(mark)
                raise
            raise

    def _up_to_date(self) -> Self:
        """Return the learner, after what an interrupted call left to do: some numbers depend on the coming rate."""
        return self

    def _mark(self) -> Mark:
        """Return where everything stands."""
        return Mark(self._parts())

    def _undo(self, mark: Mark) -> None:
        """Go back to the mark; may be done again."""
        mark.undo()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = new_lock()
