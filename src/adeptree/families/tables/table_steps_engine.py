"""Steps on one column of a table: as ``TableEngine``, compared with the most probable rule instead of the best."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.types import Concept
from adeptree.families.line.cuts_engine import StepsEngine, one_row
from adeptree.families.rule_values import Constant
from adeptree.families.tables.table_engine import TableEngine
from adeptree.families.tables.table_rules import always, best_set
from adeptree.roles.engine import Rows
from adeptree.roles.near_rules import NearRules


class TableStepsEngine(TableEngine):
    """The product prior of the columns, steps on each.

    The least loss is that of memorising a column, with which nobody can compete. What is compared with is the rule of
    largest prior mass times e^(-eta loss) among the most probable steps of each column and its best rules about values:
    ``best_loss``, ``leader`` and ``best_rule`` are about it.

    >>> from adeptree.families.tables import TableSteps
    >>> from adeptree.theory.priors import MixedPrior
    >>> engine = TableStepsEngine(TableSteps(["age", "sex"]), MixedPrior())
    >>> engine.rate = 2.0
    >>> for age in range(24):
    ...     engine.commit({"age": float(age), "sex": "f"}, int(6 <= age < 12 or age >= 18))
    >>> engine.best_loss, str(engine.best_rule())
    (0, '6 <= age < 12 or age >= 18')
    """

    kind = "table-steps"

    def _line(self) -> Any:
        return StepsEngine(self.concept_class.inner, self.prior.inner)

    def _leading(self) -> tuple[float, float, int, str]:
        """Return loss, ln of prior mass, column and kind of the most probable rule."""
        found = []
        for f, kind, loss in self._kinds():
            if kind == "numbers":
                column = self.kernel.columns[f]
                loss = self.lines[f].best_loss + min(column.side0, column.side1)
            found.append((loss, self._log_mass(f, kind) - math.log(self.prior.kinds), f, kind))
        return max(found, key=lambda rule: rule[1] - self.rate * rule[0])

    @property
    def best_loss(self) -> float:
        """The loss of the most probable rule (a scan)."""
        loss = float(self._leading()[0])
        return int(loss) if loss.is_integer() else loss

    def rows(self) -> Rows:
        """Return the most probable rule."""
        _, log_mass, *_ = self._leading()
        return one_row(self.best_loss, min(0.0, log_mass))

    def best_rule(self) -> Concept:
        """Return the most probable rule."""
        _, _, f, kind = self._leading()
        column, line, c = self.kernel.columns[f], self.lines[f], self.concept_class
        if kind == "numbers":
            rule, gap = line.best_rule(), int(column.side1 < column.side0)
            label = always(rule)
            if label is not None:
                if label == gap or not column.gaps:
                    return Constant(label)
                rule = Constant(label)
            points = line.gaps()["low"].tolist() if c.features[f] in c.times else ()
            return c.about_numbers(c.features[f], rule, gap, points)
        values = {slot: value for value, slot in column.places.items()}
        gains = np.asarray(column.values.gain)[1 : column.values.count + 1]
        chosen = best_set(gains if kind == "!=" else -gains, c.values)
        if not chosen:
            return Constant(int(kind == "!="))
        return c.about_values(c.features[f], [values[place + 1] for place in chosen], kind == "==")

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Refuse, as steps on one line do."""
        near: NearRules = self.lines[0].rules_within(k, limit)
        return near
