"""What the adapters have in common: rules by name, features into instances, decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import adeptree as at
from adeptree.core.arguments import refuse_class
from adeptree.core.dataframes import framed, rows_of
from adeptree.core.errors import InvalidArgument, UnsupportedCombination, got
from adeptree.families.registry import base_for, columns_of
from adeptree.families.stumps.sparse_stumps import OpenStumps

DECISIONS = ("sample", "argmax")


def check_decision(decision: str) -> str:
    """Return how a probability becomes a label, or say what there is."""
    if decision not in DECISIONS:
        raise InvalidArgument(
            f'decision must be "sample" (a draw: what the theorem is about) or "argmax"; {got("decision", decision)}'
        )
    return decision


def rules_of(rules: Any, stumps: Callable[[], at.ConceptClass] = OpenStumps) -> at.ConceptClass:
    """Return the class of rules: one given as such, a spec, or ``"stumps"``, whose features are the data's.

    >>> rules_of("stumps"), rules_of("real_thresholds()")
    (open_stumps(), real_thresholds())
    """
    refuse_class("rules", rules)
    if isinstance(rules, at.ConceptClass):
        return rules
    if isinstance(rules, str):
        return stumps() if rules == "stumps" else at.parse(rules)
    raise InvalidArgument(f'rules must be "stumps", a spec or a concept class; {got("rules", rules)}')


def instance_of(concept_class: at.ConceptClass, x: Mapping[Any, Any], feature: Any = None) -> Any:
    """Return a row of features as an instance of the class: one feature's value, or the mapping.

    A feature that is absent counts as 0, where the class wants a number; and as missing, where the class knows gaps.

    >>> from adeptree import Stumps, TableStumps
    >>> instance_of(Stumps(cuts={"a": [1], "b": [2]}), {"b": 7, "c": 1}), instance_of(TableStumps(["a"]), {"b": 7})
    ({'a': 0.0, 'b': 7}, {})
    """
    if feature is not None:
        return x.get(feature, 0.0)
    told = columns_of(concept_class)
    names = told.names(concept_class)
    if told.gaps:
        return concept_class.instance(x)
    return x if names is None else {name: x.get(name, 0.0) for name in names}


def rows_in(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame as features; a gap is a feature that is absent.

    >>> import pandas as pd
    >>> rows_in(pd.DataFrame([{"a": 1.0}, {"a": 2.0, "b": 3.0}]))
    [{'a': 1.0}, {'a': 2.0, 'b': 3.0}]
    """
    found = framed(frame)
    if found is None:
        raise InvalidArgument(f"X must be a data frame, one row per round; {got('X', frame)}")
    return [{name: value for name, value in row.items() if value is not None} for row in rows_of(found)]


def learner_of(
    c: at.ConceptClass, horizon: int | None, drift: bool | str, seed: int, max_weight: float = 1
) -> at.OnlineLearner:
    """Return the learner of an adapter."""
    # The paper's prior needs T and M; the mixed one needs neither.
    known = horizon is not None and base_for(None, c).mistake_bound is not None and drift is False
    prior = "paper" if known else "mixed"
    options: dict[str, Any] = {"prior": prior, "seed": seed, "drift": drift, "max_weight": max_weight}
    try:
        return at.Adept(c, horizon, **options)
    except UnsupportedCombination:
        if drift is False:
            raise
        return at.Adept(c, horizon, engine="paths", **options)  # (slower, and without followers)
