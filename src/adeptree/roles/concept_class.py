"""What we compete with: the concept class, and what every class can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adeptree.core.types import Concept, Instance, Sample, label_of

if TYPE_CHECKING:
    pass


class ConceptClass(ABC):
    """A set of rules from instances to {0, 1}.

    Classes are frozen and hashable, and ``repr(c)`` is a spec: ``adeptree.parse(repr(c)) == c``.
    """

    spec_name: ClassVar[str]

    @property
    @abstractmethod
    def vc_dimension(self) -> int | None:
        """Exact VC dimension, or None when infinite or unknown."""

    @property
    @abstractmethod
    def littlestone_dimension(self) -> int | None:
        """Exact Littlestone dimension, or None when infinite or unknown."""

    @abstractmethod
    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form, or raise InvalidInstance saying what is accepted."""

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances in their canonical form, as a sequence that can be sliced."""
        return [self.instance(x) for x in xs]

    @abstractmethod
    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle: is there a concept with these labels?"""

    @abstractmethod
    def erm(self, sample: Sample) -> Concept:
        """ERM oracle: return a concept with the fewest errors on the sample."""

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for the account only: where queries count, this is none."""
        return self.erm(sample)

    @abstractmethod
    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, for streams made for the class."""

    @abstractmethod
    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept, for streams made for the class."""

    def key(self, x: Instance) -> Any:
        """Return what tells canonical instances apart, by ``==``."""
        return x

    def clean(self, sample: Iterable[tuple[Any, Any]]) -> list[tuple[Instance, int]]:
        """Return the sample with canonical instances and labels."""
        return [(self.instance(x), label_of(y)) for x, y in sample]
