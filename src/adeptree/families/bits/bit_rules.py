"""Rules on n bits: conjunctions and disjunctions of literals, and parities."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Instance, LabelArray, NDArray, Sample
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import Monomial, Parity

Words = NDArray[np.uint64]

MOST_PARITY_BITS = 1 << 16
"""Most bits of parities: elimination over GF(2) takes quadratic time."""


class _OnBits(EnumerableClass):
    """Instances are tuples of n zeros and ones."""

    n: int
    any_of = False

    def instance(self, x: Any) -> tuple[int, ...]:
        """Return x as a tuple of n ints 0/1."""
        return as_bits(x, self.n)

    def instances(self) -> Iterator[Instance]:
        """List all 2^n bit strings."""
        return itertools.product((0, 1), repeat=self.n)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw n fair bits."""
        return tuple(rng.integers(2, size=self.n).tolist())


@dataclass(frozen=True, repr=False)
class _Monomials(_OnBits):
    """The common base of conjunctions and disjunctions: one is the other with x and labels flipped."""

    n: int
    monotone: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_size("n", self.n, at_most=LARGEST_SET))
        object.__setattr__(self, "monotone", bool(self.monotone))

    @property
    def size(self) -> int:
        """Number of concepts: 2^n if monotone; else 3^n consistent literal sets and one contradictory one."""
        return (1 << self.n) if self.monotone else int(3**self.n) + 1

    @property
    def vc_dimension(self) -> int:
        """VC dimension: n (2 for literals over a single bit)."""
        return 2 if self.n == 1 and not self.monotone else self.n

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: n if monotone, else n + 1 (proof in ``docs/theory/dimensions.md``)."""
        return self.n if self.monotone else self.n + 1

    def literal_numbers(self) -> list[int]:
        """List the literals: i for "bit i is 1", then ~i for "bit i is 0" unless monotone."""
        return [*range(self.n), *([] if self.monotone else [~i for i in range(self.n)])]

    def holding(self, x: Instance) -> Words:
        """Return, bit-packed, the literals that hold at x (for disjunctions: that fail)."""
        bits = np.array(x, dtype=np.bool_) != self.any_of
        return pack(bits if self.monotone else np.concatenate([bits, ~bits]))

    def from_packed(self, literals: Words) -> Monomial:
        """Return the rule made of the bit-packed literals."""
        numbers = self.literal_numbers()
        return Monomial(tuple(numbers[i] for i in unpack(literals, len(numbers))), any_of=self.any_of)

    def realizable(self, sample: Sample) -> bool:
        """Return True if the most specific rule for all points with the strong label denies all others.

        A conjunction's strong label is 1 (its literals all hold at every 1), a disjunction's is 0.
        """
        strong = int(not self.any_of)
        pairs = [(self.holding(x), y) for x, y in self.clean(sample)]
        literals = pack(np.ones(len(self.literal_numbers()), dtype=np.bool_))
        for held, y in pairs:
            if y == strong:
                literals = literals & held
        return all((literals & ~held).any() for held, y in pairs if y != strong)

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts: literal sets in base 2 (monotone) or 3, the contradictory one last."""
        self._check_listable()
        bits = np.array(x, dtype=np.bool_) != self.any_of
        satisfied = np.ones(1, dtype=np.bool_)
        for bit in bits.tolist():
            # Each variable is absent, positive (holds if the bit does) or negative.
            options = [True, bit] if self.monotone else [True, bit, not bit]
            satisfied = np.outer(satisfied, options).ravel()
        if not self.monotone:
            satisfied = np.append(satisfied, False)
        labels: LabelArray = (satisfied != self.any_of).astype(np.uint8)
        return labels

    def concept(self, index: int) -> Monomial:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        base = 2 if self.monotone else 3
        if index == base**self.n:
            return Monomial(tuple(self.literal_numbers()), any_of=self.any_of)
        digits = [index // base ** (self.n - 1 - i) % base for i in range(self.n)]
        return Monomial(tuple(i if d == 1 else ~i for i, d in enumerate(digits) if d), any_of=self.any_of)


class Conjunctions(_Monomials):
    """Conjunctions of literals over n bits (and the one that is never true); or, monotone, of bits.

    >>> c = Conjunctions(3)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (conjunctions(n=3), 28, 3, 4)
    >>> str(c.erm([((1, 0, 1), 1), ((1, 1, 1), 1), ((0, 1, 1), 0)]))
    'x0'
    """

    spec_name = "conjunctions"


class Disjunctions(_Monomials):
    """Disjunctions of literals over n bits (and the one that is always true); or, monotone, of bits.

    >>> c = Disjunctions(3, monotone=True)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (disjunctions(n=3, monotone=True), 8, 3, 3)
    >>> str(c.erm([((1, 0, 0), 1), ((0, 1, 0), 1), ((0, 0, 1), 0)]))
    'x0 or x1'
    """

    spec_name = "disjunctions"
    any_of = True


@dataclass(frozen=True, repr=False)
class Parities(_OnBits):
    """Parities of a set of the n bits.

    >>> c = Parities(4)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (parities(n=4), 16, 4, 4)
    >>> c.realizable([((1, 0, 0, 0), 1), ((0, 1, 0, 0), 1), ((1, 1, 0, 0), 1)])
    False
    """

    n: int
    spec_name = "parities"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_size("n", self.n, at_most=MOST_PARITY_BITS))

    @property
    def size(self) -> int:
        """Number of concepts: 2^n subsets of the bits."""
        return 1 << self.n

    @property
    def vc_dimension(self) -> int:
        """VC dimension: n, as the unit vectors are shattered."""
        return self.n

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: n, as the unit vectors are shattered and there are only 2^n concepts."""
        return self.n

    def realizable(self, sample: Sample) -> bool:
        """Return True if no combination of the points sums to 0 with label 1 (elimination over GF(2))."""
        basis: tuple[int, ...] = ()
        for x, y in self.clean(sample):
            vector = reduced(basis, x, y)
            if vector == 1:
                return False
            basis = extended(basis, vector)
        return True

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts: concept i has the bits of i, bit 0 of x being the most significant."""
        self._check_listable()
        parity = np.zeros(1, dtype=np.uint8)
        for bit in x:
            parity = np.stack([parity, parity ^ np.uint8(bit)], axis=1).ravel()
        return parity

    def concept(self, index: int) -> Parity:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        return Parity(tuple(i for i in range(self.n) if index >> (self.n - 1 - i) & 1))


def reduced(basis: tuple[int, ...], x: Instance, y: int) -> int:
    """Return (x, y) reduced by a basis, largest vector first; the label is the lowest bit."""
    vector = int("".join(map(str, x)) + str(y), 2)
    for pivot in basis:
        vector = min(vector, vector ^ pivot)
    return vector


def extended(basis: tuple[int, ...], vector: int) -> tuple[int, ...]:
    """Return the basis extended by a reduced vector, if that is not 0 in x."""
    return basis if vector <= 1 else tuple(sorted((*basis, vector), reverse=True))


def as_bits(x: Any, n: int) -> tuple[int, ...]:
    """Return x as a tuple of n ints 0/1, or raise InvalidInstance.

    >>> as_bits([True, 0], 2)
    (1, 0)
    """
    try:
        bits = () if type(x) is dict else tuple(int(bit) if bit in (0, 1) else 2 for bit in x)  # refuses names
    except (TypeError, ValueError):
        bits = ()
    if len(bits) != n or 2 in bits:
        shown = f", e.g. {(0,) * n}" if n <= 32 else ""
        raise InvalidInstance(f"x must be {n} {'bit' if n == 1 else 'bits'}{shown}; {got('x', x)}")
    return bits


def pack(bits: NDArray[np.bool_]) -> Words:
    """Pack booleans into 64-bit words, along the last axis.

    >>> unpack(pack(np.array([True, False, True])), 3)
    [0, 2]
    """
    padded = np.zeros((*bits.shape[:-1], -(-bits.shape[-1] // 64) * 64), dtype=np.bool_)
    padded[..., : bits.shape[-1]] = bits
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)


def unpack(words: Words, length: int) -> list[int]:
    """Return the positions of the ones in one row of words."""
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:length]
    return [int(i) for i in np.flatnonzero(bits)]
