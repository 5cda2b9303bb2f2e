"""What the classes that a real solver decides have in common."""

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
"""Parameters of a class that every class behind an oracle has."""


class SolverOracle(ConsistencyOracle):
    """The source of such a class: its solver. Sent to a worker it makes the class, and so a solver, anew."""

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
    """A class with one solver, through which all its questions go; a subclass writes ``solved``.

    ``own`` are the parameters that say which class it is: they are shown and compared. ``options``, those of
    ``OracleClass``, say how it is asked; a ``call_cost`` of None is the one given here. A copy is made of both, with a
    solver of its own.
    """

    shared_by_threads = False
    cheap_bits = False
    """Whether ``solvable`` saves anything."""
    UNSAID: ClassVar[Mapping[str, Any]] = {"on_unknown": "raise"}
    """Parameters that are shown only if they are something else (all others, if they are not None)."""

    def __init__(
        self, own: dict[str, Any], options: dict[str, Any], call_cost: float | None = None, **fixed: Any
    ) -> None:
        self._own, self._asking = own, {name: value for name, value in options.items() if name != "executor"}
        self.alone = threading.RLock()
        """Held from a question to the end of reading its answer: there is one solver."""
        self._core: tuple[int, ...] | None = None
        cost = call_cost if options.get("call_cost") is None else options["call_cost"]
        said = {name: own[name] for name in OF_ORACLES if name in own}
        super().__init__(oracle=SolverOracle(self), **said, **fixed, **{**options, "call_cost": cost})

    @abstractmethod
    def solved(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, None if there is none; raise OracleUnknown if that is not known."""

    def solvable(self, sample: Sample) -> bool:
        """Return whether there is a concept with these labels, likewise."""
        return self.solved(sample) is not None

    def core(self) -> tuple[int, ...]:
        """Return positions in the last sample denied: these labels alone have no concept (not always the fewest)."""
        if self._core is None:
            raise InvalidArgument('core() explains a "no", but the last answer was none; ask about a sample first')
        return self._core

    def packed(self, answer: Any) -> Any:
        """Return an answer as a worker sends it."""
        return answer

    def unpacked(self, answer: Any) -> Any:
        """Return what a worker sent as an answer."""
        return answer

    def _said(self) -> dict[str, Any]:
        return {name: value for name, value in self._own.items() if value != self.UNSAID.get(name)}

    def __repr__(self) -> str:
        return f"{self.spec_name}({', '.join(f'{name}={value!r}' for name, value in self._said().items())})"

    def clone(self) -> Self:
        """Return the same class with a solver of its own."""
        return type(self)(**self._own, **self._asking)

    def __reduce__(self) -> Any:
        return partial(type(self), **self._own, **self._asking), ()

    def __eq__(self, other: object) -> bool:
        return self._own == other._own if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        simple = (item for item in self._own.items() if isinstance(item[1], (Number, str)))
        return hash((type(self), *simple))
