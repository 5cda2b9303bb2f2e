"""Mutation operators for the learners related to ADEPT."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np

from adeptree.structures import half_plane_kernel as planes
from reproduction.unknown_order import OPEN


def shares_nothing(was: Any) -> Any:
    """alpha = 0 in every lane."""

    def lanes(self: Any) -> Any:
        rates, shares, logs = was(self)
        return rates, [0.0] * len(shares), logs

    return lanes


def never_switches(was: Any) -> Any:
    """A sequence that follows a path has always followed it."""

    def share(self: Any, wrong: Any, loss: float, cost: float) -> None:
        before = self.sequences
        was(self, wrong, loss, cost)
        self.sequences = before + cost * wrong

    return share


def _put_on(**changes: Any) -> Any:
    """Put a changed review on the kernel."""
    return lambda was: lambda self, kernel, weight: was(replace(self, **changes), kernel, weight)


put_on_without_delay = _put_on(delay=0)
fewest_reviews = _put_on(promise="average")


def half_the_cost(was: Any) -> Any:
    """A review costs half."""
    return lambda self, kernel, weight: was(replace(self, cost=self.cost / 2), kernel, weight)


def without_delay(was: Any) -> Any:
    """All labels are prompt."""
    return lambda miss, alarm, review, delay=0: was(miss, alarm, review)


def equal_shares(was: Any) -> Any:
    """The same share for each part."""
    return property(lambda self: (1 / len(self.parts),) * len(self.parts))


def uneven_halves(was: Any) -> Any:
    """The first of two parts has three quarters."""
    return property(lambda self: (0.75, 0.25) if len(self.parts) == 2 else (1 / len(self.parts),) * len(self.parts))


def never_shares(was: Any) -> Any:
    """The structure of a learner without drift."""
    return lambda self, structure: structure.of(self.problem)


def weighs_once(was: Any) -> Any:
    """The chance of a label is forgotten."""
    return lambda self, ticket, label, cost: was(self, ticket._replace(q=1.0), label, cost)


def light_rounds(was: Any) -> Any:
    """Rounds weigh a hundredth."""
    return lambda kernel, review, partial, weight, most: was(kernel, review, partial, weight / 100, most)


def no_labels(was: Any) -> Any:
    """The limit is 0."""
    return lambda kernel, review, partial, weight, most: was(kernel, review, partial, weight, 0)


def always_asks(was: Any) -> Any:
    """Every ticket asks for its label."""

    def changed(self: Any, placed: Any) -> Any:
        ticket, action = was(self, placed)
        return ticket._replace(ask=True), action

    return changed


def lower_cut(was: Any) -> Any:
    """Scores count as votes from 0.4 on."""
    return property(lambda self: tuple(replace(part, at=0.4) for part in was.func(self)))


def a_round_later(paths: Any) -> None:
    """The shares of the round after."""
    paths.clock = 1


def the_next_point(was: Any) -> Any:
    """The number of another point."""
    return lambda self, x: (was(self, x) + 1) % len(self.instances)


def asks_again(was: Any) -> Any:
    """Two queries per round."""

    def says(self: Any, x: Any) -> Any:
        self.queries.asked += 2
        return was(self, x)

    return says


def one_label(was: Any) -> Any:
    """After a mistake only its own label is known, and the rule stays in use."""

    def commit(self: Any, x: Any, raw: Any, label: int) -> None:
        cut = self.cut
        self.cut = np.full_like(cut, OPEN)
        was(self, x, raw, label)
        self.cut = cut

    return commit


def first_rule(was: Any) -> Any:
    """A rule that cuts off one point will do."""

    def found(self: Any) -> Any:
        still = np.flatnonzero(self.label == OPEN)
        points = [self._known.instances[i] for i in still]
        for below, above in permutations(points, 2):
            self._queries.posed += 1
            if (rule := self.concept_class.find([(below, 1), (above, 0)])) is not None:
                break
        cut = np.full_like(self.label, OPEN)
        cut[still] = [int(rule(x)) for x in points]
        return cut

    return found


def forgets_its_cut(was: Any) -> Any:
    """No rule is kept."""

    def probability(self: Any, x: Any, raw: Any) -> float:
        self.cut = np.full_like(self.cut, OPEN)
        return float(was(self, x, raw))

    return probability


def counts_once(was: Any) -> Any:
    """However many calls it takes."""

    def found(self: Any) -> Any:
        before = self._queries.posed
        cut = was(self)
        self._queries.posed = before + 1
        return cut

    return found


def rounded(was: Any) -> Any:
    """0 or 1."""
    return lambda self, state, ones: round(was(self, state, ones))


def no_coins(was: Any) -> Any:
    """One more than the smaller side."""
    return lambda self, state, zero, one: (
        was(self, state, zero, one) if state in (zero, one) else 1 + min(self.value(zero), self.value(one))
    )


def worst_guess(was: Any) -> Any:
    """The guess that leaves most to learn."""

    def forced(self: Any, left: int, column: Any) -> int:
        rests = [left & ~says for says in column.values() if left & says]
        return 0 if 0 in rests else 1 + max(self._value(rest) for rest in rests)

    return forced


def _planes(**methods: Any) -> Any:
    """Put other methods in the interpreted kernel of half-planes, and take that one."""
    made = type("HalfPlaneKernel", (planes.HalfPlaneKernel,), methods)
    return lambda was: SimpleNamespace(HalfPlaneKernel=made, instance_of=planes.instance_of)


def _other_side(self: Any, r: int, g: int) -> None:
    planes.HalfPlaneKernel.divide(self, r, g)
    self.closed[self.width - 1] = 1 - self.closed[self.width - 1]


def _other_row(self: Any, r: int, g: int) -> None:
    planes.HalfPlaneKernel.divide(self, r, g)
    self.mistakes[r] += 1
    self.mistakes[self.width - 1] -= 1


def _other_share(self: Any, r: int, i: int, wrong: bool) -> float:
    return planes.HalfPlaneKernel.share_of_part(self, r, i, not wrong)


closed_turned = _planes(divide=_other_side)
mistakes_swapped = _planes(divide=_other_row)
shares_swapped = _planes(share_of_part=_other_share)
