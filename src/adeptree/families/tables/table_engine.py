"""The engine of rules on one column of a table: a mixture of columns (``column_kernel.py``)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from adeptree.core.compiled import kernel
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept
from adeptree.families.line.cuts_engine import CutsPrior
from adeptree.families.rule_values import Constant
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.column_engine import ColumnEngine, StepsColumn
from adeptree.families.tables.table_cells import TableCells
from adeptree.families.tables.table_rules import TableRules
from adeptree.roles.engine import Leader, Problem
from adeptree.roles.near_rules import NearRules, RankedRule
from adeptree.structures.mixture_engine import MixtureEngine, MixturePrior
from adeptree.theory.coins import word_of
from adeptree.theory.losses import shown
from adeptree.theory.priors import Prior

_KERNEL = kernel("adeptree.structures.mixture_kernel")
HALF = math.log(2)


class TablePrior(MixturePrior):
    """The prior of tables: equal shares for columns and kinds; cuts and values have the priors of their structures.

    >>> from adeptree import TableStumps
    >>> round(TablePrior("mixed", TableStumps(["a", "b"])).price(1000) - math.log(2 * 4 * 2), 1)
    47.1
    """

    def __init__(self, name: str, concept_class: TableRules) -> None:
        inner = concept_class.inner
        cuts = CutsPrior(name, inner.line, 1 if concept_class.one_cut else inner.cuts)
        kinds = len(concept_class.features) * (4 if concept_class.falls else 3)
        super().__init__(name, kinds, cuts.one if concept_class.one_cut else cuts)
        self.values = concept_class.values

    def price(self, t: int) -> float | None:
        """Return the largest price of a rule of any column."""
        line = self.one.price(t)
        sets = self.values * (t + 1) ** self.values * (t + 2)
        return None if line is None else math.log(self.kinds) + max(line + HALF, math.log(sets))


class TableEngine(MixtureEngine):
    """The columns of a table, with equal shares of the prior.

    >>> from adeptree import TableStumps
    >>> from adeptree.theory.priors import MixedPrior
    >>> engine = TableEngine(TableStumps(["age", "sex"]), MixedPrior())
    >>> engine.rate = 0.5
    >>> for age, sex, y in [(20.0, "m", 0), (60.0, "f", 1), (None, "m", 0), (43.0, "f", 1)]:
    ...     engine.commit({"age": age, "sex": sex}, y)
    >>> engine.best_loss, str(engine.best_rule()), round(engine.probability({"age": 30.0, "sex": "f"}), 6)
    (0, 'age >= 30', 0.638309)
    """

    kind = "tables"
    prior: TablePrior
    members: list[ColumnEngine]
    column: ClassVar[type[ColumnEngine]] = ColumnEngine

    def __init__(self, concept_class: TableRules, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, TablePrior(prior.name, concept_class)
        names = concept_class.features
        self.members = [self.column(concept_class, self.prior.one, name) for name in names]
        for member in self.members[1:]:
            member.line.kernel.lead = self.members[0].line.kernel  # all columns have one rate
        parts, readers = [member.kernel for member in self.members], [concept_class.lookups.get(name) for name in names]
        log_shares = [-math.log(self.prior.kinds)] * len(names)
        self._use(_KERNEL.MixtureKernel(parts, names, readers, log_shares, word_of))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the priors without a horizon; refuse a largest width, because paths of an oracle are too slow."""
        if problem.max_width is not None:
            raise InvalidArgument(
                f"rules on tables are kept in a structure that drops none; got max_width={problem.max_width!r} "
                f'(--max-width); leave it out, or build with engine="paths", which asks an oracle about each path'
            )
        if problem.prior.name not in ("kt", "mixed"):
            return f'it knows the priors "kt" and "mixed"; got prior={problem.prior.name!r}'
        if type(problem.base) is not BestSoFar:
            return f"it needs no base learner; got {problem.base!r}"
        return None

    def batch(self, xs: Any) -> int:
        """Hand every column its cells."""
        cells = xs if isinstance(xs, TableCells) else TableCells.of(self.concept_class.features, xs)
        for f, member in enumerate(self.members):
            member.batch((cells.numbers[:, f], cells.texts[f]))
        return len(cells)

    def constants(self) -> list[RankedRule]:
        """Return the constants: every column has seen all labels."""
        return [RankedRule(Constant(label), loss) for label, loss in enumerate(self.members[0].losses())]

    def near(self, f: int, reach: float, limit: int) -> NearRules:
        """Return the rules of a column."""
        return self.members[f].near(reach, limit)


class TableStepsEngine(TableEngine):
    """The columns of a table with steps, compared with the most probable rule instead of the best.

    Memorising a column has the least loss, and no learner can compete with it. The comparator is therefore the rule of
    largest prior mass times e^(-eta loss) among the most probable steps of each column and its best rules about values.
    ``best_loss``, ``leader`` and ``best_rule`` refer to it.

    >>> from adeptree import TableSteps
    >>> from adeptree.theory.priors import MixedPrior
    >>> engine = TableStepsEngine(TableSteps(["age", "sex"]), MixedPrior())
    >>> engine.rate = 2.0
    >>> for age in range(24):
    ...     engine.commit({"age": float(age), "sex": "f"}, int(6 <= age < 12 or age >= 18))
    >>> engine.best_loss, str(engine.best_rule())
    (0, '6 <= age < 12 or age >= 18')
    """

    kind = "table-steps"
    best_may_fall = True
    column = StepsColumn

    def leading(self) -> tuple[int, Leader]:
        """Return the most probable rule, and its column."""
        share = -math.log(self.prior.kinds)
        found = [(f, member.leader()) for f, member in enumerate(self.members)]
        f, leader = max(found, key=lambda one: one[1].log_prior - self.rate * one[1].loss)
        return f, Leader(leader.loss, None, None, min(0.0, leader.log_prior + share))

    @property
    def best_loss(self) -> float:
        """The loss of the most probable rule (a scan)."""
        return shown(self.leading()[1].loss)

    def best_rule(self) -> Concept:
        """Return the most probable rule."""
        rule: Concept = self.members[self.leading()[0]].best_rule()
        return rule

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Raise an error, like steps on one line."""
        near: NearRules = self.members[0].line.rules_within(k, limit)
        return near
