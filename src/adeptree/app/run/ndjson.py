"""Read NDJSON (JSON Lines), one JSON object per line, or the objects of an array; the first one names the columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from adeptree.app.run.streams import LOOKED_AT, Stream
from adeptree.app.run.text_lines import LONGEST, Meter, numbered, text_of
from adeptree.core.cell_text import as_text, brief
from adeptree.core.errors import InvalidArgument
from adeptree.runner.rows import Row

BEGINNING = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
"""First characters of such a file (after a byte-order mark)."""
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{},"]', re.DOTALL)
"""Matches a complete text, a bracket or a comma; a lone quote begins a text whose end has not come."""


def elements(pieces: Iterator[bytes], meter: Meter) -> Iterator[list[bytes]]:
    """Yield the elements of the array as they come, without parsing them.

    >>> list(elements(iter([b' [{"a": "},"', b', "b": [1, 2]}, {"a', b'": 3} ]\\n']), Meter()))
    [[b'{"a": "},", "b": [1, 2]}'], [b'{"a": 3}']]
    """
    text, start, place, depth = b"", 0, 0, 0
    for piece in pieces:
        meter.read += len(piece)
        text, start, place = text[start:] + piece, 0, place - start
        found = []
        while token := _TOKEN.search(text, place):
            sign = token[0]
            if sign == b'"':
                break
            place = token.end()
            if sign in b"[{":
                depth += 1
                if depth == 1:
                    start = place
            elif sign in b"]}":
                depth -= 1
            if (depth <= 1 and sign == b",") or depth == 0:
                found.append(text[start : place - 1].strip())
                start = place
            if depth == 0:
                break
        meter.handed = meter.read - len(text) + start
        if found:
            yield [element for element in found if element]
        if depth == 0 and place:
            break
        if len(text) - start > LONGEST:
            raise EOFError(f"an object of the array is longer than {LONGEST >> 20} MB")
    else:
        raise EOFError("the array has no end; the file was cut off")
    meter.handed = meter.read
    if text[start:].strip() or any(piece.strip() for piece in pieces):
        raise EOFError("after the end of the array there is more")


Objects = list[tuple[int, dict[str, Any] | str]]
"""The objects of some lines with their numbers, or the fault of a line."""


def ndjson_stream(name: str, chunks: Iterable[list[bytes]], also: Iterable[str] = (), unit: str = "line") -> Stream:
    """Read up to the first object, and return the stream of rows that begins with it.

    A column that a later object lacks is a missing value there, like null. Other names are not read, except those in
    ``also``.

    >>> stream = ndjson_stream("f", [[b'{"a": 1.5, "y": 0}', b"oops"], [b'{"y": true, "b": 2}']])
    >>> [(row.line, row.cells) for row in stream], stream.columns
    ([(1, ['1.5', '0']), (2, []), (3, ['', 'true'])], ['a', 'y'])
    """
    found = (_objects(*lines) for lines in numbered(name, chunks, unit))
    broken, columns, rest = _first(name, found, unit)
    columns += [column for column in also if column not in columns]
    rows = ([_row(columns, *line) for line in objects] for objects in chain([rest], found))
    form = "NDJSON" if unit == "line" else "a JSON array"
    return Stream(name, columns, chain([broken], rows), unit=unit, form=form, answers="ndjson")


def _first(name: str, found: Iterator[Objects], unit: str) -> tuple[list[Row], list[str], Objects]:
    """Return the malformed lines before the first object, its keys, and the objects read from it on."""
    broken: list[Row] = []
    for objects, place in ((some, place) for some in found for place in range(len(some))):
        number, value = objects[place]
        if isinstance(value, dict) and len(value) >= 2:
            if all(isinstance(cell, dict | list) for cell in value.values()):
                raise InvalidArgument(
                    f"{name} holds whole columns, not rows; write an object per row (of a data frame, "
                    f"to_json(FILE, orient='records'))"
                )
            return broken, list(value), objects[place:]
        fault = value if isinstance(value, str) else f"expected two keys or more, got {len(value)}"
        broken.append(Row(number, [], fault))
        if len(broken) == LOOKED_AT:
            break
    if broken:
        raise InvalidArgument(f"{name} has no object of two keys or more; {unit} {broken[0].line}: {broken[0].fault}")
    raise InvalidArgument(
        f'{name} is empty; expected an object a line, e.g. {{"score": 3, "y": 0}}, or an array of objects'
    )


def _objects(first: int, lines: list[bytes]) -> Objects:
    texts = ((number, *text_of(line)) for number, line in enumerate(lines, first))
    return [(number, fault or _object(text)) for number, text, fault in texts if fault or text.strip()]


def _object(text: str) -> dict[str, Any] | str:
    """Return the object, or the fault of the line."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not proper JSON: {error}"
    return found if isinstance(found, dict) else f"expected a JSON object, got {brief(text.strip())}"


def _row(columns: list[str], number: int, found: dict[str, Any] | str) -> Row:
    if isinstance(found, str):
        return Row(number, [], found)
    try:
        return Row(number, [as_text(found.get(column)) for column in columns])
    except (ValueError, RecursionError):  # nested too deeply, or too large to be written
        return Row(number, [], "a value is too long a number, or nested too deeply")
