"""The paper's deterministic realizable learner A with its mistake bound M, and how it runs on paths.

A base learner is a pure state machine ``start / predict / update``. ADEPT runs it on every path at
once through :class:`RowLearner`; the adapter :class:`PerPath` does that for any machine, with one
Python state per path. The learners we ship override :meth:`BaseLearner.rows` with array code for the
frontiers they were made for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import BoolArray, Instance
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Children, Frontier, Split

C = TypeVar("C", bound=ConceptClass)


@runtime_checkable
class StateMachine(Protocol):
    """The methods that a user's base learner must have. States are values: ``update`` returns a new one."""

    def start(self) -> Any:
        """Return the state before any point."""
        ...

    def predict(self, state: Any, x: Instance) -> int:
        """Return the label predicted at x."""
        ...

    def update(self, state: Any, x: Instance, y: int) -> Any:
        """Return the state after label y at x."""
        ...


class RowLearner(ABC):
    """A base learner run on all rows of one frontier."""

    @abstractmethod
    def predict(self, split: Split) -> BoolArray:
        """Return one label per row. Only the labels of contested rows are used."""

    def grow(self, children: Children) -> None:
        """Follow the frontier to ``children``; called *before* the frontier itself grows.

        Attributes are replaced and not altered in place, so that an interrupted round can be undone.
        """

    def parts(self) -> list[Any]:
        """Return the objects that change in a round."""
        return [self]

    def state(self) -> dict[str, Any]:
        """Return everything :meth:`restore` needs; empty if the frontier's rows determine the state."""
        return {}

    def restore(self, state: dict[str, Any], width: int) -> None:
        """Restore a saved state for ``width`` rows; raise ValueError if it does not fit."""


class BaseLearner(ABC):
    """A deterministic learner for the realizable setting."""

    concept_class: ConceptClass | None = None
    """The class the learner was made for, if it needs one."""

    def bind(self, concept_class: ConceptClass) -> Self:
        """Return this learner for a class: itself, unless it depends on the class."""
        return self

    def restored(self, state: Any) -> Any:
        """Convert a state read from a file; raise ValueError if it is not a state of this learner."""
        return state

    @property
    def mistake_bound(self) -> int | None:
        """M: the most mistakes on any realizable sequence; None if not known."""
        return None

    @abstractmethod
    def start(self) -> Any:
        """Return the state before any point."""

    @abstractmethod
    def predict(self, state: Any, x: Instance) -> int:
        """Return the label predicted at x."""

    @abstractmethod
    def update(self, state: Any, x: Instance, y: int) -> Any:
        """Return the state after seeing label y at x; the old state stays valid."""

    def rows(self, frontier: Frontier) -> RowLearner:
        """Return this learner run on the frontier's rows."""
        return PerPath(self)

    def unasked_rows(self, frontier: Frontier) -> RowLearner:
        """Return this learner run on rows that an oracle checks only later, so that every round counts for M."""
        return PerPath(self)

    def spec(self, concept_class: ConceptClass) -> str | None:
        """Return a text from which a saved learner can make this base learner again, or None if there is none."""
        return None


@dataclass(frozen=True)
class MadeFor(BaseLearner, Generic[C]):
    """A base learner made for one kind of class; ``bind`` sets the class if it is not set."""

    concept_class: C | None = None
    kind: ClassVar[type[ConceptClass]]

    def bind(self, concept_class: ConceptClass) -> Self:
        """Return the learner of this class."""
        if self.concept_class is not None:
            return self
        if not isinstance(concept_class, self.kind):
            name = type(self).__name__
            raise InvalidArgument(
                f"{name} is made for {self.kind.__name__}; {got('concept_class', concept_class)}; "
                f"choose another base learner, or give this one its class as in {name}(c)"
            )
        return replace(self, concept_class=concept_class)  # type: ignore[arg-type]

    @property
    def known(self) -> C:
        """The class; an error if the learner is not bound yet."""
        if self.concept_class is None:
            raise InvalidArgument(f"{type(self).__name__}() must be bound to a class first: .bind(c)")
        return self.concept_class

    def spec(self, concept_class: ConceptClass) -> str | None:
        """Return the learner's name if it is bound to this class."""
        return type(self).__name__ if self.concept_class == concept_class else None

    @property
    def mistake_bound(self) -> int | None:
        """The Littlestone dimension of the class: the best possible."""
        return None if self.concept_class is None else self.concept_class.littlestone_dimension


class Lifted(BaseLearner):
    """A user's own state machine as a base learner; its ``mistake_bound`` attribute is M, if it has one."""

    def __init__(self, machine: StateMachine) -> None:
        self.machine = machine

    def __repr__(self) -> str:
        return repr(self.machine)

    @property
    def mistake_bound(self) -> int | None:
        """The ``mistake_bound`` attribute of the machine."""
        return getattr(self.machine, "mistake_bound", None)

    def start(self) -> Any:
        """Return the machine's first state."""
        return self.machine.start()

    def predict(self, state: Any, x: Instance) -> int:
        """Return the machine's prediction."""
        return self.machine.predict(state, x)

    def update(self, state: Any, x: Instance, y: int) -> Any:
        """Return the machine's next state."""
        return self.machine.update(state, x, y)


def checked_prediction(machine: StateMachine, state: Any, x: Instance) -> int:
    """Return the machine's prediction; raise an error if it is not a label."""
    label = machine.predict(state, x)
    if label not in (0, 1):
        raise InvalidArgument(f"a base learner must predict 0 or 1; {got('label', label)}")
    return int(label)


class PerPath(RowLearner):
    """Runs any state machine on the rows, with one Python state per path. General, but slow."""

    def __init__(self, machine: StateMachine) -> None:
        self.machine = machine
        self.states: list[Any] = [machine.start()]

    def predict(self, split: Split) -> BoolArray:
        """Ask the machine on contested rows only; on the others the label is forced."""
        labels = split.can1.copy()
        for row in np.flatnonzero(split.contested):
            labels[row] = checked_prediction(self.machine, self.states[row], split.x)
        return labels

    def grow(self, children: Children) -> None:
        """Update each child's copy of its parent's state."""
        self.states = [
            self.machine.update(self.states[parent], children.x, int(label))
            for parent, label in zip(children.parent.tolist(), children.label.tolist(), strict=True)
        ]

    def state(self) -> dict[str, Any]:
        """Return the states as plain values."""
        return {"states": self.states}

    def restore(self, state: dict[str, Any], width: int) -> None:
        """Restore saved states."""
        states = state["states"]
        need(isinstance(states, list) and len(states) == width, "states")
        self.states = [self.machine.restored(one) if isinstance(self.machine, BaseLearner) else one for one in states]


class Always(RowLearner):
    """Predicts the same label on every contested row, which is enough for some learners on their own frontier."""

    def __init__(self, label: bool) -> None:
        self.label = label

    def predict(self, split: Split) -> BoolArray:
        """Return the label for every row."""
        return np.full(len(split.can0), self.label)
