"""The engine of one column of a table: rules about its numbers, on a line, and about its values."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, SUM, Array, Fields, Items, need
from adeptree.core.types import Concept
from adeptree.families.blocks.block_unions import best_blocks
from adeptree.families.line.cuts_engine import CutsEngine, StepsEngine
from adeptree.families.line.line_engine import LARGEST_GRID, LineEngine
from adeptree.families.line.thresholds import Thresholds
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.line.two_way_engine import TwoWayEngine
from adeptree.families.rule_values import Constant, Interval
from adeptree.families.tables.table_rules import TableRules, always
from adeptree.roles.engine import Leader
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, reach_of, sets_in_order
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, Prior

_KERNEL = kernel("adeptree.structures.column_kernel")
HALF = math.log(2)
NUMBERS, EQUAL, UNEQUAL = range(3)
"""The kinds of rules, numbered as in the kernel."""


class SinglesEngine(LineEngine):
    """A column's values with drift, each with the rules "== value" and "!= value"."""

    kind = "singles"

    def __init__(self, *shared: Any) -> None:
        super().__init__(Thresholds(LARGEST_GRID), KTPrior())
        self.single = True
        self.share_line(2, *shared, 1, True)

    def measure(self) -> tuple[Any, ...]:
        """Return a line without a prior: the i-th value has mass 1/(i (i + 1))."""
        return False, -1, LARGEST_GRID, (), (), 0.0


class ColumnEngine(KernelEngine):
    """One named column; ``prior`` is the prior of its line. Every kind of rules has mass 1 (``column_kernel.py``)."""

    kind = "column"
    kernel: Any

    def __init__(self, concept_class: TableRules, prior: Prior, name: str) -> None:
        super().__init__()
        self.concept_class, self.name = concept_class, name
        self.line: Any = self._line(prior)
        self.singles: SinglesEngine | None = None
        self._use(_KERNEL.ColumnKernel(self.line.kernel, concept_class.values, word_of))

    def _line(self, prior: Prior) -> Any:
        c: Any = self.concept_class
        engine: Any = TwoWayEngine if c.falls else ThresholdsEngine if c.one_cut else CutsEngine
        return engine(c.inner, prior)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep one weight per lane for each cut, direction and label at missing values, and for each single value."""
        if self.concept_class.values > 1 or not self.concept_class.one_cut:
            return super().share_out(share, lanes, spans, room)
        self.line.share_line(2 if self.concept_class.falls else 1, share / 2, lanes, spans, room, 2)
        self.singles = SinglesEngine(share, lanes, spans, room)
        self.kernel.share(self.line.kernel, self.singles.kernel, len(spans))
        return [self.kernel]

    def batch(self, xs: Any) -> int:
        """Hand the column's numbers and texts to the kernel."""
        numbers, texts = xs
        self.kernel.give(np.ascontiguousarray(numbers), texts)
        return len(numbers)

    def losses(self) -> list[float]:
        """Return the losses of "always 0" and "always 1"."""
        return [float(self.kernel.values.ones), float(self.kernel.values.zeros)]

    def gains(self) -> Any:
        """Return, for each value, the loss of predicting 1 minus the loss of predicting 0."""
        return np.asarray(self.kernel.values.gain)[1 : self.kernel.values.count + 1]

    def met(self) -> list[Any]:
        """Return the values in the order in which they were met."""
        slots = sorted((slot, value) for value, slot in self.kernel.places.items())
        return [value for _, value in slots][: self.kernel.values.count]

    # --- The best rule -------------------------------------------------------------------------------

    def leading(self) -> tuple[int, Leader]:
        """Return a best rule and its kind; among equals, the rule with the largest mass."""
        reach = reach_of(self.kernel.least(), 0, sum(self.losses()))
        losses = [self.kernel.least_of(k) for k in range(3)]
        found = [(k, Leader(loss, None, None, self._log_mass(k))) for k, loss in enumerate(losses) if loss <= reach]
        return max(found, key=lambda one: one[1].log_prior)

    def leader(self) -> Leader:
        """Return a best rule."""
        return self.leading()[1]

    def _log_mass(self, k: int) -> float:
        """Return ln of the mass of the best rule of a kind."""
        if k == NUMBERS:
            side = self.kernel.gaps and self.kernel.side0 != self.kernel.side1
            return float(self.line.leader().log_prior) - (HALF if side else 0.0)
        # Use the best set with the fewest values, those met first.
        n, d = self.kernel.values.count + 1, self.concept_class.values
        slots = [place + 1 for place in self._best_set(k)]
        if not slots:
            return -math.log(n)
        m = slots[-1] + 1
        return -math.log(d * math.prod(slots) * m * n / (n + (d - len(slots)) * m))

    def _best_set(self, k: int) -> list[int]:
        gains = self.gains()
        return best_blocks(gains if k == UNEQUAL else -gains, self.concept_class.values)

    # --- Rules near the best -------------------------------------------------------------------------

    def near(self, reach: float, limit: int) -> NearRules:
        """Return the rules within reach, one for each labelling of the rows seen."""
        values, numbers = self._near_values(reach, limit), self._near_numbers(reach, limit)
        return NearRules([*values, *numbers], values.more or numbers.more)

    def _near_values(self, reach: float, limit: int) -> NearRules:
        """Return rules about single values, then about several."""
        c, met, gains = self.concept_class, self.met(), self.gains()
        ones, zeros = self.losses()
        found = NearRules([], more=False)
        for several in (False, True)[: c.values]:
            for equal, loss, worth in ((True, ones, -gains), (False, zeros, gains)):
                sets: Any = ((loss - gain, [place]) for place, gain in enumerate(worth.tolist()))
                if several:
                    sets = (one for one in sets_in_order(worth, c.values, loss, reach) if len(one[1]) > 1)
                near = (one for one in sets if one[0] <= reach and not self._said_otherwise(len(one[1]), equal))
                for cost, chosen in islice(near, limit + 1 if several else None):
                    found.append(RankedRule(c.about_values(self.name, [met[i] for i in chosen], equal), cost))
                found.more = found.more or next(near, None) is not None
        return found

    def _said_otherwise(self, size: int, equal: bool) -> bool:
        """Return True if an equivalent rule with fewer values, or of another kind, is already listed.

        In a column that never held a number, "in a set" is equivalent to "not in the other values". The rule with fewer
        values is listed, among equals ``==``. A rule with all values is a constant.
        """
        others = self.kernel.values.count - size
        if self.line.kernel.cells > 1 or others > self.concept_class.values:
            return False
        return others == 0 or others < size or (others == size and not equal)

    def _near_numbers(self, reach: float, limit: int) -> NearRules:
        column, line, c = self.kernel, self.line, self.concept_class
        found, more = list[RankedRule](), False
        for gap, lost in ((0, column.side0), (1, column.side1)) if column.gaps else ((0, 0.0),):
            if line.best_loss + lost > reach:
                continue
            near = line.rules_within(reach - lost - line.best_loss, limit + 4)
            more = more or near.more
            # A constant rule only tests for a number, which a rule about values may do already.
            other = line.kernel.cells > 1 and column.values.count > c.values
            said: set[int | None] = {gap} if other else {0, 1}
            for ranked in near:
                label = always(ranked.rule)
                if label not in said or label is None:
                    said.add(label)
                    rule = ranked.rule if label is None else Constant(label)
                    found.append(RankedRule(self.about_numbers(rule, gap), ranked.loss + lost))
        if c.falls:  # among equals, rising rules come first
            found.sort(key=lambda near: isinstance(near.rule.rule, Interval))  # type: ignore[attr-defined]
        return NearRules(found, more)

    def about_numbers(self, rule: Any, gap: int) -> Concept:
        """Return a rule about the column's numbers, with its label at missing values."""
        points = self.line.gaps()["low"].tolist() if self.name in self.concept_class.times else ()
        return self.concept_class.about_numbers(self.name, rule, gap, points)

    # --- Saving --------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the line and the values."""
        column, values = self.kernel, self.kernel.values
        shared = {} if self.singles is None else {"singles": self.singles.state(), "picked": np.array(column.picked)}
        return shared | {
            "line": self.line.state(),
            "values": self.met(),
            "gain": np.array(values.gain)[: values.count + 1],
            "sums": [float(n) for n in (values.ones, values.zeros, column.side0, column.side1)],
            "gaps": bool(column.gaps),
        }

    def declared(self) -> Fields:
        """Declare the values in the order in which they were met, and the costs of 0s, 1s and missing values."""
        gain, sums = Array(np.float64, "slots"), Items(4, SUM)
        shared: Fields = {} if self.singles is None else {"picked": Array(np.int32, (len(self.kernel.picked),), 0, 1)}
        return {**shared, "values": Items("values"), "gain": gain, "sums": sums, "gaps": FLAG}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless values have slots and the costs of line, missing values and values agree."""
        (ones, zeros, *sides), gain, line = state["sums"], state["gain"], state["line"]
        self.line.check(line)
        if self.singles is not None:
            self.singles.check(state["singles"])
            kept = state["singles"]["gain"][:0:-1]
            need(len(kept) == len(state["values"]) and np.allclose(kept, -gain[1:], rtol=0, atol=1e-6), "singles")
        need(len(gain) == len(state["values"]) + 1 and gain[0] == 0, "gain")
        need(float(np.abs(gain).sum()) <= (ones + zeros) * (1 + 1e-9), "gain")
        lost = (line["charged"] - line["zeros"] + sides[0], line["zeros"] + sides[1])
        need(np.allclose((ones, zeros), lost, rtol=0, atol=1e-9 * (1 + ones + zeros)), "sums")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        self.check(state)
        values, sums = state["values"], state["sums"]
        self.line.restore(state["line"])
        if self.singles is not None:
            self.singles.restore(state["singles"])
            self.kernel.picked = state["picked"].copy()
        self.kernel.values.set(len(values), state["gain"], sums[0], sums[1], self.rate)
        self.kernel.resume(values, sums[2], sums[3], state["gaps"])


class StepsColumn(ColumnEngine):
    """A column with steps on its line: the leader is the most probable rule, because the best one memorises."""

    def _line(self, prior: Prior) -> Any:
        return StepsEngine(self.concept_class.inner, prior)

    def leading(self) -> tuple[int, Leader]:
        """Return the rule with the largest mass times e^(-eta loss), and its kind."""
        column = self.kernel
        losses = [
            self.line.best_loss + min(column.side0, column.side1),
            column.least_of(EQUAL),
            column.least_of(UNEQUAL),
        ]
        found = [(k, Leader(loss, None, None, self._log_mass(k))) for k, loss in enumerate(losses)]
        return max(found, key=lambda one: one[1].log_prior - self.rate * one[1].loss)

    def best_rule(self) -> Concept:
        """Return the most probable rule."""
        kind, _ = self.leading()
        if kind == NUMBERS:
            rule, gap = self.line.best_rule(), int(self.kernel.side1 < self.kernel.side0)
            label = always(rule)
            if label is not None and (label == gap or not self.kernel.gaps):
                return Constant(label)
            return self.about_numbers(rule if label is None else Constant(label), gap)
        chosen, met = self._best_set(kind), self.met()
        if not chosen:
            return Constant(int(kind == UNEQUAL))
        return self.concept_class.about_values(self.name, [met[place] for place in chosen], kind == EQUAL)
