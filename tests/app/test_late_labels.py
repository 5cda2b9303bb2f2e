"""Late labels at the command line: the numbers are those of tickets in Python, however rows and labels come."""

from __future__ import annotations

import csv
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from running import POSIX, call, good, killed_often, process, unnumbered, write

import adeptree as at
from adeptree.app.run.run_loop import Game
from adeptree.runner import run_folder as journal

RULES = ["--rules", "thresholds(n=16)", "--key", "id"]
ON_V = [*RULES, "--features", "v"]
TABLE = ["--rules", "stumps(v)", "--key", "id"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def events(rng: random.Random, rows: int) -> list[tuple[str, str, str]]:
    """Return (key, x, label) of a stream in which labels come at once, later, before their rows, or never."""
    found: list[tuple[float, tuple[str, str, str]]] = []
    for i in range(rows):
        key, v = f"k{i}", rng.randrange(16)
        y = str(int((v >= 7) ^ (rng.random() < 0.2)))
        kind = rng.choice(["at once", "late", "late", "early", "never", "keyless"])
        at_once = kind in ("at once", "keyless")
        found.append((i, ("" if kind == "keyless" else key, str(v), y if at_once else "")))
        if kind == "late":  # with x said again, or not
            found.append((i + rng.expovariate(0.2), (key, rng.choice(["", str(v)]), y)))
        if kind == "early":
            found.append((i - rng.expovariate(0.5), (key, "", y)))
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


def stream_of(found: list[tuple[str, str, str]], name: str = "late.csv") -> str:
    return write(name, "id,v,y", *(",".join(event) for event in found))


def in_python(learner: Any, found: list[tuple[str, str, str]], read: Any = int) -> list[list[str]]:
    """Return the lines of the predictions by the learner's own tickets, kept in a dictionary."""
    tickets: dict[str, tuple[at.Ticket, str]] = {}
    early, lines = dict[str, str](), list[list[Any]]()
    numbers = dict[str, int]()
    for row, (key, text, label) in enumerate(found, 1):
        if label and (key in tickets or not text):
            if key not in tickets:
                early[key] = label
                continue
            ticket, text = tickets.pop(key)
            learner.learn(ticket, int(label))
            lines.append([numbers[key], text, ticket.p, ticket.guess, label, key])
            continue
        x, numbers[key], label = read(text), row, label or early.pop(key, "")
        if label:
            p, guess = learner.predict_proba(x), learner.predict(x)
            learner.learn(x, int(label))
        else:
            ticket = learner.answer(x)
            p, guess, tickets[key] = ticket.p, ticket.guess, (ticket, text)
        lines.append([row, text, p, guess, label, key])
    return [[str(value) if not isinstance(value, float) else repr(value) for value in line] for line in lines]


def predicted(name: str = "p.csv") -> list[list[str]]:
    with open(name, newline="") as file:
        return list(csv.reader(file))[1:]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("follow", [False, True])
def test_the_numbers_are_those_of_tickets_in_python(seed: int, follow: bool) -> None:
    found = events(random.Random(seed), 60)
    name, learner = stream_of(found), at.Adept(at.Thresholds(16))
    expected = in_python(learner, found)
    shown = good("run", name, *ON_V, "--predictions", "p.csv", *(["--follow"] if follow else []))
    assert predicted() == expected
    if follow:  # a line for each line; rows that only bring a label have an empty answer
        answers = shown.splitlines()[1:]
        opened = {(line[0], line[2], line[3]): line for line in expected}
        assert len(answers) == len(found) and answers.count(",") == len(found) - len(opened)
    else:
        assert f"{learner.rounds} rows" in shown
        assert f"{learner.waiting} rows answered, whose labels have not come." in shown
    good("run", name, *TABLE, "--predictions", "table.csv")
    assert predicted("table.csv") == in_python(at.Adept(at.TableStumps(["v"])), found, lambda t: {"v": float(t)})


@pytest.mark.parametrize(
    ("rules", "of"),
    [
        (["intervals(v)"], at.TableIntervals(["v"])),
        (["unions(v, m=2)"], at.TableUnions(["v"], 2)),
        (["blocklist(v, d=2)"], None),
        (["steps(v)"], at.TableSteps(["v"])),
        (["thresholds(n=16)", "--features", "v", "--horizon", "200"], at.Thresholds(16)),
        (["intervals(n=16)", "--features", "v", "--rate", "anytime"], at.Intervals(16)),
    ],
)
def test_all_rules_take_late_labels(rules: list[str], of: Any) -> None:
    found = events(random.Random(11), 80)
    run = ["run", stream_of(found), "--key", "id", "--rules", *rules, "--predictions", "p.csv", "--save", "s"]
    good(*run)
    horizon = 200 if "--horizon" in rules else None
    kept: Any = at.load("s/checkpoint")
    learner = at.Adept(of or kept.concept_class, horizon, rate=kept.rate)
    lines = in_python(learner, found, lambda text: int(text) if "--features" in rules else kept_value(kept, text))
    assert predicted() == lines and kept.expected_loss == learner.expected_loss
    assert [ticket.p for ticket in kept.tickets] == [ticket.p for ticket in learner.tickets]


def kept_value(learner: Any, text: str) -> Any:
    """Return the instance of a column's text, as the class takes it."""
    spec = repr(learner.concept_class)
    return {"v": float(text)} if "table" in spec else text


def test_costs_weights_and_frequencies_are_those_of_the_row_that_was_answered() -> None:
    name = write("late.csv", "id,v,w,y", "a,3,2.5,", "b,9,1,1", "a,,,0", "c,4,3,", "c,,7,1")
    options = ["--weight", "w", "--cost-miss", "4", "--max-weight", "3", "--frequency"]
    good("run", name, *ON_V, *options, "--predictions", "p.csv", "--save", "s")
    learner, frequency = at.Adept(at.Thresholds(16), costs=(4, 1), max_weight=3), at.Frequency()
    a = learner.answer(3)
    given = [frequency.of(a.p)]
    p = learner.predict_proba(9)
    given += frequency.of_many([p], [1])
    learner.learn(9, 1, weight=1.0)
    learner.learn(a, 0, weight=2.5)
    frequency.learn(a.p, 0, given[0])
    c = learner.answer(4)
    given.append(frequency.of(c.p))
    learner.learn(c, 1, weight=3.0)
    assert [(line[2], line[5], line[6]) for line in predicted()] == [
        (repr(a.p), repr(given[0]), "a"),
        (repr(p), repr(given[1]), "b"),
        (repr(a.p), repr(given[0]), "a"),
        (repr(c.p), repr(given[2]), "c"),
        (repr(c.p), repr(given[2]), "c"),
    ]
    assert at.load("s/checkpoint").expected_loss == learner.expected_loss


def test_labels_that_stay_away_stay_open_and_come_with_a_longer_stream() -> None:
    name = write("late.csv", "id,v,y", "a,3,", "b,9,", "c,5,0")
    good("run", name, *ON_V, "--save", "s", "--predictions", "p.csv")
    loaded = at.load("s/checkpoint")
    assert [ticket.x for ticket in loaded.tickets] == [3, 9]
    write("late.csv", "id,v,y", "a,3,", "b,9,", "c,5,0", "b,,1")
    assert "1 row answered, whose label has not come." in good(
        "run", name, *ON_V, "--save", "s", "--predictions", "p.csv", "--resume"
    )
    good("run", name, *ON_V, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_keys_are_no_features_and_a_run_of_open_rows_only_is_no_error() -> None:
    name = write("late.csv", "id,v,y", *(f"{i},{i % 7},{int(i % 7 > 3) if i % 2 else ''}" for i in range(40)))
    assert "stumps(v)" in good("run", name, "--rules", "stumps", "--key", "id")
    name = write("open.csv", "id,v,y", "1,3,", "2,4,")
    shown = good("run", name, *ON_V, "--save", "s")
    assert "open.csv: no label has come; 2 rows answered, whose labels have not come." in shown
    assert len(at.load("s/checkpoint").tickets) == 2


@pytest.mark.parametrize("label", ["y", "y>15"])
def test_objects_may_lack_what_they_do_not_know(label: str) -> None:
    rows = [{"id": 1, "v": 3}, {"id": 2, "v": 9, "y": 20}, {"id": 1, "y": 0}]
    rows = [{**row, "y": int(row["y"] > 15)} if label == "y" and "y" in row else row for row in rows]
    name = write("late.ndjson", *map(json.dumps, rows))
    good("run", name, *ON_V, "--label", label, "--predictions", "p.csv")
    assert [line[4:] for line in predicted()] == [["", "1"], ["1", "2"], ["0", "1"]]


# ------------------------------------------------------------------------------------- a second file


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_second_file_is_a_join_in_whatever_order(form: str) -> None:
    rng = random.Random(3)
    rows = [(f"k{i}", rng.randrange(16)) for i in range(300)]
    labels = {key: int((v >= 7) ^ (rng.random() < 0.2)) for key, v in rows if rng.random() < 0.9}
    write("joined.csv", "id,v,y", *(f"{key},{v},{labels.get(key, '')}" for key, v in rows))
    write("rows.csv", "id,v", *(f"{key},{v}" for key, v in rows))
    order = rng.sample(sorted(labels), len(labels))
    if form == "csv":
        second = write("second.csv", "y;id", *(f"{labels[key]};{key}" for key in [*order, "stranger"] if key in labels))
    else:
        second = write("second.ndjson", *(json.dumps({"id": key, "y": labels[key]}) for key in order))
    good("run", "joined.csv", *ON_V, "--predictions", "joined.out")
    shown = good("run", "rows.csv", *RULES, "--labels", second, "--features", "v", "--predictions", "p.csv")
    assert Path("p.csv").read_bytes() == Path("joined.out").read_bytes()
    assert f"{len(rows) - len(labels)} rows answered, whose labels have not come." in shown


def test_a_second_file_may_grow_and_says_yes_and_no_in_its_own_words() -> None:
    write("rows.csv", "id,v", "a,3", "b,9", "c,4")
    write("second.csv", "id,ok", "a,bad", "b,good", "z,bad")
    run = ["run", "rows.csv", *ON_V, "--labels", "second.csv", "--positive", "good"]
    run += ["--save", "s", "--predictions", "p.csv"]
    shown = good(*run)
    assert "Label ok: 1 is good, 0 is bad." in shown and "1 label whose row has not come." in shown
    before = Path("p.csv").read_bytes()
    write("second.csv", "id,ok", "a,bad", "b,good", "z,bad", "c,good")
    assert "3 rows" in good(*run, "--resume")
    after = Path("p.csv").read_bytes()
    assert after.startswith(before) and after[len(before) :].decode().split(",")[4:] == ["1", "c\n"]


@POSIX
def test_labels_written_to_a_pipe_before_a_row_are_learnt_before_it_is_answered() -> None:
    os.mkfifo("labels")
    rng = random.Random(8)
    learner, rounds = at.Adept(at.Thresholds(16)), 40
    running = process("run", "-", *ON_V, "--follow", "--labels", "labels", "--predictions", "p.csv")
    assert running.stdin and running.stdout and running.stderr
    running.stdin.write(b"id,v\n")
    running.stdin.flush()
    with running.stdout, running.stderr, open("labels", "w", buffering=1) as labels:
        labels.write("id,y\n")
        assert running.stdout.readline() == b"p,guess\n"
        tickets: dict[str, Any] = {}
        for i in range(rounds):
            for key in [key for key in tickets if rng.random() < 0.3]:
                y = rng.randrange(2)
                labels.write(f"{key},{y}\n")
                learner.learn(tickets.pop(key), y)
            v = rng.randrange(16)
            running.stdin.write(f"k{i},{v}\n".encode())
            running.stdin.flush()
            ticket = tickets[f"k{i}"] = learner.answer(v)
            assert running.stdout.readline().decode() == f"{ticket.p!r},{ticket.guess}\n"
        running.stdin.close()
        last = next(iter(tickets))
        labels.write(f"{last},1\n")  # after the last row
        learner.learn(tickets.pop(last), 1)
        labels.close()
        summary = running.stderr.read().decode()
    assert running.wait(timeout=30) == 0
    assert f"{learner.rounds} rows" in summary and f"{len(tickets)} rows answered, whose labels" in summary


@POSIX
def test_thousands_of_labels_written_at_once_are_all_learnt_before_the_row() -> None:
    os.mkfifo("labels")
    running = process("run", "-", *ON_V, "--follow", "--labels", "labels", "--predictions", "p.csv", "-q")
    assert running.stdin and running.stdout and running.stderr
    learner, rows = at.Adept(at.Thresholds(16)), 7000  # short lines: a pipe holds more than are handed on at a time
    running.stdin.write(b"id,v\n" + b"".join(b"%d,%d\n" % (i, i % 16) for i in range(rows)))
    running.stdin.flush()
    with running, open("labels", "w") as labels:
        labels.write("id,y\n")
        labels.flush()
        for _ in range(rows + 1):
            assert running.stdout.readline()
        for ticket in [learner.answer(i % 16) for i in range(rows)]:
            learner.learn(ticket, 1)
        labels.write("".join(f"{i},1\n" for i in range(rows)))
        labels.flush()
        running.stdin.write(b"last,0\n")
        running.stdin.flush()
        assert float(running.stdout.readline().split(b",")[0]) == learner.predict_proba(0)
        running.stdin.close()
        labels.close()
        assert running.wait(timeout=60) == 0


# ------------------------------------------------------------------------------------- crash safety


@POSIX
@pytest.mark.parametrize("second", [False, True])
def test_random_kills_change_nothing(second: bool) -> None:
    found = events(random.Random(9), 300)
    options = [stream_of(found), *ON_V, "--quiet", "--frequency"]
    if second:
        rows = [(key, v, "") for key, v, y in found if v and not y]
        labels = {key: y for key, v, y in found if y and key}
        stream_of(rows)
        options += ["--labels", write("second.csv", "id,y", *map(",".join, labels.items()))]
    before = "adeptree.runner.run_folder.CHECKPOINT_SECONDS = 0.01; adeptree.runner.run_folder.SHARE = 1"
    killed_often(options, 8, random.Random(4), before)


def test_a_conversation_goes_on_after_a_kill_with_its_open_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = events(random.Random(2), 60)
    options = [
        "run",
        "feed.csv",
        *ON_V,
        "--follow",
        "--predictions",
        "p.csv",
        "--save",
        "s",
        "--resume",
    ]
    parts = [found[:20], found[20:50], found[50:]]
    stream_of(parts[0], "feed.csv")
    good(*options)
    stream_of(parts[1], "feed.csv")
    with monkeypatch.context() as patched:  # as kill -9 leaves it: all in the journal
        patched.setattr(Game, "_last_checkpoint", lambda self: None)
        patched.setattr(journal, "CHECKPOINT_SECONDS", 1e9)
        good(*options)
    stream_of(parts[2], "feed.csv")
    good(*options)
    assert predicted() == in_python(at.Adept(at.Thresholds(16)), found)


def test_labels_of_a_second_file_are_known_as_such_in_the_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise rows of the stream would be skipped for them."""
    rows = [f"k{i},{5 * i % 16}" for i in range(40)]
    labels = write("second.csv", "id,y", *(f"k{i},{i % 2}" for i in range(0, 40, 3)))
    run = ["run", "rows.csv", *ON_V, "--labels", labels]
    good(*run[:1], write("rows.csv", "id,v", *rows), *run[2:], "--predictions", "whole.csv")
    run += ["--predictions", "p.csv", "--save", "s", "--resume"]
    write("rows.csv", "id,v", *rows[:25])
    with monkeypatch.context() as patched:
        patched.setattr(Game, "_last_checkpoint", lambda self: None)
        patched.setattr(journal, "CHECKPOINT_SECONDS", 1e9)
        good(*run)
    write("rows.csv", "id,v", *rows)
    good(*run)
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


# ------------------------------------------------------------------------------------- wrong input


MAYBE = "line 5, column y: a label must be 0, 1, true or false; got 'maybe'. If all but 1 are to be 0, "
MAYBE += 'say --label "y==1"'


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["a,3,", "a,4,"], 'line 3, key "a" came before and waits for its label; each row needs a different key'),
        (["a,3,1", "a,4,"], 'line 3, key "a" came before and has its label; each row needs a different key'),
        (["a,3,1", "a,4,1"], 'line 3, key "a" came before and has its label; each row needs a different key'),
        (["a,3,", "a,,1", "a,,0"], 'line 4, key "a" has the label 1 already; got 0'),
        (["a,,1", "a,,0"], 'line 3, key "a" has the label 1 already; got 0'),
        (["a,,1", "a,3,0"], 'line 3, key "a" has the label 1 already; got 0'),
        (["b,1,0", "c,2,1", "a,3,", "a,,maybe"], MAYBE),
        (["a,3,", "a,1"], "line 3: expected 3 values, got 2 values"),
    ],
)
def test_what_does_not_fit_is_a_bad_row(rows: list[str], said: str) -> None:
    name = write("late.csv", "id,v,y", *rows)
    result = call("run", name, *ON_V, "--quiet")
    assert result.exit_code == 2 and f"late.csv, {said}; to continue without such rows" in result.stderr
    result = call("run", name, *ON_V, "--quiet", "--on-bad-row", "skip", "--predictions", "p.csv")
    assert result.exit_code == 0 and f"1 bad row skipped: late.csv, {said}" in result.stderr
    good(
        "run",
        write("without.csv", "id,v,y", *rows[:-1]),
        *ON_V,
        "--quiet",
        "--predictions",
        "q.csv",
    )
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()


def test_a_label_that_is_said_again_is_passed_over() -> None:
    name = write("late.csv", "id,v,y", "a,3,", "a,,1", "a,,1", "b,,0", "b,,0", "b,5,0")
    shown = good("run", name, *ON_V)
    assert "2 rows" in shown and "not come" not in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--labels", "second.csv"], "--labels: say which column joins its labels to the rows, with --key COLUMN"),
        (["--key", "idd"], '--key: late.csv has no column "idd"; did you mean "id"?'),
        (["--key", "y"], '--key: "y" is the label; name a column that only holds keys'),
        (["--key", "v", "--rules", "stumps(v)"], '--key: "v" is a feature; name a column that only holds keys'),
        (["--key", "id", "--labels", "late.csv"], "--labels: that is the stream itself"),
        (["--key", "id", "--labels", "none.csv"], "none.csv could not be read: No such file or directory"),
        (["--key", "id", "--labels", "other.csv"], '--labels: other.csv has no column "id"'),
        (["--key", "id", "--labels", "second.csv", "--label", "z"], '--labels: second.csv has no column "z"'),
        (["--key", "id", "--labels", "bad.csv"], 'bad.csv, line 3, key "a" has the label 1 already; got 0'),
        (["--key", "id", "--labels", "gap.csv"], "gap.csv, line 2, the key is missing, so the label belongs to no row"),
        (["--key", "id", "--labels", "torn.csv"], "torn.csv, line 2: expected 2 values, got 3 values"),
        (["--key", "id", "--labels", "second.csv", "--predictions", "second.csv"], "second.csv is the file of the lab"),
    ],
)
def test_what_cannot_be_is_a_sentence(options: list[str], said: str) -> None:
    write("late.csv", "id,v,y", "a,3,1", "b,4,0")
    write("second.csv", "id,y", "a,1")
    write("other.csv", "name,y", "a,1")
    write("bad.csv", "id,y", "a,1", "a,0")
    write("gap.csv", "id,y", ",1", "a,0")
    write("torn.csv", "id,y", "a,1,1", "b,0")
    rules = [] if "--rules" in options else ["--rules", "thresholds(n=16)", "--features", "v"]
    result = call("run", "late.csv", *rules, *options, "--quiet")
    assert result.exit_code == 2 and said in result.stderr, result.stderr


def test_the_horizon_counts_answers() -> None:
    name = write("late.csv", "id,v,y", "a,3,", "b,4,", "a,,1", "c,5,", "b,,1")
    result = call("run", name, *ON_V, "--horizon", "2")
    assert result.exit_code == 2 and "past the horizon of 2 rounds" in result.stderr
    good("run", name, *ON_V, "--horizon", "3")


def test_a_run_that_met_its_horizon_is_whole_and_meets_it_again() -> None:
    name = write("late.csv", "id,v,y", "a,3,", "b,4,", "c,5,", "a,,1")
    for _ in range(2):
        result = call("run", name, *ON_V, "--horizon", "2", "--save", "s", "--resume")
        assert result.exit_code == 2 and "past the horizon of 2 rounds" in result.stderr
        assert at.load("s/checkpoint").answered == 2


def test_a_stop_at_a_bad_label_is_gone_on_with() -> None:
    rows = ["a,3,", "b,4,1", "a,,1", "c,5,", "a,,0", "c,,0", "d,1,"]
    run = [
        "run",
        write("late.csv", "id,v,y", *rows),
        *ON_V,
        "--predictions",
        "p.csv",
        "--save",
        "s",
    ]
    result = call(*run)
    assert result.exit_code == 2 and "add --on-bad-row skip --resume" in result.stderr
    good(*run, "--on-bad-row", "skip", "--resume")
    del rows[4]
    good("run", write("fine.csv", "id,v,y", *rows), *ON_V, "--predictions", "whole.csv")
    assert unnumbered("p.csv") == unnumbered("whole.csv")


def test_a_checkpoint_whose_keys_do_not_fit_its_tickets_is_refused() -> None:
    name = write("late.csv", "id,v,y", "a,3,", "b,4,", "c,4,1")
    run = ["run", name, *ON_V, "--save", "s", "--resume"]
    good(*run)
    kept = at.core.files.load("s/checkpoint")
    book, (a, b) = kept["run"]["book"], kept["run"]["book"]["open"]
    assert (a, b, book["keys"]) == ([1, ["1", "3"], "a", None, None], [2, ["2", "4"], "b", None, None], {"c": 3})
    for change in (
        {"open": [a]},
        {"open": [[7, *a[1:]], b]},
        {"open": [[1, ["1", "3"], "", None, None], b]},
        {"open": [[1, ["1", "3"], "b", None, None], b]},
        {"open": [[1, ["1", "3"], "a", -1.0, None], b]},
        {"open": [[1, ["3"], "a", None, None], b]},
        {"keys": {"c": 2}},
        {"keys": {"c": 0}},
        {"keys": {"c": 3, "d": 3}},
        {"keys": {"": 3}},
        {"status": book["status"][:2]},
        {"status": book["status"][::-1]},
        None,
    ):
        changed = {"early": {"z": "?"}} if change is None else {"book": {**book, **change}}
        at.core.files.save("s/checkpoint", {**kept, "run": {**kept["run"], **changed}})
        result = call(*run)
        assert result.exit_code == 1 and "does not say where its run was" in result.stderr, (change, result.stderr)
