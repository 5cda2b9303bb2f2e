"""Golden transcripts replay to the letter, under any hash seed, and every class has one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from golden import ENGINES, FOLDER, GAMES, differences, same
from shipped_families import shipped

from adeptree.families.specs import parse


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
@pytest.mark.parametrize("engine", ENGINES)
def test_replays_to_the_letter(name: str, engine: str) -> None:
    assert differences(name, engine) == []


def test_every_game_and_every_class_has_a_golden() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)
    assert {parse(header["class"]).spec_name for header in GAMES.values()} == {family.name for family in shipped()}


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_is_the_game_of_its_name(name: str) -> None:
    """A game that changes in a family's record, and not in the file, would never be played."""
    first = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    assert json.loads(first) == json.loads(json.dumps(GAMES[name]))


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_hash_seed_does_not_matter(hash_seed: str) -> None:
    script = str(FOLDER.parent / "golden.py")
    done = subprocess.run(
        [sys.executable, script], env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_comparison_sees_a_change() -> None:
    assert same("3 7 0.123456 1", "3 7 0.123457 1")
    assert not same("3 7 0.123456 1", "3 7 0.123556 1")
    assert not same("3 7 0.123456 1", "3 7 0.123456 0")
    assert not same("path x >= 3", "path x >= 4")


@pytest.mark.parametrize("name", [name for name, g in GAMES.items() if g["learner"] == "adept"])
def test_asked_is_twice_the_width_before_each_round(name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rounds = json.loads(lines[0])["rounds"]
    # From the right, as an instance may itself hold blanks: width asked posed inferred best_loss.
    rows = [line.split()[-5:-3] for line in lines[2 : 2 + rounds]]
    parts = {"union": 3, "experts": 2}.get(name, 1)  # (a mixture begins with a path of each part)
    widths = [parts, *(int(width) for width, _ in rows)]
    assert [int(asked) for _, asked in rows] == [2 * sum(widths[: t + 1]) for t in range(rounds)]
