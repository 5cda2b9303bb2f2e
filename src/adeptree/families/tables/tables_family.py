"""The families of rules on one column of a table: numbers, texts and missing values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from adeptree.core.cell_text import is_missing, number, plain_floats
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.table_cells import TableCells
from adeptree.families.tables.table_classes import TableIntervals, TableSteps, TableStumps, TableThresholds, TableUnions
from adeptree.families.tables.table_engine import TableEngine, TableStepsEngine
from adeptree.families.tables.table_rules import TableRules
from adeptree.roles.family import Columns, Family, OnColumns


def table_row(concept_class: Any, texts: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row: numbers, texts, and None for missing values."""
    return dict(zip(concept_class.columns, map(cell_in, texts), strict=True))


def cell_in(text: str) -> Any:
    """Return the number or the text that a cell holds; None if it is missing."""
    small = text.lower()
    return None if is_missing(text) else small if small in ("true", "false") else number(text)


def _table(concept_class: TableRules, columns: Sequence[Sequence[str]]) -> TableCells:
    """Return the cells of many rows."""
    given = dict[str, Any]()
    for name, column in zip(concept_class.columns, columns, strict=True):
        try:
            given[name] = np.array(plain_floats(column))
        except ValueError:  # each different text is read once
            read = {text: cell_in(text.strip()) for text in set(column)}
            cells = [read[text] for text in column]
            given[name] = cells if str in set(map(type, read.values())) else np.array(cells, dtype=np.float64)
    return concept_class.instances_in(given)  # type: ignore[no-any-return]


LAST = "column == text, column != text; gaps are part of the rule"
EACH = "of every column, or of those named"
SETS: dict[str, Any] = {"limit": "values", "limits": "values there may be", "default": 1}


def _family(name: str, rules: Any, line: str, texts: dict[str, str], limit: str = "", **options: Any) -> Family:
    """Return the record of a table family."""

    def make(names: Any, d: int, times: Any = ()) -> Any:
        return rules(names, times=times, values=d)

    read = OnColumns(
        name, rules if limit else make, texts, many=True, times=True, **{**SETS, **options.pop("sets", {})}
    )
    return Family(
        f"table_{name}",
        rules,
        on_columns=read,
        example=f"table_{name}(features=['age', 'sex']{limit})",
        line=f"{line}, {LAST}",
        small=f"table_{name}(features=('age', 'sex'){limit})",
        golden={"mistake_bound": 12, "rounds": 8},
        **options,
    )


FAMILIES = (
    Family(
        "",
        TableRules,
        base=BestSoFar,
        engines=(TableEngine,),
        columns=Columns(table_row, _table, names=lambda c: c.columns, gaps=True),
    ),
    _family(
        "stumps",
        TableStumps,
        "column >= cut, column < cut",
        {
            "stumps": "column >= cut, column < cut, column == text or column != text, whichever column it is",
            "stumps(age, sex)": "the same, on these columns",
            "stumps(values=3)": "the same, and column in {text, text, text}",
        },
    ),
    _family("thresholds", TableThresholds, "column >= cut", {"thresholds(delay)": f"column >= cut, {EACH}"}),
    _family("intervals", TableIntervals, "cut <= column < cut", {"intervals(price)": f"cut <= column < cut, {EACH}"}),
    _family(
        "unions",
        TableUnions,
        "at most m intervals of a column",
        {"unions(price, m=3)": f"cut <= column < cut or ..., at most m intervals, {EACH}"},
        ", m=2",
        sets={"limit": "m", "limits": "intervals there may be"},
    ),
    _family(
        "steps",
        TableSteps,
        "any number of cuts in a column",
        {"steps(price)": f"any number of cuts in a column, 0 below the first, {EACH}"},
        engines=(TableStepsEngine,),
    ),
)
