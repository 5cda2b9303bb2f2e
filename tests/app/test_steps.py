"""Rows are read and learnt many at a time, and everything is as if they were taken one by one."""

from __future__ import annotations

import csv
import io
import random
import shutil
import signal
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_form import times
from running import POSIX, RULES, Forker, call, good, process, small, write

import adeptree as at
from adeptree.app.run import batching, csv_rows, run_loop, text_lines
from adeptree.app.run.layout import Layout, layout_of
from adeptree.app.run.stream_sources import open_stream
from adeptree.core import files
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.runner.rows import Row

Steps = Callable[..., None]
ROWS = 3000


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Make the steps of a run that long: rows learnt, bytes and lines read at a time."""

    def make(rows: int, chunk: int = text_lines.CHUNK, lines: int = text_lines.LINES) -> None:
        for module, name, value in [
            (run_loop, "FEWEST", rows),
            (run_loop, "MOST", rows),
            (batching, "MOST", rows),
            (text_lines, "CHUNK", chunk),
            (text_lines, "LINES", lines),
        ]:
            monkeypatch.setattr(module, name, value)

    return make


def spoilt(rows: int, every: int = 7) -> list[tuple[str, bool]]:
    """Return lines of x,kind,y, some of them bad, and whether each is good."""
    rng = random.Random(4)
    broken = ['"', "3", "3,b,2", "x,b,1", "NA,b,1", "3,b,", "1_0,b,1", "99,b,0", '3,"b,1', "3,b,1\x00", "\ufeff,,"]
    lines = []
    for i in range(rows):
        x = rng.randrange(16)
        kind = rng.choice(["b", '"b"', '"c, ""d"""', " e "])
        line = f"{rng.choice(['', ' ', '+'])}{x},{kind},{int(x >= 9) ^ int(rng.random() < 0.2)}"
        lines += [(line + rng.choice(["", "", "\r"]), True)]
        if i % every == every - 1:
            other = broken[i // every % len(broken)]
            lines += [(other, other == "3,b,"), ("", False)][: rng.randrange(1, 3)]  # (a label is missing: answered)
    return lines


def as_csv(lines: list[tuple[str, bool]]) -> str:
    return write("f.csv", "x,kind,y", *(line for line, _ in lines))


def slowly(lines: list[tuple[str, bool]], learner: at.Adept, instance: Callable[[list[str]], Any]) -> bytes:
    """Return the predictions as single calls of the library give them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fine = [(row, line) for row, (line, fine) in enumerate((pair for pair in lines if pair[0].strip("\r")), 1) if fine]
    for place, (row, line) in enumerate(fine):
        cells = next(csv.reader([line]))
        x, y = instance(cells), int(cells[-1] or -1)
        if not place:
            writer.writerow(["row", "kind" if isinstance(x, str) else "x", "p", "guess", "y"])
        text = cells[1].strip() if isinstance(x, str) else cells[0].strip()
        shown = f"'{text}" if text.startswith("+") and isinstance(x, str) else text
        writer.writerow([row, shown, learner.predict_proba(x), learner.predict(x), "" if y < 0 else y])
        if y >= 0:
            learner.learn(x, y)
    return out.getvalue().encode()


def cell_in(text: str) -> Any:
    text = text.strip()
    if text == "NA":
        return None
    return float(text) if text.isdigit() else text


CASES: dict[str, tuple[Callable[[], at.ConceptClass], Callable[[list[str]], Any]]] = {
    "thresholds(n=16)": (lambda: at.Thresholds(16), lambda cells: int(cells[0])),
    "intervals(n=16)": (lambda: at.Intervals(16), lambda cells: int(cells[0])),
    "stumps(cuts={'x': [3, 9]})": (lambda: at.Stumps({"x": [3, 9]}), lambda cells: {"x": int(cells[0])}),
    "blocklist(kind, d=2)": (lambda: at.BlockUnions(2), lambda cells: cells[1].strip()),
}
SIZES = [(1, 1, 1), (2, 1 << 18, 4096), (3, 7, 2), (7, 64, 3), (8, 50, 4096), (64, 1 << 18, 5), (4096, 1 << 18, 4096)]


@pytest.mark.parametrize("rules", CASES)
def test_the_bytes_are_those_of_single_calls_whatever_a_step_is(rules: str, steps: Steps) -> None:
    lines = spoilt(60)
    if rules in ("blocklist(kind, d=2)", "stumps(cuts={'x': [3, 9]})"):  # which take some of what others refuse
        lines = [(line, fine) for line, fine in lines if fine or line in ("", '"', "3", "3,b,2", "3,b,", '3,"b,1')]
    make, instance = CASES[rules]
    expected = slowly(lines, at.Adept(make()), instance)
    x = [] if "(n=16)" not in rules else ["--features", "x"]
    seen = set()
    for number, size in enumerate(SIZES):
        steps(*size)
        options = ["--rules", rules, *x, "--on-bad-row", "skip", "--predictions", "p.csv", "--save", f"s{number}"]
        result = call("run", as_csv(lines), *options)
        assert result.exit_code == 0, result.stderr
        assert Path("p.csv").read_bytes() == expected, size
        saved = files.load(f"s{number}/checkpoint")
        seen.add((result.stderr, result.stdout.replace(f"s{number}", "s"), repr(saved)))
    assert len(seen) == 1


@pytest.mark.parametrize("rules", ["thresholds(x)", "intervals(x)", "stumps(x)"])
def test_columns_of_floats_are_learnt_as_single_rows_are(rules: str, steps: Steps) -> None:
    lines = [(line, fine or line in ("x,b,1", "NA,b,1", "1_0,b,1")) for line, fine in spoilt(50)]
    lines = [(line, fine) for line, fine in lines if "+" not in line and "99" not in line]
    made: dict[str, Any] = {
        "thresholds(x)": at.TableThresholds,
        "intervals(x)": at.TableIntervals,
        "stumps(x)": at.TableStumps,
    }
    expected = slowly(lines, at.Adept(made[rules](["x"])), lambda cells: {"x": cell_in(cells[0])})
    for size in SIZES:
        steps(*size)
        good("run", as_csv(lines), "--rules", rules, "--on-bad-row", "skip", "--predictions", "p.csv")
        assert Path("p.csv").read_bytes() == expected, size


def test_other_formats_do_not_depend_on_steps_either(steps: Steps) -> None:
    lines = [line for line, fine in spoilt(40) if fine]
    cells = [next(csv.reader([line])) for line in lines]
    broken = ["oops", "[1]", '{"x": 1}', '{"x": "", "y": 1}', ""]
    objects = [f'{{"x": {int(x)}, "y": {y}}}' for x, _, y in cells]
    write("f.ndjson", *(text for i, one in enumerate(objects) for text in (one, broken[i % 5])[: 1 + (i % 3 == 2)]))
    seen = set()
    for size in SIZES:
        steps(*size)
        result = call("run", "f.ndjson", *RULES, "--features", "x", "--on-bad-row", "skip", "--predictions", "p.csv")
        seen.add((result.exit_code, result.stdout, result.stderr, Path("p.csv").read_bytes()))
    assert len(seen) == 1 and next(iter(seen))[0] == 0


def test_the_page_of_a_run_does_not_depend_on_steps(steps: Steps) -> None:
    pages = set()
    for size in (1, 7, 500, 4096):
        steps(size)
        good("run", small(1500), *RULES, "--report", "r.html", "-q")
        pages.add(Path("r.html").read_bytes())
    assert len(pages) == 1


# ------------------------------------------------------------------------------------- the end of a run


@pytest.mark.parametrize(("place", "size"), [*product([0, 1, 4, 5, 6, 9, 10, 19], [1, 5, 4096])])
def test_a_bad_row_ends_the_run_after_the_rows_before_it(place: int, size: int, steps: Steps) -> None:
    steps(size)
    lines = Path(small(20)).read_text().splitlines()
    lines.insert(place + 1, "soon,1")
    write("f.csv", *lines)
    result = call("run", "f.csv", *RULES, "--predictions", "p.csv", "--save", "s")
    assert result.exit_code == 2 and result.stderr.startswith(
        f"adeptree: f.csv, line {place + 2}, column score: x must"
    )
    assert len(Path("p.csv").read_text().splitlines()) == 1 + place
    assert at.load("s/checkpoint").rounds == place


@pytest.mark.parametrize(("horizon", "size"), [*product([1, 4, 5, 6, 20], [1, 5, 4096])])
def test_the_horizon_ends_the_run_after_its_last_row(horizon: int, size: int, steps: Steps) -> None:
    steps(size)
    lines = Path(small(20)).read_text().splitlines()
    write("f.csv", *(text for line in lines for text in [line, "bad"][: 1 + (line != lines[0])]))
    options = ["--horizon", str(horizon), "--on-bad-row", "skip", "--predictions", "p.csv", "--save", "s"]
    result = call("run", "f.csv", *RULES, *options)
    over = horizon < 20
    assert result.exit_code == (2 if over else 0) and ("past the horizon" in result.stderr) == over
    assert f"{horizon} bad row" in result.stderr  # those after the last round that is played too
    assert len(Path("p.csv").read_text().splitlines()) == 1 + horizon
    assert at.load("s/checkpoint").rounds == horizon


def test_rows_without_a_label_do_not_bring_the_horizon_nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are taken again, from the journal."""
    options = ["run", "f.csv", *RULES, "--follow", "--horizon", "4", "--save", "s", "--resume", "-q"]
    write("f.csv", "score,y", "3,0", "5,", "6,", "12,1", "7,", "13,1")
    with monkeypatch.context() as patched:
        patched.setattr(run_loop.Game, "_last_checkpoint", lambda self: None)
        patched.setattr("adeptree.runner.run_folder.CHECKPOINT_SECONDS", 1e9)
        good(*options)
    write("f.csv", "score,y", "4,", "9,1", "8,")
    result = call(*options)
    assert result.exit_code == 2 and "past the horizon of 4 rounds" in result.stderr
    assert result.stdout.count("\n") == 3 and at.load("s/checkpoint").rounds == 4


@pytest.mark.parametrize("size", [1, 3, 4096])
def test_memory_that_ends_in_the_middle_of_a_step_costs_nothing(
    size: int, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps(size)
    options = ["run", small(20), *RULES, "--predictions", "p.csv", "--save", "s", "--resume", "-q"]
    learn_many = at.Adept.learn_many

    def torn(self: at.Adept, xs: Any, ys: Any) -> Any:
        rest = 13 - self.rounds
        if len(ys) <= rest:
            return learn_many(self, xs, ys)
        learn_many(self, xs[:rest], ys[:rest])
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(at.Adept, "learn_many", torn)
        assert call(*options).exit_code == 1
    assert at.load("s/checkpoint").rounds == 0  # the one of the start: half a step is in none
    good(*options)
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


SLOW = """
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.stderr = open(os.devnull, "w")
adeptree.app.run.run_loop.FEWEST = adeptree.app.run.batching.MOST = 25
learn_many = adeptree.Adept.learn_many
adeptree.Adept.learn_many = lambda self, xs, ys: (time.sleep(0.002), learn_many(self, xs, ys), time.sleep(0.002))[1]
"""


@POSIX
def test_interrupts_at_any_moment_leave_rows_that_are_learnt_and_counted() -> None:
    rng = random.Random(6)
    options = ["run", small(ROWS), *RULES, "-q", "--predictions"]
    good(*options, "whole.csv")
    moments = set()
    forker = Forker(SLOW)
    for _ in range(60):
        seconds = rng.uniform(0, 0.4)
        forker.run(*options, "p.csv", "--save", "s", "--resume", kill_after=seconds, by=signal.SIGINT)
        if not Path("s/checkpoint").exists():
            continue
        taken = files.load("s/checkpoint")["run"]["position"]["taken"]
        assert at.load("s/checkpoint").rounds == taken == Path("p.csv").read_bytes().count(b"\n") - 1
        if taken == ROWS:  # too late: from the beginning
            shutil.rmtree("s")
        elif taken:
            moments.add(taken)
        if len(moments) == 4:
            break
    assert len(moments) >= 2
    good(*options, "p.csv", "--save", "s", "--resume")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


@POSIX
def test_a_pipe_may_tear_lines_and_letters_apart() -> None:
    text = "größe,y\n" + "".join(f"{i % 13},{i % 2}\n" for i in range(60))
    content, rng = text.encode(), random.Random(8)
    with process("run", "-", *RULES, "--predictions", "p.csv", "-q") as running:
        assert running.stdin is not None
        while content:
            piece, content = content[: (size := rng.randrange(1, 40))], content[size:]
            running.stdin.write(piece)
            running.stdin.flush()
        running.communicate(timeout=60)
    assert running.returncode == 0
    good("run", "-", *RULES, "--predictions", "whole.csv", "-q", stdin=text)
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


# ------------------------------------------------------------------------- many at once as one by one

PIECES = [
    b"1,0\n",
    b"2,1\r\n",
    b'"a",1\n',
    b'"a""b",1\n',
    b"\n",
    b"\r\n",
    b'"',
    b",",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
]
PIECES += [
    b'a"b,1\n',
    b'a"b,"c\n',
    b'"a"b,1\n',
    b"\xe2\x80\xa8,1\n",
    b"\x0b,\x1c\n",
    b"1,2,3\n",
    b"5\n",
    b" \n",
    "ö,1\n".encode(),
]
CONTENT = st.lists(st.sampled_from(PIECES) | st.binary(max_size=6), max_size=40).map(b"".join)
FUZZ = settings(
    max_examples=times(100, 300),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def line_by_line(content: bytes) -> list[tuple[int, list[str], str]]:
    """Return the rows of a text of two columns, each line read on its own."""
    rows: list[tuple[int, list[str], str]] = []
    for number, line in enumerate(content.splitlines(keepends=True) if b"\r" not in content else split(content), 2):
        try:
            text = line.decode()
            cells = next(csv.reader([text], strict=True), []) if text.count('"') % 2 == 0 else None
            if cells is None:
                rows.append((number, [], csv_rows.LONE_QUOTE))
            elif len(cells) in (0, 2):
                rows += [(number, cells, "")] if cells else []
            else:
                rows.append((number, cells, f"expected 2 values, got {len(cells)} value{'s'[: len(cells) > 1]}"))
        except UnicodeDecodeError:
            rows.append((number, [], text_lines.NOT_UTF8))
        except csv.Error as error:
            why = "a carriage return inside a line; expected a text file" if "new-line" in str(error) else error
            rows.append((number, [], f"not proper CSV: {why}"))
    return rows


def split(content: bytes) -> list[bytes]:
    """Return lines with their ends, which are line feeds and nothing else."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    return [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != b"\n" else [])]


@FUZZ
@given(content=CONTENT, size=st.sampled_from(SIZES))
def test_csv_is_read_as_line_by_line(
    content: bytes, size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(text_lines, "CHUNK", size[1])
        patched.setattr(text_lines, "LINES", size[2])
        file = io.BytesIO(b"x,y\n" + content)
        stream = csv_rows.csv_stream("f", text_lines.bounded(text_lines.pieces_of(file), text_lines.Meter()))
        assert [tuple(row) for row in stream] == line_by_line(content)


def test_columns_are_those_of_the_first_hundred_rows_however_many_are_read(steps: Steps) -> None:
    rows = [f"{i},{i if i < 70 else 'x'},n{i},n{i if i < 100 else 7}{'' if i else 1},{i % 2}" for i in range(400)]
    write("f.csv", "a,b,c,d,y", *rows)
    for size in [(1, 1, 1), (8, 50, 3), (4096, 1 << 18, 4096)]:
        steps(*size)
        out = good("run", "f.csv", "--rules", "stumps")
        assert out.startswith("f.csv: 400 rows, rules: stumps(a, b)\n")


def test_a_cell_that_two_lines_have_begun_and_ended_is_two_bad_rows() -> None:
    """Each line has an even number of quotes, and together they would be one row of three cells."""
    lines = b'a,b,y\n1,2,0\na"b,"c\nz",a"b\n3,4,1'
    found = [(row.line, bool(row.fault)) for row in csv_rows.csv_stream("f", [lines])]
    assert found == [(2, False), (3, True), (4, True), (5, False)]


CELLS = ["3", " 3 ", "-0", "-0.0", "0", "15", "16", "3.0", "1e1", "2.5", "+4", "٣", "\x1f3", "1_0", "9" * 19, "9" * 400]
CELLS += [
    "9007199254740993",
    "4611686018427387903",
    "inf",
    "-inf",
    "nan",
    "NA",
    "",
    "abc",
    "0x10",
    "\x00",
    "=1",
    "１２",
]
LABELLED = ["0", "1", " 1 ", "true", "FALSE", "1.0", "", "NA", "2", "yes", "15", "16", "9007199254740993", "1_0", "nan"]
LAYOUTS = ["thresholds(a)", "intervals(a)", "stumps(a, b)", "stumps", "stumps(cuts={'b': [3], 'a': [1, 2]})"]
LAYOUTS += ["thresholds(n=16)", "intervals(n=16)", f"thresholds(n={1 << 62})", "blocklist(a, d=2)", "conjunctions(n=2)"]


def laid_out(rules: str, label: str) -> Layout:
    write("f.csv", "a,b,y", "1,2,0")
    with open_stream("f.csv") as stream:
        return layout_of(stream, rules, "a" if rules.startswith(("thresholds(n", "intervals(n")) else None, label)


@pytest.mark.parametrize("label", ["y", "y>15", "y<=9007199254740992", "y==yes"])
@pytest.mark.parametrize("rules", LAYOUTS)
def test_columns_are_read_as_row_by_row(rules: str, label: str) -> None:
    """Whatever is in the cells: the same instances, labels and complaints, and those of a row alone."""
    layout, rng = laid_out(rules, label), random.Random(len(rules))
    kinds = [(CELLS, LABELLED), ([*CELLS[:6], "NA"], ["0", "1", ""]), (["3", " 7", "-0"], ["0", "1", "20", "15"])]
    for trial in range(120):
        cells, labels = kinds[trial % 3]
        rows = [
            Row(i, [rng.choice(cells), rng.choice(cells), rng.choice(labels)], "broken" if rng.random() < 0.02 else "")
            for i in range(rng.randrange(2, 12))
        ]
        found = layout.examples(rows, labelled=True)
        expected, bad = [], {}
        for place, row in enumerate(rows):
            try:
                expected.append((row, *layout.example(row, labelled=True)))
            except InvalidArgument as error:
                bad[place] = f"{type(error).__name__} {error}"
        points = layout.concept_class.instances_of(found.xs)
        points = points.tolist() if isinstance(points, np.ndarray) else list(points)
        seen = list(zip(found.rows, points, list(found.ys), strict=True))
        assert repr([(row, x, int(y)) for row, x, y in seen]) == repr(expected)
        assert {place: f"{type(error).__name__} {error}" for place, error in found.bad.items()} == bad


@pytest.mark.parametrize("rules", LAYOUTS[:8])
def test_plain_numbers_with_some_missing_are_read_by_columns(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = laid_out(rules, "y")
    rows = [Row(i, [str(i % 9), "2", "1"]) for i in range(50)]
    if "(n=" not in rules:
        rows[20:20] = [Row(70, ["NA", "2", "1"]), Row(71, ["1", "2", ""]), Row(72, [], "broken")]
    asked: list[Row] = []
    example = Layout.example

    def noted(self: Layout, row: Row, labelled: bool) -> Any:
        asked.append(row)
        return example(self, row, labelled)

    monkeypatch.setattr(Layout, "example", noted)
    gap = layout.concept_class.spec_name.startswith("table_")  # is a value then
    assert len(layout.examples(rows, labelled=True).rows) == 50 + gap
    assert [row for row in asked if row.line < 70] == []


def test_a_table_of_features_is_a_list_of_mappings() -> None:
    table = np.array([[1.0, -0.0], [2.5, 3.0]])
    for known in (at.RealStumps(["a", "b"]), at.Stumps({"a": [1], "b": [2]})):
        assert repr(list(known.instances_of(table))) == "[{'a': 1.0, 'b': 0.0}, {'a': 2.5, 'b': 3.0}]"
        assert list(known.instances_of(np.array([[1, 2]]))) == [{"a": 1.0, "b": 2.0}]
        for wrong in (np.array([[1.0, np.nan]]), np.array([[1.0]]), np.array([["1", "2"]]), np.array([1.0, 2.0])):
            with pytest.raises(InvalidInstance):
                known.instances_of(wrong)
        learnt = [at.Adept(known), at.Adept(known)]
        assert (
            learnt[0].learn_many(table, [0, 1]).tolist()
            == learnt[1].learn_many(known.instances_of(table), [0, 1]).tolist()
        )


@pytest.mark.parametrize("rules", ["thresholds(n=16)", "thresholds(score)", "intervals(score)", "stumps"])
def test_an_answered_row_is_validated_twice(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is read and as it is answered; a compiled learner learns it in passing, an interpreted one checks it."""
    seen: list[Any] = []
    for kind in (at.Thresholds, at.TableThresholds, at.TableIntervals, at.TableStumps):

        def noted(self: Any, x: Any, real: Any = kind.instance) -> Any:
            seen.append(x)
            return real(self, x)

        monkeypatch.setattr(kind, "instance", noted)
    lines = Path(small(30)).read_text()
    good("run", "-", "--rules", rules, "--follow", "-q", stdin=lines)
    assert len(seen) == (60 if COMPILED else 90)
