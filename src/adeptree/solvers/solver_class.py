"""The base class of classes with a solver as their oracle."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from numbers import Number
from typing import Any, ClassVar, Self

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Concept, Sample
from adeptree.oracles.oracle_class import OracleClass
from adeptree.roles.oracle import ConsistencyOracle

OF_ORACLES = ("mistake_bound", "on_unknown", "vc_dimension", "littlestone_dimension")
"""Parameters that every class with an oracle has."""


class SolverOracle(ConsistencyOracle):
    """The solver of a class as a source. In a worker it makes the class, and so a solver, again."""

    def __init__(self, concept_class: SolverClass) -> None:
        self.concept_class = concept_class
        self.cheap_bits = concept_class.cheap_bits
        self.packed, self.unpacked = concept_class.packed, concept_class.unpacked  # type: ignore[method-assign]

    def find(self, sample: Sample) -> Concept | None:
        """Ask the solver for a concept that fits."""
        with self.concept_class.alone:
            return self.concept_class.solved(sample)

    def realizable(self, sample: Sample) -> bool:
        """Ask the solver whether a concept fits."""
        with self.concept_class.alone:
            return self.concept_class.solvable(sample)


class SolverClass(OracleClass):
    """A class with one solver, which answers all its queries; a subclass defines ``solved``.

    ``own`` are the parameters that identify the class: they are shown and compared. ``options``, those of
    ``OracleClass``, determine how it is queried; a ``call_cost`` of None is replaced by the class's. A copy is made
    from both, with a separate solver.
    """

    shared_by_threads = False
    cheap_bits = False
    """True if ``solvable`` is faster than ``solved``."""
    UNSAID: ClassVar[Mapping[str, Any]] = {"on_unknown": "raise"}
    """Parameters that are shown only if they differ from these values (all others, if they are not None)."""

    def __init__(
        self, own: dict[str, Any], options: dict[str, Any], call_cost: float | None = None, **fixed: Any
    ) -> None:
        self._own, self._asking = own, {name: value for name, value in options.items() if name != "executor"}
        self.alone = threading.RLock()
        """Held from a query until its answer is read, because there is one solver."""
        self._core: tuple[int, ...] | None = None
        cost = call_cost if options.get("call_cost") is None else options["call_cost"]
        said = {name: own[name] for name in OF_ORACLES if name in own}
        super().__init__(oracle=SolverOracle(self), **said, **fixed, **{**options, "call_cost": cost})

    @abstractmethod
    def solved(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, None if there is none; raise OracleUnknown if undecided."""

    def solvable(self, sample: Sample) -> bool:
        """Return True if there is a concept with these labels, likewise."""
        return self.solved(sample) is not None

    def core(self) -> tuple[int, ...]:
        """Return positions in the last denied sample whose labels alone have no concept (not always the fewest)."""
        if self._core is None:
            raise InvalidArgument('core() explains a "no", but the last answer was none; ask about a sample first')
        return self._core

    def packed(self, answer: Any) -> Any:
        """Encode an answer for a worker's reply."""
        return answer

    def unpacked(self, answer: Any) -> Any:
        """Decode a worker's reply."""
        return answer

    def _said(self) -> dict[str, Any]:
        return {name: value for name, value in self._own.items() if value != self.UNSAID.get(name)}

    def __repr__(self) -> str:
        return f"{self.spec_name}({', '.join(f'{name}={value!r}' for name, value in self._said().items())})"

    def clone(self) -> Self:
        """Return the same class with a separate solver."""
        return type(self)(**self._own, **self._asking)

    def __reduce__(self) -> Any:
        return partial(type(self), **self._own, **self._asking), ()

    def __eq__(self, other: object) -> bool:
        return self._own == other._own if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        simple = (item for item in self._own.items() if isinstance(item[1], (Number, str)))
        return hash((type(self), *simple))
