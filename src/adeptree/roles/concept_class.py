"""The concept class: the rules that a learner competes with, and the methods of every class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adeptree.core.arguments import refuse_class
from adeptree.core.dataframes import refuse_frame, rows_in
from adeptree.core.display import card
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, Instance, Sample, label_of

if TYPE_CHECKING:
    from adeptree.roles.oracle import Oracle


def combined_family() -> Any:
    """Return the family of combined rules; imported late, because it lies above this package."""
    return import_module("adeptree.families.combined.combined_family")


class ConceptClass(ABC):
    """A set of rules from instances to {0, 1}. A subclass defines the instances and the best rule of a sample.

    Classes are frozen and hashable, and ``repr(c)`` is a spec: ``adeptree.parse(repr(c)) == c``. A frozen dataclass
    (with ``repr=False``) is both already.
    """

    spec_name: ClassVar[str] = ""

    # Capabilities of the class, and how to query its oracle.
    oracle: Oracle | None = None
    """The chain of layers if an oracle defines the class; otherwise ``find`` and ``realizable`` answer."""
    gives_witnesses: bool = True
    """True if ``find`` or ``erm`` returns a concept for every realizable sample."""
    mistake_bound: int | None = None
    """The mistake bound M of the base learner of the class, if it is declared."""
    strategy: str = "auto"
    """The strategy by which a frontier queries the oracle; see ``OracleClass``."""
    infers_repeats: bool = True
    """True if the label of a repeated instance is inferred without a query."""
    keeps_unknown: bool = False
    """True if a path counts as realizable when the oracle cannot decide."""
    call_cost: float | None = None
    """Approximate duration of a call in seconds; None if calls are slow."""
    batch: int = 1
    """Most questions that may be sent together."""
    asked_by_methods: bool = False
    """True if a subclass overrides ``find`` or ``realizable``, which then replaces the chain."""
    explicit: bool = False
    """True if the class is a table, from which its dimensions can be computed."""
    reads_by_function: bool = False
    """True if a user's function interprets the instances, so that their form is unknown."""
    by_workers: bool = False
    """True if worker processes answer queries."""
    one_rate: ClassVar[bool] = False
    """True if the parts of the class must run at one constant rate."""
    combines: ClassVar[bool] = False
    """True if the class combines several sets of rules, which needs a prior that conserves mass."""

    def on(self, column: str) -> Any:
        """Apply these rules to the values of a named column of rows."""
        return combined_family().OnColumn(self, column)

    def __or__(self, other: Any) -> Any:
        """Combine the rules of both with equal shares of the prior: a third each in ``a | b | c``."""
        return combined_family().union(self, other) if isinstance(other, ConceptClass) else NotImplemented

    def __repr__(self) -> str:
        parts: list[Any] = list(fields(self)) if is_dataclass(self) else []
        said = []
        for part in parts:
            value = getattr(self, part.name)
            if not part.name.startswith("_") and value != part.default:
                said.append(f"{part.name}={value!r}")
        return f"{self.spec_name or type(self).__name__}({', '.join(said)})"

    def _facts(self) -> dict[str, object]:
        """Return the entries of the notebook card; dimensions only if they are known without a search."""
        if self.explicit:
            return {"spec": repr(self)}
        known = {"VC dimension": self.vc_dimension, "Littlestone dimension": self.littlestone_dimension}
        return {"spec": repr(self), **{name: "infinite or unknown" if d is None else d for name, d in known.items()}}

    def _repr_html_(self) -> str:
        return card(type(self).__name__, self._facts())

    @abstractmethod
    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form; raise InvalidInstance if x is not an instance."""

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances in their canonical form, as a sequence that can be sliced."""
        return [self.instance(x) for x in xs]

    def instances_in(self, columns: Mapping[str, Any]) -> Any:
        """Return the rows of columns (arrays or lists of values), which :meth:`instances_of` takes."""
        return rows_in(columns)

    @abstractmethod
    def erm(self, sample: Sample) -> Concept:
        """ERM oracle: return a concept with the fewest errors on the sample."""

    def find(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, or None if there is none. The default asks ``erm``."""
        pairs = list(sample)
        return self.erm(pairs) if self.realizable(pairs) else None

    @property
    def finds(self) -> bool:
        """True if the class overrides ``find``."""
        return type(self).find is not ConceptClass.find

    def realizable(self, sample: Sample) -> bool:
        """Return True if some concept has these labels (the weak-consistency oracle)."""
        pairs = self.clean(sample)
        best = self.erm(pairs)
        return all(best(x) == y for x, y in pairs)

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for regret only; this call does not count as a query."""
        return self.erm(sample)

    @property
    def vc_dimension(self) -> int | None:
        """Return the exact VC dimension, or None if it is infinite or unknown."""
        return None

    @property
    def littlestone_dimension(self) -> int | None:
        """Return the exact Littlestone dimension, or None if it is infinite or unknown."""
        return None

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a random instance for synthetic streams; not every class knows its domain."""
        raise InvalidArgument(f"{self!r} does not know its domain; give the adversary instances=")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a random concept for synthetic streams."""
        raise InvalidArgument(f"{self!r} cannot draw concepts; give the adversary target=")

    def key(self, x: Instance) -> Any:
        """Return a key that is equal for equal canonical instances only."""
        return x

    def clean(self, sample: Iterable[tuple[Any, Any]]) -> list[tuple[Instance, int]]:
        """Return the sample with canonical instances and labels."""
        refuse_frame("a sample", sample, "it is pairs (x, y), e.g. zip(frame['x'], frame['y'])")
        return [(self.instance(x), label_of(y)) for x, y in sample]


def check_class(given: object, otherwise: str = "") -> ConceptClass:
    """Return the argument if it is a concept class; otherwise raise an error that lists the classes."""
    refuse_class("concept_class", given)
    if not isinstance(given, ConceptClass):
        expected = "a concept class such as Thresholds(256) was expected"
        raise InvalidArgument(f"{expected}; {got('concept_class', given)}{otherwise}")
    return given
