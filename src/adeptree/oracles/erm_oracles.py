"""The variants of ERM oracle that the paper names (after Attias et al. 2025), and ERM used for consistency."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.oracles.chain import Layer
from adeptree.oracles.keys import Key, point_key
from adeptree.roles.oracle import ERM, WITNESSES, Kind, Oracle, Samples, check_oracle, known


class RestrictedErm(Layer):
    """An ERM oracle that answers only on instances observed so far in the interaction.

    Whoever runs the game calls :meth:`observe` as the instances arrive; the labels in a sample are free.

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

    def __init__(self, oracle: Oracle, *, key: Key | None = None) -> None:
        super().__init__(check_oracle(oracle, "best"))
        self._key = key
        self._observed: set[Hashable] = set()

    def observe(self, x: Instance) -> None:
        """Say that x has arrived."""
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

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(check_oracle(oracle, "best"))

    @property
    def answers(self) -> frozenset[Kind]:
        """Only ``best``."""
        return ERM

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        concepts = known(self.oracle.ask_many("best", samples))
        return [fitting(concept, sample) for concept, sample in zip(concepts, samples, strict=True)]


class ErmAsConsistency(Layer):
    """A weak-consistency oracle, with witnesses, made of an ERM oracle: realizable means no error.

    Each query is one ERM call. A restricted ERM oracle will do for ADEPT if it observes x first.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassErm
    >>> oracle = ErmAsConsistency(ClassErm(Thresholds(8)))
    >>> oracle.realizable([(3, 1), (5, 0)]), str(oracle.find([(3, 0), (5, 1)]))
    (False, 'x >= 4')
    """

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(check_oracle(oracle, "best"))

    @property
    def answers(self) -> frozenset[Kind]:
        """``realizable`` and ``find``."""
        return WITNESSES

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        concepts = known(self.oracle.ask_many("best", samples))
        found = [fitting(concept, sample) for concept, sample in zip(concepts, samples, strict=True)]
        return found if kind == "find" else [concept is not None for concept in found]


def fitting(concept: Concept | None, sample: Sample) -> Concept | None:
    """Return the concept if it has all the labels, else None."""
    return concept if concept is not None and errors_of(concept, sample) == 0 else None


def errors_of(concept: Concept, sample: Sample) -> int:
    """Count the examples that the concept labels otherwise.

    >>> errors_of(lambda x: int(x >= 3), [(1, 0), (2, 1), (5, 1)])
    1
    """
    return sum(int(concept(x)) != y for x, y in sample)
