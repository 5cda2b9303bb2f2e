"""Open a stream (a file, stdin or a bundled one), and detect its format."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from typing import IO, Any

from adeptree.app.run.csv_rows import Form, csv_stream
from adeptree.app.run.ndjson import BEGINNING as ARRAY
from adeptree.app.run.ndjson import elements, ndjson_stream
from adeptree.app.run.parquet import parquet_stream
from adeptree.app.run.streams import Stream
from adeptree.app.run.text_lines import Meter, begun, bounded, pieces_of
from adeptree.core.errors import InvalidArgument, did_you_mean

BUNDLED = {
    "machine-alarms": ("machine_alarms.csv", "thresholds(n=1024)"),
    "fraud-scores": ("fraud_scores.csv", "thresholds(score)"),
}
"""The bundled streams by name: file and default rules."""

USUAL = Form(lines=True, lenient=True)

FORMATS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
FORMATS |= dict.fromkeys((".ndjson", ".jsonl", ".json"), "ndjson")
"""Extensions that determine the format; others are CSV. Without --format, a text that begins like JSON is JSON."""
OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"')
"""First characters of a text of JSON objects."""
UNPACKED: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    ".gz": (b"\x1f\x8b", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ", lzma.open),
}
"""Extensions of compressed files, and their first bytes, which take precedence."""
OTHERS = re.compile(
    rb"PK\x03\x04|\x28\xb5\x2f\xfd|PAR1|ARROW1|FEA1|[q-s][\x01\x02]\x01|\$FL[23]|%PDF|\xd0\xcf\x11\xe0|SQLite format 3|"
    rb"\x89HDF|\x80[\x02-\x05]|(?i:\s*(\[\s*\[|<(stata_dta|!doctype|html|\?xml)|@relation\s|%[^,;|\t\n]*\n))"
)
"""First bytes of unsupported formats: archives, spreadsheets, HTML pages, arrays of arrays."""


@contextmanager
def open_stream(source: str, format: str | None = None, form: Form = USUAL) -> Iterator[Stream]:
    """Open a path, ``-`` for stdin, or a bundled stream, and read its columns."""
    name = "stdin" if source == "-" else source
    inner, ending = os.path.splitext(source.lower())
    told = format or FORMATS.get(os.path.splitext(inner)[1] if ending in UNPACKED else ending)
    if told not in (None, *FORMATS.values()):
        raise InvalidArgument(f"--format must be csv, ndjson or parquet; got {told!r}")
    with _opened(source, told) as file:
        if told == "parquet":
            yield parquet_stream(name, source)
        else:
            meter, text = Meter(), _unpacked(name, file)  # kept alive, or some readers close the file
            first, pieces = begun(name, pieces_of(text, form.encoding))
            if format != "csv" and ARRAY.match(first):
                stream = ndjson_stream(name, elements(pieces, meter), form.also, "object")
            elif told == "ndjson" or (format is None and OBJECT.match(first)):
                stream = ndjson_stream(name, (text.split(b"\n") for text in bounded(pieces, meter)), form.also)
            else:
                stream = csv_stream(name, bounded(pieces, meter), form)
            stream.form += f", {form.encoding or 'UTF-8'}"
            stream.live, stream.ready = source == "-", lambda: meter.more or _has_bytes(file)
            if size := 0 if stream.live else os.fstat(file.fileno()).st_size:
                stream.share = lambda read: file.tell() / size * meter.handed / max(1, meter.read)
            yield stream


def _has_bytes(file: IO[bytes]) -> bool:
    """Return True if a pipe has data or is at its end; always True for a file."""
    try:
        return bool(select.select([file], [], [], 0)[0])
    except (OSError, ValueError):  # on platforms that support sockets only
        return True


def form_of(sep: str | None, encoding: str | None, decimal: str, header: bool | None, follow: bool) -> Form:
    """Return the format that the options give."""
    sep = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " "}.get(sep or "", sep)
    if sep is not None and (len(sep) != 1 or sep in '"\r\n'):
        raise InvalidArgument(f"--sep must be one character, tab or space; got {sep!r}")
    if decimal not in (",", ".") or decimal == sep:
        raise InvalidArgument(f"--decimal must be . or , and not the separator; got {decimal!r}")
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise InvalidArgument(f"--encoding must be a name such as utf-8, cp1252 or latin-1; got {encoding!r}") from None
    return Form(sep, encoding, decimal, header, not follow, True)


def _unpacked(name: str, file: IO[bytes]) -> Any:
    """Return a reader of a file, which unpacks it if its name or first bytes show that it is compressed."""
    first = file.peek(64) if isinstance(file, io.BufferedReader) else b""
    for ending, (beginning, opened) in UNPACKED.items():
        if name.lower().endswith(ending) or first.startswith(beginning):
            return opened(file)
    if OTHERS.match(first):
        raise InvalidArgument(
            f"{name} is of a kind that is not read; expected CSV, JSON objects (plain, or packed by gzip, bzip2 or xz) "
            f"or Parquet (--format parquet); unpack it, or save its table as CSV"
        )
    return file


@contextmanager
def _opened(source: str, format: str | None) -> Iterator[IO[bytes]]:
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
    near = did_you_mean(source, BUNDLED)
    if near != ".":
        return f"{reason}{near.replace('mean', 'mean the bundled stream', 1)}"
    return f"{reason}; expected a file, - for stdin, or a bundled stream: {', '.join(BUNDLED)}"
