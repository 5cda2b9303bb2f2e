"""What we compete with: the concept class, and what every class can do."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adeptree.errors import InvalidArgument, TooLarge, got
from adeptree.types import Concept, Instance, LabelArray, Sample, label_of

if TYPE_CHECKING:
    from adeptree.classes.finite import FiniteClass

ENUMERATION_LIMIT = 1 << 22
"""Largest number of concepts that is listed one by one."""

LARGEST_LINE = 1 << 62
"""Most points of a line, and most rounds of a horizon: what machine words hold with room for a sum of two."""

LARGEST_SET = 1 << 20
"""Most bits, blocks or literals: a path keeps some bytes for each of them."""

LARGEST_INT = 1 << 256
"""No parameter is larger, a seed neither: beyond, an int is no float, and its digits no text."""


class ConceptClass(ABC):
    """A set of rules from instances to {0, 1}.

    Classes are frozen and hashable, and ``repr(c)`` is a spec: ``adeptree.parse(repr(c)) == c``.
    """

    spec_name: ClassVar[str]

    @property
    @abstractmethod
    def vc_dimension(self) -> int | None:
        """Exact VC dimension, or None when infinite or unknown."""

    @property
    @abstractmethod
    def littlestone_dimension(self) -> int | None:
        """Exact Littlestone dimension, or None when infinite or unknown."""

    @abstractmethod
    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form, or raise InvalidInstance saying what is accepted."""

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances in their canonical form, as a sequence that can be sliced."""
        return [self.instance(x) for x in xs]

    @abstractmethod
    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle: is there a concept with these labels?"""

    @abstractmethod
    def erm(self, sample: Sample) -> Concept:
        """ERM oracle: return a concept with the fewest errors on the sample."""

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for the account only: where queries count, this is none."""
        return self.erm(sample)

    @abstractmethod
    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, for streams made for the class."""

    @abstractmethod
    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept, for streams made for the class."""

    def key(self, x: Instance) -> Any:
        """Return what tells canonical instances apart, by ``==``."""
        return x

    def clean(self, sample: Iterable[tuple[Any, Any]]) -> list[tuple[Instance, int]]:
        """Return the sample with canonical instances and labels."""
        return [(self.instance(x), label_of(y)) for x, y in sample]


class EnumerableClass(ConceptClass):
    """A class whose concepts can be listed, and whose labels come as one array a point.

    Concepts are numbered from 0; ``labels(x)[i]`` is what concept i says at x.
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of concepts; every two differ somewhere."""

    @abstractmethod
    def labels(self, x: Instance) -> LabelArray:
        """Return the label of every concept at the (canonical) instance x."""

    @abstractmethod
    def concept(self, index: int) -> Concept:
        """Return concept number ``index``."""

    @abstractmethod
    def instances(self) -> Iterator[Instance]:
        """List instances on which every two concepts differ (the whole domain where it is finite)."""

    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle, by looking at every concept."""
        self._check_listable()
        fits = np.ones(self.size, dtype=np.bool_)
        for x, y in self.clean(sample):
            fits &= self.labels(x) == y
        return bool(fits.any())

    def erm(self, sample: Sample) -> Concept:
        """ERM oracle, by counting every concept's errors; the lowest-numbered best one."""
        self._check_listable()
        errors = np.zeros(self.size, dtype=np.int64)
        for x, y in self.clean(sample):
            errors += self.labels(x) != y
        return self.concept(int(errors.argmin()))

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept uniformly."""
        if self.size < 1 << 63:
            return self.concept(int(rng.integers(self.size)))
        # Too many for a machine word; 16 spare bytes make the remainder as good as uniform.
        drawn = rng.bytes(self.size.bit_length() // 8 + 16)
        return self.concept(int.from_bytes(drawn, "little") % self.size)

    def to_finite(self, limit: int = 1 << 22) -> FiniteClass:
        """Return the explicit table of this class, of at most ``limit`` entries.

        >>> from adeptree import Thresholds
        >>> Thresholds(3).to_finite().table.tolist()
        [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
        """
        from adeptree.classes.finite import FiniteClass

        most = max(1, limit // self.size)
        points = list(itertools.islice(self.instances(), most + 1))
        if len(points) > most:
            raise TooLarge(
                f"the table of {self!r} has {shown_count(self.size)} concepts on more than {most} instances, over the "
                f"limit of {limit} entries; take a smaller class"
            )
        table = np.stack([self.labels(x) for x in points], axis=1)
        # Mappings cannot name the columns of a table, so these stay numbers.
        return FiniteClass(table, points=None if isinstance(points[0], Mapping) else points)

    def _check_listable(self) -> None:
        if self.size > ENUMERATION_LIMIT:
            raise TooLarge(
                f"{self!r} has {shown_count(self.size)} concepts, too many to look at one by one "
                f"(limit {ENUMERATION_LIMIT}); take a smaller class"
            )


def check_size(name: str, value: object, at_least: int = 1, at_most: int = LARGEST_INT) -> int:
    """Return an integer parameter of a class, or raise InvalidArgument.

    >>> check_size("n", 4)
    4
    >>> check_size("n", 10**400, at_most=LARGEST_LINE)
    Traceback (most recent call last):
    ...
    adeptree.errors.InvalidArgument: n must be an int in 1..4611686018427387904; got n of 1329 bits
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InvalidArgument(f"{name} must be an int >= {at_least}; {got(name, value)}")
    size = int(value)
    # Python refuses to write very long ints out, so they are told by their length.
    came = got(name, value) if abs(size) < LARGEST_INT else f"got {name} of {size.bit_length()} bits"
    if size < at_least:
        raise InvalidArgument(f"{name} must be an int >= {at_least}; {came}")
    if size > at_most:
        most = at_most if at_most < LARGEST_INT else "2^256"
        raise InvalidArgument(f"{name} must be an int in {at_least}..{most}; {came}")
    return size


def check_whole(what: str, count: int) -> None:
    """Refuse what would take more than some million parts, before the first is made."""
    if count > LARGEST_SET:
        raise TooLarge(f"{what} has {shown_count(count)} parts, over the limit of {LARGEST_SET}; take a smaller one")


def shown_count(count: int) -> str:
    """Return a number in digits, or roughly where these would be many.

    >>> shown_count(257), shown_count(3**5000)
    ('257', 'about 2^7924')
    """
    return str(count) if count < LARGEST_INT else f"about 2^{count.bit_length() - 1}"
