"""Stumps over features that nobody announced: a feature that is absent counts as 0, as in sparse vectors.

Before a feature has been seen all its values were 0, so its stumps were the two constants on every point so
far. Nothing has to be replayed when it comes: its cells are those of the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adeptree.core.declared_state import Fields, Items, need
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, Sample
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.feature_values import feature_value, mapping_of
from adeptree.families.stumps.real_stumps import RealStumps
from adeptree.families.stumps.stump_frontier import RealStumpFrontier
from adeptree.roles.frontier import Children, Split

UNSEEN = ""
"""Stands for all the features that have not been seen: it is 0 on every point."""


@dataclass(frozen=True)
class SparseStump(Stump):
    """A stump that reads an absent feature as 0.

    >>> rule = SparseStump("exclamations", 2.0, above=True)
    >>> str(rule), rule({"exclamations": 3}), rule({})
    ('exclamations >= 2', 1, 0)
    """

    def __call__(self, x: Mapping[str, Any]) -> int:
        """Return 1 if the feature is on the rule's side of the cut."""
        return int((x.get(self.feature, 0.0) >= self.cut) == self.above)


@dataclass(frozen=True, repr=False, init=False)
class OpenStumps(RealStumps):
    """Concepts ``feature >= cut`` and ``feature < cut`` over every feature there may ever be, and the two constants.

    Instances are mappings of names to finite numbers, each with whatever names it has.

    >>> c = OpenStumps()
    >>> c, c.vc_dimension, c.littlestone_dimension
    (open_stumps(), None, None)
    >>> str(c.erm([({"a": 3.0}, 1), ({"b": 1.0}, 0), ({"a": 4.0, "b": 1.0}, 1)]))
    'a >= 2'
    """

    spec_name = "open_stumps"

    def __init__(self) -> None:
        object.__setattr__(self, "features", ())

    def __repr__(self) -> str:
        return "open_stumps()"

    vc_dimension = None  # type: ignore[assignment]
    """Infinite: with enough features, some stump picks out any subset of the points."""

    def instance(self, x: Any) -> Instance:
        """Return x as a dict of floats; names that are no texts become texts."""
        values = {str(name): _number(name, value) for name, value in mapping_of(x).items()}
        if len(values) < len(x) or UNSEEN in values:
            raise InvalidInstance(f"feature names must be different texts, none of them empty; {got('names', list(x))}")
        return values

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw two of three features, uniformly in [-1, 1)."""
        names = sorted(rng.choice(["a", "b", "c"], size=2, replace=False).tolist())
        return dict(zip(names, (2 * rng.random(2) - 1).tolist(), strict=True))

    def random_concept(self, rng: np.random.Generator) -> SparseStump:
        """Draw one of the same features, a direction, and the cut uniformly in [-1, 1)."""
        name = ("a", "b", "c")[int(rng.integers(3))]
        return SparseStump(name, float(2 * rng.random() - 1), above=bool(rng.integers(2)))

    def realizable(self, sample: Sample) -> bool:
        """As for stumps over the features that the sample has."""
        known, filled = self._filled(sample)
        return known.realizable(filled)

    def erm(self, sample: Sample) -> Concept:
        """Return a best stump over the features that the sample has."""
        known, filled = self._filled(sample)
        return _sparse(known.erm(filled))

    def _filled(self, sample: Sample) -> tuple[RealStumps, Sample]:
        pairs = self.clean(sample)
        names = sorted({name for x, _ in pairs for name in x})
        known = RealStumps(names or [UNSEEN])
        return known, [({name: x.get(name, 0.0) for name in known.features}, y) for x, y in pairs]


@dataclass(frozen=True, repr=False, init=False)
class _Known(RealStumps):
    """The features seen so far, all others standing behind the first."""

    def __init__(self, features: Iterable[str]) -> None:
        object.__setattr__(self, "features", tuple(features))

    def vector(self, x: Instance) -> FloatArray:
        return np.array([x.get(name, 0.0) for name in self.features])


class OpenStumpFrontier(RealStumpFrontier):
    """The frontier of stumps over the features seen so far and, as one more that is always 0, the others."""

    def __init__(self, concept_class: OpenStumps) -> None:
        super().__init__(_Known([UNSEEN]))
        self.log_size = None  # features may come without end
        self._places: dict[str, int] = {UNSEEN: 0}

    def _answers(self, x: Instance) -> Split:
        split = super()._answers(x)
        if self._strangers(x):
            # A stump on a new feature was constant until now, and may say either label here.
            can0, can1 = split.can0.copy(), split.can1.copy()
            constant = self.rows[:, self.feature == 0].ravel()
            can0[constant[constant >= 0]] = can1[constant[constant >= 0]] = True
            return Split(x, can0, can1)
        return split

    def grow(self, children: Children) -> None:
        """Give new features the cells of the unseen ones, then cut all cells at x."""
        if strangers := self._strangers(children.x):
            self._open(strangers)
            # What was noted about the cells when asking was about fewer of them.
            children = replace(children, evidence=super()._answers(children.x).evidence)
        super().grow(children)

    def concept(self, row: int) -> Concept:
        """Return a constant if it fits, else a stump."""
        return _sparse(super().concept(row))

    def _strangers(self, x: Instance) -> list[str]:
        # Sorted, so that the order in which a mapping lists its names changes nothing.
        return sorted(name for name, value in x.items() if value != 0.0 and name not in self._places)

    def _open(self, names: list[str]) -> None:
        unseen = np.flatnonzero(self.feature == 0)
        places: IntArray = np.repeat(np.arange(len(names), dtype=np.int64) + len(self._places), len(unseen))
        self.feature = np.concatenate([self.feature, places])
        self.low = np.concatenate([self.low, np.tile(self.low[unseen], len(names))])
        self.high = np.concatenate([self.high, np.tile(self.high[unseen], len(names))])
        self.rows = np.concatenate([self.rows, np.tile(self.rows[:, unseen], len(names))], axis=1)
        self._name([*self._places, *names])

    def _name(self, names: list[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self.concept_class = _Known(names)

    @property
    def names(self) -> list[str]:
        """The features, in the order in which they came; the first stands for the unseen."""
        return list(self._places)

    def declared(self) -> Fields:
        """Return the names of features too."""
        return {**super().declared(), "names": Items("names")}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved gaps."""
        super().restore(state)
        need(state["names"][:1] == [""] and None not in state["names"], "names")
        self._name(state["names"])


def _sparse(rule: Concept) -> Concept:
    return rule if isinstance(rule, Constant) or not isinstance(rule, Stump) else SparseStump(**vars(rule))


def _number(name: Any, value: Any) -> float:
    value = float(value) if isinstance(value, np.bool_) else value
    return feature_value(
        name,
        value,
        "; leave out what is missing (it counts as 0), and turn texts into numbers first, "
        "e.g. one 0/1 feature for each text",
    )
