"""Sources of answers: oracles of a concept class, ERM functions, and consistency from ERM.

(An oracle made of a function is ``FunctionOracle`` in ``oracles/chain.py``.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adeptree.core.errors import InvalidArgument, OracleError, got
from adeptree.core.types import Concept, Sample
from adeptree.oracles.chain import Layer, said
from adeptree.roles.concept_class import ConceptClass, check_class
from adeptree.roles.oracle import WITNESSES, ConsistencyOracle, ErmOracle, Kind, Samples, known

FOR_A_FUNCTION = "; for a function use FunctionOracle or FunctionErm"


class ClassOracle(ConsistencyOracle):
    """The weak-consistency oracle of a concept class.

    Witnesses come from the class's ``find`` if it has one, else from its ERM (called only on realizable samples, where
    the best concept fits). A class with bits only gives none.

    >>> from adeptree import Thresholds
    >>> oracle = ClassOracle(Thresholds(8))
    >>> oracle, oracle.realizable([(2, 1), (5, 0)]), str(oracle.find([(2, 0), (5, 1)]))
    (ClassOracle(thresholds(n=8)), False, 'x >= 3')
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class(concept_class, FOR_A_FUNCTION)
        self.cheap_bits = not concept_class.finds

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.concept_class!r})"

    @property
    def gives_witnesses(self) -> bool:
        """True if the class can return a concept that fits."""
        return self.concept_class.gives_witnesses

    def realizable(self, sample: Sample) -> bool:
        """Ask the class."""
        self._check("realizable")
        return self.concept_class.realizable(sample)

    def find(self, sample: Sample) -> Concept | None:
        """Ask the class for a concept that fits."""
        self._check("find")
        return self.concept_class.find(sample)


class ClassErm(ErmOracle):
    """The (agnostic) ERM oracle of a concept class.

    >>> from adeptree import Thresholds
    >>> str(ClassErm(Thresholds(8)).best([(2, 0), (3, 1), (4, 0), (5, 1), (6, 1)]))
    'x >= 3'
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class(concept_class, FOR_A_FUNCTION)

    def __repr__(self) -> str:
        return f"ClassErm({self.concept_class!r})"

    def best(self, sample: Sample) -> Concept:
        """Ask the class."""
        self._check("best")
        return self.concept_class.erm(sample)


class FunctionErm(ErmOracle):
    """An ERM oracle made of one function, ``best(sample)``.

    >>> FunctionErm(lambda sample: lambda x: 1).best([("a", 1)])("b")
    1
    """

    def __init__(self, best: Callable[[Sample], Concept], *, name: str = "function") -> None:
        if not callable(best):
            raise InvalidArgument(f"best must be a function from a sample to a concept; {got('best', best)}")
        self._best = best
        self.name = name

    def __repr__(self) -> str:
        return f"FunctionErm(name={self.name!r})"

    def best(self, sample: Sample) -> Concept:
        """Ask the function."""
        self._check("best")
        concept = said(self._best, list(sample))
        if not callable(concept):
            raise OracleError(f"best must return a callable concept; {got('concept', concept)}")
        return concept  # type: ignore[no-any-return]


class ErmAsConsistency(Layer):
    """A weak-consistency oracle, with witnesses, made of an ERM oracle: realizable means no error.

    Each query is one ERM call. A restricted ERM oracle suffices for ADEPT if it observes x first.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassErm
    >>> oracle = ErmAsConsistency(ClassErm(Thresholds(8)))
    >>> oracle.realizable([(3, 1), (5, 0)]), str(oracle.find([(3, 0), (5, 1)]))
    (False, 'x >= 4')
    """

    needs, gives = "best", WITNESSES

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        concepts = known(self.oracle.ask_many("best", samples))
        found = [fitting(concept, sample) for concept, sample in zip(concepts, samples, strict=True)]
        return found if kind == "find" else [concept is not None for concept in found]


def fitting(concept: Concept | None, sample: Sample) -> Concept | None:
    """Return the concept if it has all the labels, else None."""
    return concept if concept is not None and errors_of(concept, sample) == 0 else None


def errors_of(concept: Concept, sample: Sample) -> int:
    """Count the examples on which the concept errs.

    >>> errors_of(lambda x: int(x >= 3), [(1, 0), (2, 1), (5, 1)])
    1
    """
    return sum(int(concept(x)) != y for x, y in sample)
