"""Files as people have them: separators, quotes, headers, encodings, decimal commas and compression."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import times
from running import call, good, small, write

from adeptree.app.run import text_lines
from adeptree.app.run.csv_rows import LONE_QUOTE, Form, csv_stream
from adeptree.app.run.stream_sources import open_stream
from adeptree.core.errors import InvalidArgument

RULES = ["--rules", "thresholds(score)"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def read(content: bytes, form: Form, chunk: int = 1 << 18, lines: int = 4096) -> Any:
    """Return the columns and rows of a text, or the sentence about it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_lines, "CHUNK", chunk)
        patched.setattr(text_lines, "LINES", lines)
        try:
            stream = csv_stream(
                "f",
                text_lines.bounded(text_lines.pieces_of(io.BytesIO(content), form.encoding), text_lines.Meter()),
                form,
            )
            return stream.columns, [(row.line, row.cells, row.fault) for row in stream], stream.remarks
        except InvalidArgument as error:
            return str(error)


WHOLE = Form(lines=True, lenient=True)
CELL = st.text(st.sampled_from('ab ,;\t|"\nö'), max_size=6)
WAYS = st.tuples(
    st.sampled_from(",;\t| "), st.sampled_from(["\n", "\r\n"]), st.sampled_from([1, 7, 1 << 18]), st.booleans()
)
TABLE = st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), min_size=1, max_size=8))


@settings(max_examples=times(80, 200), deadline=None, derandomize=True)
@given(TABLE, WAYS)
def test_any_table_comes_back(table: list[list[str]], ways: tuple[str, str, int, bool]) -> None:
    """Quoted cells with separators, quotes and line ends, however the file is cut into pieces."""
    sep, end, chunk, mark = ways
    names = [f"name {place}" for place in range(len(table[0]))]
    # The first row says what a row looks like, so that no line of a text can be taken for one.
    rows = [[str(place) for place in range(len(names))], *([f"{text}x" for text in row] for row in table)]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sep, lineterminator=end).writerows([names, *rows])
    content = text.getvalue().encode("utf-8-sig" if mark else "utf-8")
    columns, found, remarks = read(content, WHOLE, chunk)
    assert (columns, [cells for _, cells, _ in found], remarks) == (names, rows, [])


PIECES = [b"1,0\n", b'"a",1\n', b'"a\nb",1\n', b'3,"1\n', b'"', b"\n", b"x;y\n", b"\xff,1\n", b"a\tb\n", b"5\n"]
PIECES += [b'2,"a""\n"\n', b"  1   2 \r\n", b"1 \n", b'"a  b" 1\n', b'1 " a \n  b "  \n']
CUTS = st.sampled_from([(1, 1), (7, 2), (50, 3), (1 << 18, 5)])


@settings(max_examples=times(80, 200), deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map(b"".join), CUTS)
def test_what_is_read_does_not_depend_on_pieces(content: bytes, size: tuple[int, int]) -> None:
    for form in (WHOLE, Form(), Form(sep=";", header=False, decimal=","), Form(sep=" ", lines=True)):
        assert read(b"x,y\n" + content, form, *size) == read(b"x,y\n" + content, form)
        assert read(content, form, *size) == read(content, form)


@pytest.mark.parametrize(
    ("first", "second", "sep"),
    [
        ("a;b", "1;2", ";"),
        ("weight, kg;height, cm;y", "1;2;0", ";"),
        ("weight, kg;height, cm;y", "1,5;2,5;0", ";"),
        ("a|b c|d", "", "|"),
        ("a\tb,c", "1\t2", "\t"),
        ('"a;b",c', "1;2,3", ","),
        ("1,5;2,5;0", "1,5;2,5;1", ","),
    ],
)
def test_separators_are_found(first: str, second: str, sep: str) -> None:
    columns, _, _ = read(f"{first}\n{second}\n".encode(), WHOLE)
    expected = next(csv.reader([first], delimiter=sep))
    assert len(columns) == len(expected)
    assert columns == expected or columns == [f"c{i + 1}" for i in range(len(expected))]


@pytest.mark.parametrize("sep", [";", "|", "\t", " "])
def test_a_separator_changes_nothing_else(sep: str) -> None:
    whole = good("run", small(), *RULES, "--predictions", "whole.csv")
    Path("other.tsv").write_text(Path("small.csv").read_text().replace(",", sep))
    assert good("run", "other.tsv", *RULES, "--predictions", "p.csv") == whole.replace("small.csv", "other.tsv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert good("run", "other.tsv", *RULES, "--sep", {"\t": "tab"}.get(sep, sep), "-q") == ""


@pytest.mark.parametrize("said", [False, True])
def test_runs_of_spaces_split_once(said: bool) -> None:
    """As tables are written that people line up by hand."""
    good("run", small(), *RULES, "--predictions", "whole.csv")
    rng = random.Random(1)
    lines = [line.split(",") for line in Path("small.csv").read_text().splitlines()]
    gaps = [[" " * rng.randrange(least, least + 4) for least in (0, 1, 0)] for _ in lines]
    texts = [f"{before}{a}{between}{b}{after}" for (a, b), (before, between, after) in zip(lines, gaps, strict=True)]
    Path("spaces.txt").write_text("\n".join([*texts[:7], "   ", *texts[7:]]) + "\n")
    good("run", "spaces.txt", *RULES, "--predictions", "p.csv", *(["--sep", "space"] if said else []))
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("a b\n1 2\n", ["a", "b"]),
        ("full name\nann\nbob\n", None),  # an only column whose name has a space
        ("full name,y\nann lee,1\n", ["full name", "y"]),
        ("1 2 3\n4 5 6\n", ["c1", "c2", "c3"]),
        ('"full  name" y\n"ann lee" 1\n', ["full  name", "y"]),
    ],
)
def test_spaces_split_where_nothing_else_does(content: str, columns: list[str] | None) -> None:
    found = read(content.encode(), WHOLE)
    assert found[0] == columns if columns else "has the one column 'full name'" in found


@pytest.mark.parametrize("rules", ["stumps(scroe)", "thresholds(scroe)", "stumps(cuts={'scroe': [3]})"])
def test_a_column_that_the_rules_misspell_is_theirs(rules: str) -> None:
    said = 'small.csv has no column "scroe"; did you mean "score"?'
    assert f"adeptree: --rules: {said}" in call("run", small(), "--rules", rules).stderr
    assert f"adeptree: --features: {said}" in call("run", small(), "--rules", "stumps", "--features", "scroe").stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--sep", ";;"], "--sep must be one character, tab or space; got ';;'"),
        (["--decimal", ";"], "--decimal must be . or ,"),
        (["--sep", ",", "--decimal", ","], "and not the separator"),
        (["--encoding", "utf8000"], "--encoding must be a name such as utf-8, cp1252 or latin-1; got 'utf8000'"),
    ],
)
def test_wrong_options_get_a_sentence(options: list[str], sentence: str) -> None:
    result = call("run", small(), *RULES, *options)
    assert result.exit_code == 2 and sentence in result.stderr


def test_a_stray_quote_swallows_no_row() -> None:
    lines = ["score,y", "3,0", '3,"1', "4,0", "5,1", '"', "6,1", '7,"1"2', '"8', "9,0"]
    result = call("run", write("f.csv", *lines), *RULES, "--on-bad-row", "skip", "--predictions", "p.csv")
    assert (
        f"4 bad rows skipped: f.csv, line 3: {LONE_QUOTE}; f.csv, line 6: {LONE_QUOTE}; f.csv, line 8" in result.stderr
    )
    with open("p.csv") as file:
        assert [row["score"] for row in csv.DictReader(file)] == ["3", "4", "5", "6", "9"]


def test_a_text_over_lines_may_have_commas() -> None:
    lines = ["text,y", "short,0", '"Dear Ann,', "I write, as I said,", ",", "to you, and", 'to Bob",1', "long,0"]
    with open_stream(write("f.csv", *lines)) as stream:
        assert [(row.line, row.cells[1]) for row in stream] == [(2, "0"), (3, "1"), (8, "0")]


def test_a_file_without_a_header_is_found_and_said() -> None:
    rows = [f"{7 * i % 16},{int(7 * i % 16 >= 9)}" for i in range(30)]
    result = call("run", write("f.csv", *rows), "--rules", "thresholds(c1)", "--predictions", "p.csv")
    assert result.exit_code == 0 and "f.csv: 30 rows, rules: thresholds(c1)" in result.stdout
    assert result.stderr == (
        "adeptree: f.csv has no header, as its first line holds numbers only: its columns are called c1 to c2; "
        "if that line does name them, add --header\n"
    )
    write("g.csv", "c1,c2", *rows)
    good("run", "g.csv", "--rules", "thresholds(c1)", "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()
    lines = write("iris.data", "5.1,3.5,setosa", "7.0,3.2,virginica")
    assert (
        "its first line holds numbers: its columns are called c1 to c3"
        in call("run", lines, "--rules", "stumps").stderr
    )
    lines = write("adult.data", "39,private,no", "50,state,yes")
    told = "adeptree: adult.data has numbers among its columns' names; if its first line is a row, add --no-header\n"
    assert call("run", lines, "--rules", "blocklist(private, d=1)").stderr == told
    assert call("run", lines, "--rules", "thresholds(c1)", "--no-header").stderr == ""
    write("texts.csv", "a,0", "b,1")
    assert "2 rows" in good("run", "texts.csv", "--no-header", "--rules", "blocklist(c1, d=1)")
    write("years.csv", "2019,2020", "3,0", "4,1")
    assert "2 rows" in good("run", "years.csv", "--header", "--rules", "thresholds('2019')")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_encodings_are_found(encoding: str) -> None:
    text = "größe,art\n" + "".join(f"{i % 16},{'schön' if i % 16 >= 9 else 'häßlich'}\n" for i in range(40))
    Path("f.csv").write_bytes(text.encode(encoding))
    result = call("run", "f.csv", "--rules", "thresholds(größe)", "--positive", "schön", "--predictions", "p.csv")
    assert result.exit_code == 0 and "Label art: 1 is schön, 0 is häßlich." in result.stdout
    said = "adeptree: f.csv, line 1: not UTF-8, read as cp1252 (as all such lines are); --encoding names another\n"
    assert result.stderr == (said if encoding == "cp1252" else "")
    named = call("run", "f.csv", "--encoding", encoding, "--rules", "thresholds(größe)", "--predictions", "q.csv")
    assert (named.exit_code, named.stderr) == (0, "")
    assert "Label art: 1 is schön" in named.stdout  # (the rarer)
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis"])
@pytest.mark.parametrize("chunk", [1, 3, 1 << 18])
def test_letters_may_be_torn_apart(encoding: str, chunk: int) -> None:
    text = "a,y\nプ,0\n" if encoding == "shift_jis" else "a,y\nö€,0\n"
    form = Form(encoding=encoding)
    assert read(text.encode(encoding), form, chunk)[1] == [(2, [text[4:-3], "0"], "")]


def test_what_an_encoding_does_not_know_spoils_its_line() -> None:
    found = read(b"a,y\n\x81,0\nb,1\n", Form(encoding="cp1252", lenient=True))[1]
    assert found == [(2, [], "not cp1252 text"), (3, ["b", "1"], "")]


def test_a_header_of_a_conversation_is_not_kept_waiting() -> None:
    """Two separators might do, and the next line comes only after the answer to this one."""

    def lines() -> Iterator[bytes]:
        yield b"a, b;c"
        raise AssertionError("waited for")

    assert csv_stream("f", lines()).columns == ["a, b", "c"]


def test_a_decimal_comma() -> None:
    rng = random.Random(5)
    rows = [(rng.uniform(-3000, 3000), rng.random()) for _ in range(200)]
    swapped = str.maketrans(",.", ".,")
    lines = [f"{a:,.2f};{b:.3f}".translate(swapped) for a, b in rows]
    write("comma.csv", "a;b;y", *(f"{line};{int(a > 1)}" for line, (a, _) in zip(lines, rows, strict=True)))
    write("point.csv", "a,b,y", *(f"{a:.2f},{b:.3f},{int(a > 1)}" for a, b in rows))
    for rules, label in (("stumps", "y"), ("thresholds(a)", "b>0.5")):
        options = ["--rules", rules, "--label", label, "--predictions"]
        good("run", "comma.csv", *options, "comma.p", "--decimal", ",")
        good("run", "point.csv", *options, "point.p")
        told = call("run", "comma.csv", "--rules", "stumps").stderr
        first = lines[0].split(";")[0]
        assert f'comma.csv: column "a" holds texts such as {first}; if these are numbers, add --decimal ,\n' in told
        assert 'column "b" holds texts' in told and told.count("holds texts") == 2
        assert Path("comma.p").read_bytes() == Path("point.p").read_bytes()


def test_a_comma_between_thousands_is_not_taken_for_a_decimal_one() -> None:
    write("people.csv", "name,people,y", 'a,"23,288 ",0', 'b,"9,703",1', 'a,"1,302,111",0')
    told = call("run", "people.csv").stderr
    assert told == (
        'adeptree: people.csv: column "people" holds texts such as 23,288; if these are numbers, remove the separators '
        "of thousands, or add --decimal , if the comma begins the fraction\n"
    )


@pytest.mark.parametrize(
    ("cells", "hint"),
    [
        (["1.234.567", "12", "2.345.678"], "if these are numbers, add --decimal ,"),
        (["1'234.50", "12"], "if these are numbers, remove the separators of thousands"),
        (["1 234", "5 678"], "if these are numbers, remove the separators of thousands"),
        (["31.12.2025", "01.12.2025"], "if these are dates, write them in ISO 8601, as 2025-12-31"),
        (["1/2/2025 08:00", "31/1/2025 09:30"], "if these are dates, write them in ISO 8601, as 2025-02-01"),
        (["1/2/2025", "1/31/2025"], "if these are dates, write them in ISO 8601, as 2025-01-02"),
        (["1.5", "-2", "1e3", "NA"], None),
        (["2025-12-31", "2025-12-30"], None),
        (["1,234 EUR", "a"], None),
        (["31.12.20255", "1-2/2025"], None),
        (["7", *["ab"] * 3, "1,234"], None),
    ],
)
def test_texts_that_look_like_numbers_or_dates_get_a_hint(cells: list[str], hint: str | None) -> None:
    told = call("run", write("f.csv", "a;v w;y", *(f"u;{cell};{i % 2}" for i, cell in enumerate(cells * 2)))).stderr
    odd = next((cell for cell in cells if not cell.isdigit()), "")
    wanted = f'adeptree: f.csv: column "v w" holds texts such as {odd}; {hint}\n'
    assert "holds texts" not in told if hint is None else wanted in told and told.count("holds texts") == 1
    assert "holds texts" not in call("run", "f.csv", "-q").stderr
    write("f.ndjson", *(f'{{"v w": "{cell}", "y": {i % 2}}}' for i, cell in enumerate(cells * 2)))
    assert "--decimal" not in call("run", "f.ndjson").stderr


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def packed(name: str, ending: str) -> str:
    Path(f"{name}.{ending}").write_bytes(PACKED[ending](Path(name).read_bytes()))
    return f"{name}.{ending}"


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_a_compressed_file_is_the_same_run_also_resumed(ending: str) -> None:
    good("run", small(400), *RULES, "--predictions", "whole.csv")
    name = packed("small.csv", ending)
    lines = Path("small.csv").read_text().splitlines()
    write("small.csv", *lines[:150])
    packed("small.csv", ending)
    options = ["run", name, *RULES, "--save", "s", "--resume", "--predictions", "p.csv"]
    good(*options)
    write("small.csv", *lines)
    packed("small.csv", ending)
    assert f"{name}: 400 rows" in good(*options)
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()
    write("t.ndjson", '{"score": 3, "y": 0}', '{"score": 9, "y": 1}')
    assert "2 rows" in good("run", packed("t.ndjson", ending), *RULES)


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_a_damaged_compressed_file_is_a_sentence(ending: str) -> None:
    write("f.csv", "score,y", *(f"{random.Random(i).random()},{i % 2}" for i in range(5000)))
    content = Path(packed("f.csv", ending)).read_bytes()
    Path(f"f.csv.{ending}").write_bytes(content[: len(content) // 2])
    result = call("run", f"f.csv.{ending}", *RULES)
    assert result.exit_code == 1 and result.stderr.startswith(f"adeptree: f.csv.{ending}, after line "), result.stderr
    Path(f"f.csv.{ending}").write_bytes(b"score,y\n3,0\n")
    result = call("run", f"f.csv.{ending}", *RULES)
    assert result.exit_code == 1 and "after line 0: could not be read: " in result.stderr, result.stderr


@pytest.mark.parametrize("name", ["small.csv", "small.csv.gz", "small.csv.xz", "small.parquet"])
def test_how_many_rows_there_are_is_known_before_the_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small(20_000)
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
        from pyarrow import csv as arrow_csv
        from pyarrow import parquet

        parquet.write_table(arrow_csv.read_csv("small.csv"), name)
    elif name != "small.csv":
        packed("small.csv", name.rsplit(".")[-1])
    monkeypatch.setattr(text_lines, "LINES", 500)
    with open_stream(name) as stream:
        stream.take(1)
        assert stream.taken == 1 and 15_000 < (stream.total() or 0) < 25_000
        while stream.take(500):
            assert (stream.total() or 0) >= stream.taken
        assert stream.total() == stream.taken == 20_000


def test_nobody_knows_how_many_rows_a_pipe_has() -> None:
    stream = csv_stream("f", [b"x,y\n1,0"])
    assert list(stream) and stream.total() is None and stream.taken == 1


def test_a_compressed_file_is_known_by_its_first_bytes_whatever_it_is_called() -> None:
    Path("plain.csv").write_bytes(b"score,y\n3,1\n4,0\n")
    good("run", "plain.csv", *RULES, "-q", "--predictions", "p.csv")
    for name, packed in (("gz.csv", gzip.compress), ("bz2.csv", bz2.compress), ("xz.csv", lzma.compress)):
        Path(name).write_bytes(packed(Path("plain.csv").read_bytes()))
        good("run", name, *RULES, "-q", "--predictions", f"{name}.p")
        assert Path(f"{name}.p").read_bytes() == Path("p.csv").read_bytes()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        *(
            (content, "is of a kind that is not read; expected CSV, JSON objects")
            for content in (
                *(b"[[1, 0], [2, 1]]", b"PK\x03\x04rest", b"\x28\xb5\x2f\xfdrest", b"<!DOCTYPE html><p>", b"PAR1rest"),
                *(b"<stata_dta><header>", b"s\x02\x01\x00rest", b"$FL2@(#) SPSS", b"% A study\n%\n@relation x\n"),
                *(b"@RELATION x\n", b"\xd0\xcf\x11\xe0rest", b"\x80\x04\x95rest", b"%PDF-1.7", b"SQLite format 3\x00"),
            )
        ),
        (b'{"score": {"0": 1}, "y": {"0": 0}}', "holds whole columns, not rows; write an object per row"),
    ],
)
def test_a_file_of_another_kind_is_a_sentence(content: bytes, sentence: str) -> None:
    Path("f.csv").write_bytes(content)
    result = call("run", "f.csv", *RULES)
    assert result.exit_code == 2 and f"f.csv {sentence}" in result.stderr


def test_a_header_that_only_looks_like_another_kind_is_read() -> None:
    for name in ("[score]", "<b>", "PK", "%", "% of sales", "@relation", "s"):
        write("f.csv", f"{name},y", "3,1", "4,0")
        assert "2 rows" in good("run", "f.csv", "--rules", "stumps")


def test_columns_without_a_name_get_one_that_is_free() -> None:
    write("f.csv", ",c1,,y", "1,5,a,0", "2,6,b,1")
    result = call("run", "f.csv", "--rules", "stumps", "--predictions", "p.csv")
    assert result.exit_code == 0
    assert "f.csv has columns without a name: here they are called c1_, c3" in result.stderr
    assert "rules: stumps(c1_, c1, c3)" in result.stdout
