"""The command line: what it shows equals the library, and every wrong input gets an error message, not a traceback."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import math
import os
import re
import signal
import time
from pathlib import Path

import pytest
from running import POSIX, ROOT, RULES, call, good, process, small, write

import adeptree as at
from adeptree.app import cli
from adeptree.app.run.stream_sources import BUNDLED, open_stream
from adeptree.app.terminal import BROKEN_PIPE, INTERRUPTED
from adeptree.families.registry import families


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def number(label: str, text: str) -> float:
    found = re.search(rf"^(?: +{re.escape(label)} +|{re.escape(label)}: )(-?[\d,.]+)", text, re.MULTILINE)
    assert found, f"{label!r} is not in\n{text}"
    return float(found[1].replace(",", ""))


def bundled() -> list[tuple[int, int]]:
    text = (ROOT / "src/adeptree/data/machine_alarms.csv").read_text(encoding="utf-8")
    return [(int(row["vibration"]), int(row["failed"])) for row in csv.DictReader(text.splitlines())]


# ------------------------------------------------------------------------------------------- what is shown


@pytest.mark.parametrize("name", ["make_bundled_stream", "make_fraud_scores"])
def test_bundled_stream_is_what_its_script_makes(name: str) -> None:
    script = ROOT / f"examples/{name}.py"
    spec = importlib.util.spec_from_file_location(name, script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_bytes() == module.text().encode("ascii") and module.TARGET.stat().st_size < 300_000


def printed(bound: float) -> float:
    """A bound as it is shown: rounded up."""
    return math.ceil(10 * bound - 1e-6) / 10


@pytest.mark.parametrize("horizon", [None, 2000])
def test_summary_equals_the_library(horizon: int | None) -> None:
    result = call("run", "--verbose", *([] if horizon is None else ["--horizon", str(horizon)]))
    rows = bundled()
    learner = at.Adept(at.Thresholds(1024), horizon)
    for x, y in rows:
        learner.learn(x, y)
    text = result.stdout
    assert result.exit_code == 0 and result.stderr == ""
    assert text.startswith("machine-alarms: 2,000 rows, rules: thresholds(n=1024)\n")
    assert number("adeptree (expected)", text) == round(learner.expected_loss, 1)
    assert number("best constant: always 0", text) == sum(y for _, y in rows) == 792  # (always 0)
    assert number("realised loss", text) == learner.realised_loss
    assert number("best rule: vibration >= 640", text) == learner.best_loss
    assert str(learner.best_rule()).replace("x", "vibration") in text
    words = " ".join(text.split())
    assert f"at most {printed(learner.bound)} more than the best rule on these rows" in words
    assert f"at most {printed(learner.in_advance or 0.0)} more on any 2,000 rows" in words
    assert learner.in_advance == pytest.approx(139.2 if horizon is None else 246.8, abs=0.1)
    assert number("realised bound", text) == float(f"{learner.realised_bound():.10g}")
    assert number("width", text) == learner.width
    assert number("asked", text) == learner.queries.asked
    assert number("posed", text) == learner.queries.posed
    assert number("inferred", text) == learner.queries.inferred
    assert number("eta", text) == float(f"{learner.learning_rate:.10g}")
    assert number("mistake bound", text) == learner.mistake_bound
    assert str(dict(learner.certificate())["engine"]) in text and "certificate: After 2,000 rounds" in text
    per_hundred = f"{learner.regret / 20:.1f} mistakes per 100 rows behind the best rule, as expected after 2,000 rows"
    assert f"adeptree is {per_hundred}." in words
    near = [sum((x >= a) != y for x, y in rows) for a in range(1025)]
    seen = sorted({x for x, _ in rows})
    labellings = {tuple(x >= a for x in seen): near[a] for a in range(1025)}
    count = sum(loss <= 520 for loss in labellings.values()) - 1
    assert f"{count} other rules are within 20 mistakes of the best: " in words
    # Details behind the numbers are shown only on request.
    short = call("run", *([] if horizon is None else ["--horizon", str(horizon)])).stdout
    assert short == text[: text.index("\n\ncertificate: ")] + "\n" and "width" not in short


@pytest.mark.parametrize("width", ["60", "80", "100"])
def test_summary_fits_the_terminal(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    lines = call("run", small(), "--rules", "intervals(n=16)").stdout.splitlines()
    assert max(map(len, lines)) <= max(int(width), 80)


def test_quiet_shows_nothing() -> None:
    result = call("run", small(), *RULES, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_rules_lists_every_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    narrow = call("rules").stdout
    monkeypatch.setenv("COLUMNS", "200")
    text = call("rules").stdout
    assert narrow.split() == text.split()
    assert all(
        len(line) <= 80 or line.strip() in {family.example for family in families()} for line in narrow.split("\n")
    )
    for family in families():
        if family.line:
            assert type(at.parse(family.example)).spec_name == family.name
            assert family.example in text and family.line in text
        for example, line in family.on_columns.examples.items() if family.on_columns else ():
            assert example in text and line in text
    shown = [family for family in families() if family.line]
    forms = sum(len(family.on_columns.examples) for family in families() if family.on_columns)
    long = sum(len(family.example) > cli.RULES for family in shown)
    assert text.count("\n") == len(shown) + forms + long + 3  # (two headings and a blank line)


def test_version_and_help() -> None:
    assert call("--version").stdout.startswith("adeptree ")
    assert "run" in call("--help").stdout and "--predictions" in call("run", "--help").stdout
    assert call("rum").exit_code == 2


def test_bundled_names_are_readable() -> None:
    for name, (_, rules) in BUNDLED.items():
        with open_stream(name) as stream:
            assert next(stream).cells
        shown = call("run", name, "--dry-run")
        assert shown.exit_code == 0 and f"Rules: {rules}" in shown.stdout


ROWS = ["name,age,a,b,ok,y", "ann,20,0,1,x,0", "bob,61,1,1,x,1", "cat,35,1,0,x,TRUE", "ann,22,0,0,x,false"]


@pytest.mark.parametrize(
    ("rules", "options", "rule"),
    [
        ("stumps(cuts={'age': [30, 50]})", [], "age >= 30"),
        ("blocks(d=2)", ["--features", "name"], "name in {'bob', 'cat'}"),
        ("blocks(d=2, block='name')", [], "name in {'bob', 'cat'}"),
        ("conjunctions(n=2)", ["--features", "a, b"], "a"),
        ("parities(n=2)", ["--features", "a,b", "--label", "y"], "a"),
        ("thresholds(n=99)", ["--features", "age"], "age >= "),
        ("intervals(n=99)", ["--features", "age"], " <= age < "),
        ("finite(table=['011', '000'], points=['ann', 'bob', 'cat'])", ["--features", "name"], "1 on {'bob', 'cat'}"),
    ],
)
def test_every_class_reads_its_columns(rules: str, options: list[str], rule: str) -> None:
    result = call("run", write("rows.csv", *ROWS), "--rules", rules, *options)
    assert result.exit_code == 0, result.stderr
    line = next(line for line in result.stdout.splitlines() if "best rule" in line)
    assert re.search(r" {2,}0 +0\.0", line) and rule in result.stdout


def test_bits_default_to_all_other_columns() -> None:
    name = write("bits.csv", "a,b,y", "0,1,0", "1,1,1")
    assert call("run", name, "--rules", "disjunctions(n=2)").exit_code == 0


def test_stdin_a_byte_order_mark_and_windows_lines() -> None:
    text = b"\xef\xbb\xbfscore,y\r\n3,0\r\n\r\n12,1\r\n"
    result = call("run", "-", *RULES, "--features", "score", stdin=text)
    assert result.exit_code == 0
    assert result.stdout.startswith("stdin: 2 rows")


@pytest.mark.parametrize("rate", ["paper", "first-order", "0.25"])
def test_rate_and_seed_reach_the_learner(rate: str) -> None:
    text = call("run", small(), *RULES, "--rate", rate, "--seed", "7", "--horizon", "40", "--verbose").stdout
    learner = at.Adept(at.Thresholds(16), 40, rate=float(rate) if rate == "0.25" else rate, seed=7)
    for row in csv.DictReader(Path("small.csv").read_text().splitlines()):
        learner.learn(int(row["score"]), int(row["y"]))
    assert f"at most {printed(learner.bound)} more than the best rule" in " ".join(text.split())
    assert number("realised loss", text) == learner.realised_loss and number("seed", text) == 7
    assert number("eta", text) == float(f"{learner.learning_rate:.10g}")


def test_the_prior_can_be_chosen() -> None:
    good = call("run", small(), *RULES, "--prior", "kt", "--save", "kept")
    assert good.exit_code == 0 and at.load("kept/checkpoint").settings()["prior"] == "kt"
    bad = call("run", small(), *RULES, "--prior", "paper")
    assert bad.exit_code == 2 and "needs a horizon" in bad.stderr and "Traceback" not in bad.stderr


# --------------------------------------------------------------------------------------- files that it writes


def test_predictions_are_the_learners() -> None:
    name = small()
    assert call("run", name, *RULES, "--predictions", "p.csv").exit_code == 0
    learner = at.Adept(at.Thresholds(16))
    written = list(csv.DictReader(Path("p.csv").read_text(encoding="utf-8").splitlines()))
    assert [int(row["row"]) for row in written] == list(range(1, 41))
    for row in written:
        x, y = int(row["score"]), int(row["y"])
        assert float(row["p"]) == learner.predict_proba(x)
        assert int(row["guess"]) == learner.predict(x)
        learner.learn(x, y)


def test_a_column_is_called_x_where_the_predictions_have_its_name() -> None:
    write("f.csv", "p,label", "3,0", "5,1")
    for more, header in ((["--label", "label"], "row,x,p,guess,y"), (["--frequency"], "row,x,p,guess,y,frequency")):
        good("run", "f.csv", "--predictions", "p.csv", "-q", *more)
        assert Path("p.csv").read_text(encoding="utf-8").splitlines()[0] == header
    write("f.csv", "frequency,label", "3,0", "5,1")
    good("run", "f.csv", "--predictions", "p.csv", "-q")
    assert Path("p.csv").read_text(encoding="utf-8").splitlines()[0] == "row,frequency,p,guess,y"


# --------------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("lines", "options", "sentence"),
    [
        (
            ["score,y", "3,0"],
            ["--features", "scroe"],
            'has no column "scroe"; did you mean "score"? Its columns are: score, y',
        ),
        (["score,y", "3,0"], ["--label", "zzz"], '--label: f.csv has no column "zzz". Its columns are: score, y'),
        (["score,y,y", "3,0,0"], ["--label", "y", "--features", "score"], 'has 2 columns called "y"'),
        (["score,y", "3,0"], ["--features", "y"], '"y" is the label and cannot be a feature'),
        (["a,b,y", "3,0,0"], [], "say which column the rules read, with --features; there are: a, b"),
        (["score,y", "3,0", "4,1", "4,2"], [], "f.csv, line 4, column y: a label must be 0, 1, true or false; got '2'"),
        (["score,y", "3,0", "", "16,1"], [], "f.csv, line 4, column score: x must be an int in 0..15; got x=16"),
        (["score,y", "2.5,0"], [], "f.csv, line 2, column score: x must be an int in 0..15; got x=2.5"),
        (["score,y", "nan,0"], [], "got x=nan"),
        (["score,y", ",0"], [], "f.csv, line 2, column score"),
        (["score,y", "3"], [], "f.csv, line 2: expected 2 values, got 1 value"),
        (["score,y", '3,"0'], [], "f.csv, line 2: a quote is opened and not closed"),
        (["score,y", '3,"0"1'], [], "f.csv, line 2: not proper CSV"),
        (["score,y", '"3,0'], ["--horizon", "0"], "horizon must be an int >= 1"),
        ([], [], "f.csv is empty"),
        (
            ["score y", "3"],
            [],
            "has the one column 'score y'; expected at least two, split by , ; | tabs or spaces, or",
        ),
        (["score,y"], [], "f.csv has no rows"),
        (["score,y"], ["--horizon", "5"], "f.csv has no rows"),
        (["score,y", "3,0"], ["--horizon", "0"], "horizon must be an int >= 1"),
        (["score,y", "3,0"], ["--rate", "fast"], "rate must be one of"),
        (["score,y", "3,0"], ["--rate", "-1"], "rate must be one of"),
        (["score,y", "3,0"], ["--seed", "-1"], "seed must be an int >= 0"),
        (["score,y", "3,0"], ["--rules", "treshold(n=3)"], 'did you mean "thresholds"?'),
        (["score,y", "3,0"], ["--rules", "thresholds(m=3)"], "does not fit"),
        (["score,y", "3,0"], ["--rules", "parities(n=3)"], "needs 3 columns, one for each value of x"),
        (["score,y", "3,0"], ["--rules", "halfspaces(dim=2)"], "needs 2 columns, one for each value of x"),
        (["score,y", "3,0"], ["--rules", "parities(n=1)"], "x must be 1 bit,"),
        (["score,y", "3,0"], ["--rules", "stumps(cuts={'score': [1]})", "--features", "score"], "leave it out"),
        (["score,y", "abc,0"], ["--rules", "stumps(cuts={'score': [1]})"], "must be a finite number"),
        (["score,y", "3,0"], ["--resume"], "--resume continues the run in a directory; name it with --save"),
        (["score,y", "3,0"], ["--save", "f.csv"], "--save: f.csv is not a directory"),
        (["score,y", "3,0"], ["--report", "f.csv"], "--report: f.csv is the stream itself"),
        (["score,y", "3,0"], ["--report", "."], "--report: . is not an ordinary file"),
        (["score,y", "3,0"], ["--predictions", "o", "--report", "./o"], "--report: ./o is the file of the predictions"),
        (["score,y", "3,0"], ["--format", "xml"], "--format must be csv, ndjson or parquet; got 'xml'"),
        (["score,y", "3,0"], ["--predictions", "f.csv"], "--predictions: f.csv is the stream itself"),
        (["score,y", "3,0"], ["--save", "no/such/place"], "--save: no/such/place cannot be written: No such file"),
        (["score,y", "3,0"], ["--save", "."], "--save: . is not empty and holds no run"),
    ],
)
def test_wrong_input_gets_a_sentence(lines: list[str], options: list[str], sentence: str) -> None:
    name = write("f.csv", *lines)
    before = Path(name).read_text()
    rules = [] if "--rules" in options else RULES
    result = call("run", name, *rules, *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.startswith("adeptree: ") and result.stderr.count("\n") == 1
    assert Path(name).read_text() == before


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["nowhere.csv"], 2, "nowhere.csv could not be read: No such file or directory; expected a file, -"),
        (["machine-alarm"], 2, 'did you mean the bundled stream "machine-alarms"?'),
        (["."], 2, "could not be read"),
        (["a\0b"], 2, "could not be read"),
        (["--report", "no/such/place"], 1, "--report: no/such/place cannot be written"),
        (["--predictions", "no/such/place"], 1, "no/such/place could not be written"),
    ],
)
def test_wrong_places(args: list[str], code: int, sentence: str) -> None:
    result = call("run", *args)
    assert (result.exit_code, result.stdout) == (code, "")
    assert sentence in result.stderr


def test_a_file_of_ones_own_competes_with_stumps_if_nobody_says() -> None:
    Path("own.csv").write_text("age,sex,y\n31,m,0\n,f,1\n28,f,1\n44,m,0\n")
    usual, said = call("run", "own.csv"), call("run", "own.csv", "--rules", "stumps")
    assert usual.exit_code == 0 and "4 rows, rules: stumps(age, sex)" in usual.stdout
    assert (usual.stdout, usual.stderr) == (said.stdout, said.stderr)
    assert "rules: stumps(age)" in call("run", "own.csv", "--features", "age").stdout
    call("run", "own.csv", "--save", "kept", "--quiet")
    assert call("run", "own.csv", "--save", "kept", "--resume").stdout.startswith(usual.stdout)


def test_not_utf8() -> None:
    Path("latin.csv").write_bytes(b"score,y\n3,0\n\xe9,1\n")
    found = call("run", "latin.csv", *RULES).stderr
    assert "latin.csv, line 3, column score: x must be an int in 0..15; got x='é'" in found
    result = call("run", "latin.csv", *RULES, "--encoding", "utf-8")
    assert "latin.csv, line 3: not utf-8 text; to continue" in result.stderr


def test_a_wrong_row_keeps_what_was_learnt() -> None:
    name = write("f.csv", "score,y", "3,0", "12,1", "5,2")
    result = call("run", name, *RULES, "--save", "s")
    assert result.exit_code == 2 and "line 4" in result.stderr
    assert result.stdout.startswith("f.csv: 2 rows")
    assert result.stdout.endswith("Saved to s; the same command with --resume continues it.\n")
    assert at.load("s/checkpoint").rounds == 2
    # Repaired, the run continues where it stopped.
    write("f.csv", "score,y", "3,0", "12,1", "5,0")
    assert call("run", name, *RULES, "--save", "s", "--resume").exit_code == 0
    assert at.load("s/checkpoint").rounds == 3


def test_past_the_horizon_stops_with_the_summary() -> None:
    result = call("run", "--horizon", "100", "--save", "s")
    assert result.exit_code == 2
    assert result.stdout.startswith("machine-alarms: 100 rows")
    assert "past the horizon of 100 rounds" in result.stderr
    assert at.load("s/checkpoint").rounds == 100
    again = call("run", "--horizon", "100", "--save", "s", "--resume")
    assert again.exit_code == 2 and "past the horizon" in again.stderr


def test_exit_codes_are_those_of_the_docs() -> None:
    """130 and 141 are in the tests of interrupts and broken pipes below."""
    page = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == ["0", "1", "2", str(INTERRUPTED), str(BROKEN_PIPE)]
    bad = write("f.csv", "score,y", "3,0", "soon,1")
    Path("torn.csv.gz").write_bytes(b"no gzip")
    for code, options in [
        (0, [bad, *RULES, "--on-bad-row", "skip"]),
        (1, ["torn.csv.gz", *RULES]),
        (1, [small(), *RULES, "--predictions", "no/such/place"]),
        (2, [bad, *RULES]),
        (2, [bad, "--rules", "stump"]),
        (2, [bad, *RULES, "--label", "z"]),
        (2, [bad, *RULES, "--horizon", "1", "--on-bad-row", "skip", "--features", "zz"]),
        (2, ["nowhere.csv", *RULES]),
        (2, [small(), *RULES, "--horizon", "3"]),
        (2, ["--no-such-option"]),
    ]:
        result = call("run", *options)
        assert result.exit_code == code, (options, result.stderr)
        assert bool(result.stderr) == (code > 0 or "skip" in options)


@pytest.mark.parametrize(
    ("rules", "meant"),
    [
        ("stump", "stumps"),
        ("Stumps", "stumps"),
        ("tresholds(score)", "thresholds"),
        ("interval(score)", "intervals"),
        ("blocklists(score, d=2)", "blocklist"),
        ("step(score)", "steps"),
    ],
)
def test_did_you_mean_these_rules(rules: str, meant: str) -> None:
    result = call("run", small(), "--rules", rules)
    assert result.exit_code == 2 and f'"; did you mean "{meant}"?' in result.stderr, result.stderr


# --------------------------------------------------------------------------------------- real processes


@POSIX
def test_interrupt_saves_and_shows() -> None:
    # The parent may ignore Ctrl-C (a job in the background): the child is to have it.
    before = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    args = ["run", "-", *RULES, "--horizon", "50", "--save", "s", "--predictions", "p.csv"]
    with process(*args, before=before, fresh=True) as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        running.stdin.write(b"score,y\n" + b"3,0\n12,1\n" * 5)
        running.stdin.flush()
        deadline = time.monotonic() + 60
        while not (Path("p.csv").exists() and Path("p.csv").read_text().count("\n") == 11):
            assert time.monotonic() < deadline, "the rows were not learnt"
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        # stdin stays open: the interrupt alone must end it.
        assert running.wait(timeout=60) == INTERRUPTED
        out, err = running.stdout.read().decode(), running.stderr.read().decode()
    assert out.startswith("stdin: 10 of 50 rows")
    assert out.endswith("Saved to s; the same command with --resume continues it.\n")
    assert err == "adeptree: interrupted\n"
    assert at.load("s/checkpoint").rounds == 10


@pytest.mark.parametrize(("method", "options", "rounds"), [("learn", ["--follow"], 5), ("learn_many", [], 6)])
def test_interrupt_waits_for_the_end_of_the_step(
    monkeypatch: pytest.MonkeyPatch, method: str, options: list[str], rounds: int
) -> None:
    """A step is a row where each is answered, and many (here three) elsewhere."""
    learn = getattr(at.Adept, method)

    def interrupted(self: at.Adept, x: object, y: object) -> object:
        if self.rounds == (4 if options else 3):
            signal.raise_signal(signal.SIGINT)
        return learn(self, x, y)

    monkeypatch.setattr("adeptree.app.run.run_loop.FEWEST", 3)
    monkeypatch.setattr("adeptree.app.run.batching.MOST", 3)
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(at.Adept, method, interrupted)
    result = call("run", "--horizon", "2000", "--save", "s", *options)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, previous)
    assert result.exit_code == INTERRUPTED
    assert result.stderr.startswith("adeptree: interrupted\n")  # (what stopped the run is above its summary)
    assert f"machine-alarms: {rounds} of 2,000 rows" in result.output
    assert at.load("s/checkpoint").rounds == rounds


@POSIX
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_disk_for_predictions_and_stdout() -> None:
    with process("run", "--predictions", "/dev/full", fresh=True) as running:
        out, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert err.decode() == "adeptree: --predictions: /dev/full could not be written: No space left on device\n"
    assert out == b""
    with open("/dev/full", "wb") as full, process("run", small(), *RULES, "--save", "s", stdout=full) as running:
        _, err = running.communicate(timeout=60)
    assert running.returncode == 1 and b"No space left" in err and b"Traceback" not in err
    assert at.load("s/checkpoint").rounds == 40


@POSIX
def test_broken_pipe_is_silent_and_loses_nothing() -> None:
    with process("run", small(), *RULES, "--save", "s", fresh=True) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        err = running.stderr.read()
        assert running.wait(timeout=60) == BROKEN_PIPE
    assert err == b""
    assert at.load("s/checkpoint").rounds == 40


def drained(terminal: int) -> str:
    """Read until the other side is closed, which Linux reports as an error."""
    shown = b""
    with open(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while piece := file.read(1 << 16):
            shown += piece
    return shown.decode()


@POSIX
@pytest.mark.parametrize("options", [[], ["--horizon", "2000"]])
def test_progress_on_a_terminal_only_on_stderr(options: list[str]) -> None:
    import pty

    parent, child = pty.openpty()
    with process("run", *options, stderr=child) as running:
        os.close(child)
        assert running.stdout is not None
        shown = drained(parent)
        out = running.stdout.read()
        assert running.wait(timeout=30) == 0
    assert "2000/2000" in shown and "best: vibration >= 640" in shown
    assert b"\x1b" not in out
