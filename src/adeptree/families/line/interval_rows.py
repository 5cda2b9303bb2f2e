"""Where the compiled engine of intervals keeps its rows: columns that grow, and their form for files and for numpy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.core.saved_values import need
from adeptree.core.types import IntArray
from adeptree.families.line.intervals import IntervalFrontier, Intervals
from adeptree.families.rule_values import Interval
from adeptree.roles.dropping import Dropped

Columns = NDArray[np.signedinteger[Any]]
_SHORT = 2**31 - 2
MISSING = "the compiled engine of intervals needs numba; install it with: pip install 'adeptree[fast]'"


@cache
def load_kernels() -> Any:
    """Return the compiled passes, or say what to install."""
    try:
        from adeptree.families.line import interval_passes
    except (ImportError, RuntimeError):
        raise MissingExtra(MISSING) from None
    return interval_passes


class IntervalRows:
    """The columns that ``interval_passes`` reads and writes; with ``masses`` for a prior that has them."""

    def __init__(self, concept_class: Intervals, masses: bool) -> None:
        self.concept_class, self.masses = concept_class, masses
        self.dtype = np.int32 if concept_class.n <= _SHORT else np.int64
        k = load_kernels()
        self.head = np.zeros(8, dtype=np.int64)
        self.head[[k.WIDTH, k.LINE, k.DIMENSION]] = 1, concept_class.n, concept_class.littlestone_dimension
        self.seen: Columns = np.zeros(1, dtype=self.dtype)
        """Points seen, in order."""
        self.rows = self._made(np.zeros((4, 1), dtype=self.dtype), room=64)
        self.rows.masses[:1] = 1.0

    @property
    def width(self) -> int:
        """Number of rows."""
        return int(self.head[load_kernels().WIDTH])

    @property
    def rounds(self) -> int:
        """Rounds committed."""
        return int(self.head[load_kernels().ROUNDS])

    @property
    def mistakes(self) -> IntArray:
        """k of every row."""
        return self.rows.mistakes[: self.width].astype(np.int64)  # type: ignore[no-any-return]

    @property
    def losses(self) -> IntArray:
        """L of every row."""
        return self.rows.losses[: self.width].astype(np.int64)  # type: ignore[no-any-return]

    @property
    def contested(self) -> IntArray:
        """n of every row."""
        return self.rows.contested[: self.width].astype(np.int64)  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """Bytes of all columns, room to grow included."""
        return sum(int(array.nbytes) for array in (*self.rows, self.seen))

    def make_room(self, width: int, rounds: int) -> None:
        """See to it that so many rows fit, and the points of so many rounds."""
        if width > len(self.rows.losses):
            old = self.rows
            self.rows = self._made(old.columns[:, : self.width], room=max(width, 2 * self.width))
            for mine, theirs in zip(self.rows[1:], old[1:], strict=True):
                mine[: len(theirs)] = theirs
        if len(self.seen) < self.head[load_kernels().SEEN] + rounds:
            more = np.zeros(len(self.seen) + rounds, dtype=self.dtype)
            self.seen = np.concatenate([self.seen, more])

    def concept(self, row: int) -> Interval:
        """Return the shortest interval that fits, as the frontier does."""
        box = self.rows.columns
        return Interval(int(box[1, row]), int(box[2, row])) if row else Interval(0, 0)

    def state(self) -> dict[str, Any]:
        """Return the rows in the form of the numpy engine, so that each can go on where the other stopped."""
        mistakes, box = self.mistakes, self.rows.columns[:, : self.width].astype(np.int64)
        seen = self.seen[: self.head[load_kernels().SEEN]].astype(np.int64)
        return {
            "rounds": self.rounds,
            "mistakes": mistakes,
            "contested": self.contested,
            "losses": self.losses,
            "dropped": Dropped().state(),
            "frontier": {"box": box, "blank": np.arange(self.width) == 0, "seen": seen},
            "base": {"mistakes": int(mistakes[0])},  # the search counts the mistakes on the blank row
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the rows of either engine."""
        k, frontier, width = load_kernels(), state["frontier"], len(state["losses"])
        IntervalFrontier(self.concept_class).restore(frontier)  # (says what cannot be: the passes trust what they read)
        need(frontier["box"].shape[1] == width and frontier["blank"].argmax() == 0, "box")
        if state["dropped"]["paths"]:
            raise InvalidArgument(
                f"the compiled engine of intervals cannot go on with a frontier that paths were dropped from; "
                f'got {width} paths, {state["dropped"]["paths"]} dropped; use engine="paths"'
            )
        self.rows = self._made(frontier["box"].astype(self.dtype), room=2 * width)
        for name in ("mistakes", "contested", "losses"):
            getattr(self.rows, name)[:width] = state[name]
        self.seen = np.asarray(frontier["seen"]).astype(self.dtype)
        self.head[[k.WIDTH, k.ROUNDS]] = width, state["rounds"]
        self.head[[k.BEST, k.SEEN]] = state["losses"].min(), len(self.seen)

    def _made(self, columns: Columns, room: int) -> Any:
        """Make columns for ``room`` rows, the first of them given."""
        rows = load_kernels().Rows(
            columns=np.zeros((len(columns), room), dtype=self.dtype),
            mistakes=np.zeros(room, dtype=np.uint8),  # 256 would take a line of 2^127 points
            losses=np.zeros(room, dtype=np.int32),
            codes=np.zeros(room, dtype=np.uint8),
            flags=np.zeros(room // load_kernels().BLOCK + 1, dtype=np.uint8),
            contested=np.zeros(room, dtype=np.int32),
            masses=np.zeros(room if self.masses else 0, dtype=np.float64),
        )
        rows.columns[:, : columns.shape[1]] = columns
        return rows
