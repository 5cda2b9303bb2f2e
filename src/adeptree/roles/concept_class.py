"""What we compete with: the concept class, and what every class can do."""

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
    """Return the family of combined rules, which is above this package and is loaded when rules are combined."""
    return import_module("adeptree.families.combined")


class ConceptClass(ABC):
    """A set of rules from instances to {0, 1}; a subclass defines its instances and the best rule of a sample.

    Classes are frozen and hashable, and ``repr(c)`` is a spec: ``adeptree.parse(repr(c)) == c``. A frozen dataclass
    (with ``repr=False``) is both already.
    """

    spec_name: ClassVar[str] = ""

    # What a class can do, and how its oracle wants to be asked.
    oracle: Oracle | None = None
    """The chain that answers, if the class is known by one; otherwise ``find`` and ``realizable`` of the class do."""
    gives_witnesses: bool = True
    """Whether every "realizable" comes with a concept, by ``find`` or ``erm``."""
    mistake_bound: int | None = None
    """The M of the base learner that comes with the class, if that is declared."""
    strategy: str = "auto"
    """How a frontier asks; see ``OracleClass``."""
    infers_repeats: bool = True
    """Whether the label of a repeated instance is known without a query."""
    keeps_unknown: bool = False
    """Whether a path counts as realizable if the oracle cannot tell."""
    call_cost: float | None = None
    """Seconds that a call takes, about; None for "many"."""
    batch: int = 1
    """How many questions may go out together."""
    asked_by_methods: bool = False
    """Whether a subclass has a ``find`` or ``realizable`` of its own, which is then asked in place of the chain."""
    explicit: bool = False
    """Whether the class is a table, from which its dimensions are computed."""
    reads_by_function: bool = False
    """Whether a function of the user's reads the instances, so that nothing else is known of them."""
    by_workers: bool = False
    """Whether workers answer."""
    one_rate: ClassVar[bool] = False
    """Whether its parts must run at one constant rate."""
    combines: ClassVar[bool] = False
    """Whether it is made of several sets of rules, which needs a prior that conserves mass."""

    def on(self, column: str) -> Any:
        """Return these rules about the values of a named column, for rows."""
        return combined_family().OnColumn(self, column)

    def __or__(self, other: Any) -> Any:
        """Return the rules of both, with equal shares of the prior: ``a | b | c`` has a third each."""
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
        """Return what a card says of the class; its dimensions, where they need not be searched for."""
        if self.explicit:
            return {"spec": repr(self)}
        known = {"VC dimension": self.vc_dimension, "Littlestone dimension": self.littlestone_dimension}
        return {"spec": repr(self), **{name: "infinite or unknown" if d is None else d for name, d in known.items()}}

    def _repr_html_(self) -> str:
        return card(type(self).__name__, self._facts())

    @abstractmethod
    def instance(self, x: Any) -> Instance:
        """Return x in its canonical form, or raise InvalidInstance saying what is accepted."""

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
        """Return a concept with these labels, or None; by ``erm``, where a class does not know better."""
        pairs = list(sample)
        return self.erm(pairs) if self.realizable(pairs) else None

    @property
    def finds(self) -> bool:
        """Whether ``find`` is worth asking: the class wrote one of its own."""
        return type(self).find is not ConceptClass.find

    def realizable(self, sample: Sample) -> bool:
        """Weak-consistency oracle: is there a concept with these labels?"""
        pairs = self.clean(sample)
        best = self.erm(pairs)
        return all(best(x) == y for x, y in pairs)

    def judge(self, sample: Sample) -> Concept:
        """Return a best concept in hindsight, for the account only: where queries count, this is none."""
        return self.erm(sample)

    @property
    def vc_dimension(self) -> int | None:
        """Exact VC dimension, or None when infinite or unknown."""
        return None

    @property
    def littlestone_dimension(self) -> int | None:
        """Exact Littlestone dimension, or None when infinite or unknown."""
        return None

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, for streams made for the class; not every class knows its domain."""
        raise InvalidArgument(f"{self!r} does not know its domain; give the adversary instances=")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a concept, for streams made for the class."""
        raise InvalidArgument(f"{self!r} cannot draw concepts; give the adversary target=")

    def key(self, x: Instance) -> Any:
        """Return what tells canonical instances apart, by ``==``."""
        return x

    def clean(self, sample: Iterable[tuple[Any, Any]]) -> list[tuple[Instance, int]]:
        """Return the sample with canonical instances and labels."""
        refuse_frame("a sample", sample, "it is pairs (x, y), e.g. zip(frame['x'], frame['y'])")
        return [(self.instance(x), label_of(y)) for x, y in sample]


def check_class(given: object, otherwise: str = "") -> ConceptClass:
    """Return a concept class, or say that one was expected (and what else there is)."""
    refuse_class("concept_class", given)
    if not isinstance(given, ConceptClass):
        expected = "a concept class such as Thresholds(256) was expected"
        raise InvalidArgument(f"{expected}; {got('concept_class', given)}{otherwise}")
    return given
