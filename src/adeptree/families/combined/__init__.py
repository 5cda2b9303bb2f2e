"""Rules that combine: on a named column, unions, and models as rules."""

from collections.abc import Sequence
from typing import Any

from adeptree.core.cell_text import is_missing, number
from adeptree.families.combined.model_votes import Experts, ModelVote
from adeptree.families.combined.row_engine import RowEngine, VoteEngine
from adeptree.families.combined.row_rules import OnColumn, RowRules, Union, union
from adeptree.families.combined.segmented_engine import SegmentedEngine, TwoLevelsEngine
from adeptree.families.combined.segments import PerSegment, Segmented, SegmentsEngine
from adeptree.families.specs import parse
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.roles.family import Columns, Family


def _row(concept_class: RowRules, texts: Sequence[str]) -> dict[str, Any]:
    cells = zip(concept_class.columns, texts, strict=True)
    return {name: number(text) for name, text in cells if not is_missing(text)}


def _on_column(rules: str, column: str) -> OnColumn:
    return OnColumn(parse(rules), column)


FAMILIES = (
    Family(
        "",
        RowRules,
        base=BestSoFar,
        engines=(RowEngine,),
        columns=Columns(_row, names=lambda rules: rules.columns, gaps=True),
    ),
    Family("", PerSegment, base=BestSoFar, engines=(SegmentsEngine,)),
    Family("", Segmented, engines=(SegmentedEngine, TwoLevelsEngine)),
    Family("", ModelVote, base=BestSoFar, engines=(VoteEngine,)),
    Family(
        "on_column",
        OnColumn,
        _on_column,
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
        example="experts(columns=('lr', 'ht'), at=0.7)",
        line="follow one of several models",
        golden={"engine": "auto", "rounds": 8},
    ),
)
