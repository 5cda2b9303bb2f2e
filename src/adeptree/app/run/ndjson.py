"""NDJSON (JSON Lines): one JSON object a line; the first one names the columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from adeptree.app.run.rows import LOOKED_AT, Row, Stream
from adeptree.app.run.text_lines import numbered
from adeptree.core.cells import as_text, brief
from adeptree.core.errors import InvalidArgument


def ndjson_stream(name: str, lines: Iterable[bytes]) -> Stream:
    """Read up to the first object, and return the rows (with it) to come.

    A column that a later object lacks is a missing value there, as null is; others that it has are not read.

    >>> stream = ndjson_stream("f", [b'{"a": 1.5, "y": 0}\\n', b"oops\\n", b'{"y": true, "b": 2}\\n'])
    >>> [(row.line, row.cells) for row in stream], stream.columns
    ([(1, ['1.5', '0']), (2, []), (3, ['', 'true'])], ['a', 'y'])
    """
    objects = (_object(*line) for line in numbered(name, lines) if line[1].strip() or line[2])
    broken: list[Row] = []
    for number, found in objects:
        if isinstance(found, dict) and len(found) >= 2:
            columns = list(found)
            rows = _rows(columns, chain([(number, found)], objects))
            return Stream(name, columns, chain(broken, rows), answers="ndjson")
        broken.append(
            Row(number, [], found if isinstance(found, str) else f"expected two keys or more, got {len(found)}")
        )
        if len(broken) == LOOKED_AT:
            break
    if broken:
        raise InvalidArgument(f"{name} has no object of two keys or more; line {broken[0].line}: {broken[0].fault}")
    raise InvalidArgument(f'{name} is empty; expected an object a line, e.g. {{"score": 3, "y": 0}}')


def _rows(columns: list[str], objects: Iterable[tuple[int, dict[str, Any] | str]]) -> Iterator[Row]:
    for number, found in objects:
        if isinstance(found, str):
            yield Row(number, [], found)
            continue
        try:
            cells = [as_text(found.get(column)) for column in columns]
        except (ValueError, RecursionError):  # read with its last strength, and too much to be written
            yield Row(number, [], "a value is too long a number, or nested too deeply")
        else:
            yield Row(number, cells)


def _object(number: int, line: str, fault: str) -> tuple[int, dict[str, Any] | str]:
    """Return the object, or what is wrong with the line."""
    if fault:
        return number, fault
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return number, f"not proper JSON: {error}"
    return number, found if isinstance(found, dict) else f"expected a JSON object, got {brief(line.strip())}"
