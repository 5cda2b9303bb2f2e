"""Encodings of classes in clauses: the three methods of an :class:`Encoding`, and helper gates.

Literals are those of SAT solvers: a variable is a positive int, and ``-v`` is its negation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept, Instance

NewVar = Callable[[], int]
"""Function that returns a new variable."""

Model = Callable[[int], bool]
"""Function ``model(literal)`` that returns True if the literal is true in the solution."""


class AddClause(Protocol):
    """Function ``add_clause(a, -b, c)``: at least one of these literals must be true."""

    def __call__(self, *literals: int) -> None:
        """Add the clause permanently."""
        ...


class Encoding(ABC):
    """A class of concepts as the solutions of a formula, which grows by a few clauses an instance.

    ``start`` is called once for each solver and keeps the two functions; whatever it sets belongs to that solver, since
    :class:`SatClass` works on a copy. ``label`` is called once for each instance. Two conditions must hold: every
    solution decodes to a concept that gives each instance the truth value of its literal; and the clauses of ``label``
    exclude no concept of the class. Give it a ``repr`` that identifies the class (a dataclass has one), because saved
    learners use it.

    ``call_cost`` may be the approximate duration of a call in seconds (those here were measured on some tens of
    instances). If calls are cheap, a frontier spends little time on saving calls.
    """

    spec_name: ClassVar[str | None] = None
    """Name of a ready-made encoding in specs; others contain code, which a text cannot describe."""

    call_cost: float | None = None
    """Approximate duration of a call in seconds; None if calls are slow."""

    @abstractmethod
    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables of a concept, and add clauses for their valid values."""

    @abstractmethod
    def label(self, x: Instance) -> int:
        """Return a literal that is true iff the concept is 1 at x, after adding the needed clauses."""

    @abstractmethod
    def decode(self, model: Model) -> Concept:
        """Return the concept of a solution; it is evaluated without the solver."""

    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form; raise InvalidInstance if x is not an instance."""
        return x

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a random instance for synthetic streams; optional."""
        raise InvalidArgument(f"{self!r} does not say what its instances are; give the adversary instances=")


class Gates(Encoding):
    """An encoding that stores the two functions, with gates for writing clauses."""

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Store the two functions."""
        self.new_var, self.add_clause = new_var, add_clause

    def exactly_one(self, size: int) -> list[int]:
        """Return variables of which exactly one is true (pairwise clauses, which are best for few variables)."""
        choices = [self.new_var() for _ in range(size)]
        self.add_clause(*choices)
        for i, first in enumerate(choices):
            for second in choices[:i]:
                self.add_clause(-first, -second)
        return choices

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a variable that is true iff one of the literals is."""
        out = self.new_var()
        self.add_clause(-out, *literals)
        for literal in literals:
            self.add_clause(out, -literal)
        return out

    def chosen(self, choices: Sequence[int], holds: Sequence[bool]) -> int:
        """Return a variable that is true iff the one true choice is among those that hold.

        Binary clauses in both directions make unit propagation sufficient.
        """
        out = self.new_var()
        for choice, hold in zip(choices, holds, strict=True):
            self.add_clause(-choice, out if hold else -out)
        return out

    def if_then_else(self, test: int, then: int, other: int) -> int:
        """Return a variable that equals ``then`` if the test is true, and ``other`` if it is not."""
        out = self.new_var()
        # The last two are implied, but they propagate before the test is decided.
        for case in ((-test, -then, out), (-test, then, -out), (test, -other, out), (test, other, -out)):
            self.add_clause(*case)
        self.add_clause(-then, -other, out)
        self.add_clause(then, other, -out)
        return out
