"""Rules defined by their labels on a sample, and ERM with an oracle."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from adeptree.core.errors import ContradictoryOracle
from adeptree.core.types import Concept, Instance, Sample
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True)
class Labelling:
    """A rule defined by its labels on a sample; elsewhere it is 0 if the oracle allows it, else 1."""

    sample: tuple[tuple[Instance, int], ...]
    realizable: Callable[[Sample], bool] = field(compare=False, repr=False)
    key: Callable[[Any], Hashable] = field(compare=False, repr=False)

    def __call__(self, x: Instance) -> int:
        """Return the label of x; query the oracle only if x is not in the sample."""
        for point, label in self.sample:
            if self.key(point) == self.key(x):
                return label
        return int(not self.realizable([*self.sample, (x, 0)]))

    def __str__(self) -> str:
        ones = sum(label for _, label in self.sample)
        return f"a concept with label 1 on {ones} of {len(self.sample)} points seen"


def best_labelling(c: ConceptClass, sample: Sample) -> Concept:
    """Return a best concept of a class, by trying its realizable labellings from the cheapest on."""
    counts: dict[Hashable, list[int]] = {}
    points: dict[Hashable, Instance] = {}
    for x, y in c.clean(sample):
        counts.setdefault(c.key(x), [0, 0])[y] += 1
        points.setdefault(c.key(x), x)
    keys = sorted(counts, key=lambda k: -abs(counts[k][1] - counts[k][0]))
    order = itertools.count()
    queue: list[tuple[int, int, int, tuple[tuple[Instance, int], ...]]] = [(0, 0, next(order), ())]
    while queue:
        loss, depth, _, labelled = heapq.heappop(queue)
        if labelled and not c.realizable(labelled):
            continue
        if -depth == len(keys):
            return (c.find(labelled) if c.gives_witnesses else None) or Labelling(labelled, c.realizable, c.key)
        k = keys[-depth]
        for label in (0, 1):
            entry = (loss + counts[k][1 - label], depth - 1, next(order), (*labelled, (points[k], label)))
            heapq.heappush(queue, entry)
    raise ContradictoryOracle("the oracle denies every labelling of the sample: no concept is left")
