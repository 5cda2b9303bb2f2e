"""No cell kills a run that skips bad rows, and for any bytes a reader returns rows or an error message."""

from __future__ import annotations

import io
import json
import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import call, good, unnumbered

import adeptree as at
from adeptree.app.run import ndjson, text_lines
from adeptree.app.run.layout import layout_of
from adeptree.app.run.stream_sources import open_stream
from adeptree.core.errors import AdeptreeError, InvalidArgument

FORMATS = ["csv", "ndjson", "parquet"]
DEEP = "[" * 100_000
NUMBERS = ["9" * 400, "-" + "9" * 400, "9" * 5000, "1e999", "-1e999", "NaN", "Infinity", "-Infinity"]
TEXTS = [
    "inf",
    "-inf",
    "nan",
    "\x00",
    "3\x00",
    "\x1b[31m",
    "=1+1",
    "1_0",
    "x" * 200_000,
    "５e9999",
    "\u2028",
    "\ud800",
    "",
]
GOOD = [("1", "0"), ("0", "1"), ("1", "1"), ("0", "0")]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def as_csv(rows: list[tuple[str, str]]) -> bytes:
    lines = [",".join(f'"{cell}"' for cell in row) for row in [("a", "y"), *rows]]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def as_json(cell: str) -> str:
    plain = cell in NUMBERS or cell in ("0", "1") or cell.startswith("[")
    return cell if plain else json.dumps(cell)


def as_ndjson(rows: list[tuple[str, str]]) -> bytes:
    deep = [(DEEP, "1"), ("1", DEEP), ("[" * 900 + "]" * 900, "x")]
    lines = [f'{{"a": {as_json(a)}, "y": {as_json(y)}}}' for a, y in [*rows, *deep]]
    return "\n".join(lines).encode()


def as_parquet(rows: list[tuple[str, str]]) -> bytes:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    # Texts that are not UTF-8, and a time that Python does not know: pyarrow writes them, and cannot give them back.
    columns = [[cell.encode("utf-8", "surrogatepass") for cell in column] for column in zip(*rows, strict=True)]
    arrays = [pa.Array.from_buffers(pa.string(), len(rows), pa.array(column).buffers()) for column in columns]
    times = pa.array([0] * (len(rows) - 1) + [2**59], type=pa.timestamp("ms"))
    file = io.BytesIO()
    parquet.write_table(pa.table([times, *arrays], names=["when", "a", "y"]), file)
    return file.getvalue()


WRITERS: dict[str, Callable[[list[tuple[str, str]]], bytes]] = dict(
    zip(FORMATS, (as_csv, as_ndjson, as_parquet), strict=True)
)
SPECS = ["thresholds(n=16)", "intervals(n=16)", "finite(table=['001', '011'])", "conjunctions(n=1)", "parities(n=1)"]
RULES = [
    "real_thresholds()",
    "real_intervals()",
    "real_stumps(features=['a'])",
    "stumps(cuts={'a': [3, 5]})",
    "blocklist(a, d=2)",
    *SPECS,
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("label", ["y", "y>0"])
@pytest.mark.parametrize("rules", RULES)
def test_hostile_cells_are_bad_rows(rules: str, label: str, format: str) -> None:
    """The last row is hostile too, and the run is that of the good rows, except texts on a blocklist."""
    hostile = NUMBERS + TEXTS
    rows = list(GOOD)
    for i, cell in enumerate(hostile):
        rows += [GOOD[i % 4], (cell, "1"), ("1", cell)]
    rows.append(("1", "oops"))
    name = f"f.{format}"
    Path(name).write_bytes(WRITERS[format](rows))
    features = ["--features", "a"] if rules in SPECS or rules.endswith("()") else []
    options = ["--rules", rules, "--label", label, *features]
    result = call("run", name, *options, "--on-bad-row", "skip", "--predictions", "p.csv", "--save", "s", "-q")
    assert result.exit_code == 0, result.stderr
    (line,) = (line for line in result.stderr.splitlines() if "not UTF-8, read as cp1252" not in line)
    told = re.fullmatch(rf"adeptree: (\d+) bad rows skipped: {name}, .*; {name}, .*; {name}, .*; and (\d+) more", line)
    assert told and int(told[1]) == int(told[2]) + 3 and len(line) < 1500
    if rules != "blocklist(a, d=2)":
        # A missing label is not a fault of its row, which is answered.
        unknown = [row[1].strip() in ("", "nan", "NaN") and row[0] == "1" for row in rows]
        kept = [row for i, row in enumerate(rows) if i < 4 or (i - 4) % 3 == 0 or unknown[i]]
        Path("good.csv").write_bytes(as_csv(kept[:-1]))
        good("run", "good.csv", *options, "--predictions", "whole.csv", "-q")
        assert unnumbered("p.csv") == unnumbered("whole.csv")
        assert int(told[1]) == len(rows) - len(kept) + 1 + 3 * (format == "ndjson")


def test_half_characters_and_nul_are_no_values_of_a_blocklist() -> None:
    Path("f.ndjson").write_text('{"a": "b", "y": 1}\n{"a": "\\ud800", "y": 1}\n{"a": "b\\u0000", "y": 0}\n')
    result = call("run", "f.ndjson", "--rules", "blocklist(a, d=2)", "--on-bad-row", "skip", "-q")
    assert result.exit_code == 0 and result.stderr.count("must be text without NUL and half characters") == 2
    assert result.stderr.startswith("adeptree: 2 bad rows skipped: f.ndjson, line 2, column a: ")


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_cells_of_a_table_are_values_gaps_or_bad_rows(format: str) -> None:
    rows = [row for i, cell in enumerate([*NUMBERS, *TEXTS]) for row in (GOOD[i % 4], (cell, str(i % 2)))]
    Path(f"f.{format}").write_bytes(WRITERS[format](rows))
    options = ["--rules", "stumps(a)", "--on-bad-row", "skip", "--predictions", "p.csv", "--save", "s", "-q"]
    result = call("run", f"f.{format}", *options)
    assert result.exit_code == 0, result.stderr
    line = result.stderr.splitlines()[-1]
    assert "must be text without NUL and half characters" in line
    learner = at.load("s/checkpoint")
    # NUL twice, a line that is too long, and half a character (whose bytes a CSV file has as cp1252)
    assert learner.rounds == len(rows) - 4 + (format == "csv")


@pytest.mark.parametrize("label", ["y>1e999", "y>" + "9" * 400, "y<nan"])
def test_a_comparison_with_no_number_is_refused_at_the_start(label: str) -> None:
    Path("f.csv").write_bytes(as_csv(GOOD))
    result = call("run", "f.csv", "--rules", "thresholds(a)", "--label", label, "--on-bad-row", "skip")
    assert result.exit_code == 2 and "--label: expected a number after" in result.stderr


class Endless(io.RawIOBase):
    """A file with one line of 100 MB in it, which is never held as a whole."""

    def __init__(self, before: bytes, after: bytes) -> None:
        self._parts = [before, *[b"7" * 1_000_000] * 100, after]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        part = self._parts.pop(0) if self._parts else b""
        self._parts[:0] = [part[len(buffer) :]] if len(part) > len(buffer) else []
        buffer[: len(part)] = part[: len(buffer)]
        return min(len(part), len(buffer))


def test_a_line_without_end_is_one_bad_row_in_bounded_memory() -> None:
    tracemalloc.start()
    try:
        file = io.BufferedReader(Endless(b'{"a": 1, "y": 0}\n', b'\n{"a": 2, "y": 1}\n'))
        found = text_lines.bounded(text_lines.pieces_of(file), text_lines.Meter())
        rows = list(ndjson.ndjson_stream("f", (text.split(b"\n") for text in found)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(row.line, row.cells, row.fault) for row in rows] == [
        (1, ["1", "0"], ""),
        (2, [], text_lines.TOO_LONG),
        (3, ["2", "1"], ""),
    ]
    assert peak < 4 * text_lines.LONGEST


def test_twenty_thousand_columns() -> None:
    names = [f"c{i}" for i in range(20_000)]
    lines = [",".join([*names, "y"]), *(",".join(["3"] * 20_000 + [str(i % 2)]) for i in range(3))]
    Path("f.csv").write_text("\n".join(lines))
    start = time.monotonic()
    with open_stream("f.csv") as stream:
        layout = layout_of(stream, "stumps", None, None)
        assert [layout.example(row, labelled=True).y for row in stream] == [0, 1, 0]
    assert time.monotonic() - start < 5
    sentence = call("run", "f.csv", "--rules", "thresholds(n=4)").stderr
    assert "c0, c1, " in sentence and "and 19,970 others" in sentence and len(sentence) < 400


def test_a_text_of_no_objects_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson, "LOOKED_AT", 100)
    Path("f.ndjson").write_text("oops\n" * 101 + '{"a": 1, "y": 0}\n')
    assert "no object of two keys or more; line 1" in call("run", "f.ndjson", "--rules", "thresholds(a)").stderr


def outcome(name: str) -> int:
    """Read a file as a run does, and return its rows; every fault must be an error with a message."""
    count = 0
    try:
        with open_stream(name) as stream:
            listed = f"blocklist('{stream.columns[0]}', d=1)"
            readers = [layout_of(stream, rules, None, None) for rules in (listed, "stumps")]
            for row in stream:
                count += 1
                for layout in readers:
                    try:
                        layout.example(row, labelled=False)
                    except InvalidArgument as error:
                        assert str(error)
    except AdeptreeError as error:
        assert str(error)
    return count


FUZZ = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
PIECES = [b"a,y\n", b'{"a": 1, "y": 0}\n', b"\n", b'"', b",", b"1e999", b"[[", b"{", b"}", b"\\ud800", b"\x00", b"\xff"]
CONTENT = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES) | st.binary(max_size=8), max_size=30).map(b"".join)


@pytest.mark.parametrize("format", FORMATS)
@FUZZ
@given(content=CONTENT)
def test_any_bytes_are_rows_or_a_sentence(format: str, content: bytes) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    name = f"any.{format}"
    Path(name).write_bytes(content)
    outcome(name)


@pytest.mark.parametrize("format", FORMATS)
@FUZZ
@given(places=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=20))
def test_a_file_with_any_bytes_changed_is_rows_or_a_sentence(format: str, places: list[tuple[float, int]]) -> None:
    content = bytearray(WRITERS[format](GOOD * 3))
    for place, byte in places:
        content[int(place * len(content))] = byte
    name = f"changed.{format}"
    Path(name).write_bytes(content)
    outcome(name)


def test_the_fuzzed_files_hold_rows_before_they_are_changed() -> None:
    for format in FORMATS:
        Path(f"whole.{format}").write_bytes(WRITERS[format](GOOD * 3))
        assert outcome(f"whole.{format}") >= 12
