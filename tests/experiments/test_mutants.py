"""Every row of the table can fail: sabotages are caught, by the rows that are said to catch them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree.experiments import mutants as hunting
from adeptree.experiments.claims import EXPERIMENTS, experiment
from adeptree.experiments.mutants import Caught, Mutant, caught_by, hunt, key, mutants, power, power_of, run_sabotaged
from adeptree.experiments.sabotage_ways import times

ROOT = Path(__file__).resolve().parents[2]
NAMES = list(mutants())
EXACT = [name for name in NAMES if {"algorithms", "formulas"} & set(mutants()[name].played)]


def test_what_is_changed_is_put_back() -> None:
    before = at.bounds.regret(100, 2)
    with mutants()["regret x 0.5"].at_work():
        assert at.bounds.regret(100, 2) == before / 2
    assert at.bounds.regret(100, 2) == before


@pytest.mark.parametrize("name", NAMES)
def test_every_sabotage_finds_its_target(name: str) -> None:
    mutant = mutants()[name]
    with mutant.at_work():
        pass
    for played in mutant.played:
        assert mutant.cells(played, "quick"), "no cell is played"


def idle() -> list[tuple[str, dict[str, Any]]]:
    played = {json.dumps([e, where]) for mutant in mutants().values() for e, where in mutant.played.items()}
    return [tuple(json.loads(text)) for text in sorted(played)]


@pytest.mark.parametrize(("name", "where"), idle())
def test_nothing_is_caught_where_nothing_is_changed(
    monkeypatch: pytest.MonkeyPatch, name: str, where: dict[str, Any]
) -> None:
    mutant = Mutant("nothing", {}, {name: where})
    monkeypatch.setattr(hunting, "mutants", lambda: {"idle": mutant})
    rows = [experiment(name).row(cell) for cell in mutant.cells(name, "tiny")]
    if not rows:
        pytest.skip("played at the levels above only")
    assert caught_by("idle", {name: rows}) == Caught(())


@pytest.mark.parametrize("name", EXACT)
def test_exact_rows_catch_it_on_short_games_already(name: str) -> None:
    mutant = mutants()[name]
    rows = {
        e: [run_sabotaged(name, e, cell) for cell in mutant.cells(e, "tiny")]
        for e in mutant.played
        if e in ("algorithms", "formulas")
    }
    caught = caught_by(name, rows)
    assert caught.rows, caught  # (whatever the library itself has noticed)


def test_the_known_holes_are_there() -> None:
    wanted = {"no reset", "inner horizon T", "first K rounds", "eta fixed", "rate x 3", "rate / 10", "capacities flat"}
    wanted |= {"losses ignored", "four times too wide", "Delta halved", "regret x 0.5"}
    assert wanted <= set(NAMES)


def test_what_is_known_of_the_rows_is_of_these_mutants() -> None:
    assert {name for found in power().values() for name in found} == set(NAMES)


def test_who_catches_whom_is_turned_round() -> None:
    found = {"a": Caught(("x: 1", "y: 2")), "b": Caught(("x: 1",)), "c": Caught(())}
    assert power_of(found) == {"x: 1": ["a", "b"], "y: 2": ["a"]}
    assert [caught.held for caught in found.values()] == [True, True, False]


def test_a_hunt_of_one_mutant() -> None:
    seen: list[str] = []
    found = hunt("tiny", "kt_cost x 0.9", on_done=lambda name, caught: seen.append(name))
    assert seen == ["kt_cost x 0.9"]
    assert key("formulas", "KT's price: min(T ln 2, M ln(eT/M)) + ln(T)/2 + ln 2") in found["kt_cost x 0.9"].rows
    with pytest.raises(at.errors.InvalidArgument, match="did you mean"):
        hunt("tiny", "kt_cost x 0.8")


def test_the_table_of_statements_names_what_there_is() -> None:
    """Every test, experiment and mutant in the table exists, and the mutant is caught by that experiment."""
    text = (ROOT / "docs" / "paper-to-code.md").read_text(encoding="utf-8").split("## Every statement of the paper")[1]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.split("\n## ")[0].splitlines()]
    rows = [row for row in rows if len(row) == 6][2:]
    assert len(rows) > 20
    tests = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    for statement, _, test, row, mutant, verdict in rows:
        assert set(re.findall(r"`(test_\w+\.py)`", test)) <= tests, statement
        experiments = re.findall(r"`([\w-]+)`", row)
        assert experiments and set(experiments) <= set(EXPERIMENTS), statement
        assert verdict, statement
        for name in mutant.split(", "):
            caught = [key for key, found in power().items() if name in found]
            assert any(key.split(":")[0] in experiments for key in caught), (statement, name)


def test_times_also_multiplies_properties() -> None:
    changed = times(3)(property(lambda self: 5))
    assert changed.fget(None) == 15
