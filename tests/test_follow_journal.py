"""In a conversation no answered row is forgotten silently: damage to the folder is refused, or changes nothing."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from running import RULES, call, good, small, write

from adeptree import journal
from adeptree.playing import Game
from adeptree.terminal import show
from adeptree.writing import Counter as Count

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
    assert len(Path("s/rows.journal").read_bytes().splitlines()) == ROWS - before
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
def test_three_hundred_damaged_folders_are_refused_or_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    shutil.copytree("s", "kept")
    shutil.copy("p.csv", "kept.csv")
    out = good(*OPTIONS)
    expected = Path("p.csv").read_bytes()
    rng = random.Random(12)
    refused: Counter[str] = Counter()
    for trial in range(300):
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
    # Almost every one of them is seen; what is not (the case of a hexadecimal digit) changes nothing.
    assert sum(refused.values()) >= 290, refused


def test_rows_lost_at_a_line_end_are_named_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    killed(monkeypatch)
    path = Path("s/rows.journal")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    sentence = call(*OPTIONS).stderr
    assert "s/rows.journal ends with row 28, but 30 rows were answered" in sentence
    assert "remove s/answered to go on without rows 29 to 30" in sentence
    Path("s/answered").unlink()
    good(*OPTIONS)
    assert Count(Path("s/answered")).value() == 38


def test_a_line_cut_short_before_its_answer_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal comes first: killed between the two writes, or inside one, the count is behind, which is fine."""
    killed(monkeypatch)
    path = Path("s/rows.journal")
    whole = path.read_bytes()
    count = Count(Path("s/answered"))
    count.set(29)
    count.close()
    path.write_bytes(whole[:-1])
    assert call(*[option for option in OPTIONS if option != "-q"]).stderr.startswith("adeptree: going on after 29 rows")


def test_a_row_is_in_the_journal_before_it_counts_as_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = Count.set

    def noted(self: Count, value: int) -> None:
        lines = Path("s/rows.journal").read_bytes().splitlines() if Path("s/rows.journal").exists() else []
        if lines:  # else the checkpoint has it
            seen.append(json.loads(lines[-1].split(b" ", 1)[1])[0])
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
        patched.setattr("adeptree.answers.show", broken)
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
