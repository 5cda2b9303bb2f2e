"""A best concept of a class known only through its oracle."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable
from typing import TYPE_CHECKING

from adeptree.core.errors import ContradictoryOracle
from adeptree.core.types import Concept, Instance, Sample

if TYPE_CHECKING:
    from adeptree.oracles.oracle_class import OracleClass


def best_labelling(c: OracleClass, sample: Sample) -> Concept:
    """Return a best concept: the realizable labellings are tried from the cheapest on."""
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
            return (c.find(labelled) if c.gives_witnesses else None) or c.labelling(labelled)
        k = keys[-depth]
        for label in (0, 1):
            entry = (loss + counts[k][1 - label], depth - 1, next(order), (*labelled, (points[k], label)))
            heapq.heappush(queue, entry)
    raise ContradictoryOracle("the oracle denies every labelling of the sample: no concept is left")
