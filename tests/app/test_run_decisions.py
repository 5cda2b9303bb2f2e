"""Decisions at the command line: actions, asked labels, drift and segments have the numbers of Adept in Python."""

from __future__ import annotations

import csv
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from running import POSIX, call, good, killed_often, write

import adeptree as at
from adeptree.families.tables.table_classes import TableThresholds

ROWS, HEADER = 160, ("id", "tenant", "score", "lr", "y")
SCORE, MODELS = ["--rules", "thresholds(score)"], ["--rules", "thresholds(score) | experts(lr, score, at=0.7)"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def drawn(rows: int = ROWS, seed: int = 1) -> list[dict[str, Any]]:
    rng, found = random.Random(seed), list[dict[str, Any]]()
    for i in range(rows):
        score, cut = rng.randrange(64) / 64, 0.4 if i < rows // 2 else 0.7
        y = int((score >= cut) ^ (rng.random() < 0.1))
        values = (f"k{i}", rng.choice(["a", "b", "007"]), score, round(rng.random(), 3), y)
        found.append(dict(zip(HEADER, values, strict=True)))
    return found


def csv_of(rows: list[dict[str, Any]], name: str = "cases.csv", hidden: Any = ()) -> str:
    lines = (",".join("" if name == "y" and row["id"] in hidden else str(row[name]) for name in HEADER) for row in rows)
    return write(name, ",".join(HEADER), *lines)


TABLE = TableThresholds(["score"])
UNION = TABLE | at.Experts("lr", "score", at=0.7)
LINES = at.RealThresholds().on("score")
CASES: dict[str, tuple[list[str], Any, dict[str, Any]]] = {
    "union": (MODELS, UNION, {}),
    "review": ([*SCORE, "--review", "0.2"], TABLE, {"review": 0.2}),
    "cheapest": (
        [*SCORE, "--review", "0.5", "--review-policy", "cheapest", "--cost-miss", "5", "--delay", "2"],
        TABLE,
        {"review": at.Review(0.5, policy="cheapest", delay=2), "costs": (5, 1)},
    ),
    "limit": ([*MODELS, "--review", "0.2", "--max-reviews", "4"], UNION, {"review": at.Review(0.2, at_most=4)}),
    "drawn": ([*SCORE, "--review", "0.3", "--promise", "drawn"], TABLE, {"review": at.Review(0.3, promise="drawn")}),
    "reviewed": (
        ["--rules", "experts(lr, score)", "--review", "0.2", "--feedback", "reviewed"],
        at.Experts("lr", "score"),
        {"review": 0.2, "feedback": "reviewed"},
    ),
    "asked": (
        [*MODELS, "--feedback", "asked", "--max-labels", "60"],
        UNION,
        {"feedback": "asked", "max_labels": 60},
    ),
    "drift": ([*MODELS, "--drift"], UNION, {"drift": True}),
    "by": ([*SCORE, "--by", "tenant"], LINES, {"by": "tenant"}),
    "all": (
        [*SCORE, "--by", "tenant", "--drift", "--review", "0.2"],
        LINES,
        {"by": "tenant", "drift": True, "review": 0.2},
    ),
    "asked drift": (
        [*SCORE, "--feedback", "asked", "--drift", "--horizon", "200", "--seed", "7"],
        TABLE,
        {"feedback": "asked", "drift": True, "horizon": 200, "prior": "mixed", "seed": 7},
    ),
}
each_case = pytest.mark.parametrize("case", CASES)


def decides(case: str) -> bool:
    return bool({"review", "feedback"} & CASES[case][2].keys())


def in_python(case: str, rows: list[dict[str, Any]]) -> tuple[at.Adept, list[list[Any]]]:
    """Return the learner after prompt labels, and for each row p, guess, action and ask as text."""
    _, rules, options = CASES[case]
    learner, told = at.Adept(rules, **options), list[list[Any]]()
    for row in rows:
        if not decides(case):
            told.append([repr(learner.predict_proba(row)), str(learner.predict(row))])
            learner.learn(row, row["y"])
            continue
        ticket = learner.preview(row)
        asked = [str(int(ticket.ask))] if options.get("feedback") == "asked" else []
        guess = "" if ticket.guess is None else str(ticket.guess)
        told.append([repr(ticket.p), guess, str(ticket.action), *asked])
        learner.learn(row, row["y"])
    return learner, told


def kept(folder: str = "s") -> dict[str, Any]:
    return dict(at.load(f"{folder}/checkpoint").certificate())


def predicted(name: str = "p.csv") -> list[list[str]]:
    """Return the lines of the predictions without row, value and label, and without the header."""
    with open(name, newline="") as file:
        rows = list(csv.DictReader(file))
    return [[cell for name, cell in row.items() if name in ("p", "guess", "action", "ask")] for row in rows]


@each_case
def test_a_file_a_conversation_and_a_resumed_run_have_the_numbers_of_python(case: str) -> None:
    options, rows = CASES[case][0], drawn()
    learner, told = in_python(case, rows)
    whole = ["run", csv_of(rows), *options, "--quiet"]
    good(*whole, "--predictions", "p.csv", "--save", "s")
    assert predicted() == told and kept() == dict(learner.certificate())
    lines = good(*whole, "--follow", "--save", "f").splitlines()
    assert lines[1:] == [",".join(row) for row in told] and kept("f") == dict(learner.certificate())
    csv_of(rows[: ROWS // 3])
    for resumed in (["--predictions", "r.csv", "--save", "r"], ["--predictions", "r.csv", "--save", "r", "--resume"]):
        good(*whole, *resumed)
        csv_of(rows)
    assert Path("r.csv").read_bytes() == Path("p.csv").read_bytes() and kept("r") == kept()


@each_case
def test_late_labels_have_the_numbers_of_tickets_in_python(case: str) -> None:
    """Each label comes some rows later; every tenth never does. A run that is stopped in between resumes."""
    options, rules, arguments = CASES[case]
    learner, rng = at.Adept(rules, **arguments), random.Random(3)
    late: list[tuple[float, str, dict[str, Any]]] = []
    for i, row in enumerate(drawn()):
        late.append((i, "row", row))
        if i % 10:
            late.append((i + rng.expovariate(0.3), "label", row))
    late.sort(key=lambda one: one[0])
    tickets, told = dict[str, at.Ticket](), list[list[str]]()
    lines = [",".join(HEADER)]
    for _, kind, row in late:
        key = row["id"]
        if kind == "row":
            tickets[key] = learner.answer(row)
        elif tickets[key].ask:
            learner.learn(tickets[key], row["y"])
        ticket = tickets[key]
        told.append([key, repr(ticket.p), "" if ticket.guess is None else str(ticket.guess)])
        values = {**row, "y": ""} if kind == "row" else {**dict.fromkeys(HEADER, ""), "id": key, "y": row["y"]}
        lines.append(",".join(str(values[name]) for name in HEADER))
    run = ["run", "late.csv", *options, "--key", "id", "--quiet", "--predictions", "p.csv", "--save", "s", "--resume"]
    for part in (lines[:90], lines):
        write("late.csv", *part)
        good(*run)
    with open("p.csv", newline="") as file:
        assert [[row["key"], row["p"], row["guess"]] for row in csv.DictReader(file)] == told
    assert kept() == dict(learner.certificate())


@POSIX
@pytest.mark.parametrize("case", ["limit", "reviewed", "asked", "drift", "all"])
@pytest.mark.parametrize("late", [False, True], ids=["prompt", "late"])
def test_kills_change_nothing(case: str, late: bool) -> None:
    rows = drawn(400)
    csv_of(rows, hidden={row["id"] for row in rows[::3]} if late else ())
    more: list[str] = []
    if late:
        labels = (f"{row['id']},{row['y']}" for row in rows[::3] if row["score"] < 0.9)
        more = ["--key", "id", "--labels", write("labels.csv", "id,y", *labels)]
    before = "adeptree.runner.run_folder.CHECKPOINT_SECONDS = 0.01; adeptree.runner.run_folder.SHARE = 1"
    killed_often(["cases.csv", *CASES[case][0], *more, "--frequency", "-q"], 3, random.Random(len(case)), before)


# ------------------------------------------------------------------------------------ what is shown


def tally(rows: list[dict[str, str]], costs: tuple[float, float], review: float) -> tuple[int, int, int, float]:
    """Count misses, false alarms and reviews of predictions with all labels, and their cost."""
    actions = [(row["action"], row["y"]) for row in rows]
    counts = tuple(map(actions.count, [("0", "1"), ("1", "0")]))
    handed = [action for action, _ in actions].count("review")
    return (*counts, handed, counts[0] * costs[0] + counts[1] * costs[1] + handed * review)  # type: ignore[return-value]


def test_a_file_with_all_labels_tells_the_misses_of_rows_that_were_not_learnt() -> None:
    shown = good("run", csv_of(drawn()), *CASES["reviewed"][0], "--cost-miss", "3", "--predictions", "p.csv")
    with open("p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["y"] for row in rows] == [str(row["y"]) for row in drawn()]
    misses, alarms, reviews, cost = tally(rows, (3, 1), 0.2)
    assert f"Drawn, by 160 labels of the file: {misses} miss" in shown
    assert f"{alarms} false alarm" in shown and f", {reviews} reviews; cost {cost:g}." in shown
    assert f"The learner learnt {reviews} labels; its own numbers are estimates." in shown
    assert 0 < reviews < 160 and misses and alarms


def test_reviews_without_a_label_are_reported() -> None:
    rows = drawn()
    for row in rows[:5]:
        row["y"] = ""
    shown = good("run", csv_of(rows), *CASES["reviewed"][0], "--save", "s", "--predictions", "p.csv")
    missing = sum(line[2] == "review" for line in predicted()[:5])
    assert f"Without a label so far: {missing} review" in shown and "Nothing is proven of the cost: " in shown
    assert kept()["average_bound"] is None and kept()["in_advance_note"] in shown
    waiting = good("run", csv_of(rows, "late.csv"), *CASES["reviewed"][0], "--key", "id")
    assert "; until all have come, nothing is proven of the cost." in unwrapped(waiting)
    with_all = good("run", csv_of(rows), *CASES["review"][0], "--predictions", "p.csv")
    missing = sum(line[2] == "review" for line in predicted()[:5])
    assert f"Without a label so far: {missing} review" in with_all and "Nothing is proven" not in with_all
    assert "5 rows without a label, answered and not learnt." in with_all


def test_answers_of_a_conversation_name_the_action_and_whether_the_label_is_asked_for() -> None:
    lines = [*(json.dumps(row) for row in drawn(20)), "oops"]
    run = ["run", "-", "--format", "ndjson", "--follow", "-q", "--on-bad-row", "skip", *CASES["asked"][0]]
    answers = [json.loads(line) for line in good(*run, stdin="\n".join(lines)).splitlines()]
    _, told = in_python("asked", drawn(20))
    assert [[repr(a["p"]), str(a["guess"]), a["action"], str(int(a["ask"]))] for a in answers[:-1]] == told
    assert answers[-1] == {"p": None, "guess": None, "action": None, "ask": None}
    header = good("run", csv_of(drawn(3)), "--follow", "-q", "--frequency", *CASES["asked"][0]).splitlines()[0]
    assert header == "p,guess,action,ask,frequency"


# ------------------------------------------------------------------------------------ wrong options


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--review-policy cheapest", "--review-policy needs --review C"),
        ("--max-reviews 3", "--max-reviews needs --review C"),
        ("--delay 3", "--delay needs --review C"),
        ("--promise drawn", "--promise needs --review C"),
        ("--review 0.2 --feedback reviewed --delay 3", "--delay cannot be used with --feedback reviewed"),
        ("--feedback reviewed", "--feedback reviewed needs --review C, the cost of a review"),
        ("--feedback asked --review 0.2", "--feedback asked refuses --review; got 0.2; leave it out"),
        ("--max-labels 3", "--max-labels needs --feedback asked; got 3"),
        ("--review 0.9", "a review must cost less than 0.5"),
        ("--review nan", "the cost of a review must be a number above 0; got nan"),
        ("--review 0.2 --prior paper", "--prior paper loses mass, so that --review has no guarantee"),
        ("--review 0.2 --max-width 9", "with --max-width 9 paths are dropped"),
        ("--review 0.2 --promise drawn --max-reviews 3", "--review-policy fewest only; use --promise average"),
        ("--drift --rate anytime", "with --drift the rate must be left out"),
        ("--by nobody", '--by: cases.csv has no column "nobody"'),
        ("--by y", '--by: "y" is the label'),
        ("--by tenant --rules conjunctions(n=2) --features score,lr", "--by needs rules that name columns"),
        ("--rules thresholds(score)|stumps", "each part of a union names its columns"),
        ("--rules thresholds(score)|", "each part of a union names its columns"),
        ("--rules experts(lr,at=high)", "at=high"),
        ("--rules steps(score)|experts(lr)", "does not combine with other rules"),
    ],
)
def test_a_refusal_names_the_option_and_leaves_no_folder(options: str, sentence: str) -> None:
    given = options.split() if "--rules" in options else [*SCORE, *options.split()]
    result = call("run", csv_of(drawn(5)), *given, "--save", "s")
    assert result.exit_code == 2 and sentence in result.stderr and "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1 and not Path("s/settings.json").exists()


@pytest.mark.parametrize("more", [["--drift"], ["--review", "0.2", "--feedback", "reviewed"]])
def test_a_weight_that_the_learner_refuses_is_a_bad_row(more: list[str]) -> None:
    name = write("heavy.csv", "score,w,y", "1,1,0", "2,3,1", "3,1,1")
    run = ["run", name, *SCORE, *more, "--weight", "w", "--save", "s"]
    assert "heavy.csv, line 3" in (stopped := call(*run).stderr) and "--max-weight" in stopped
    assert "1 bad row was skipped" in good(*run[:-1], "t", "--on-bad-row", "skip")


@pytest.mark.timeout(100)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_separate_learners_are_those_of_python(jobs: str) -> None:
    rows = drawn()
    rows[3] |= {"tenant": "", "score": 0.5}
    path, learners = csv_of(rows), dict[str, at.Adept]()
    for name in dict.fromkeys(row["tenant"] for row in rows):
        some = [row for row in rows if row["tenant"] == name]
        table = {column: [row[column] for row in some] for column in ("tenant", "score", "y")}
        learners |= at.learn_segments(table, "y", "tenant", "thresholds(score)", costs=(5, 1), review=0.5, seed=3)
    separate = ["--by", "tenant", "--separate", "--jobs", jobs, "--seed", "3", "--cost-miss", "5", "--review", "0.5"]
    said = good("run", path, *SCORE, *separate)
    assert "rules: thresholds(score), a separate learner for each tenant" in said
    ours, best = sum(one.expected_loss for one in learners.values()), sum(one.best_loss for one in learners.values())
    assert [line.split()[2] for line in said.splitlines() if "(expected)" in line] == [f"{ours:,.1f}"]
    assert [line.split()[4] for line in said.splitlines() if "rule of each" in line][:1] == [f"{best:,.0f}"]
    for name, one in learners.items():
        (line,) = (line for line in said.splitlines() if line.startswith(f"  {name or 'missing'} "))
        reviews = one.expected_loss - one.ledger.missed - one.ledger.alarmed
        assert line.split()[1:] == [
            f"{one.rounds}",
            *(f"{loss:,.1f}" for loss in (one.expected_loss, one.ledger.missed, one.ledger.alarmed)),
            f"{reviews:,.1f}",
            *f"{one.best_rule()} ({one.best_loss:,.1f})".replace(".0)", ")").split(),
        ]


def test_what_separate_learners_do_not_have_is_refused() -> None:
    path = csv_of(drawn())
    for wrong, said in (
        (["--separate"], "--separate needs --by COLUMN"),
        (["--jobs", "2"], "--jobs is the number of processes of --separate"),
        (["--separate", "--by", "tenant", "--save", "kept"], "--separate cannot be used with --save"),
        (["--separate", "--by", "tenant", "--follow"], "--separate cannot be used with --follow"),
    ):
        result = call("run", path, *SCORE, *wrong)
        assert result.exit_code == 2 and said in result.stderr and not Path("kept").exists()


def test_the_number_of_segments_gives_a_guarantee_in_advance() -> None:
    path, by = csv_of(drawn()), [*SCORE, "--by", "tenant"]
    assert "nothing in advance (the number of segments is not known; give --segments)" in unwrapped(
        good("run", path, *by)
    )
    learner = at.Adept(LINES.rules.on("score"), by="tenant", segments=3)
    promised = f"{math.ceil(10 * (learner.bound_after(ROWS) or 0)) / 10:,.1f}"
    said = unwrapped(good("run", path, *by, "--segments", "3"))
    assert f"at most {promised} more on any {ROWS} rows and at most 3 segments" in said


def test_a_run_with_a_number_of_segments_resumes() -> None:
    """A checkpoint of another number does not belong to the settings."""
    by = [*SCORE, "--by", "tenant", "--segments"]
    whole, rows = good("run", csv_of(drawn(), "whole.csv"), *by, "4"), drawn()
    half = csv_of(rows[: ROWS // 2])
    good("run", half, *by, "4", "--save", "kept")
    good("run", half, *by, "5", "--save", "other")
    csv_of(rows)
    again = good("run", "cases.csv", *by, "4", "--save", "kept", "--resume")
    assert again.split("\n")[3:12] == whole.split("\n")[3:12]
    Path("kept/checkpoint").write_bytes(Path("other/checkpoint").read_bytes())
    refused = call("run", "cases.csv", *by, "4", "--save", "kept", "--resume")
    assert refused.exit_code != 0 and "does not belong to the settings" in refused.stderr


def unwrapped(text: str) -> str:
    return " ".join(text.split())
