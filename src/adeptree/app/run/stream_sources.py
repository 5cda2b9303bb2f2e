"""Where a stream comes from: a file, stdin or the package itself; and which format it has."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import IO

from adeptree.app.run.csv_rows import csv_stream
from adeptree.app.run.ndjson import ndjson_stream
from adeptree.app.run.parquet import parquet_stream
from adeptree.app.run.rows import Stream
from adeptree.app.run.text_lines import bounded
from adeptree.core.errors import InvalidArgument

BUNDLED = {"machine-alarms": ("machine_alarms.csv", "thresholds(n=1024)")}
"""Name of each bundled stream: its file, and the rules that go with it."""

FORMATS = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".parquet": "parquet", ".pq": "parquet"}
"""Endings of file names that tell the format; anything else is read as CSV."""


@contextmanager
def open_stream(source: str, format: str | None = None) -> Iterator[Stream]:
    """Open a path, ``-`` for stdin, or a bundled stream, and read its columns."""
    name = "stdin" if source == "-" else source
    known = format or FORMATS.get(os.path.splitext(source)[1].lower(), "csv")
    if known not in FORMATS.values():
        raise InvalidArgument(f"--format must be csv, ndjson or parquet; got {known!r}")
    with _opened(source, known) as file:
        if known == "parquet":
            yield parquet_stream(name, source)
        else:
            stream = (ndjson_stream if known == "ndjson" else csv_stream)(name, bounded(file))
            stream.live = source == "-"
            yield stream


@contextmanager
def _opened(source: str, format: str) -> Iterator[IO[bytes]]:
    if source == "-":
        if format == "parquet":
            raise InvalidArgument("Parquet cannot be read from a pipe, as its index is at the end; give the file")
        if sys.stdin is None:
            raise InvalidArgument("stdin is closed; give a file, or pipe rows in")
        yield sys.stdin.buffer
        return
    try:
        path = resources.files("adeptree") / "data" / BUNDLED[source][0] if source in BUNDLED else None
        file: IO[bytes] = path.open("rb") if path else open(source, "rb")
    except (OSError, ValueError) as error:
        raise InvalidArgument(_unreadable(source, error)) from None
    with file:
        yield file


def _unreadable(source: str, error: Exception) -> str:
    reason = f"{source} could not be read: {getattr(error, 'strerror', None) or error}"
    if not isinstance(error, FileNotFoundError):
        return reason
    near = difflib.get_close_matches(source, BUNDLED, n=1)
    if near:
        return f'{reason}; did you mean the bundled stream "{near[0]}"?'
    return f"{reason}; expected a file, - for stdin, or a bundled stream: {', '.join(BUNDLED)}"
