"""``--weight``: the column that says how much each row counts."""

from __future__ import annotations

from adeptree.app.run.layout import Layout
from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import number
from adeptree.core.errors import InvalidArgument
from adeptree.learners.adept_learner import Adept
from adeptree.runner.rows import Row
from adeptree.theory.losses import check_cost, check_weight


class WeightColumn:
    """Reads the weight of every row; a row whose weight is none is a bad row."""

    def __init__(self, stream: Stream, column: str, layout: Layout, learner: Adept) -> None:
        self.place, self.column = stream.place(column, "--weight"), column
        self.units = max(learner.costs), learner.scale
        self.limit = learner.max_weight if learner.partial or learner.rate == "lanes" else None
        if column in layout.names or self.place == layout.label.place:
            whose = "a feature" if column in layout.names else "the label"
            raise InvalidArgument(f'--weight: "{column}" is {whose}; name a column that only holds weights')

    def _weight(self, row: Row) -> float:
        weight = check_weight("weight", number(row.cells[self.place].strip()))
        check_cost(weight, *self.units)
        if self.limit is not None and weight > self.limit:
            why = f"with --drift or --feedback no weight may be above --max-weight {self.limit:g}; got {weight:g}"
            raise InvalidArgument(f"{why}; give a larger --max-weight")
        return weight

    def of(self, rows: list[Row]) -> list[float]:
        """Return the weights of good rows."""
        return [self._weight(row) for row in rows]

    def marked(self, rows: list[Row]) -> list[Row]:
        """Return the rows, those without a weight with what is wrong with them."""
        return [row if row.fault else row._replace(fault=self._fault(row)) for row in rows]

    def _fault(self, row: Row) -> str:
        try:
            self._weight(row)
        except InvalidArgument as error:
            return f"column {self.column}: {error}"
        return ""
