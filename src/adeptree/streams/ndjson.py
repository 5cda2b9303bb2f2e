"""NDJSON (JSON Lines): one JSON object a line; the first one names the columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from adeptree.errors import InvalidArgument
from adeptree.streams.cells import as_text
from adeptree.streams.rows import Row, Stream
from adeptree.streams.text_lines import NOT_UTF8, numbered


def ndjson_stream(name: str, lines: Iterable[bytes]) -> Stream:
    """Read up to the first object, and return the rows (with it) to come.

    A column that a later object lacks is a missing value there, as null is; others that it has are not read.

    >>> stream = ndjson_stream("f", [b'{"a": 1.5, "y": 0}\\n', b"oops\\n", b'{"y": true, "b": 2}\\n'])
    >>> [(row.line, row.cells) for row in stream], stream.columns
    ([(1, ['1.5', '0']), (2, []), (3, ['', 'true'])], ['a', 'y'])
    """
    parsed = (_parsed(number, line) for number, line in numbered(name, lines) if line is None or line.strip())
    broken: list[Row] = []
    for number, found in parsed:
        if isinstance(found, dict) and len(found) >= 2:
            columns = list(found)
            first = Row(number, [as_text(found[column]) for column in columns])
            return Stream(name, columns, _rows(columns, [*broken, first], parsed), answers="ndjson")
        broken.append(Row(number, [], found if isinstance(found, str) else f"expected two keys or more, got {found}"))
    if broken:
        raise InvalidArgument(f"{name} has no object of two keys or more; line {broken[0].line}: {broken[0].fault}")
    raise InvalidArgument(f'{name} is empty; expected an object a line, e.g. {{"score": 3, "y": 0}}')


def _rows(columns: list[str], first: list[Row], parsed: Iterator[tuple[int, Any]]) -> Iterator[Row]:
    yield from first
    for number, found in parsed:
        if isinstance(found, str):
            yield Row(number, [], found)
        else:
            yield Row(number, [as_text(found.get(column)) for column in columns])


def _parsed(number: int, line: str | None) -> tuple[int, dict[str, Any] | str]:
    """Return the object, or what is wrong with the line."""
    if line is None:
        return number, NOT_UTF8
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return number, f"not proper JSON: {error}"
    return number, found if isinstance(found, dict) else f"expected a JSON object, got {line.strip()[:40]}"
