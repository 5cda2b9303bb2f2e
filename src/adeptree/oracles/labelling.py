"""What is known of a rule by its labels on a sample, and what tells instances apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from adeptree.core.types import Instance, Sample


@dataclass(frozen=True)
class Labelling:
    """A rule known by its labels on a sample; elsewhere it takes 0 if the oracle allows it, else 1."""

    sample: tuple[tuple[Instance, int], ...]
    realizable: Callable[[Sample], bool] = field(compare=False, repr=False)
    key: Callable[[Any], Hashable] = field(compare=False, repr=False)

    def __call__(self, x: Instance) -> int:
        """Look x up among the labelled points; ask the oracle only if it is not there."""
        for point, label in self.sample:
            if self.key(point) == self.key(x):
                return label
        return int(not self.realizable([*self.sample, (x, 0)]))

    def __str__(self) -> str:
        ones = sum(label for _, label in self.sample)
        return f"a concept with label 1 on {ones} of {len(self.sample)} points seen"
