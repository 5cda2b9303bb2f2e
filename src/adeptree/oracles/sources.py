"""Where answers come from: oracles made of a concept class, or of a function of yours."""

from __future__ import annotations

from collections.abc import Callable

from adeptree.core.errors import InvalidArgument, OracleError, got
from adeptree.core.types import Concept, Sample
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.oracle import ConsistencyOracle, ErmOracle


class ClassOracle(ConsistencyOracle):
    """The weak-consistency oracle of a concept class.

    Witnesses come from the class's own ``find`` where it has one, else from its ERM (asked only on
    realizable samples, where the best concept fits). A class of bits only gives none.

    >>> from adeptree import Thresholds
    >>> oracle = ClassOracle(Thresholds(8))
    >>> oracle, oracle.realizable([(2, 1), (5, 0)]), str(oracle.find([(2, 0), (5, 1)]))
    (ClassOracle(thresholds(n=8)), False, 'x >= 3')
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class(concept_class)
        self.cheap_bits = not concept_class.finds

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.concept_class!r})"

    @property
    def gives_witnesses(self) -> bool:
        """Whether the class can name a concept that fits."""
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
        self.concept_class = check_class(concept_class)

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
        try:
            concept = self._best(list(sample))
        except OracleError:
            raise
        except Exception as error:
            raise OracleError(f"the ERM oracle raised {type(error).__name__}: {error}") from error
        if not callable(concept):
            raise OracleError(f"best must return a callable concept; {got('concept', concept)}")
        return concept


def check_class(concept_class: object) -> ConceptClass:
    """Return the class, or say what was expected."""
    if isinstance(concept_class, ConceptClass):
        return concept_class
    raise InvalidArgument(
        f"expected a concept class such as Thresholds(256); {got('concept_class', concept_class)}; "
        f"for a function use FunctionOracle or FunctionErm"
    )
