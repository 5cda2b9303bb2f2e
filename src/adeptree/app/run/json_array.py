"""A JSON file that holds one array of objects: read object by object, however long the array is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adeptree.app.run.text_lines import LONGEST, Meter

BEGINNING = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*\{")
"""What such a file begins with (after a byte-order mark)."""
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{},"]', re.DOTALL)
"""A whole text, a bracket or a comma; a quote alone is a text whose end has not come."""


def elements(pieces: Iterator[bytes], meter: Meter) -> Iterator[list[bytes]]:
    """Yield what is between the commas of the array, as it comes: objects that are broken are not looked into.

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
