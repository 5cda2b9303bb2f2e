"""Files of one JSON array: the rounds are those of the same objects line by line, wherever reading cuts it."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import call, good, write
from strategies import steady

from adeptree.app.run import text_lines
from adeptree.app.run.ndjson import elements
from adeptree.app.run.text_lines import Meter

RULES = ["--rules", "stumps(score)"]
ROWS = [{"score": 7 * i % 16, "said": 'a],{"\\', "more": [1, {"b": []}], "y": int(7 * i % 16 >= 9)} for i in range(60)]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(st.text(max_size=5), values, max_size=4)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def predictions(name: str, *options: str, stdin: bytes | None = None) -> str:
    good("run", name, *RULES, *options, "-q", "--predictions", "p.csv", stdin=stdin)
    return Path("p.csv").read_text()


def test_an_array_is_read_as_its_objects_are_line_by_line() -> None:
    write("rows.jsonl", *map(json.dumps, ROWS))
    expected, text = predictions("rows.jsonl"), json.dumps(ROWS)
    forms: dict[str, bytes] = {
        "one.json": text.encode(),
        "pretty.json": json.dumps(ROWS, indent=2).encode(),
        "mark.json": b"\xef\xbb\xbf" + text.encode(),
        "wide.json": text.encode("utf-16"),
        "packed.json.gz": gzip.compress(text.encode()),
        "lines.json": Path("rows.jsonl").read_bytes(),
        "called.csv": text.encode(),
        "unnamed": text.encode(),
    }
    for name, content in forms.items():
        Path(name).write_bytes(content)
        assert predictions(name) == expected, name
    assert predictions("-", stdin=text.encode()) == expected
    assert predictions("-", stdin=Path("rows.jsonl").read_bytes()) == expected


@given(st.lists(objects, min_size=1, max_size=8), st.lists(st.integers(0, 400)))
@steady
def test_it_does_not_matter_where_a_piece_ends(rows: list[dict[str, Any]], cuts: list[int]) -> None:
    text = json.dumps(rows, ensure_ascii=False, indent=len(rows) % 3 or None).encode("utf-8", "surrogatepass")
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    pieces = iter([text[a:b] for a, b in pairwise(places)])
    found = [json.loads(element) for some in elements(pieces, text_lines.Meter()) for element in some]
    assert found == rows


def test_a_broken_object_is_a_bad_row_and_no_other_is_lost() -> None:
    text = json.dumps(ROWS)[:-1] + ', {"score": oops}, 7, {"y": 1, "score": 2}]'
    Path("f.json").write_text(text)
    stopped = call("run", "f.json", *RULES)
    assert stopped.exit_code == 2 and "f.json, object 61: not proper JSON" in stopped.stderr
    skipped = call("run", "f.json", *RULES, "--on-bad-row", "skip")
    assert "61 rows" in skipped.stdout and "2 bad rows skipped" in skipped.stderr
    assert "object 62: expected a JSON object, got 7" in skipped.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text[:-1], "after object 59: could not be read: the array has no end; the file was cut off"),
        (lambda text: text[:-9], "after object 59: could not be read: the array has no end; the file was cut off"),
        (lambda text: text + "{}", "after object 60: could not be read: after the end of the array there is more"),
    ],
)
def test_an_array_that_does_not_end_is_a_sentence(change: Any, sentence: str) -> None:
    Path("f.json").write_text(change(json.dumps(ROWS)))
    result = call("run", "f.json", *RULES)
    assert result.exit_code == 1 and sentence in result.stderr


def test_an_object_may_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adeptree.app.run.ndjson.LONGEST", 1000)
    pieces = iter([b'[{"a": "', *([b"x" * 100] * 50)])
    with pytest.raises(EOFError, match="longer than"):
        list(elements(pieces, text_lines.Meter()))
    assert len(list(pieces)) > 30


def test_what_comes_after_the_array_is_seen_in_a_later_piece_too() -> None:
    with pytest.raises(EOFError, match="there is more"):
        list(elements(iter([b'[{"a": 1}]', b" ", b"x"]), Meter()))


def test_a_comma_too_many_is_no_object() -> None:
    assert list(elements(iter([b'[{"a": 1},, {"a": 2}, ]']), Meter())) == [[b'{"a": 1}', b'{"a": 2}']]


def test_an_object_whose_end_has_not_come_is_not_yet_handed_on() -> None:
    meter = Meter()
    found = elements(iter([b'[{"a": 1}, {"b', b'": 2}]']), meter)
    assert next(found) == [b'{"a": 1}'] and (meter.read, meter.handed) == (14, 10)
    assert next(found) == [b'{"b": 2}'] and list(found) == [] and meter.handed == meter.read == 20
