"""Files of JSON lines: written files are read, and everything else is an error message with file and line."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from adeptree.core.errors import DamagedFile, StateError, UnknownVersion
from adeptree.core.json_lines import LineFormat, seal

NOTES = LineFormat("adeptree notes", 2, "a file of notes")
GROWING = LineFormat("adeptree notes", 2, "a file of notes", "start again", empty=True)


def written(count: int = 5) -> list[str]:
    """Return the lines of a file, with their line ends."""
    writer = NOTES.writer(about="tea")
    return [writer.header, *(writer.row({"note": i}) for i in range(count)), writer.end()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "notes").write_text("".join(written()))
    return tmp_path / "notes"


def test_what_was_written_is_read(path: Path) -> None:
    found = NOTES.read(path)
    assert found.header == {"format": "adeptree notes", "version": 2, "about": "tea"}
    assert found.each(lambda row: row["note"]) == list(range(5)) and found.ended
    assert all(isinstance(json.loads(line), dict) for line in path.read_text().splitlines())  # any reader can


def test_no_line_can_be_altered_lost_moved_or_added(path: Path) -> None:
    lines = written()
    other = written(6)
    for i in range(1, len(lines)):
        for wrong in (
            [*lines[:i], *lines[i + 1 :], lines[-1]] if i < len(lines) - 1 else [*lines, lines[-1]],
            [*lines[:i], lines[i].replace('"check": "', '"check": "0', 1), *lines[i + 1 :]],
            [*lines[: i + 1], lines[i], *lines[i + 1 :]],
            [*lines[:i], seal(json.dumps({"note": 9})) + "\n", *lines[i + 1 :]],
        ):
            path.write_text("".join(wrong))
            with pytest.raises(DamagedFile, match=rf"{path.name} is damaged in line \d+; use an earlier copy"):
                NOTES.read(path)
    assert lines[:6] == other[:6] and lines[6] != other[6]


@pytest.mark.parametrize(
    "rows",
    [[{"end": 2}], [{"end": 1.0}], [{"end": True}], [{"end": 1}, {"note": 1}], [{}, {"end": 1}]],
)
def test_an_end_that_is_none_is_refused_whatever_its_checksum(path: Path, rows: list[dict[str, Any]]) -> None:
    writer = NOTES.writer()
    path.write_text("".join([writer.header, *map(writer.row, rows)]))
    with pytest.raises(DamagedFile, match=rf"notes is damaged in line {1 + len(rows)};"):
        NOTES.read(path)


def test_no_flipped_bit_goes_unseen(path: Path) -> None:
    content, rng = path.read_bytes(), random.Random(1)
    for _ in range(500):
        place = rng.randrange(len(content))
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :])
        with pytest.raises((DamagedFile, UnknownVersion), match="notes"):
            NOTES.read(path).need_end("cut off")


def test_a_killed_writer_leaves_what_it_had_written(path: Path) -> None:
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    for size in range(len(content)):
        path.write_bytes(content[:size])
        if size < first:
            assert GROWING.read(path).rows == []
            with pytest.raises(DamagedFile, match="is not a file of notes"):
                NOTES.read(path)
            continue
        found = NOTES.read(path)
        assert found.rows == [{"note": i} for i in range(content[first:size].count(b"\n"))] and not found.ended
        with pytest.raises(DamagedFile, match=r"the end of .*notes is missing after \d lines: cut off"):
            found.need_end("cut off")


def test_a_row_that_cannot_be_is_named_by_its_line(path: Path) -> None:
    def small(row: dict[str, Any]) -> int:
        number: int = row["note"]
        return [10, 11, 12][number]

    with pytest.raises(DamagedFile, match="notes is damaged in line 5; use an earlier copy"):
        NOTES.read(path).each(small)
    with pytest.raises(DamagedFile, match="notes is damaged in line 1;"):
        NOTES.read(path).head(lambda header: header["author"])


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        (b"\xff\n", DamagedFile, "not a file of notes, or it is damaged: it is not text"),
        (b"[]\n", DamagedFile, r"not a file of notes \(or its beginning is damaged\)"),
        (b"[" * 100_000 + b"\n", DamagedFile, "beginning is damaged"),
        (b'{"format": "other", "version": 2}\n', DamagedFile, "not a file of notes"),
        (b'{"format": "adeptree notes", "version": 2}\n', DamagedFile, "beginning is damaged"),
        (
            b'{"format": "adeptree notes", "version": 1}\n',
            UnknownVersion,
            "version 1 is not supported; this version reads 2;",
        ),
        (b'{"format": "adeptree notes", "version": 2.0}\n', UnknownVersion, "version 2.0 is not supported"),
    ],
)
def test_what_is_no_such_file_gets_a_sentence(path: Path, content: bytes, error: type[Exception], words: str) -> None:
    path.write_bytes(content)
    for kind in (NOTES, GROWING):
        with pytest.raises(error, match=words):
            kind.read(path)


def test_a_file_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="could not be read: No such file"):
        NOTES.read(tmp_path / "none")
