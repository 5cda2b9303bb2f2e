"""Labels of the paths at points whose true labels are pending: one line per open ticket."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import BoolArray
from adeptree.roles.frontier import Children


class PendingLabels:
    """The labels of all rows at the pending points, kept up to date as the rows grow."""

    def __init__(self) -> None:
        self.lines: dict[int, int] = {}
        self._table: BoolArray = np.zeros((0, 1), dtype=np.bool_)

    def labels(self, ticket: int) -> BoolArray:
        """Return the label of every row at the ticket's point."""
        labels: BoolArray = self._table[self.lines[ticket]]
        return labels

    def grow(self, children: Children, ticket: int | None) -> None:
        """Follow the rows to their children; a ticket given here is for the point just grown."""
        if not self.lines and ticket is None:
            return
        table = self._table[:, children.parent] if self.lines else np.zeros((0, len(children.parent)), dtype=np.bool_)
        lines = dict(self.lines)
        if ticket is not None:
            lines[ticket] = len(table)
            table = np.vstack([table, children.label])
        self._table, self.lines = table, lines

    def remove(self, ticket: int) -> None:
        """Remove a point whose label came."""
        gone = self.lines[ticket]
        self._table = np.delete(self._table, gone, axis=0)
        self.lines = {name: line - (line > gone) for name, line in self.lines.items() if name != ticket}

    def state(self) -> dict[str, Any]:
        """Return the table and the tickets of its lines."""
        return {"tickets": list(self.lines), "labels": self._table}

    def restore(self, state: dict[str, Any] | None) -> None:
        """Restore what :meth:`state` returned (None: no pending labels)."""
        if state is not None:
            self.lines = {int(ticket): line for line, ticket in enumerate(state["tickets"])}
            self._table = state["labels"].astype(np.bool_)
