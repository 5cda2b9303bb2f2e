"""What the classes that a real solver decides have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from adeptree.core.types import Concept, Sample
from adeptree.oracles.oracle_class import OracleClass
from adeptree.roles.oracle import ConsistencyOracle


class SolverOracle(ConsistencyOracle):
    """The source of such a class: its solver. Sent to a worker it makes the class, and so a solver, anew."""

    def __init__(self, concept_class: SolverClass) -> None:
        self.concept_class = concept_class
        self.cheap_bits = concept_class.cheap_bits

    def find(self, sample: Sample) -> Concept | None:
        """Ask the solver for a concept that fits."""
        return self.concept_class.solved(sample)

    def realizable(self, sample: Sample) -> bool:
        """Ask the solver whether a concept fits."""
        return self.concept_class.solvable(sample)

    def packed(self, answer: Any) -> Any:
        """Return an answer as a worker sends it."""
        return self.concept_class.packed(answer)

    def unpacked(self, answer: Any) -> Any:
        """Return what a worker sent as an answer."""
        return self.concept_class.unpacked(answer)


class SolverClass(OracleClass):
    """A class with one solver, through which all its questions go; a subclass writes ``solved``."""

    shared_by_threads = False
    cheap_bits = False
    """Whether ``solvable`` saves anything."""

    def __init__(self, **options: Any) -> None:
        super().__init__(oracle=SolverOracle(self), **options)

    @abstractmethod
    def solved(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, None if there is none; raise OracleUnknown if that is not known."""

    def solvable(self, sample: Sample) -> bool:
        """Return whether there is a concept with these labels, likewise."""
        return self.solved(sample) is not None

    def packed(self, answer: Any) -> Any:
        """Return an answer as a worker sends it."""
        return answer

    def unpacked(self, answer: Any) -> Any:
        """Return what a worker sent as an answer."""
        return answer
