"""How a class is stated in clauses: the three methods of an :class:`Encoding`, and gates to write them with.

A literal is what SAT solvers mean by it: a variable is a positive int, and ``-v`` is its negation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept, Instance

NewVar = Callable[[], int]
"""Returns a variable never used before."""

Model = Callable[[int], bool]
"""``model(literal)``: is it true in the solution found?"""


class AddClause(Protocol):
    """``add_clause(a, -b, c)``: from now on, at least one of these literals is true."""

    def __call__(self, *literals: int) -> None:
        """Add the clause; it is never taken back."""
        ...


class Encoding(ABC):
    """A class of concepts as the solutions of a formula, which grows by a few clauses an instance.

    ``start`` is called once for each solver and keeps the two functions; whatever it sets belongs to that
    solver, since :class:`SatClass` works on a copy. ``label`` is called once for each instance. Two things
    must hold, and nothing else: every solution decodes to a concept that gives each instance the truth value
    of its literal; and the clauses of ``label`` exclude no concept of the class. Give it a ``repr`` that
    says which class it is (a dataclass has one): saved learners go by it.

    ``call_cost`` may say how many seconds a call takes, about (those here were measured on some tens of instances):
    where calls are cheap, a frontier does not think long about how to save them.
    """

    spec_name: ClassVar[str | None] = None
    """What a ready-made encoding is called in specs; others hold code, which no text can name."""

    call_cost: float | None = None
    """Seconds that a call takes, about; None for "many"."""

    @abstractmethod
    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Make the variables that a concept consists of, and say which of their values are one."""

    @abstractmethod
    def label(self, x: Instance) -> int:
        """Return a literal that is true iff the concept says 1 at x, adding the clauses it takes."""

    @abstractmethod
    def decode(self, model: Model) -> Concept:
        """Return the concept of a solution; it is evaluated without the solver."""

    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form, or raise InvalidInstance saying what is accepted."""
        return x

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, for streams made for the class; optional."""
        raise InvalidArgument(f"{self!r} does not say what its instances are; give the adversary instances=")


class Gates(Encoding):
    """An encoding with the two functions kept, and gates to write clauses with."""

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Keep the two functions."""
        self.new_var, self.add_clause = new_var, add_clause

    def exactly_one(self, size: int) -> list[int]:
        """Return variables of which exactly one is true (pairwise, which is best for the few that we need)."""
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

        Binary clauses in both directions, so that the solver needs no search to see either.
        """
        out = self.new_var()
        for choice, hold in zip(choices, holds, strict=True):
            self.add_clause(-choice, out if hold else -out)
        return out

    def if_then_else(self, test: int, then: int, other: int) -> int:
        """Return a variable that equals ``then`` if the test is true, and ``other`` if it is not."""
        out = self.new_var()
        # The last two are implied, but the solver sees them without deciding the test.
        for case in ((-test, -then, out), (-test, then, -out), (test, -other, out), (test, other, -out)):
            self.add_clause(*case)
        self.add_clause(-then, -other, out)
        self.add_clause(then, other, -out)
        return out
