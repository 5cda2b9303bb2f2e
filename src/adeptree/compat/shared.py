"""Common parts of the adapters: settings, rules by name, rows as instances, decisions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

import adeptree as at
from adeptree.core.arguments import refuse_class
from adeptree.core.dataframes import framed, rows_of
from adeptree.core.errors import InvalidArgument, UnsupportedCombination, got
from adeptree.families.combined.model_votes import Experts
from adeptree.families.combined.row_rules import union
from adeptree.families.registry import base_for, columns_of
from adeptree.families.rules_text import on_rows, rules_on
from adeptree.families.tables.detecting import FirstRows

F = TypeVar("F", bound=Callable[..., None])
DECISIONS = ("sample", "argmax")
OF_LEARNER = ("costs", "review", "feedback", "max_labels", "drift", "by", "segments", "max_weight")
"""Settings of an adapter that are passed to ``Adept``."""


def check_decision(decision: str) -> str:
    """Return the decision mode; raise an error that lists the modes."""
    if decision not in DECISIONS:
        raise InvalidArgument(
            f'decision must be "sample" (a draw: what the theorem is about) or "argmax"; {got("decision", decision)}'
        )
    return decision


def check_frequency(frequency: bool, feedback: str) -> None:
    """Raise an error for a frequency if not every label is learnt."""
    if frequency and feedback != "all":
        raise UnsupportedCombination(
            f'frequency=True needs every label; {got("feedback", feedback)}; use feedback="all" or leave frequency out'
        )


def with_settings_of(init: Callable[..., None], *without: str) -> Callable[[F], F]:
    """Replace ``**settings`` of an ``__init__`` by the named parameters of another one, except some."""

    def named(own: F) -> F:
        given = {name: one for name, one in inspect.signature(own).parameters.items() if name != "settings"}
        given |= {
            name: one for name, one in inspect.signature(init).parameters.items() if name not in (*given, *without)
        }
        signature = inspect.Signature(list(given.values()))

        @wraps(own)
        def checked(*values: Any, **settings: Any) -> None:
            own(**signature.bind(*values, **settings).arguments)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return named


class Reader:
    """The rules of an adapter on the columns of its first rows, and how a row becomes an instance.

    >>> reader = Reader("stumps", [{"age": 30, "sex": "f"}])
    >>> reader.rules, reader.instance({"age": 41, "city": "Paris"})
    (table_stumps(features=('age', 'sex')), {'age': 41.0})
    >>> Reader("thresholds(score)", [{"score": 0.5, "tenant": "a"}], by="tenant").rules
    on_column(rules='real_thresholds()', column='score')
    """

    def __init__(
        self, rules: Any, rows: Sequence[Mapping[str, Any]], feature: str | None = None, by: str | None = None
    ) -> None:
        refuse_class("rules", rules)
        self.by, self.feature = by, feature
        if isinstance(rules, str):
            columns = list(rows[0])
            others = [name for name in columns if name != by]
            rules, self.feature = rules_on(rules, FirstRows.of(rows, columns), others or [""], feature)
        elif not isinstance(rules, at.ConceptClass):
            raise InvalidArgument(f'rules must be a text such as "stumps" or a concept class; {got("rules", rules)}')
        if by is not None:
            named = columns_of(rules).names(rules) or ([self.feature] if self.feature else [])
            rules, self.feature = on_rows(rules, named), None
        self.rules: at.ConceptClass = rules
        told = columns_of(rules)
        self.gaps, self.names = told.gaps, told.names(rules)
        self.takes_arrays = told.gaps and told.array is not None and by is None

    def instance(self, x: Mapping[Any, Any]) -> Any:
        """Convert a row to an instance; an absent feature is missing, or 0 if the rules need a number."""
        if self.feature is not None:
            return x.get(self.feature, 0.0)
        if self.by is not None:
            return {**self.rules.instance(x), self.by: x.get(self.by)}
        if self.gaps:
            return self.rules.instance(x)
        return x if self.names is None else {name: x.get(name, 0.0) for name in self.names}

    def learner(self, horizon: int | None, seed: int, **settings: Any) -> at.Adept:
        """Return the learner of an adapter."""
        settings = {name: value for name, value in settings.items() if value is not None}
        plain = not any(settings.get(name) for name in ("review", "drift", "by")) and not self.rules.combines
        # The mixed prior needs neither T nor M, unlike the paper's.
        known = horizon is not None and base_for(None, self.rules).mistake_bound is not None
        prior = "paper" if known and plain and settings.get("feedback", "all") == "all" else "mixed"
        return at.Adept(self.rules, horizon, prior=prior, seed=seed, **settings)


def rows_in(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame as features; a missing value is a feature that is absent.

    >>> import pandas as pd
    >>> rows_in(pd.DataFrame([{"a": 1.0}, {"a": 2.0, "b": 3.0}]))
    [{'a': 1.0}, {'a': 2.0, 'b': 3.0}]
    """
    found = framed(frame)
    if found is None:
        raise InvalidArgument(f"X must be a data frame, one row per round; {got('X', frame)}")
    return [{name: value for name, value in row.items() if value is not None} for row in rows_of(found)]


class Models:
    """Models by name, with their numbers of failures.

    >>> models = Models({"broken": 3})
    >>> models.output("broken", lambda model: model.predict())
    >>> models.failures
    {'broken': 1}
    """

    def __init__(self, models: Any) -> None:
        if not isinstance(models, Mapping) or not models or not all(isinstance(n, str) and n for n in models):
            raise InvalidArgument(
                f'models must be models by name, such as {{"lr": LogisticRegression()}}; {got("models", models)}'
            )
        self.models: dict[str, Any] = dict(models)
        self.failures: dict[str, int] = {}
        self.last: dict[str, str] = {}
        """The last error message of each model."""

    def reader(self, rules: Any, rows: Sequence[Mapping[str, Any]], at: float, by: str | None = None) -> Reader:
        """Return the reader of rules that follow a model, next to rules on the columns that are not models."""
        follow = Experts(*self.models, at=at)
        if taken := [name for name in rows[0] if name in self.models]:
            raise InvalidArgument(f"{taken[0]!r} is a column and a model; give the model another name")
        return Reader(follow if rules is None else union(follow, Reader(rules, rows, by=by).rules), rows, by=by)

    def attempt(self, name: str, do: Callable[[Any], Any]) -> Any:
        """Return the result of a call of a model; count an exception and return None."""
        try:
            return do(self.models[name])
        except Exception as error:
            self.failures[name] = self.failures.get(name, 0) + 1
            self.last[name] = f"{type(error).__name__}: {error}"
            return None

    def output(self, name: str, do: Callable[[Any], Any]) -> float | None:
        """Return a score of a model; None if it fails or does not return a number."""
        score = self.attempt(name, lambda model: _score(do(model)))
        return None if score is None or math.isnan(score) else score


def _score(output: Any) -> float:
    return math.nan if output is None else float(output)
