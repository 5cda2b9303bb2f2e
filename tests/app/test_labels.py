"""Labels as people have them: two values of any kind, which one is 1, what is missing, and what is suspicious."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import RULES, call, good, write

import adeptree as at
from adeptree.app.run import text_lines
from adeptree.app.run.batching import Position, position_of
from adeptree.app.run.csv_rows import csv_stream
from adeptree.app.run.label_values import PAIRS, copies, key
from adeptree.app.run.row_label import label_of
from adeptree.core.errors import InvalidArgument
from adeptree.runner.rows import Row


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def labelled(*labels: str) -> str:
    return write("f.csv", "score,y", *(f"{7 * i % 16},{label}" for i, label in enumerate(labels)))


def ys(name: str = "p.csv") -> list[str]:
    return [row["y"] for row in csv.DictReader(Path(name).read_text(encoding="utf-8").splitlines())]


RARER = ["b", "a", "a", "b", "a"]


@pytest.mark.parametrize(
    ("labels", "ones", "said"),
    [
        (["0", "1", "TRUE", "false", "1.0"], "01101", ""),
        (["-1", "1", "-1.0"], "010", "1 is 1, 0 is -1."),
        (["2", "1", "2", "2"], "1011", "1 is 2, 0 is 1."),
        (["No", "yes", "YES"], "011", "1 is yes, 0 is No."),
        (["Up", "Down", "Up"], "101", "1 is Up, 0 is Down."),
        (["y", "n", "y", "y"], "1011", "1 is y, 0 is n."),
        (["T", "F"], "10", "1 is T, 0 is F."),
        (["pos", "negative", "pos"], "101", "1 is pos, 0 is negative."),
        (RARER, "10010", "1 is b, 0 is a."),
        (["ham", "spam"], "01", "1 is spam, 0 is ham."),
        (["spam", "ham"], "10", "1 is spam, 0 is ham."),
        (["0", "0"], "00", ""),
        (["yes", "yes"], "11", "1 is yes, 0 is no."),
        (["3.5", "-3.5"], "10", "1 is 3.5, 0 is -3.5."),
        (["maybe", "yes", "yes", "yes"], "0111", "1 is yes, 0 is maybe."),
    ],
)
def test_two_values_are_a_label_by_themselves(labels: list[str], ones: str, said: str) -> None:
    text = good("run", labelled(*labels), *RULES, "--predictions", "p.csv")
    assert "".join(ys()) == ones
    assert f"\nLabel y: {said}\n" in text if said else "Label" not in text


@pytest.mark.parametrize(
    ("labels", "value"), [(["no", "yes", "no"], "NO"), (RARER, "a"), (["0", "1"], "0"), (["x"], "z")]
)
def test_the_value_that_is_one_can_be_said(labels: list[str], value: str) -> None:
    text = good("run", labelled(*labels), *RULES, "--positive", value, "--predictions", "p.csv")
    assert ys() == [str(int(label.lower() == value.lower())) for label in labels]
    assert "\nLabel y: 1 is " in text


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        (
            ["spam", "ham"],
            ["--positive", "spma"],
            'no value "spma" in the first rows of f.csv; did you mean "spam"?',
        ),
        (["spam", "ham"], ["--label", "y==spam", "--positive", "spam"], "--positive: y==spam is a comparison"),
        (
            ["late", "late"],
            [],
            'nothing but "late" in the first rows of f.csv; a label has two values: say which',
        ),
        (["no", "yes", "soon"], [], "line 4, column y: a label must be yes (which is 1) or no (0); got 'soon'. If all"),
        (["no", "yes", "soon"], [], '--label "y==yes"; to continue without such rows, add --on-bad-row skip'),
        (["a", "b", "c"], ["--positive", "b"], "and a label has two; say when it is 1, and in all others it is 0"),
    ],
)
def test_wrong_labels_get_a_sentence(labels: list[str], options: list[str], sentence: str) -> None:
    result = call("run", labelled(*labels), *RULES, *options)
    assert result.exit_code == 2 and sentence in result.stderr, result.stderr


def test_a_rare_third_value_is_a_bad_row() -> None:
    labels = ["a", "b", "b"] * 20
    labels[30:30] = ["oops"]
    result = call("run", labelled(*labels), *RULES, "--on-bad-row", "skip", "--predictions", "p.csv")
    assert result.exit_code == 0 and "1 bad row skipped: f.csv, line 32, column y: a label must be a" in result.stderr
    assert ys() == [str(int(label == "a")) for label in labels if label != "oops"]


def test_classes_are_refused_before_the_first_round() -> None:
    """Also where 0 and 1 come first; a few others among labels are bad rows."""
    result = call("run", labelled(*"0011" * 5, *"2" * 10), *RULES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert '"y" has 3 values in the first rows of f.csv (0, 1, 2), and a label has two' in result.stderr
    result = call("run", labelled(*"0011" * 5, *"2" * 6), *RULES)
    assert result.exit_code == 2 and "f.csv: 20 rows" in result.stdout


def test_a_resumed_run_keeps_what_was_decided() -> None:
    """Also where the rows to come would decide otherwise."""
    options = [*RULES, "--save", "s", "--resume", "--predictions", "p.csv", "-q"]
    good("run", labelled("b", "a", "a"), *options)
    good("run", labelled("b", "a", "a", *["b"] * 9), *options)
    assert "".join(ys()) == "100" + "1" * 9
    saved = json.loads(Path("s/settings.json").read_text())
    assert saved["settings"]["found"]["label"] == [["b"], ["a"]]
    assert call("run", "f.csv", *options, "--positive", "a").exit_code == 2


def test_a_missing_label_is_answered_and_not_learnt() -> None:
    rng, learner, expected = random.Random(1), at.Adept(at.Thresholds(16)), []
    labels = [rng.choice(["no", "yes", "", "NA"]) for _ in range(300)]
    for i, label in enumerate(labels):
        x, y = 7 * i % 16, {"no": 0, "yes": 1}.get(label)
        expected.append([str(i + 1), str(x), repr(learner.predict_proba(x)), str(learner.predict(x))])
        if y is not None:
            learner.learn(x, y)
    text = good("run", labelled(*labels), *RULES, "--predictions", "p.csv")
    written = list(csv.reader(Path("p.csv").read_text().splitlines()))[1:]
    assert [row[:4] for row in written] == expected
    assert ys() == [{"no": "0", "yes": "1"}.get(label, "") for label in labels]
    missing = sum(label not in ("no", "yes") for label in labels)
    assert f"{missing} rows without a label, answered and not learnt." in text
    assert f"f.csv: {300 - missing} rows" in text


def test_a_stream_without_any_label_is_a_sentence() -> None:
    """As where every line, the header too, ends with a comma."""
    write("f.csv", "score,y,", "3,1,", "4,0,")
    result = call("run", "f.csv", *RULES, "--features", "score")
    assert result.exit_code == 2 and 'f.csv: no row has a label in "c3"; choose with --label' in result.stderr
    assert "2 rows" in good("run", "f.csv", *RULES, "--features", "score", "--label", "y")


def test_a_conversation_reads_words_and_asks_for_others() -> None:
    good("run", "-", *RULES, "--follow", "-q", "--predictions", "p.csv", stdin="score,y\n3,no\n4,True\n5,UP\n5,\n")
    assert ys() == ["0", "1", "1", ""]
    result = call("run", "-", *RULES, "--follow", "-q", stdin="score,y\n3,ham\n")
    assert result.exit_code == 2 and "say which value is 1 with --positive VALUE; got 'ham'" in result.stderr
    options = ["--follow", "-q", "--positive", "spam", "--predictions", "p.csv"]
    good("run", "-", *RULES, *options, stdin="score,y\n3,ham\n4,Spam\n")
    assert ys() == ["0", "1"]


def test_a_label_that_is_never_one_and_a_column_that_copies_it_are_told() -> None:
    name = labelled(*["spam", "ham"] * 10)
    warning = "adeptree: warning: no row had y == spma, so the label was never 1; is that spelt right?\n"
    assert call("run", name, *RULES, "--label", "y==spma").stderr == warning
    assert call("run", name, *RULES, "--label", "y==spam").stderr == ""
    warning = 'adeptree: warning: no row had 1 in column "y", so the label was never 1\n'
    assert call("run", labelled(*"0" * 10), *RULES).stderr == warning
    assert call("run", labelled(*"0" * 9), *RULES).stderr == ""
    assert call("run", labelled("1", *"0" * 40), *RULES).stderr == ""
    name = labelled(*["spam", "ham"] * 10)
    rows = [f"{i},{1 + i % 2},{'alive' if i % 2 else 'dead'}" for i in range(20)]
    told = call("run", write("g.csv", "age,class,fate", *rows), "--rules", "stumps").stderr
    assert told == 'adeptree: warning: column "class" copies the label; a rule that reads it knows the answer\n'
    assert call("run", "g.csv", "--rules", "stumps(age)").stderr == ""


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(["", "a", "b", "yes", "no", "1", "2"]), min_size=1, max_size=40),
    st.sampled_from([1, 5, 1 << 18]),
)
def test_what_is_one_does_not_depend_on_how_the_stream_comes(labels: list[str], size: int) -> None:
    text = "x,y\n" + "".join(f"0,{label}\n" for label in labels)

    def found(chunk: int) -> object:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(text_lines, "CHUNK", chunk)
            stream = csv_stream("f", text_lines.bounded([text.encode()], text_lines.Meter()))
            try:
                return label_of(stream, None).values, len(list(stream))
            except InvalidArgument as error:
                return str(error)

    assert found(size) == found(7)


def test_every_pair_of_words_is_told_apart_whichever_is_rarer() -> None:
    for no, yes in PAIRS:
        for labels in ([no, yes, yes], [yes, no, no], [yes.upper(), no.title()]):
            good("run", labelled(*labels), *RULES, "-q", "--predictions", "p.csv")
            assert ys() == [str(int(key(label) == key(yes))) for label in labels]


@pytest.mark.parametrize("pair", ["nein ja", "non oui", "no si", "não sim", "No Yes", "down up"])
def test_words_of_several_languages_are_known_also_when_1_is_common(pair: str) -> None:
    no, yes = pair.split()
    good("run", labelled(yes, yes, no, yes), *RULES, "-q", "--predictions", "p.csv")
    assert ys() == ["1", "1", "0", "1"]


def test_a_copy_has_two_values_and_no_exception() -> None:
    many = [Row(i, [str(i % 2), str(i % 4), "1", str(i % 2 if i else 1)]) for i in range(30)]
    assert copies(many, range(4), [i % 2 for i in range(30)]) == [0]
    assert copies(many[:19], range(4), [i % 2 for i in range(19)]) == []


@pytest.mark.parametrize("ones", [-1, 4, True, "1", 1.0])
def test_a_position_with_impossible_ones_is_refused(ones: object) -> None:
    found = {**asdict(Position(taken=3, ones=3)), "ones": 3}
    assert position_of(found, 3).ones == 3
    with pytest.raises((ValueError, TypeError)):
        position_of({**found, "ones": ones}, 3)
