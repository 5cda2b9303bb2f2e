"""What the paths say at points whose labels have not come: one line of labels per open ticket."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import BoolArray
from adeptree.roles.frontier import Children


class WaitingLabels:
    """The labels of all rows at the points that wait, following the rows as they grow."""

    def __init__(self) -> None:
        self._line: dict[int, int] = {}
        self._table: BoolArray = np.zeros((0, 1), dtype=np.bool_)

    def labels(self, ticket: int) -> BoolArray:
        """Return what every row says at the ticket's point."""
        labels: BoolArray = self._table[self._line[ticket]]
        return labels

    def grow(self, children: Children, ticket: int | None) -> None:
        """Follow the rows to their children; a ticket given here is for the point just grown."""
        if not self._line and ticket is None:
            return
        table = self._table[:, children.parent] if self._line else np.zeros((0, len(children.parent)), dtype=np.bool_)
        lines = dict(self._line)
        if ticket is not None:
            lines[ticket] = len(table)
            table = np.vstack([table, children.label])
        self._table, self._line = table, lines

    def remove(self, ticket: int) -> None:
        """Forget a point whose label came."""
        gone = self._line[ticket]
        self._table = np.delete(self._table, gone, axis=0)
        self._line = {name: line - (line > gone) for name, line in self._line.items() if name != ticket}

    def state(self) -> dict[str, Any]:
        """Return the table and whose its lines are."""
        return {"tickets": list(self._line), "labels": self._table}

    def restore(self, state: dict[str, Any] | None) -> None:
        """Take over what :meth:`state` returned (None: nothing waits)."""
        if state is not None:
            self._line = {int(ticket): line for line, ticket in enumerate(state["tickets"])}
            self._table = state["labels"].astype(np.bool_)
