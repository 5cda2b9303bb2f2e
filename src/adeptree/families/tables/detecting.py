"""Choose the columns that rules read from the first rows of a table: detect times and identifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from adeptree.core.cell_text import as_text, brief, is_missing, is_number
from adeptree.core.errors import InvalidArgument
from adeptree.families.tables.table_cells import plain_value
from adeptree.families.tables.times import DERIVED, time_in

MIDNIGHT = time()
SAMPLED = 100
"""Number of first rows that determine the columns' types (1 if each row must be answered at once)."""


class FirstRows:
    """The first rows of a table; ``cells`` returns a column as texts, empty for missing values.

    >>> columns = {"id": [f"p{i}" for i in range(60)], "when": ["2013-05-01T17:00"] * 60, "age": ["41", ""] * 30}
    >>> FirstRows(list(columns), columns.get).reads([], list(columns))
    (('when', 'weekday(when)', 'hour(when)', 'age'), ('when',))
    """

    def __init__(self, columns: Sequence[str], cells: Callable[[str], Sequence[str]]) -> None:
        self.columns, self.cells = set(columns), cells

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> FirstRows:
        """Return the first rows, from rows with Python or NumPy values."""
        return cls(columns, lambda name: [text_of(row.get(name)) for row in rows[:SAMPLED]])

    def reads(
        self, names: Sequence[str], others: Sequence[str], timed: bool = True
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the features to read (all useful ones if none is named), and the columns that are times."""
        made = {name: found[2] for name in names if name not in self.columns and (found := DERIVED.fullmatch(name))}
        wanted = {name: self.times(name) for name in dict.fromkeys(made.get(name, name) for name in names or others)}
        for name, column in made.items():
            if timed and column in self.columns and not wanted[column]:
                other = next((text for text in self.texts(column) if time_in(text) is None), "none")
                raise InvalidArgument(
                    f"--rules: {name} needs times in ISO 8601, such as 2013-05-01 or 2013-05-01T17:00; {column} has "
                    f"{brief(other)} in its first rows"
                )
        times = tuple(name for name, found in wanted.items() if found and timed)
        if names:
            return tuple(names), times
        useful = [name for name in wanted if name in times or not self.all_different(name)] or others
        features = []
        for name in useful:
            hours = any(time.time() != MIDNIGHT for time in wanted[name]) if name in times else False
            parts = ("weekday", "hour") if hours else ("weekday",)
            features += [name, *(f"{part}({name})" for part in parts if name in times)]
        return tuple(features), times

    def texts(self, name: str) -> list[str]:
        """Return the cells of a column that are not missing."""
        return [text for cell in self.cells(name) if not is_missing(text := cell.strip())]

    def times(self, name: str) -> list[datetime]:
        """Return the times in a column, if nine of ten of its cells are times."""
        texts = self.texts(name) if name in self.columns else []
        times = [time for text in texts if len(text) > 9 and (time := time_in(text))]
        return times if 10 * len(times) >= 9 * len(texts) else []

    def all_different(self, name: str) -> bool:
        """Return True if all texts differ, so that the column is probably an identifier."""
        present = [text for text in self.texts(name) if not is_number(text)] if name in self.columns else []
        return len(present) >= SAMPLED // 2 and len(set(present)) == len(present)


def text_of(value: Any) -> str:
    """Write a value as the cell of a file.

    >>> text_of(date(2013, 5, 1)), text_of(41.0), text_of(float("nan")), text_of(True)
    ('2013-05-01', '41.0', '', 'true')
    """
    value = plain_value("cell", value)
    if isinstance(value, date):
        return value.isoformat(*(" ",) * isinstance(value, datetime))
    return "" if value != value else as_text(value)
