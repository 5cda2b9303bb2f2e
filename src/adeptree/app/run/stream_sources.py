"""Where a stream comes from: a file, stdin or the package itself; and which format it has."""

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
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from typing import IO, Any

from adeptree.app.run.csv_rows import Form, csv_stream
from adeptree.app.run.json_array import BEGINNING as ARRAY
from adeptree.app.run.json_array import elements
from adeptree.app.run.ndjson import ndjson_stream
from adeptree.app.run.parquet import parquet_stream
from adeptree.app.run.rows import Stream
from adeptree.app.run.text_lines import Meter, begun, bounded, pieces_of
from adeptree.core.errors import InvalidArgument, MissingExtra, did_you_mean

BUNDLED = {"machine-alarms": ("machine_alarms.csv", "thresholds(n=1024)")}
"""Name of each bundled stream: its file, and the rules that go with it."""

USUAL = Form(lines=True, lenient=True)

FORMATS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
FORMATS |= dict.fromkeys((".ndjson", ".jsonl", ".json"), "ndjson")
"""Endings of file names that tell the format; anything else is CSV. What begins like JSON is JSON, but for --format."""
OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"')
"""What a text of JSON objects begins with."""


@contextmanager
def open_stream(source: str, format: str | None = None, form: Form = USUAL) -> Iterator[Stream]:
    """Open a path, ``-`` for stdin, or a bundled stream, and read its columns."""
    name = "stdin" if source == "-" else source
    inner, ending = os.path.splitext(source.lower())
    packed = UNPACKED.get(ending)
    told = format or FORMATS.get(os.path.splitext(inner)[1] if packed else ending)
    if told not in (None, *FORMATS.values()):
        raise InvalidArgument(f"--format must be csv, ndjson or parquet; got {told!r}")
    with _opened(source, told) as file:
        if told == "parquet":
            if packed:
                raise InvalidArgument(f"{name}: Parquet is compressed inside already; unpack the file first")
            yield parquet_stream(name, source)
        else:
            packed = packed or _seen(name, file)
            meter, text = Meter(), packed(file) if packed else file  # (kept: without it some close the file)
            first, pieces = begun(name, pieces_of(text, form.encoding))
            array = format != "csv" and ARRAY.match(first)
            if array or told == "ndjson" or (format is None and OBJECT.match(first)):
                chunks, unit = (elements(pieces, meter), "object") if array else (bounded(pieces, meter), "line")
                stream = ndjson_stream(name, chunks, form.also, unit)
            else:
                stream = csv_stream(name, bounded(pieces, meter), form)
            stream.live, stream.ready = source == "-", lambda: meter.more or _has_bytes(file)
            if size := 0 if stream.live else os.fstat(file.fileno()).st_size:
                stream.share = lambda read: file.tell() / size * meter.handed / max(1, meter.read)
            yield stream


def _has_bytes(file: IO[bytes]) -> bool:
    """Tell whether a pipe has something, or is at its end; a file always has."""
    try:
        return bool(select.select([file], [], [], 0)[0])
    except (OSError, ValueError):  # (where only sockets can be asked)
        return True


def form_of(sep: str | None, encoding: str | None, decimal: str, header: bool | None, follow: bool) -> Form:
    """Return how a text is written, as the options say."""
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


def _zstd(file: IO[bytes]) -> IO[bytes]:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtra(".zst files need pyarrow; run in a clone: pip install '.[parquet]'") from None
    return io.BufferedReader(pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd"))


def _zip(file: IO[bytes]) -> IO[bytes]:
    try:
        archive = zipfile.ZipFile(file)
        (name,) = (name for name in archive.namelist() if not name.endswith("/"))
        return archive.open(name)
    except (ValueError, RuntimeError, zipfile.BadZipFile) as error:
        why = "it must hold one file" if isinstance(error, ValueError) else error
        raise InvalidArgument(f"{file.name} could not be unpacked: {why}") from None


UNPACKED: dict[str, Callable[[IO[bytes]], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
UNPACKED |= {".zst": _zstd, ".zip": _zip}
"""Endings of compressed files; the format is told by the ending before."""


BEGINNINGS = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
"""What compressed files begin with, whatever they are called."""
OTHERS = {
    rb"PK\x03\x04": "a zip or Excel file; unpack it, or save it as CSV",
    rb"\s*\[\s*\[": "a JSON array of arrays; one of objects is read, or one object per line",
    rb"PAR1": "Parquet; add --format parquet",
    rb"ARROW1|FEA1": "an Arrow file; save it as Parquet or CSV",
    rb"<stata_dta>|[q-s][\x01\x02]\x01": "a Stata file; save it as CSV or Parquet",
    rb"\$FL[23]": "an SPSS file; save it as CSV or Parquet",
    rb"%PDF": "a PDF; save its table as CSV",
    rb"(?i)\s*(%[^,;|\t\n]*\n|@relation\s)": "an ARFF file; save it as CSV or Parquet",
    rb"\xd0\xcf\x11\xe0": "an old Excel file; save it as CSV",
    rb"SQLite format 3|\x89HDF|\x80[\x02-\x05]": "a database, HDF5 or pickle file; save its table as CSV or Parquet",
    rb"(?i)\s*<(!doctype|html|\?xml)": "a page or XML; save its table as CSV",
}
"""What other files begin with, as patterns, and what to do."""


def _seen(name: str, file: IO[bytes]) -> Callable[[IO[bytes]], Any] | None:
    """Look at the first bytes: return how to unpack them, or say what it is that cannot be read."""
    first = file.peek(64) if isinstance(file, io.BufferedReader) else b""
    for beginning, ending in BEGINNINGS.items():
        if first.startswith(beginning):
            return UNPACKED[ending]
    for beginning, what in OTHERS.items():
        if re.match(beginning, first):
            raise InvalidArgument(f"{name} is {what}")
    return None


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
