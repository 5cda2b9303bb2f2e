"""Disjunctive normal forms of at most k terms."""

from __future__ import annotations

from dataclasses import dataclass

from adeptree.core.arguments import check_size, check_whole
from adeptree.core.types import Instance
from adeptree.solvers.sat.bit_words import OnBits, holds, literal_text
from adeptree.solvers.sat.encoding import AddClause, Model, NewVar, any_of


@dataclass(frozen=True)
class Dnf:
    """1 where some term holds; a term is a tuple of literals: i for "bit i is 1", ~i for "bit i is 0".

    >>> str(Dnf(((0, ~2), (1,)))), str(Dnf(())), str(Dnf(((),)))
    ('(x0 and not x2) or (x1)', 'never', 'always')
    """

    terms: tuple[tuple[int, ...], ...]

    def __call__(self, x: Instance) -> int:
        """Return 1 iff a term holds at x."""
        return int(any(all(holds(literal, x) for literal in term) for term in self.terms))

    def __str__(self) -> str:
        if () in self.terms:
            return "always"
        return " or ".join(f"({' and '.join(map(literal_text, term))})" for term in self.terms) or "never"


@dataclass(unsafe_hash=True)
class KTermDnf(OnBits):
    """Or of at most k conjunctions of literals over n bits; "never" and "always" included.

    >>> from adeptree.solvers.sat import SatClass
    >>> SatClass(KTermDnf(n=2, k=1)).realizable([((0, 1), 1), ((1, 0), 1), ((0, 0), 0)])
    False
    """

    spec_name = "dnf"

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self.k = check_size("k", self.k)
        check_whole(f"a rule of k={self.k} on n={self.n} bits", self.n * self.k)

    @property
    def call_cost(self) -> float:
        """Some ten microseconds."""
        return 60e-6

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """For each term: the literals in it, and whether it is there at all."""
        super().start(new_var, add_clause)
        self.needs = [[(new_var(), new_var()) for _ in range(self.n)] for _ in range(self.k)]
        """``needs[j][i][b]``: term j asks bit i to be b."""
        self.absent = [new_var() for _ in range(self.k)]
        for term in self.needs:
            for zero, one in term:
                add_clause(-zero, -one)
        for first, second in zip(self.absent, self.absent[1:], strict=False):
            add_clause(-first, second)  # the terms there come first
        for gone, term in zip(self.absent, self.needs, strict=True):
            for pair in term:
                for variable in pair:
                    add_clause(-gone, -variable)  # nor has a term that is not there two ways to be so

    def label(self, x: Instance) -> int:
        """A term holds unless it is absent or asks some bit for the other value."""
        terms = (
            -any_of(self.new_var, self.add_clause, [gone, *(pair[1 - bit] for pair, bit in zip(term, x, strict=True))])
            for gone, term in zip(self.absent, self.needs, strict=True)
        )
        return any_of(self.new_var, self.add_clause, list(terms))

    def decode(self, model: Model) -> Dnf:
        """Read the terms."""
        return Dnf(
            tuple(
                tuple(i if model(one) else ~i for i, (zero, one) in enumerate(term) if model(zero) or model(one))
                for gone, term in zip(self.absent, self.needs, strict=True)
                if not model(gone)
            )
        )
