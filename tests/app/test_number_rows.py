"""Files of plain numbers are read into arrays: what is computed and written is what their texts say, to the bit."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import call, good, process

import adeptree as at
from adeptree.app.run import csv_rows, label_values, parquet, run_loop, text_lines
from adeptree.app.run.layout import Layout
from adeptree.app.run.row_label import Label
from adeptree.app.run.streams import Stream
from adeptree.core import files
from adeptree.runner.rows import NumberRows, Row, block_of, digest, rows_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


PLAIN = ["0", "1", "0.5", ".5", "5.", "1e5", "1E-3", "-0", "+1", "007", "0.1000000000000000055511151231257827", "-3.25"]
HOSTILE = [" 1", "1 ", "0x1", "1_000", "nan", "inf", "-inf", "1e999", "9" * 25, "9007199254740993", "٣", "", "NA", "-"]
HOSTILE += [
    "--1",
    "1-2",
    "1e",
    "e5",
    ".",
    '"1"',
    "1,5",
    "1.000.000",
    "\ufeff1",
    "1\r",
    "#1",
    "+",
    "1e5.5",
    "true",
    "1\x00",
]
CELLS = st.sampled_from(PLAIN) | st.floats(allow_nan=False, allow_infinity=False, width=64).map(repr)
CELLS |= st.integers(-(10**25), 10**25).map(str)
ENDS = st.sampled_from(["\n", "\n", "\r\n"])
FUZZ = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def texts(draw: Any) -> str:
    """Draw a file: most of its cells are plain, and one line in some files is not."""
    rows = draw(st.lists(st.tuples(CELLS, st.sampled_from(["0", "1", "1.0", "0e0", "01"])), min_size=1, max_size=30))
    lines, end = [",".join(row) for row in rows], draw(ENDS)
    if draw(st.booleans()):
        odd = st.sampled_from(HOSTILE).map(lambda cell: f"{cell},1") | st.sampled_from(HOSTILE).map("1,{}".format)
        more = st.sampled_from(["", " ", ",", "1", "1,2,3", "0.5,2", "0.5,-1", '"a', "\ufeff1,1"])
        lines.insert(draw(st.integers(0, len(lines))), draw(odd | more))
    mark: str = draw(st.sampled_from(["", "\ufeff"]))
    last: str = draw(st.sampled_from(["", end, 2 * end]))
    return mark + str(end).join(["x,y", *lines]) + last


def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read every line as texts."""
    monkeypatch.setattr(csv_rows._Reader, "_numbers", lambda *_: None)
    monkeypatch.setattr(parquet, "_numbers", lambda *_: None)


def chunks(content: bytes) -> Stream:
    found = text_lines.bounded(text_lines.pieces_of(io.BytesIO(content)), text_lines.Meter())
    return csv_rows.csv_stream("f", found, csv_rows.Form(lines=True, lenient=True))


@FUZZ
@given(text=texts(), size=st.sampled_from([(1 << 18, 4096), (7, 3), (64, 1)]))
def test_the_same_rows_are_read(text: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(text_lines, "CHUNK", size[0])
        patched.setattr(text_lines, "LINES", size[1])
        fast = list(chunks(text.encode()))
        slowly(patched)
        assert fast == list(chunks(text.encode()))


ODD = [*(f"{cell},1" for cell in HOSTILE), *(f"1,{cell}" for cell in HOSTILE)]
ODD += ["", " ", ",", "1", "1,2,3", "0.5,2", "0.5,-1", '"a', "\ufeff1,1"]


@pytest.mark.parametrize("odd", ODD)
def test_each_odd_line_is_read_as_text(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the beginning, in the middle and at the end; the checksum is that of the rows."""
    for place in range(1, 6):
        lines = ["x,y", "0.5,1", "1e5,0", "-0,1", "7,0"]
        lines.insert(place, odd)
        content = "\n".join(lines).encode()
        blocks = list(chunks(content).source)
        with monkeypatch.context() as patched:
            slowly(patched)
            texts = list(chunks(content).source)
        assert [list(block) for block in blocks] == [list(block) for block in texts]
        assert [digest(block, 1) for block in blocks] == [digest(block, 1) for block in texts]


RULES = ["thresholds(x)", "stumps(x)", "real_thresholds()", "intervals(x)", "thresholds(n=9)"]
LABELS = ["y", "y>0", "y==1", "y=='1'", "y!=01", "x>=0.5", "y<=9007199254740993"]


@FUZZ
@given(text=texts(), rules=st.sampled_from(RULES), label=st.sampled_from(LABELS))
def test_the_same_is_learnt_and_written(text: str, rules: str, label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, summary, predictions and checkpoint, of rows with any fault."""
    column = ["--features", "y" if label.startswith("x") else "x"] if "(x)" not in rules else []
    if label.startswith("x") and not column:
        rules = rules.replace("(x)", "(y)")
    Path("f.csv").write_bytes(text.encode())
    options = ["run", "f.csv", "--rules", rules, "--label", label, *column, "--on-bad-row", "skip"]
    found = []
    with monkeypatch.context() as patched:
        for _ in range(2):
            for name in ("p.csv", "s/checkpoint", "s/settings.json", "s/rows.journal"):
                Path(name).unlink(missing_ok=True)
            result = call(*options, "--predictions", "p.csv", "--save", "s")
            run = files.load("s/checkpoint")["run"] if Path("s/checkpoint").exists() else None
            lines = Path("p.csv").read_bytes() if Path("p.csv").exists() else None
            found.append((result.exit_code, result.stdout, result.stderr, lines, run and run["position"]))
            slowly(patched)
    assert found[0] == found[1]


def numbers(text: str, first: int = 2) -> NumberRows:
    values = np.array([[float(cell) for cell in line.split(",")] for line in text.split("\n")])
    return NumberRows(first, values, text.encode, ",")


TEXT = "\n".join(f"{i / 8:g},{i % 2}" for i in range(50))


@pytest.mark.parametrize("part", [slice(0, 50), slice(3, 17), slice(49, 50), slice(0, 0), slice(7, 7), slice(40, 99)])
def test_parts_are_those_of_a_list(part: slice) -> None:
    rows, listed = numbers(TEXT), [Row(2 + i, line.split(",")) for i, line in enumerate(TEXT.split("\n"))]
    assert list(rows) == listed and rows[7] == listed[7] and rows[-1] == listed[-1]
    cut = rows[part]
    assert list(cut) == listed[part] and len(cut) == len(listed[part])
    assert list(cut[1:][1:]) == listed[part][2:]
    if len(cut):
        assert cut.texts(0) == [row.cells[0] for row in listed[part]]
        assert digest(cut, 5) == digest(listed[part], 5)
        assert rows_in(json.loads(json.dumps(block_of(cut)))) == listed[part] == rows_in(block_of(listed[part]))


@pytest.mark.parametrize("sign", [None, "==", "!=", ">", ">=", "<", "<="])
@pytest.mark.parametrize("column", [[0, 1], [-1, 1, -1], [3, 2, 9], [0.5, 1], [1, 500], [0, 2]])
def test_labels_of_numbers_are_those_of_their_texts(sign: str | None, column: list[float]) -> None:
    values = label_values.Values(("1",), ("-1",) if -1 in column else ("0",))
    for value in (1, 2.5, "1"):
        label = Label("y", 0, sign, value, values)
        try:
            found = label.of_numbers(np.array(column, dtype=float)).tolist()
        except ValueError:
            continue
        if isinstance(value, str) and sign:
            raise AssertionError("texts are compared as they are written")
        assert found == label.many([[repr(cell)] for cell in column]).tolist()


def write(kind: str, n: int = 3000) -> str:
    rng = np.random.default_rng(5)
    xs = np.round(rng.random(n), 3)
    ys = ((xs > 0.4) ^ (rng.random(n) < 0.1)).astype(int)
    text = "".join(["x,y\n", *(f"{x!r},{y}\n" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))])
    Path("f.csv").write_text(text)
    if kind == "gz":
        Path("f.csv.gz").write_bytes(gzip.compress(text.encode()))
    if kind == "parquet":
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"x": xs, "y": ys}), "f.parquet")
    return {"csv": "f.csv", "gz": "f.csv.gz", "parquet": "f.parquet"}[kind]


@pytest.mark.parametrize("kind", ["csv", "gz", "parquet"])
def test_files_of_numbers_take_the_fast_way(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No row is made, and nothing of what is written differs."""
    name = write(kind)
    options = ["run", name, "--rules", "thresholds(x)", "--predictions", "p.csv", "--save", "s"]
    shown = []
    with monkeypatch.context() as patched:
        slowly(patched)
        shown.append((good(*options), Path("p.csv").read_bytes(), at.load("s/checkpoint").certificate()))
    for path in ("s/checkpoint", "s/settings.json", "s/rows.journal", "p.csv"):
        Path(path).unlink()
    with monkeypatch.context() as patched:
        patched.setattr(Layout, "_fault", lambda *_: pytest.fail("a block had an odd row"))
        patched.setattr(Label, "many", lambda *_: pytest.fail("labels were read as texts"))
        patched.setattr(Layout, "copies", lambda *_: [])
        shown.append((good(*options), Path("p.csv").read_bytes(), at.load("s/checkpoint").certificate()))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("after", [1, 17, 700, 2999])
def test_a_killed_run_of_numbers_is_resumed(kind: str, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after rows are in the journal and before they are learnt."""
    name = write(kind)
    options = ["run", name, "--rules", "thresholds(x)", "--predictions", "p.csv"]
    good(*options, "--save", "whole", "-q")
    expected = Path("p.csv").read_bytes()
    real = run_loop.Game._play
    with monkeypatch.context() as patched:

        def killed(self: run_loop.Game, part: Any, bar: Any) -> None:
            if self.position.taken + len(part.ys) > after:
                raise MemoryError
            real(self, part, bar)

        patched.setattr(run_loop.Game, "_play", killed)
        patched.setattr(run_loop.Game, "_last_checkpoint", lambda *_: None)
        assert call(*options, "--save", "s", "-q").exit_code == 1
    assert '"text": [' in Path("s/rows.journal").read_text() or after == 1
    good(*options, "--save", "s", "--resume", "-q")
    assert Path("p.csv").read_bytes() == expected
    first, again = (files.load(f"{folder}/checkpoint") for folder in ("whole", "s"))
    assert first["run"]["position"] == again["run"]["position"]
    assert at.load("whole/checkpoint").certificate() == at.load("s/checkpoint").certificate()


def test_a_parquet_file_is_read_without_pandas() -> None:
    """Importing pandas takes longer than to learn 300,000 rows."""
    said = "print('pandas' in sys.modules, 'pyarrow' in sys.modules)"
    main = f"from adeptree.app.cli import main\ntry: main()\nfinally: {said}"
    options = "run", write("parquet"), "--rules", "thresholds(x)", "-q"
    with process(*options, fresh=True, before="import sys", main=main) as run:
        assert run.communicate(timeout=60)[0] == b"False True\n"


def test_numbers_whose_texts_say_more_are_left_to_their_texts() -> None:
    assert NumberRows.read(2, b"1,2\r\n3,4\r", ",") is not None
    for text in (b"1,9007199254740993\n2,3", b"1,1e999\n2,3", b"1,-9007199254740992\n2,3"):
        assert NumberRows.read(2, text, ",") is None
    with pytest.raises(ValueError):
        Label("y", 0).of_numbers(np.array([0.0, 1.0, 2.0]))


@pytest.mark.parametrize("digits", [140_000, 17 << 20])
def test_long_lines_are_read_as_texts(digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell or a line that is too long is a bad row, whatever comes before and after it."""
    text = "x,y\n5,0\n3," + "0" * digits + "1\n4,0\n8,1\n"
    Path("f.csv").write_text(text)
    fast = call("run", "f.csv", "--on-bad-row", "skip", "--predictions", "p.csv")
    with monkeypatch.context() as patch:
        slowly(patch)
        slow = call("run", "f.csv", "--on-bad-row", "skip", "--predictions", "q.csv")
    assert (fast.exit_code, fast.stdout, fast.stderr) == (slow.exit_code, slow.stdout, slow.stderr)
    assert "1 bad row skipped" in fast.stdout + fast.stderr
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()
