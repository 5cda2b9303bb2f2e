"""Decision stumps with arbitrary real cuts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, FloatArray, Instance, Sample
from adeptree.families.line.line_domain import gains_of
from adeptree.families.line.readable_cuts import round_cut
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.feature_values import table_of, values_of
from adeptree.families.stumps.stump_vc import enough_chains
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True, repr=False, init=False)
class RealStumps(ConceptClass):
    """Concepts ``feature >= cut`` and ``feature < cut`` for every real cut, and the two constants.

    Instances are mappings with a finite number for every feature; other keys are ignored.

    Parameters
    ----------
    features
        The names of the features.

    Examples
    --------
    >>> c = RealStumps(["age", "bmi"])
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_stumps(features=('age', 'bmi')), 3, None)
    >>> young, old = {"age": 41.9, "bmi": 22}, {"age": 43, "bmi": 22}
    >>> str(c.erm([(young, 0), (old, 1)]))
    'age >= 42'
    """

    features: tuple[str, ...]
    spec_name = "real_stumps"

    def __init__(self, features: Iterable[str]) -> None:
        object.__setattr__(self, "features", names_of(features))

    @property
    def vc_dimension(self) -> int:
        """VC dimension: the largest s with C(s, s // 2) <= 2 x features, which gives enough chains (Gey)."""
        points = 1
        while enough_chains(points + 1, len(self.features)):
            points += 1
        return points

    def instance(self, x: Any) -> Instance:
        """Return x as a dict of the class's features, as floats."""
        return values_of(self.features, x)

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances; a table of numbers, its columns in the order of the features, is checked at once."""
        table = table_of(self.features, xs)
        return super().instances_of(xs) if table is None else table

    def vector(self, x: Instance) -> FloatArray:
        """Return the features of a canonical instance as an array, in the class's order."""
        return np.array([x[name] for name in self.features])

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw every feature uniformly in [0, 1)."""
        return dict(zip(self.features, rng.random(len(self.features)).tolist(), strict=True))

    def random_concept(self, rng: np.random.Generator) -> Stump:
        """Draw a feature, a direction, and the cut uniformly in [0, 1)."""
        feature = self.features[int(rng.integers(len(self.features)))]
        return Stump(feature, float(rng.random()), above=bool(rng.integers(2)))

    def realizable(self, sample: Sample) -> bool:
        """Return True if, on some feature, all 0s lie on one side of all 1s."""
        pairs = self.clean(sample)
        zeros, ones = (np.array([self.vector(x) for x, y in pairs if y == label]) for label in (0, 1))
        if not len(zeros) or not len(ones):
            return True
        rising = zeros.max(axis=0) < ones.min(axis=0)
        return bool(rising.any() or (ones.max(axis=0) < zeros.min(axis=0)).any())

    def erm(self, sample: Sample) -> Concept:
        """Return a best stump in O(features x m log m); among equals a constant, else the first feature and cut."""
        pairs = self.clean(sample)
        labels = [y for _, y in pairs]
        ones, zeros = sum(labels), len(labels) - sum(labels)
        best: Concept = Constant(int(ones > zeros))
        fewest = min(ones, zeros)
        for name in self.features:
            points, gains = gains_of((x[name] for x, _ in pairs), labels)
            # The errors of >= with the cut below point i; < has the complement.
            errors = ones - np.concatenate([np.cumsum(gains[::-1])[::-1], [0]])
            for above, counts in ((True, errors), (False, len(pairs) - errors)):
                place = int(counts.argmin())
                if counts[place] < fewest:  # so it is not a constant, and both ends are finite
                    fewest = int(counts[place])
                    best = Stump(name, round_cut(float(points[place]), float(points[place + 1])), above)
        return best


def names_of(features: Any, called: str = "features") -> tuple[str, ...]:
    """Return names of features after checking that they are distinct texts."""
    refuse_frame(called, features, "name the columns to read, e.g. list(frame.columns) without the label's")
    if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
        raise InvalidArgument(f"{called} must be a list of feature names; {got(called, features)}")
    try:
        names = tuple(features)
    except TypeError:  # a 0-dimensional array claims to be iterable but is not
        names = ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidArgument(f"{called} must be one or more different texts; {got(called, names)}")
    return names
