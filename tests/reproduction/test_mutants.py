"""Every row of the table can fail: the rows listed in power.json catch their mutants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adeptree as at
from reproduction.claims import EXPERIMENTS, experiment
from reproduction.mutants.mutation_testing import (
    NOTHING,
    Caught,
    Mutant,
    Place,
    fits,
    hunt,
    key,
    mutants,
    power,
    power_of,
    quickest,
    tried,
)
from reproduction.mutants.operators import times

ROOT = Path(__file__).resolve().parents[2]
NAMES = list(mutants())


def test_what_is_changed_is_put_back() -> None:
    before = at.bounds.regret(100, 2)
    with mutants()["regret x 0.5"].at_work():
        assert at.bounds.regret(100, 2) == before / 2
    assert at.bounds.regret(100, 2) == before


@pytest.mark.parametrize("name", NAMES)
def test_every_mutant_finds_its_target(name: str) -> None:
    mutant = mutants()[name]
    with mutant.at_work():
        pass
    for played, where in mutant.played.items():
        assert any(fits(cell, where) for cell in experiment(played).cells("quick")), "no cell is played"


def test_every_mutant_is_known_to_be_caught_and_soon() -> None:
    places = {name: quickest(name) for name in NAMES}
    for name, place in places.items():
        assert any(fits(cell, place.where) for cell in experiment(place.experiment).cells("quick")), name
    # Mutants for CI: seconds of one core, as measured when they were recorded.
    assert sum(place.seconds for place in places.values()) < 150


def test_a_row_fails_where_something_is_changed_and_nowhere_else() -> None:
    place = quickest("capacities flat")
    assert tried("capacities flat", place.experiment, place.where, "quick").rows
    assert tried(NOTHING, place.experiment, place.where, "quick") == Caught(())


def test_the_fewest_games_are_looked_for() -> None:
    cells = [cell for cell in experiment("algorithms").cells("tiny") if cell["part"] in ("alone", "lemmas")]
    honest = [(experiment("algorithms").row(cell), 1.0) for cell in cells]
    caught = tried("stubborn", "algorithms", {"part": "alone"}, "tiny", honest)
    assert caught.quickest == Place("algorithms", {"base": "Consistent"}, 3.0)


def test_what_raises_is_caught_too() -> None:
    breaks = Mutant("raises", {"theory.bounds:sauer": lambda was: lambda *_: 1 / 0}, {})
    caught = tried(breaks, "width", {"class": "blocks(d=1)"}, "tiny")
    assert caught.held and not caught.rows and "ZeroDivisionError" in caught.raised


def test_a_mutant_that_does_not_fit_the_code_is_not_a_catch() -> None:
    """Four mutants had raised errors about their own arguments for a while, and counted as caught."""
    with pytest.raises(TypeError, match="not callable"):
        tried(
            Mutant("raises", {"theory.bounds:sauer": lambda was: None}, {}), "width", {"class": "blocks(d=1)"}, "tiny"
        )


def test_the_known_holes_are_there() -> None:
    wanted = {"no reset", "inner horizon T", "first K rounds", "eta fixed", "rate x 3", "rate / 10", "capacities flat"}
    wanted |= {"losses ignored", "four times too wide", "Delta halved", "regret x 0.5"}
    assert wanted <= set(NAMES)


def test_what_is_known_of_the_rows_is_of_these_mutants() -> None:
    assert {name for found in power().values() for name in found} == set(NAMES)


def test_who_catches_whom_is_turned_round() -> None:
    place = Place("x", {"part": "1"}, 0.5)
    found = {"a": Caught(("x: 1", "y: 2"), quickest=place), "b": Caught(("x: 1",)), "c": Caught(())}
    rows = {"x: 1": ["a", "b"], "y: 2": ["a"]}
    assert power_of(found) == {"rows": rows, "quickest": {"a": ["x", {"part": "1"}, 0.5]}}
    assert [caught.held for caught in found.values()] == [True, True, False]


def test_a_hunt_of_one_mutant() -> None:
    seen: list[str] = []
    found = hunt(only="kt_cost x 0.9", on_done=lambda name, caught: seen.append(name))
    assert seen == ["kt_cost x 0.9"]
    assert key("formulas", "KT's price: min(T ln 2, M ln(eT/M)) + ln(T)/2 + ln 2") in found["kt_cost x 0.9"].rows
    with pytest.raises(at.errors.InvalidArgument, match="did you mean"):
        hunt(only="kt_cost x 0.8")


def test_the_table_of_statements_names_what_there_is() -> None:
    """Every test, experiment and mutant in the table exists, and the mutant is caught by that experiment."""
    text = (
        (ROOT / "docs/evidence/paper-to-code.md")
        .read_text(encoding="utf-8")
        .split("## Every statement of the paper")[1]
    )
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
