"""Models as rules: follow the votes or the scores in a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_number
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.combined.row_rules import RowRules
from adeptree.families.rule_values import Threshold
from adeptree.families.stumps.real_stumps import names_of
from adeptree.families.tables.cell_rules import NumberRule
from adeptree.families.tables.table_cells import cell_of
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True, repr=False)
class ModelVote(ConceptClass):
    """Two rules that are 1 for scores >= ``at``, with different labels for missing ones. A part of :class:`Experts`."""

    combines: ClassVar[bool] = True
    column: str
    at: float

    def instance(self, x: Any) -> Instance:
        """Return a score as a float; None if it is missing."""
        score = float(x) if isinstance(x, (bool, np.bool_)) else cell_of(self.column, x)
        if isinstance(score, str):
            raise InvalidInstance(f"column {self.column!r} must hold votes (0 or 1) or scores; {got(self.column, x)}")
        return score

    def concept(self, gap: int) -> Concept:
        """Return the rule with this label for missing scores."""
        return NumberRule(self.column, Threshold(self.at), gap, lookup=self.instance)

    def erm(self, sample: Sample) -> Concept:
        """Return the better rule; if both are equal, the one with label 0 for missing scores."""
        missing = [y for x, y in sample if x is None]
        return self.concept(int(2 * sum(missing) > len(missing)))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a score, missing with probability 1/5."""
        return None if rng.random() < 0.2 else float(rng.random() * 2 * self.at)

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a rule."""
        return self.concept(int(rng.integers(2)))


@dataclass(frozen=True, repr=False, init=False)
class Experts(RowRules):
    """One rule per model: 1 if the model's column is at least ``at``.

    A column holds votes (0 or 1) or scores. The label for missing values, 0 or 1, is part of a rule.

    Parameters
    ----------
    names
        The names of the columns, one per model.
    columns
        The same names as a list.
    at
        The least score at which a model predicts 1.

    Examples
    --------
    >>> rules = Experts("lr", "ht", at=0.5)
    >>> rules, str(rules.erm([({"lr": 0.9, "ht": 0.1}, 1), ({"lr": 0.2, "ht": 0.7}, 0)]))
    (experts(columns=('lr', 'ht')), 'lr >= 0.5')

    """

    models: tuple[str, ...]
    at: float = 0.5
    spec_name = "experts"

    def __init__(self, *names: str, columns: Any = (), at: float = 0.5) -> None:
        object.__setattr__(self, "models", names_of([*names, *columns], "columns"))
        object.__setattr__(
            self, "at", float(check_number("at", at, "a number from -1e300 to 1e300", lambda cut: abs(cut) <= 1e300))
        )

    @cached_property
    def parts(self) -> tuple[ConceptClass, ...]:  # type: ignore[override]
        """One part per model."""
        return tuple(ModelVote(name, self.at) for name in self.models)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the models."""
        return self.models

    names = columns

    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the score of a model."""
        return self.parts[part].instance(row.get(self.models[part]))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw scores."""
        drawn = {name: part.random_instance(rng) for name, part in zip(self.names, self.parts, strict=True)}
        return {name: score for name, score in drawn.items() if score is not None}

    def __repr__(self) -> str:
        return f"experts(columns={self.models!r}{'' if self.at == 0.5 else f', at={self.at!r}'})"
