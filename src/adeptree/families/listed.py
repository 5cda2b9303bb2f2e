"""Classes whose concepts can be listed."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.arguments import shown_count
from adeptree.core.errors import InvalidArgument, InvalidInstance, TooLarge, got
from adeptree.core.types import Concept, Instance, LabelArray, Sample
from adeptree.roles.concept_class import ConceptClass

if TYPE_CHECKING:
    from adeptree.families.finite.finite_class import FiniteClass


ENUMERATION_LIMIT = 1 << 22
"""Largest number of concepts that are listed."""


class EnumerableClass(ConceptClass):
    """A class whose concepts can be listed, and whose labels come as one array per point.

    Concepts are numbered from 0; ``labels(x)[i]`` is the label of concept i at x. A subclass defines their number,
    each concept, and instances on which they differ.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of concepts, which are pairwise different."""

    def _facts(self) -> dict[str, object]:
        return {**super()._facts(), "concepts": shown_count(self.size)}

    @abstractmethod
    def concept(self, index: int) -> Concept:
        """Return concept number ``index``."""

    @abstractmethod
    def instances(self) -> Iterator[Instance]:
        """List instances that distinguish all concepts (the whole domain if it is finite)."""

    def instance(self, x: Any) -> Instance:
        """Return the listed instance that equals x."""
        for known in self.instances():
            if known == x:
                return known
        raise InvalidInstance(f"x must be one of the instances of {self!r}; {got('x', x)}")

    def labels(self, x: Instance) -> LabelArray:
        """Return the label of every concept at the (canonical) instance x."""
        self._check_listable()
        return np.array([self.concept(i)(x) for i in range(self.size)], dtype=np.uint8)

    def realizable(self, sample: Sample) -> bool:
        """Return True if some concept fits the sample, by a scan of all concepts."""
        self._check_listable()
        fits = np.ones(self.size, dtype=np.bool_)
        for x, y in self.clean(sample):
            fits &= self.labels(x) == y
        return bool(fits.any())

    def erm(self, sample: Sample) -> Concept:
        """Return the concept with the fewest errors; among equals, the lowest number."""
        self._check_listable()
        errors = np.zeros(self.size, dtype=np.int64)
        for x, y in self.clean(sample):
            errors += self.labels(x) != y
        return self.concept(int(errors.argmin()))

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept uniformly."""
        if self.size < 1 << 63:
            return self.concept(int(rng.integers(self.size)))
        # Too many for a machine word; 16 spare bytes make the remainder practically uniform.
        drawn = rng.bytes(self.size.bit_length() // 8 + 16)
        return self.concept(int.from_bytes(drawn, "little") % self.size)

    def to_finite(self, limit: int = 1 << 22) -> FiniteClass:
        """Return the explicit table of this class, of at most ``limit`` entries.

        >>> from adeptree import Thresholds
        >>> Thresholds(3).to_finite().table.tolist()
        [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
        """
        from adeptree.families.finite.finite_class import FiniteClass

        most = max(1, limit // self.size)
        points = list(itertools.islice(self.instances(), most + 1))
        if len(points) > most:
            raise TooLarge(
                f"the table of {self!r} has {shown_count(self.size)} concepts on more than {most} instances, over the "
                f"limit of {limit} entries; take a smaller class"
            )
        table = np.stack([self.labels(x) for x in points], axis=1)
        # Mappings cannot name the columns of a table, so columns keep their numbers.
        return FiniteClass(table, points=None if isinstance(points[0], Mapping) else points)

    def _check_listable(self) -> None:
        if self.size > ENUMERATION_LIMIT:
            raise TooLarge(
                f"{self!r} has {shown_count(self.size)} concepts, too many to look at one by one "
                f"(limit {ENUMERATION_LIMIT}); take a smaller class"
            )


def check_listed(who: str, concept_class: ConceptClass) -> EnumerableClass:
    """Return a class whose concepts can be listed, or raise an error that names the caller."""
    if not isinstance(concept_class, EnumerableClass):
        raise InvalidArgument(
            f"{who} needs a class whose concepts can be listed; {got('concept_class', concept_class)}; use Adept"
        )
    concept_class._check_listable()
    return concept_class
