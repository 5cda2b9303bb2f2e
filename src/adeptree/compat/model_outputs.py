"""Models whose outputs become columns of a row; a model that fails gives a missing value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adeptree.compat.shared import Reader
from adeptree.core.errors import InvalidArgument, got
from adeptree.families.combined.model_votes import Experts
from adeptree.families.combined.row_rules import union


class Models:
    """Models by name, and how often each has failed.

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
        """The last error message of each."""

    def reader(self, rules: Any, rows: Sequence[Mapping[str, Any]], at: float) -> Reader:
        """Return the reader of rules that follow a model, next to rules on the columns that are not models."""
        follow = Experts(*self.models, at=at)
        if taken := [name for name in rows[0] if name in self.models]:
            raise InvalidArgument(f"{taken[0]!r} is a column and a model; give the model another name")
        return Reader(follow if rules is None else union(follow, Reader(rules, rows).rules), rows)

    def attempt(self, name: str, do: Callable[[Any], Any]) -> Any:
        """Return what a call of a model returns; None if it raises, which is counted."""
        try:
            return do(self.models[name])
        except Exception as error:
            self.failures[name] = self.failures.get(name, 0) + 1
            self.last[name] = f"{type(error).__name__}: {error}"
            return None

    def output(self, name: str, do: Callable[[Any], Any]) -> float | None:
        """Return a score of a model, None if it fails or gives no number."""
        score = self.attempt(name, lambda model: _score(do(model)))
        return None if score is None or math.isnan(score) else score


def _score(output: Any) -> float:
    return math.nan if output is None else float(output)
