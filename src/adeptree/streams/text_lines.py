"""Lines of UTF-8 text with their numbers; what is no UTF-8 spoils its own line only."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from adeptree.errors import StateError

NOT_UTF8 = "not UTF-8 text; save it as UTF-8"


def numbered(name: str, lines: Iterable[bytes]) -> Iterator[tuple[int, str | None]]:
    """Yield (line number, text), None in place of a line that is not UTF-8.

    >>> list(numbered("f", [b"\\xef\\xbb\\xbfa\\n", b"\\xff\\n", b"b"]))
    [(1, 'a\\n'), (2, None), (3, 'b')]
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            # A byte-order mark, as spreadsheets write it, is not part of the first column's name.
            whole = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            try:
                yield number, whole.decode()
            except UnicodeDecodeError:
                yield number, None
    except OSError as error:
        raise StateError(f"{name}, after line {number}: could not be read: {error.strerror or error}") from None
