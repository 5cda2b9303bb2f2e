"""In a conversation no answered row is forgotten silently: damage to the folder is refused, or changes nothing."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from long_form import times
from running import RULES, call, good, small, write

from adeptree.app.run.run_loop import Game
from adeptree.app.terminal import show
from adeptree.core import files
from adeptree.core.json_lines import seal
from adeptree.runner import run_folder as journal
from adeptree.runner.appended_file import Counter as Count

OPTIONS = ["run", "feed.csv", *RULES, "--follow", "--predictions", "p.csv", "--save", "s", "--resume", "-q"]
ROWS = 30


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def killed(monkeypatch: pytest.MonkeyPatch, before: int = 5) -> None:
    """Leave the folder as kill -9 does after ROWS answers, the first few of them in the checkpoint."""
    lines = Path(small(ROWS + 10)).read_text().splitlines()
    write("feed.csv", *lines[: before + 1])
    good(*OPTIONS)
    write("feed.csv", lines[0], *lines[before + 1 : ROWS + 1])
    with monkeypatch.context() as patched:
        patched.setattr(Game, "_last_checkpoint", lambda self: None)
        patched.setattr(journal, "CHECKPOINT_SECONDS", 1e9)
        good(*OPTIONS)
    assert len(Path("s/rows.journal").read_bytes().splitlines()) == 1 + ROWS - before  # with the header
    write("feed.csv", lines[0], *lines[ROWS + 1 :])


Damage = Callable[[random.Random, bytes], bytes]


def flipped(rng: random.Random, old: bytes) -> bytes:
    place = rng.randrange(len(old))
    return old[:place] + bytes([old[place] ^ 1 << rng.randrange(8)]) + old[place + 1 :]


def flipped_at_the_end(rng: random.Random, old: bytes) -> bytes:
    return old[:-1] + bytes([old[-1] ^ 1 << rng.randrange(8)])


def zeroed(rng: random.Random, old: bytes) -> bytes:
    start = rng.randrange(len(old))
    return old[:start] + bytes(len(old) - start)


def cut(rng: random.Random, old: bytes) -> bytes:
    return old[: rng.randrange(len(old))]


def on_lines(change: Callable[[random.Random, list[bytes], int], list[bytes]]) -> Damage:
    def damage(rng: random.Random, old: bytes) -> bytes:
        lines = old.splitlines(keepends=True)
        return b"".join(change(rng, lines, rng.randrange(len(lines))))

    damage.__name__ = change.__name__
    return damage


def cut_at_a_line_end(rng: random.Random, lines: list[bytes], i: int) -> list[bytes]:
    return lines[:i]


def repeated(rng: random.Random, lines: list[bytes], i: int) -> list[bytes]:
    return [*lines[: i + 1], *lines[i:]]


def removed(rng: random.Random, lines: list[bytes], i: int) -> list[bytes]:
    return [*lines[:i], *lines[i + 1 :]]


def swapped(rng: random.Random, lines: list[bytes], i: int) -> list[bytes]:
    return [*lines[:i], *lines[i + 1 :], lines[i]]


KINDS: list[Damage] = [flipped, flipped_at_the_end, zeroed, cut]
KINDS += map(on_lines, (cut_at_a_line_end, repeated, removed, swapped))


@pytest.mark.timeout(300)
def test_damaged_folders_are_refused_or_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    shutil.copytree("s", "kept")
    shutil.copy("p.csv", "kept.csv")
    out = good(*OPTIONS)
    expected = Path("p.csv").read_bytes()
    rng = random.Random(12)
    refused: Counter[str] = Counter()
    trials = times(120, 300)
    for trial in range(trials):
        damage = KINDS[trial % len(KINDS)]
        shutil.rmtree("s")
        shutil.copytree("kept", "s")
        shutil.copy("kept.csv", "p.csv")
        path = Path("s", "answered" if damage in (flipped, zeroed, cut) and trial % 3 == 0 else "rows.journal")
        old = path.read_bytes()
        path.write_bytes(damage(rng, old))
        before = path.read_bytes()
        result = call(*OPTIONS)
        if result.exit_code == 0:
            assert (result.stdout, Path("p.csv").read_bytes()) == (out, expected), (damage.__name__, before)
        else:
            assert result.exit_code == 1 and result.stderr.startswith("adeptree: s/") and result.stderr.count("\n") == 1
            # A refusal changes nothing: the file may still be put back.
            assert (path.read_bytes(), Path("p.csv").read_bytes()) == (before, Path("kept.csv").read_bytes())
            refused[damage.__name__] += 1
            path.write_bytes(old)
    # Almost every one of them is detected; the others (the case of a hexadecimal digit) change nothing.
    assert sum(refused.values()) >= trials * 29 / 30, refused


def test_rows_lost_at_a_line_end_are_named_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    path = Path("s/rows.journal")
    before = path.read_bytes()
    path.write_bytes(b"".join(before.splitlines(keepends=True)[:-1]))
    assert "remove s/answered to continue without row 30\n" in call(*OPTIONS).stderr
    path.write_bytes(before)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    sentence = call(*OPTIONS).stderr
    assert "s/rows.journal ends with row 28, but 30 rows were answered" in sentence
    assert "remove s/answered to continue without rows 29 to 30" in sentence
    Path("s/answered").unlink()
    # Also with -q: hiding the summary must not lose rows.
    said = "adeptree: s/answered is missing: if rows were answered after row 28, the run continues without them\n"
    assert call(*OPTIONS).stderr == said
    assert Count(Path("s/answered")).value() == 38
    assert call(*OPTIONS).stderr == ""


def test_a_conversation_that_lost_all_its_files_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    Path("s/answered").unlink()
    Path("s/rows.journal").unlink()
    assert "if rows were answered after row 5, the run continues without them" in call(*OPTIONS).stderr


def test_a_line_cut_short_before_its_answer_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal comes first: killed between the two writes, or inside one, the count is behind, which is fine."""
    killed(monkeypatch)
    path = Path("s/rows.journal")
    whole = path.read_bytes()
    count = Count(Path("s/answered"))
    count.set(29)
    count.close()
    path.write_bytes(whole[:-1])
    assert call(*[option for option in OPTIONS if option != "-q"]).stderr.startswith("adeptree: resuming after 29 rows")


def test_a_row_is_in_the_journal_before_it_counts_as_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = Count.set

    def noted(self: Count, value: int) -> None:
        lines = Path("s/rows.journal").read_bytes().splitlines() if Path("s/rows.journal").exists() else []
        if lines[1:]:  # else the checkpoint has it
            seen.append(json.loads(lines[-1])["from"])
            assert seen[-1] >= value
        real(self, value)

    monkeypatch.setattr(Count, "set", noted)
    killed(monkeypatch)
    assert max(seen) == ROWS


def test_a_row_whose_answer_could_not_be_given_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Path(small(ROWS)).read_text().splitlines()
    write("feed.csv", *lines)

    def broken(text: str, err: bool = False) -> None:
        if text != "p,guess" and not err:
            raise BrokenPipeError
        show(text, err=err)

    with monkeypatch.context() as patched:
        patched.setattr("adeptree.app.run.outputs.show", broken)
        assert call(*OPTIONS).exit_code == 141
    good(*OPTIONS)
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_a_folder_of_an_earlier_release_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no count; everything else is the same."""
    killed(monkeypatch)
    Path("s/answered").unlink()
    good(*OPTIONS)
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_a_stream_that_can_be_read_again_needs_no_count() -> None:
    """Lost rows of the journal come again from the file, so nothing is lost and nothing is refused."""
    options = ["run", small(20), *RULES, "--predictions", "p.csv", "--save", "s", "--resume", "-q"]
    good(*options)
    assert not Path("s/answered").exists()
    Path("s/rows.journal").unlink()
    good(*options)


# --- Altered with a right checksum --------------------------------------------------------------------


def refused(name: str, options: list[str] = OPTIONS) -> str:
    """Run into a file that cannot be: one sentence about it, the code of damaged files, and nothing is changed."""
    before = {path: path.read_bytes() for path in sorted(Path("s").iterdir())} | {Path("p.csv"): b""}
    before[Path("p.csv")] = Path("p.csv").read_bytes()
    result = call(*options)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.stderr
    assert result.stderr.startswith(f"adeptree: s/{name} "), result.stderr
    assert before == {path: path.read_bytes() for path in before}
    return str(result.stderr)


JOURNAL: list[tuple[int, int, Any]] = [
    *((0, 0, value) for value in ("6", None, [6], True, 6.0)),
    *((3, 0, value) for value in (8, 10, 5)),  # row 9 of the run, after row 8
    *((3, 1, value) for value in ("x", None, -1, 2.5)),
    *(
        (3, 2, value)
        for value in (3, None, "31", [3, 1], [[3], [1]], ["3"], ["3", "1", "1"], {"score": "3"}, ["x", "1"])
    ),
    *((3, 3, value) for value in (5, None, "bad")),
]


@pytest.mark.parametrize(("line", "place", "value"), JOURNAL)
def test_rows_that_cannot_be_are_refused(monkeypatch: pytest.MonkeyPatch, line: int, place: int, value: Any) -> None:
    killed(monkeypatch)
    path = Path("s/rows.journal")
    blocks = journal.JOURNAL.read(path).rows
    assert blocks[line]["from"] == 6 + line
    if place:
        blocks[line]["rows"][0][place] = value
    else:
        blocks[line]["from"] = value
    lines = journal.JOURNAL.writer()
    path.write_text("".join([lines.header, *map(lines.row, blocks)]))
    refused("rows.journal")


def with_line(text: str) -> None:
    """Add a line with a right checksum to the journal."""
    path = Path("s/rows.journal")
    content = path.read_text()
    path.write_text(f"{content}{seal(text, content.splitlines()[-1])}\n")


ROW = '["row", 36, ["3", "0"], ""]'


@pytest.mark.parametrize(
    "rows",
    [
        *("[" * 100_000, '[["row", 6, [' + "9" * 5000 + '], ""]]', "3", '"row"', "[36]", "[]", f"{{{ROW[5:]}: 1}}"),
        *(f'[{ROW}], "more": 1', f'[{ROW}, ["rest", 36, ["3", "0"], ""]]', f"[{ROW}, [36]]"),
    ],
)
def test_lines_that_hold_no_row_are_refused(monkeypatch: pytest.MonkeyPatch, rows: str) -> None:
    killed(monkeypatch)
    with_line(f'{{"from": {ROWS + 1}, "rows": {rows}}}')
    refused("rows.journal")


def test_a_journal_of_another_version_is_refused_with_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    path = Path("s/rows.journal")
    path.write_text(path.read_text().replace('"version": 4', '"version": 5', 1))
    result = call(*OPTIONS)
    assert result.exit_code == 1 and "file format version 5 is not supported; this version reads 4" in result.stderr


def test_more_rows_than_the_horizon_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_follow_journal.OPTIONS", options := [*OPTIONS, "--horizon", str(ROWS)])
    killed(monkeypatch)
    (last,) = json.loads(Path("s/rows.journal").read_bytes().splitlines()[-1])["rows"]
    with_line(json.dumps({"from": ROWS + 1, "rows": [last]}))
    assert "the horizon is 30" in refused("rows.journal", options)


def test_a_count_of_thousands_of_digits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    Path("s/answered").write_text(seal('{"count": "' + "1" * 5000 + '"}') + "\n")
    refused("answered")


def resettled(change: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads(Path("s/settings.json").read_bytes())
    change(content)
    del content["check"]
    Path("s/settings.json").write_text(seal(json.dumps(content)) + "\n")


FOUND: list[dict[str, Any]] = [
    *({"reads": value} for value in (3, None, "score", ["zz"], [["score"]], ["y"], [], ["score", "score"])),
    *({"class": value} for value in (3, None, "nope(", "", "thresholds(n=32)", "stumps(cuts={'score': [1]})")),
    {"class": f"thresholds(n=1{'0' * 400})"},
    {"shown": 3},
]


@pytest.mark.parametrize("change", FOUND, ids=lambda change: str(change)[:40])
def test_rules_that_the_options_do_not_mean_are_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    killed(monkeypatch)
    resettled(lambda content: content["settings"]["found"].update(change))
    assert "settings.json is damaged" in refused("settings.json")


@pytest.mark.parametrize("value", [None, [1], {}, 3, "x"])
def test_settings_that_are_none_are_refused(monkeypatch: pytest.MonkeyPatch, value: Any) -> None:
    killed(monkeypatch)
    resettled(lambda content: content.update(settings=value))
    refused("settings.json")


@pytest.mark.parametrize("change", [{"found": None}, {"found": []}, {"columns": None}, {"columns": [3]}, {"seed": []}])
def test_settings_of_other_kinds_are_refused(monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> None:
    killed(monkeypatch)
    resettled(lambda content: content["settings"].update(change))
    refused("settings.json")


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 5000, '{"a": ' * 100_000])
def test_settings_that_cannot_be_read_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    killed(monkeypatch)
    Path("s/settings.json").write_text(text)
    refused("settings.json")


def with_found(name: str, value: Any, content: dict[str, Any]) -> None:
    content["settings"]["found"][name] = value


def test_stumps_on_columns_that_were_found_go_on() -> None:
    """The columns were detected in rows that do not come again."""
    write("feed.csv", "a,b,y", "1,x,0", "5,y,1")
    options = ["run", "feed.csv", "--rules", "stumps", "--follow", "--save", "s", "--resume", "-q"]
    good(*options)
    write("feed.csv", "a,b,y", "bad,7,0")
    good(*options)
    wrong: list[tuple[str, Any]] = [
        ("reads", ["b"]),
        ("reads", []),
        ("reads", ["b", "a"]),
        ("class", "thresholds(n=9)"),
    ]
    for name, value in wrong:
        whole = Path("s/settings.json").read_bytes()
        resettled(partial(with_found, name, value))
        assert "s/settings.json is damaged" in call(*options).stderr
        Path("s/settings.json").write_bytes(whole)


POSITION: list[dict[str, Any]] = [
    *({"taken": value} for value in (3, 6, -5, 10**400, "5", None, 5.0, True)),
    *({name: value} for name in ("bad", "unlabelled") for value in (-1, 1, None, "0")),
    *({"digest": value} for value in ("a", -1, 1 << 32, None)),
    {"predictions": None},
    {"predictions": []},
    {"predictions": {}},
    {"predictions": {"length": "a", "checksum": 0}},
    {"predictions": {"length": -1, "checksum": 0}},
    {"bad": 10**400, "taken": 10**400 + 5},
    {"bad": -5, "taken": 0},
    {"other": 1},
]


@pytest.mark.parametrize("change", POSITION, ids=lambda change: str(change)[:40])
def test_a_checkpoint_is_where_its_learner_is(monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> None:
    killed(monkeypatch)
    state = files.load("s/checkpoint")
    assert state["run"]["position"]["taken"] == 5
    state["run"]["position"].update(change)
    files.save("s/checkpoint", state)
    refused("checkpoint")


@pytest.mark.parametrize("run", [None, 3, [], {}, {"position": [1]}, {"position": None}, {"position": {"taken": 5}}])
def test_a_checkpoint_says_where_its_run_was(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    killed(monkeypatch)
    files.save("s/checkpoint", {**files.load("s/checkpoint"), "run": run})
    refused("checkpoint")


COURSE: list[dict[str, Any]] = [
    *({"step": value} for value in (0, -1, "1", None, 10**400)),
    {"moments": None},
    {"moments": 3},
    {"moments": [1]},
    {"moments": [{}]},
    {"moments": {}},
    {"more": 1},
]
MOMENT: list[dict[str, Any]] = [
    *({"round": value} for value in (0, 9, "1", None)),
    *({"expected_loss": value} for value in (-1.0, "x", None, 10**400, float("nan"), float("inf"))),
    *({"best_loss": value} for value in (-1, float("nan"))),
    {"bound": float("nan")},
    {"width": 0.5},
    {"rule": 3},
    {"more": 1},
]


@pytest.mark.parametrize("change", [*COURSE, *MOMENT], ids=lambda change: str(change)[:40])
def test_a_course_that_no_run_took_is_refused(monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> None:
    monkeypatch.setattr("test_follow_journal.OPTIONS", options := [*OPTIONS, "--report", "r.html"])
    killed(monkeypatch)
    state = files.load("s/checkpoint")
    course = state["run"]["course"]
    assert len(course["moments"]) == 5
    (course["moments"][2] if change in MOMENT and change not in COURSE else course).update(change)
    files.save("s/checkpoint", state)
    refused("checkpoint", options)


def test_a_row_is_learnt_and_counted_or_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that ends between the two leaves the checkpoint before: a row would be learnt twice."""
    write("feed.csv", *Path(small(ROWS)).read_text().splitlines())
    real = Game._taken

    def once(self: Game, *args: Any, **options: Any) -> None:
        if self.position.taken == 20:
            raise MemoryError
        real(self, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Game, "_taken", once)
        assert call(*OPTIONS).exit_code == 1
    write("feed.csv", *[line for i, line in enumerate(Path("small.csv").read_text().splitlines()) if i == 0 or i > 21])
    good(*OPTIONS)
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_a_page_carries_no_control_characters() -> None:
    write("feed.csv", "\x1b[31mred\x07,b\x1b]0;title\x07,y", "1,2,0", "5,1,1", "3,3,1", "4,1,0")
    for rules in ("stumps", "thresholds('\x1b[31mred\x07')", "stumps(cuts={'\x1b[31mred\x07': [2, 4]})"):
        good("run", "feed.csv", "--rules", rules, "--report", "r.html", "-q")
        page = Path("r.html").read_text(encoding="utf-8")
        assert not [letter for letter in page if ord(letter) < 32 and letter != "\n"]
        assert "\\x1b[31mred\\x07" in page
