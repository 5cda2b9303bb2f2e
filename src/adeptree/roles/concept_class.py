"""What we compete with: the concept class, and what every class can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept, Instance, Sample, label_of


class ConceptClass(ABC):
    """A set of rules from instances to {0, 1}: who writes one says what an instance is, and which rule fits best.

    Classes are frozen and hashable, and ``repr(c)`` is a spec: ``adeptree.parse(repr(c)) == c``. A frozen dataclass
    (with ``repr=False``) is both already.
    """

    spec_name: ClassVar[str] = ""

    def __repr__(self) -> str:
        parts: list[Any] = list(fields(self)) if is_dataclass(self) else []
        said = []
        for part in parts:
            value = getattr(self, part.name)
            if not part.name.startswith("_") and value != part.default:
                said.append(f"{part.name}={value!r}")
        return f"{self.spec_name or type(self).__name__}({', '.join(said)})"

    @abstractmethod
    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form, or raise InvalidInstance saying what is accepted."""

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances in their canonical form, as a sequence that can be sliced."""
        return [self.instance(x) for x in xs]

    @abstractmethod
    def erm(self, sample: Sample) -> Concept:
        """ERM oracle: return a concept with the fewest errors on the sample."""

    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle: is there a concept with these labels?"""
        pairs = self.clean(sample)
        best = self.erm(pairs)
        return all(best(x) == y for x, y in pairs)

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for the account only: where queries count, this is none."""
        return self.erm(sample)

    @property
    def vc_dimension(self) -> int | None:
        """Exact VC dimension, or None when infinite or unknown."""
        return None

    @property
    def littlestone_dimension(self) -> int | None:
        """Exact Littlestone dimension, or None when infinite or unknown."""
        return None

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, for streams made for the class; not every class knows its domain."""
        raise InvalidArgument(f"{self!r} does not know its domain; give the adversary instances=")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept, for streams made for the class."""
        raise InvalidArgument(f"{self!r} cannot draw concepts; give the adversary target=")

    def key(self, x: Instance) -> Any:
        """Return what tells canonical instances apart, by ``==``."""
        return x

    def clean(self, sample: Iterable[tuple[Any, Any]]) -> list[tuple[Instance, int]]:
        """Return the sample with canonical instances and labels."""
        return [(self.instance(x), label_of(y)) for x, y in sample]
