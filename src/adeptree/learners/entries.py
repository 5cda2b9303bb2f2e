"""Entries of a learner's ledger, read and written as its attributes."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value", int, float, bool)


class Entry(Generic[Value]):
    """An attribute that is kept in the ledger, where engines charge it; a sum that is whole is shown as an int."""

    def __init__(self, field: str, doc: str, whole: bool = False) -> None:
        self.field, self.__doc__, self.whole = field, doc, whole

    @overload
    def __get__(self, learner: None, kind: Any) -> Entry[Value]: ...

    @overload
    def __get__(self, learner: Any, kind: Any) -> Value: ...

    def __get__(self, learner: Any, kind: Any) -> Any:
        if learner is None:
            return self
        value = getattr(learner.ledger, self.field)
        return int(value) if self.whole and value == int(value) else value

    def __set__(self, learner: Any, value: Value) -> None:
        setattr(learner.ledger, self.field, value)
