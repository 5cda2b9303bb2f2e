"""Concept classes and base learners broken on purpose, under the check that must catch them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import adeptree as at
from adeptree.core.types import LabelArray, Sample
from adeptree.families.line.thresholds import ThresholdFrontier
from adeptree.families.registry import register
from adeptree.families.rule_values import Threshold
from adeptree.roles.base_learner import Always, RowLearner
from adeptree.roles.family import Family
from adeptree.roles.frontier import Children, Frontier

LINE = at.Thresholds(6)
ENTROPY = np.random.default_rng(1)
"""Randomness that ignores the seed: it continues from call to call."""


class WrongVc(at.Thresholds):
    vc_dimension = 2


class WrongLittlestone(at.Thresholds):
    littlestone_dimension = 1


class TooSmallVc(at.Intervals):
    vc_dimension = 1


class NotMonotone(at.Thresholds):
    def realizable(self, sample: Sample) -> bool:
        return super().realizable(sample) and len(sample) != 1


class LastWordWins(at.Thresholds):
    def realizable(self, sample: Sample) -> bool:
        return super().realizable(sample[-2:])


class SaysYes(at.Thresholds):
    def realizable(self, sample: Sample) -> bool:
        self.clean(sample)
        return True


class LazyErm(at.Thresholds):
    def erm(self, sample: Sample) -> Threshold:
        self.clean(sample)
        return Threshold(0)


class ErmFromOutside(at.Thresholds):
    def erm(self, sample: Sample) -> Any:
        best = super().erm(sample)
        known = {x: best(x) for x, _ in self.clean(sample)}
        return type("Memory", (), {"__call__": lambda _, x: known.get(x, x % 2), "__str__": lambda _: "memory"})()


class ShiftedLabels(at.Thresholds):
    def labels(self, x: Any) -> LabelArray:
        return super().labels(x)[::-1]


class CountsTwice(at.Thresholds):
    @property
    def size(self) -> int:
        return self.n + 2

    def labels(self, x: Any) -> LabelArray:
        return np.append(super().labels(x), np.uint8(0))


class RawError(at.Thresholds):
    def instance(self, x: Any) -> Any:
        if not isinstance(x, int):
            raise TypeError(x)
        return super().instance(x)


class TakesAllLabels(at.Thresholds):
    def clean(self, sample: Any) -> list[tuple[Any, int]]:
        return [(self.instance(x), int(bool(y))) for x, y in sample]


class Shifting(at.Thresholds):
    def instance(self, x: Any) -> Any:
        return (super().instance(x) + 1) % self.n


@dataclass(unsafe_hash=True, repr=False)
class Melting(at.OracleClass):
    n: int = 6

    def __post_init__(self) -> None:
        super().__init__(realizable=LINE.realizable)


class Unreadable(at.Thresholds):
    def erm(self, sample: Sample) -> Any:
        best = super().erm(sample)
        return type("Rule", (), {"__call__": lambda _, x: best(x), "__str__": lambda _: "two\nlines"})()


class LosesRows(at.Thresholds):
    """Its frontier forgets the last path."""


class _Losing(ThresholdFrontier):
    def split(self, x: Any) -> Any:
        split = super().split(x)
        if self.width > 2:
            split.children.__dict__.update(parent=split.children.parent[:-1], label=split.children.label[:-1])
        return split


class AsksTooMuch(at.Thresholds):
    """Its frontier counts wrongly."""


class _Counting(ThresholdFrontier):
    def grow(self, children: Children) -> None:
        super().grow(children)
        self.queries.asked += 1


register(Family("", LosesRows, frontier=_Losing))
register(Family("", AsksTooMuch, frontier=_Counting))


CLASSES: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "check_vc_dimension": [(WrongVc(6), {})],
    "check_littlestone_dimension": [(WrongLittlestone(6), {})],
    "check_projections": [(WrongLittlestone(6), {}), (TooSmallVc(6), {})],
    "check_sauer": [(TooSmallVc(6), {}), (SaysYes(6), {})],
    "check_subsets": [(NotMonotone(6), {})],
    "check_order_and_repeats": [(LastWordWins(6), {})],
    "check_contradiction": [(SaysYes(6), {})],
    "check_enumeration": [(SaysYes(6), {}), (LastWordWins(6), {})],
    "check_erm_is_optimal": [(LazyErm(6), {})],
    "check_erm_is_a_concept": [(ErmFromOutside(6), {})],
    "check_labels": [(ShiftedLabels(6), {})],
    "check_size": [(CountsTwice(6), {})],
    "check_invalid_instance": [(RawError(6), {})],
    "check_invalid_label": [(TakesAllLabels(6), {})],
    "check_canonical_instance": [(Shifting(6), {})],
    "check_frozen": [(Melting(), {"instances": range(6)})],
    "check_readable_concepts": [(Unreadable(6), {})],
    "check_frontier_rows": [(LosesRows(6), {})],
    "check_frontier_queries": [(AsksTooMuch(6), {})],
}


class Machine:
    """A base learner for thresholds as a user writes it, correct until a mutant breaks it."""

    mistake_bound: Any = 2

    def start(self) -> Any:
        return (0, 6)

    def predict(self, state: Any, x: int) -> int:
        return at.Bisection(LINE).predict(state, x)

    def update(self, state: Any, x: int, y: int) -> Any:
        return at.Bisection(LINE).update(state, x, y)


class AlwaysZero(Machine):
    def predict(self, state: Any, x: int) -> int:
        return 0


class Boasts(Machine):
    mistake_bound = 1


class Negative(Machine):
    mistake_bound = -1


class InPlace(Machine):
    def start(self) -> Any:
        return [0, 6]

    def update(self, state: Any, x: int, y: int) -> Any:
        state[:] = super().update(tuple(state), x, y)
        return state


class Moody(Machine):
    def predict(self, state: Any, x: int) -> int:
        return int(ENTROPY.integers(2))


class Scribbles(Machine):
    def start(self) -> Any:
        return {"range": (0, 6), "asked": 0}

    def predict(self, state: Any, x: int) -> int:
        state["asked"] += 1
        return super().predict(state["range"], x)

    def update(self, state: Any, x: int, y: int) -> Any:
        return {**state, "range": super().update(state["range"], x, y)}


class Talkative(Machine):
    def predict(self, state: Any, x: int) -> int:
        return 2


class Fragile(Machine):
    def update(self, state: Any, x: int, y: int) -> Any:
        low, high = super().update(state, x, y)
        if low > high:
            raise KeyError(x)
        return low, high


class WrongRows(at.Bisection):
    def rows(self, frontier: Frontier) -> RowLearner:
        return Always(True)


ON_LINE = {"concept_class": LINE}
BASES: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "check_mistake_bound": [(Negative(), ON_LINE)],
    "check_bound_is_possible": [(Boasts(), ON_LINE)],
    "check_mistakes_on_every_sequence": [(AlwaysZero(), ON_LINE), (Boasts(), ON_LINE)],
    "check_mistakes_against_the_other_label": [(AlwaysZero(), ON_LINE)],
    "check_mistakes_against_a_chooser": [(AlwaysZero(), ON_LINE), (Boasts(), ON_LINE)],
    "check_update_is_pure": [(InPlace(), ON_LINE)],
    "check_predict_is_pure": [(Moody(), ON_LINE), (Scribbles(), ON_LINE)],
    "check_fresh_start": [(Moody(), ON_LINE)],
    "check_predictions_are_labels": [(Talkative(), ON_LINE)],
    "check_total": [(Fragile(), ON_LINE)],
    "check_rows": [(WrongRows(LINE), {})],
}
