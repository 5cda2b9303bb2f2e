"""Where the compiled paths engine keeps its rows: columns that grow, and their form for files and for numpy."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from adeptree.core.errors import DamagedFile, InvalidArgument, MissingExtra
from adeptree.core.types import IntArray
from adeptree.learners.sweep.sweep_shapes import Columns, Shape
from adeptree.roles.dropping import Dropped

MISSING = "the compiled paths engine needs numba; install it with: pip install 'adeptree[fast]'"


@cache
def load_kernels() -> Any:
    """Return the compiled passes, or say what to install."""
    try:
        from adeptree.learners.sweep import sweep_kernels
    except (ImportError, RuntimeError):
        raise MissingExtra(MISSING) from None
    return sweep_kernels


class SweepStore:
    """The columns that the passes of ``sweep_kernels`` read and write; with ``masses`` for a prior that has them."""

    def __init__(self, shape: Shape, masses: bool) -> None:
        self.shape, self.masses = shape, masses
        k = load_kernels()
        self.head = np.zeros(8, dtype=np.int64)
        self.head[[k.WIDTH, k.LINE, k.DIMENSION]] = 1, shape.line, shape.dimension
        self.seen: Columns = np.zeros(1, dtype=shape.dtype)
        """Points seen, in order (intervals only)."""
        self.rows = self._made(np.array([shape.first()], dtype=shape.dtype).T, room=64)
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
        k = load_kernels()
        if self.shape.code == k.INTERVALS and len(self.seen) < self.head[k.SEEN] + rounds:
            more = np.zeros(len(self.seen) + rounds, dtype=self.shape.dtype)
            self.seen = np.concatenate([self.seen, more])

    def state(self) -> dict[str, Any]:
        """Return the rows in the form of the numpy engine, so that each can go on where the other stopped."""
        mistakes = self.mistakes
        seen = self.seen[: self.head[load_kernels().SEEN]].astype(np.int64)
        return {
            "rounds": self.rounds,
            "mistakes": mistakes,
            "contested": self.contested,
            "losses": self.losses,
            "dropped": Dropped().state(),
            "frontier": self.shape.to_frontier(self.rows.columns[:, : self.width], mistakes, seen),
            "base": self.shape.to_base(mistakes),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the rows of either engine."""
        k = load_kernels()
        if self.shape.code == k.BLOCKS and not state["dropped"]["paths"]:
            # Rows are made anew from the blocks: no more of them than the file has.
            blocks, most = len(state["frontier"]["blocks"]), self.shape.dimension
            if sum(math.comb(blocks, i) for i in range(min(blocks, most) + 1)) != len(state["losses"]):
                raise DamagedFile(f"{blocks} blocks do not make {len(state['losses'])} paths; use an earlier copy")
        columns, seen = self.shape.from_frontier(state["frontier"])
        width = columns.shape[1]
        if state["dropped"]["paths"] or width != len(state["losses"]):
            raise InvalidArgument(
                f"the compiled paths engine cannot go on with a frontier that paths were dropped from; "
                f'got {len(state["losses"])} paths, {state["dropped"]["paths"]} dropped; use engine="paths"'
            )
        self.rows = self._made(columns, room=2 * width)
        for name in ("mistakes", "contested", "losses"):
            getattr(self.rows, name)[:width] = state[name]
        self.seen = seen.astype(self.shape.dtype)
        blocks = state["frontier"].get("blocks", seen)
        self.head[[k.WIDTH, k.ROUNDS]] = width, state["rounds"]
        self.head[[k.BEST, k.SEEN]] = state["losses"].min(), len(blocks)

    def _made(self, columns: Columns, room: int) -> Any:
        """Make columns for ``room`` rows, the first of them given."""
        rows = load_kernels().Rows(
            columns=np.zeros((len(columns), room), dtype=self.shape.dtype),
            mistakes=np.zeros(room, dtype=np.uint8),  # 256 would take 2^256 rows of blocks, or a line of 2^127 points
            losses=np.zeros(room, dtype=np.int32),
            codes=np.zeros(room, dtype=np.uint8),
            flags=np.zeros(room // load_kernels().BLOCK + 1, dtype=np.uint8),
            contested=np.zeros(room, dtype=np.int32),
            masses=np.zeros(room if self.masses else 0, dtype=np.float64),
        )
        rows.columns[:, : columns.shape[1]] = columns
        return rows
