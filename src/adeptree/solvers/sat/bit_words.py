"""What the encodings over n bits share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size
from adeptree.families.bits.bit_rules import as_bits
from adeptree.solvers.sat.encoding import AddClause, Encoding, NewVar


@dataclass(unsafe_hash=True)
class OnBits(Encoding):
    """Instances are tuples of n zeros and ones."""

    n: int

    def __post_init__(self) -> None:
        self.n = check_size("n", self.n, at_most=LARGEST_SET)

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        """Keep the two functions."""
        self.new_var, self.add_clause = new_var, add_clause

    def instance(self, x: Any) -> tuple[int, ...]:
        """Return x as a tuple of n ints 0/1."""
        return as_bits(x, self.n)

    def random_instance(self, rng: np.random.Generator) -> tuple[int, ...]:
        """Draw n fair bits."""
        return tuple(rng.integers(2, size=self.n).tolist())


def literal_text(literal: int) -> str:
    """Return i as "bit i is 1", ~i as "bit i is 0".

    >>> literal_text(2), literal_text(~2)
    ('x2', 'not x2')
    """
    return f"x{literal}" if literal >= 0 else f"not x{~literal}"


def holds(literal: int, x: tuple[int, ...]) -> bool:
    """Does the literal hold at x?"""
    return x[literal] == 1 if literal >= 0 else x[~literal] == 0
