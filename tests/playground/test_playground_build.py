"""The built playground is what its sources make, and the command has its limits."""

from __future__ import annotations

from pathlib import Path

from browser_tab import Tab
from build_playground import BUILT, SOURCES, built_page
from playground_tab import needs_browser

from adeptree.app import play_command
from adeptree.app.play_command import START, play_page


def test_the_built_page_is_up_to_date() -> None:
    built = BUILT.read_text(encoding="utf-8")
    assert built == built_page(), "run: python playground/build_playground.py"
    for source in SOURCES.glob("*.js"):
        assert source.read_text(encoding="utf-8") in built, source.name


def test_a_page_begins_with_the_game_that_is_named() -> None:
    start = "c=intervals-6&T=12&rate=paper&prior=kt&g="
    assert play_page().count(f'START = "{START}"') == 1 == play_page(start).count(f'START = "{start}"')
    assert START not in play_page(start)


@needs_browser
def test_the_limits_of_the_command_are_those_of_the_page(tmp_path: Path) -> None:
    with Tab(tmp_path) as tab:
        tab.open(BUILT.as_uri())
        limits = tab.value("LIMITS")
    assert {name: limits[name] for name in play_command.MOST} == play_command.MOST
    here = [play_command.MOST_ROWS, play_command.MOST_COLUMNS, play_command.MOST_ROUNDS, play_command.LARGEST_M]
    assert [limits[name] for name in ("rows", "columns", "T", "M")] == here
