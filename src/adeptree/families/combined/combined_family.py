"""The families of combined rules: on a named column, unions, and models as rules."""

from collections.abc import Sequence
from typing import Any

from adeptree.core.cell_text import is_missing
from adeptree.families.combined.model_votes import Experts, ModelVote
from adeptree.families.combined.row_engine import RowEngine, VoteEngine
from adeptree.families.combined.row_rules import OnColumn, RowRules, Union, union
from adeptree.families.combined.segmented_engine import SegmentedEngine, TwoLevelsEngine
from adeptree.families.combined.segments import PerSegment, Segmented
from adeptree.families.combined.segments_engine import ArenaEngine, SegmentsEngine
from adeptree.families.specs import parse
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.tables_family import table_row
from adeptree.roles.family import Columns, Family, OnColumns


def _segmented_row(concept_class: Segmented, texts: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row; the segment stays a text, because ``007`` and 7 may be two customers."""
    names = dict(zip(concept_class.columns, texts, strict=True))
    by = names[concept_class.by]
    return {**table_row(concept_class, texts), concept_class.by: None if is_missing(by) else by}


def _experts(names: Sequence[str], at: float) -> Experts:
    return Experts(*names, at=at)


FAMILIES = (
    Family(
        "",
        RowRules,
        base=BestSoFar,
        engines=(RowEngine,),
        columns=Columns(table_row, names=lambda rules: rules.columns, gaps=True),
    ),
    Family("", PerSegment, base=BestSoFar, engines=(ArenaEngine, SegmentsEngine)),
    Family(
        "",
        Segmented,
        engines=(SegmentedEngine, TwoLevelsEngine),
        columns=Columns(_segmented_row, names=lambda rules: rules.columns, gaps=True),
    ),
    Family("", ModelVote, base=BestSoFar, engines=(VoteEngine,)),
    Family(
        "on_column",
        OnColumn,
        lambda rules, column: OnColumn(parse(rules), column),
        example="on_column(rules='thresholds(n=256)', column='score')",
        line="rules about one value, read from a named column",
        small="on_column(rules='thresholds(n=8)', column='score')",
        golden={"engine": "auto", "rounds": 8},
    ),
    Family(
        "union",
        Union,
        union,
        example="union([\"experts(columns=('lr', 'ht'))\", \"on_column(rules='real_thresholds()', column='lr')\"])",
        line="the rules of several parts, each with a share of the prior",
        golden={"engine": "auto", "rounds": 8},
    ),
    Family(
        "experts",
        Experts,
        on_columns=OnColumns(
            "experts",
            _experts,
            {"experts(lr, ht, at=0.7)": "column >= at (0.5 if none is given): follow one of these models"},
            many=True,
            limit="at",
            default=0.5,
        ),
        example="experts(columns=('lr', 'ht'), at=0.7)",
        line="follow one of several models",
        golden={"engine": "auto", "rounds": 8},
    ),
)
