"""What was unsure: the line of the summary can be counted again from the predictions."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from running import call, good, write


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)


def recounted(name: str = "p.csv") -> str:
    with open(name, newline="") as file:
        pairs = [(float(row["p"]), int(row["y"])) for row in csv.DictReader(file) if row["y"]]
    unsure = [abs(p - y) for p, y in pairs if 0.25 <= p <= 0.75]
    sure = [abs(p - y) for p, y in pairs if not 0.25 <= p <= 0.75]
    if not sure or not unsure:
        return f"Unsure (p 0.25 to 0.75): {'every' if unsure else 'no'} round."
    ours, others = (f"{100 * sum(losses) / len(losses):.1f} %" for losses in (unsure, sure))
    rounds = f"{len(unsure):,} of {len(pairs):,} rounds"
    return f"Unsure (p 0.25 to 0.75): {rounds}, {ours} guessed wrong on average; of the others {others}."


@pytest.mark.parametrize("options", [[], ["--cost-miss", "3"], ["--key", "id"], ["--follow"], ["--horizon", "3000"]])
@pytest.mark.parametrize("rows", [2, 300, 1500])
def test_the_line_is_that_of_the_predictions(rows: int, options: list[str]) -> None:
    rng = random.Random(rows)
    lines = [(i, rng.randrange(16)) for i in range(rows)]
    labels = [int((v >= 7) ^ (rng.random() < 0.3)) if rng.random() < 0.9 else "" for _, v in lines]
    write("f.csv", "id,v,y", *(f"{i},{v},{y}" for (i, v), y in zip(lines, labels, strict=True)))
    run = ["run", "f.csv", "--rules", "thresholds(n=16)", "--features", "v", "--predictions", "p.csv", *options]
    result = call(*run, "--verbose")
    assert result.exit_code == 0 and recounted() in result.stdout + result.stderr


def test_a_resumed_run_counts_on() -> None:
    lines = [f"{i % 16},{int(i * 7 % 16 > 8)}" for i in range(200)]
    write("f.csv", "v,y", *lines[:90])
    run = ["run", "f.csv", "--rules", "thresholds(n=16)", "--predictions", "p.csv", "--save", "s", "--resume", "-v"]
    good(*run)
    write("f.csv", "v,y", *lines)
    assert (shown := good(*run)) and recounted() in shown
