"""Rules on one column of a table: numbers, texts and gaps."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from adeptree.core.cell_text import is_missing, number, plain_floats
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.table_cells import TableCells, cell_of, clipped
from adeptree.families.tables.table_classes import TableIntervals, TableSteps, TableStumps, TableThresholds, TableUnions
from adeptree.families.tables.table_engine import TableEngine, TableStepsEngine
from adeptree.families.tables.table_rules import TableRules
from adeptree.roles.family import Columns, Family, OnColumns


def table_row(concept_class: Any, texts: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row: numbers, texts, and None for what is missing."""
    return dict(zip(concept_class.columns, map(_cell, texts), strict=True))


def _cell(text: str) -> Any:
    small = text.lower()
    return None if is_missing(text) else small if small in ("true", "false") else number(text)


def _table(concept_class: TableRules, columns: Sequence[Sequence[str]]) -> TableCells:
    """Return the same of many rows."""
    numbers, texts = np.empty((len(columns[0]), len(concept_class.features))), list[list[Any] | None]()
    given = dict(zip(concept_class.columns, columns, strict=True))
    for f, name in enumerate(concept_class.features):
        lookup = concept_class.lookups.get(name)
        column = given[lookup.column if lookup else name]
        look = lookup.of if lookup else partial(cell_of, name)
        plain = None if lookup and lookup.part else _plain_floats(column)
        words = None
        if plain is None:  # texts and gaps come again and again: each is read once
            read = {text: look(_cell(text.strip())) for text in set(column)}
            cells = [read[text] for text in column]
            plain = [cell if isinstance(cell, float) else np.nan for cell in cells]
            words = [cell if isinstance(cell, str) else None for cell in cells]
        numbers[:, f] = plain
        texts.append(words)
    return TableCells(concept_class.features, clipped(numbers), texts)


def _plain_floats(column: Sequence[str]) -> list[float] | None:
    try:
        return plain_floats(column)
    except ValueError:
        return None


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
