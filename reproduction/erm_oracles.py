"""The paper's ERM oracles that answer less than any sample: only on observed instances, only where a concept fits."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Instance
from adeptree.oracles.chain import Layer
from adeptree.oracles.keys import Key, point_key
from adeptree.oracles.sources import fitting
from adeptree.roles.oracle import ERM, Kind, Oracle, Samples, known


class RestrictedErm(Layer):
    """An ERM oracle that answers only on instances observed so far in the interaction.

    The game calls :meth:`observe` as the instances arrive; the labels in a sample are free.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassErm
    >>> oracle = RestrictedErm(ClassErm(Thresholds(8)))
    >>> oracle.observe(3)
    >>> str(oracle.best([(3, 0)]))
    'x >= 4'
    >>> oracle.best([(3, 0), (5, 1)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: a restricted ERM oracle answers only on instances observed so far; got x=5 ...
    """

    needs = "best"

    def __init__(self, oracle: Oracle, *, key: Key | None = None) -> None:
        super().__init__(oracle)
        self._key = key
        self._observed: set[Hashable] = set()

    def observe(self, x: Instance) -> None:
        """Record that x has arrived."""
        self._observed.add(point_key(x, self._key))

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        for x in (x for sample in samples for x, _ in sample):
            if point_key(x, self._key) not in self._observed:
                raise InvalidArgument(
                    f"a restricted ERM oracle answers only on instances observed so far; {got('x', x)}; "
                    f"call observe(x) when it arrives"
                )
        return self.oracle.ask_many(kind, samples)


class RealizableErm(Layer):
    """An ERM oracle that returns a concept only for realizable samples, and None for the others.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassErm
    >>> oracle = RealizableErm(ClassErm(Thresholds(8)))
    >>> str(oracle.best([(3, 0), (5, 1)])), oracle.best([(3, 1), (5, 0)])
    ('x >= 4', None)
    """

    needs, gives = "best", ERM

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        concepts = known(self.oracle.ask_many("best", samples))
        return [fitting(concept, sample) for concept, sample in zip(concepts, samples, strict=True)]
