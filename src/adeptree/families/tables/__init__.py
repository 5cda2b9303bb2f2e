"""Rules on one column of a table: numbers, texts and gaps."""

from adeptree.families.tables.table_engine import TableEngine
from adeptree.families.tables.table_rules import BestSoFar, TableIntervals, TableRules, TableStumps, TableUnions
from adeptree.roles.family import Columns, Family

FAMILIES = (
    Family("", TableRules, base=BestSoFar, engines=(TableEngine,), columns=Columns(names=lambda c: c.features)),
    Family(
        "table_stumps",
        TableStumps,
        example="table_stumps(features=['age', 'sex'])",
        line="column >= cut, column < cut, column == text, column != text; gaps are part of the rule",
        small="table_stumps(features=('age', 'sex'))",
        golden={"mistake_bound": 12, "rounds": 8},
    ),
    Family(
        "table_intervals",
        TableIntervals,
        example="table_intervals(features=['age', 'sex'])",
        line="cut <= column < cut, column == text, column != text; gaps are part of the rule",
        small="table_intervals(features=('age', 'sex'))",
        golden={"mistake_bound": 12, "rounds": 8},
    ),
    Family(
        "table_unions",
        TableUnions,
        example="table_unions(features=['age', 'sex'], m=2)",
        line="at most m intervals of a column, column == text, column != text; gaps are part of the rule",
        small="table_unions(features=('age', 'sex'), m=2)",
        golden={"mistake_bound": 12, "rounds": 8},
    ),
)
