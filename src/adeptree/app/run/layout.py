"""Which columns of a stream hold x and the label, and how their texts become an instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adeptree.app.run.row_label import Label, label_of
from adeptree.app.run.rows import Row, Stream
from adeptree.app.run.rules_option import competition
from adeptree.core.cells import number
from adeptree.core.errors import InvalidArgument, InvalidInstance, InvalidLabel
from adeptree.families.registry import columns_of
from adeptree.roles.concept_class import ConceptClass

Convert = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class Example:
    """One row: the instance, its label (None if it is missing), and the instance as the stream wrote it."""

    x: Any
    y: int | None
    text: str


@dataclass(frozen=True)
class Layout:
    """The columns of x and of the label, the class that their values must fit, and how its rules are called."""

    concept_class: ConceptClass
    names: tuple[str, ...]
    shown: str
    places: tuple[int, ...]
    convert: Convert
    label: Label

    def example(self, row: Row, labelled: bool) -> Example:
        """Return what a good row says, or raise InvalidArgument with what is wrong with it: its label too may be."""
        if row.fault:
            raise InvalidArgument(row.fault)
        texts = [row.cells[place].strip() for place in self.places]
        try:
            x = self.concept_class.instance(self.convert(texts))
        except InvalidInstance as error:
            # Of many columns the class itself names the one.
            where = f"column {', '.join(self.names)}: " if len(self.names) <= 4 else ""
            raise InvalidInstance(f"{where}{error}") from None
        try:
            y = self.label(row.cells)
        except InvalidLabel as error:
            raise InvalidLabel(f"column {self.label.column}: {error}") from None
        if y is None and labelled:
            raise InvalidArgument(f"column {self.label.column}: the label is missing")
        return Example(x, y, " ".join(texts))


def layout_of(
    stream: Stream,
    rules: str,
    x: str | None,
    label: str | None,
    follow: bool = False,
    known: Sequence[str] | None = None,
) -> Layout:
    """Return what ``--rules``, ``--x`` and ``--label`` mean on this stream (``known`` as for ``competition``)."""
    wanted = label_of(stream, label)
    concept_class, names, shown = competition(rules, x, stream, wanted, follow, known)
    places = tuple(stream.place(column, "--x") for column in names)
    if wanted.place in places:
        raise InvalidArgument(f'"{wanted.column}" is the label, so it cannot be part of x; choose with --x and --label')
    return Layout(concept_class, names, shown, places, _converter(concept_class, names), wanted)


def _converter(concept_class: ConceptClass, names: Sequence[str]) -> Convert:
    """Return what makes an instance of the texts."""
    columns = columns_of(concept_class)
    if columns.names(concept_class) is not None:
        return lambda texts: {name: number(text) for name, text in zip(names, texts, strict=True)}
    return lambda texts: columns.value(concept_class, texts)
