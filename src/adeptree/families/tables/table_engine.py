"""Rules on one column of a table, each column's on structures of their own (``table_kernel.py`` has the prior)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.saved_values import is_real, need
from adeptree.core.types import Concept, FloatArray, IntArray
from adeptree.families.line.cuts_engine import CutsEngine, CutsPrior, one_row
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.rule_values import Constant, Interval
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.table_cells import TableCells
from adeptree.families.tables.table_rules import TableRules, always, best_set
from adeptree.families.tables.two_way_engine import TwoWayEngine
from adeptree.roles.engine import Problem, Rows
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, nearest, reach_of, sets_in_order
from adeptree.theory.coins import word_of
from adeptree.theory.losses import whole
from adeptree.theory.priors import Prior

_COLUMN = kernel("adeptree.families.tables.column_kernel")
_KERNEL = kernel("adeptree.families.tables.table_kernel")
HALF = math.log(2)


class TablePrior(Prior):
    """Columns alike, kinds of rules alike; cuts have the prior of their line, values that of ``value_sets_kernel``.

    >>> from adeptree.families.tables import TableStumps
    >>> round(TablePrior("mixed", TableStumps(["a", "b"])).price(1000) - math.log(2 * 4 * 2), 1)
    47.1
    """

    log_total = 0.0

    def __init__(self, name: str, concept_class: TableRules) -> None:
        inner = concept_class.inner
        self.name = name  # type: ignore[misc]
        cuts = CutsPrior(name, inner.line, 1 if concept_class.one_cut else inner.cuts)
        self.inner: Prior = cuts.one if concept_class.one_cut else cuts
        self.kinds = len(concept_class.features) * (4 if concept_class.falls else 3)
        self.values = concept_class.values
        self.floor = self.inner.floor

    def log_mass(
        self, t: int, mistakes: IntArray, contested: IntArray, log_share: FloatArray | None = None
    ) -> FloatArray:
        """Return ln of the mass of one cut."""
        return self.inner.log_mass(t, mistakes, contested, log_share)

    def price(self, t: int) -> float | None:
        """Return what the dearest rule of any column costs."""
        line = self.inner.price(t)
        sets = self.values * (t + 1) ** self.values * (t + 2)
        return None if line is None else math.log(self.kinds) + max(line + HALF, math.log(sets))


class TableEngine(KernelEngine):
    """The product prior of the columns.

    >>> from adeptree.families.tables import TableStumps
    >>> from adeptree.theory.priors import MixedPrior
    >>> engine = TableEngine(TableStumps(["age", "sex"]), MixedPrior())
    >>> engine.rate = 0.5
    >>> for age, sex, y in [(20.0, "m", 0), (60.0, "f", 1), (None, "m", 0), (43.0, "f", 1)]:
    ...     engine.commit({"age": age, "sex": sex}, y)
    >>> engine.best_loss, str(engine.best_rule()), round(engine.probability({"age": 30.0, "sex": "f"}), 6)
    (0, 'age >= 30', 0.638309)
    """

    kind = "tables"
    kernel: Any

    def __init__(self, concept_class: TableRules, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, TablePrior(prior.name, concept_class)
        self.lines: list[Any] = []
        columns = []
        for name in concept_class.features:
            line = self._line()
            self.lines.append(line)
            if self.lines[1:]:
                line.kernel.lead = self.lines[0].kernel  # (all columns have one rate)
            lookup = concept_class.lookups.get(name)
            columns.append(_COLUMN.Column(name, word_of(name), line.kernel, lookup, concept_class.values))
        self._use(_KERNEL.TableKernel(columns, self.prior.kinds, word_of))

    def _line(self) -> Any:
        c: Any = self.concept_class
        engine: Any = TwoWayEngine if c.falls else ThresholdsEngine if c.one_cut else CutsEngine
        return engine(c.inner, self.prior.inner)

    @classmethod
    def prior_of(cls, problem: Problem) -> Prior:
        """Return the prior of the table."""
        return TablePrior(problem.prior.name, problem.concept_class)  # type: ignore[arg-type]

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """All rules kept, and the priors without a horizon."""
        if problem.prior.name not in ("kt", "mixed"):
            return f'it knows the priors "kt" and "mixed"; got prior={problem.prior.name!r}'
        if problem.max_width is not None or type(problem.base) is not BestSoFar:
            return f"it keeps all rules, and needs no base learner; got {problem.base!r}"
        return None

    def batch(self, xs: Any) -> int:
        """Give the kernel the columns."""
        cells = xs if isinstance(xs, TableCells) else TableCells.of(self.concept_class.features, xs)
        self.kernel.give(np.ascontiguousarray(cells.numbers).ravel(), cells.texts)
        return len(cells)

    # --- What is made of the rules -------------------------------------------------------------------

    def _kinds(self) -> Any:
        """Return of every structure: its column, what its rules are about, and least loss."""
        for f, column in enumerate(self.kernel.columns):
            yield from ((f, kind, column.least(k)) for k, kind in enumerate(("numbers", "==", "!=")))

    def rows(self) -> Rows:
        """Return a best rule, the one with the most mass."""
        kinds = list(self._kinds())
        reach = self._reach(min(loss for _, _, loss in kinds), 0)
        dearest = max(self._log_mass(f, kind) for f, kind, loss in kinds if loss <= reach)
        return one_row(self.best_loss, min(0.0, dearest - math.log(self.prior.kinds)))

    def _reach(self, best: float, k: float) -> float:
        values = self.kernel.columns[0].values
        return reach_of(best, k, values.ones + values.zeros)

    def _log_mass(self, f: int, kind: str) -> float:
        column = self.kernel.columns[f]
        if kind == "numbers":
            side = column.gaps and column.side0 != column.side1
            return float(self.lines[f].leader().log_prior) - (HALF if side else 0.0)
        # Of the best set with the fewest values, which were met first.
        n, d = column.values.count + 1, self.concept_class.values
        gains = np.asarray(column.values.gain)[1:n]
        slots = [place + 1 for place in best_set(gains if kind == "!=" else -gains, d)]
        if not slots:
            return -math.log(n)
        m = slots[-1] + 1
        return -math.log(d * math.prod(slots) * m * n / (n + (d - len(slots)) * m))

    def best_rule(self) -> Concept:
        """Return a constant if one is best, else the first column's simplest rule."""
        return self.rules_within(0, 1)[0].rule

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Look at every column; only within a column, rules that say the same of all rows seen are one."""
        values, reach = self.kernel.columns[0].values, self._reach(self.best_loss, k)
        found: list[RankedRule] = [RankedRule(Constant(0), values.ones), RankedRule(Constant(1), values.zeros)]
        more = False
        for f in range(len(self.lines)):
            for near in (self._near_values(f, reach, limit), self._near_numbers(f, reach, limit)):
                found += near
                more = more or near.more
        order, others = nearest(np.array([rule.loss for rule in found]), reach, limit)
        return NearRules((replace(found[i], loss=whole(found[i].loss)) for i in order), more or others)

    def _near_values(self, f: int, reach: float, limit: int) -> NearRules:
        """Return what is said of single values, then of several."""
        column, c = self.kernel.columns[f], self.concept_class
        values = column.values
        met = [value for _, value in sorted((slot, value) for value, slot in column.places.items())][: values.count]
        gains = np.asarray(values.gain)[1 : values.count + 1]
        ways = ((True, values.ones, -gains), (False, values.zeros, gains))
        found = NearRules([], more=False)
        for several in (False, True)[: c.values]:
            for equal, loss, worth in ways:
                sets: Any = ((loss - gain, [place]) for place, gain in enumerate(worth.tolist()))
                if several:
                    sets = (one for one in sets_in_order(worth, c.values, loss, reach) if len(one[1]) > 1)
                near = (one for one in sets if one[0] <= reach and not self._said_otherwise(f, len(one[1]), equal))
                for cost, chosen in islice(near, limit + 1 if several else None):
                    rule = c.about_values(c.features[f], [met[place] for place in chosen], equal)
                    found.append(RankedRule(rule, cost))
                found.more = found.more or next(near, None) is not None
        return found

    def _said_otherwise(self, f: int, size: int, equal: bool) -> bool:
        """Whether a rule that names so many values is listed in other words that say the same of all rows seen.

        In a column that never held a number, what is one of some values is none of the others. Where both can be said,
        that which names fewer is; of equals ``==``. What names all of them is a constant.
        """
        others = self.kernel.columns[f].values.count - size
        if self.lines[f].kernel.cells > 1 or others > self.concept_class.values:
            return False
        return others == 0 or others < size or (others == size and not equal)

    def _near_numbers(self, f: int, reach: float, limit: int) -> NearRules:
        column, line, name = self.kernel.columns[f], self.lines[f], self.concept_class.features[f]
        found, more = list[RankedRule](), False
        points = line.gaps()["low"].tolist() if name in self.concept_class.times else ()
        for gap, lost in ((0, column.side0), (1, column.side1)) if column.gaps else ((0, 0.0),):
            if line.best_loss + lost > reach:
                continue
            near = line.rules_within(reach - lost - line.best_loss, limit + 4)
            more = more or near.more
            # One that is always the same says at most whether there is a number: its values may say so already.
            other = line.kernel.cells > 1 and column.values.count > self.concept_class.values
            said: set[int | None] = {gap} if other else {0, 1}
            for ranked in near:
                label = always(ranked.rule)
                if label not in said or label is None:
                    said.add(label)
                    rule = ranked.rule if label is None else Constant(label)
                    about = self.concept_class.about_numbers(name, rule, gap, points)
                    found.append(RankedRule(about, ranked.loss + lost))
        if self.concept_class.falls:  # of equals, those that rise come first
            found.sort(key=lambda near: isinstance(near.rule.rule, Interval))  # type: ignore[attr-defined]
        return NearRules(found, more)

    # --- Saving --------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the lines and values of all columns."""
        return {"columns": [self._column(f) for f in range(len(self.lines))]}

    def _column(self, f: int) -> dict[str, Any]:
        column, values = self.kernel.columns[f], self.kernel.columns[f].values
        slots = sorted((slot, value) for value, slot in column.places.items() if slot <= values.count)
        return {
            "lines": [self.lines[f].state()],
            "values": [value for _, value in slots],
            "gain": np.array(values.gain)[: values.count + 1],
            "sums": [float(n) for n in (values.ones, values.zeros, column.side0, column.side1)],
            "gaps": bool(column.gaps),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned, if that is possible."""
        need(len(state["columns"]) == len(self.lines), "columns")
        for f, kept in enumerate(state["columns"]):
            column, values, gain = self.kernel.columns[f], kept["values"], kept["gain"]
            # (Files of earlier editions have a second tree of stumps, for those that fall: it says the same.)
            need(len(kept["lines"]) in (1, 1 + self.concept_class.falls), "lines")
            need(isinstance(values, list) and all(isinstance(value, str | None) for value in values), "values")
            need(len(set(values)) == len(values) and isinstance(kept["gaps"], bool), "values")
            need(gain.shape == (len(values) + 1,) and gain.dtype == np.float64, "gain")
            need(bool(np.isfinite(gain).all()) and gain[0] == 0, "gain")
            sums = kept["sums"]
            need(len(sums) == 4 and all(is_real(n) and n >= 0 for n in sums), "sums")
            need(float(np.abs(gain).sum()) <= (sums[0] + sums[1]) * (1 + 1e-9), "gain")
            self.lines[f].restore(kept["lines"][0])
            column.words, column.places = [0], {}
            for slot, value in enumerate(values, 1):
                column.words.append(0 if value is None else word_of(value))
                column.places[value] = slot
            column.values.set(len(values), gain, sums[0], sums[1], self.rate)
            column.side0, column.side1, column.gaps = sums[2], sums[3], kept["gaps"]
        self.kernel.forget()
