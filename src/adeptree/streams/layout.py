"""Which columns of a stream hold x and the label, and how their texts become an instance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adeptree.classes import BlockUnions, ConceptClass, Conjunctions, Disjunctions, FiniteClass, Parities, Stumps
from adeptree.classes.real_stumps import RealStumps
from adeptree.errors import InvalidArgument, InvalidInstance, InvalidLabel
from adeptree.streams.cells import brief, number
from adeptree.streams.labels import LABELS, Label
from adeptree.streams.rows import Row, Stream

Convert = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class Example:
    """One row: the instance, its label (None if it is missing), and the instance as the stream wrote it."""

    x: Any
    y: int | None
    text: str


@dataclass(frozen=True)
class Layout:
    """The columns of x and of the label, and the class that their values must fit."""

    concept_class: ConceptClass
    names: tuple[str, ...]
    places: tuple[int, ...]
    convert: Convert
    label: Label

    def example(self, row: Row) -> Example:
        """Return what a good row says, or raise InvalidArgument with what is wrong with it."""
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
        return Example(x, y, " ".join(texts))


def layout_of(stream: Stream, concept_class: ConceptClass, names: Sequence[str], label: Label) -> Layout:
    """Find the columns in the stream."""
    places = tuple(stream.place(column, "--x") for column in names)
    if label.place in places:
        raise InvalidArgument(f'"{label.column}" is the label, so it cannot be part of x; choose with --x and --label')
    return Layout(concept_class, tuple(names), places, _converter(concept_class, names), label)


def _converter(concept_class: ConceptClass, names: Sequence[str]) -> Convert:
    """Return what makes an instance of the texts."""
    if isinstance(concept_class, (Stumps, RealStumps)):
        return lambda texts: {name: number(text) for name, text in zip(names, texts, strict=True)}
    if isinstance(concept_class, (Conjunctions, Disjunctions, Parities)):
        return lambda texts: tuple(LABELS.get(text.lower(), text) for text in texts)
    if isinstance(concept_class, BlockUnions):
        return _block
    if isinstance(concept_class, FiniteClass):
        points = concept_class.points or ()
        return lambda texts: texts[0] if texts[0] in points else number(texts[0])
    return lambda texts: number(texts[0])


def _block(texts: Sequence[str]) -> str:
    text = texts[0]
    if not text:
        raise InvalidInstance("the value is missing")
    try:
        whole = "\0" not in text and bool(text.encode())
    except UnicodeEncodeError:  # JSON can write half a character, such as "\\ud83d"
        whole = False
    if not whole:
        raise InvalidInstance(f"a value must be text without NUL and half characters; got {brief(text)!r}")
    return text
