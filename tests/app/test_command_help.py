"""The help: every option in a group, one style for values and defaults, and examples that fit."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer
from running import good

from adeptree.app import command_options
from adeptree.app.cli import COMMANDS, app
from adeptree.app.command_options import FEW, GROUPS

SHORT = {name for names in GROUPS.values() for name, words in names.items() if "short" in words}
GROUP: Any = typer.main.get_command(app)
MOST_SHORT = 16


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def options(name: str) -> list[Any]:
    return [param for param in GROUP.commands[name].params if param.param_type_name == "option" and not param.hidden]


def shown(text: str) -> list[str]:
    """Return the options that begin a line of a help text."""
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)


def test_every_option_is_in_one_group() -> None:
    named = [name for names in GROUPS.values() for name in names]
    every = {param.name for name in COMMANDS for param in GROUP.commands[name].params}
    assert len(named) == len(set(named)) and set(named) == every
    for names in GROUPS.values():
        for name, words in names.items():
            own = {command for command in COMMANDS if isinstance(words.get(command), dict)}
            assert own <= {command for command in COMMANDS if name in {p.name for p in GROUP.commands[command].params}}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_long_help_has_all_and_the_short_one_the_most_used(name: str) -> None:
    long, short, found = good(name, "--help"), good(name, "-h"), options(name)
    assert sorted(shown(long)) == sorted(param.opts[0] for param in found)
    wanted = [param for param in found if param.name in SHORT or len(found) < FEW]
    assert sorted(shown(short)) == sorted(param.opts[0] for param in wanted) and len(wanted) <= MOST_SHORT
    assert max(map(len, long.splitlines())) <= 80 and "Examples:" in short and command_options.DOCS in short


@pytest.mark.parametrize("name", COMMANDS)
def test_values_and_defaults_have_one_style(name: str) -> None:
    text = " ".join(good(name, "--help").split())
    for param in options(name):
        assert (
            "efault:" not in param.help
            and param.help.endswith((".", ".)"))
            and param.help[0].isupper() | (param.help[0] == '"')
        )
        assert param.is_flag or re.fullmatch(r"[A-Z|=_]+|[a-z-]+(\|[a-z-]+)+|\.\|,", param.metavar), param.metavar
        if param.default not in (None, False) and not isinstance(param.show_default, str):
            assert f"[default: {param.default}]" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_have_options_of_their_command(name: str) -> None:
    lines = good(name, "-h").partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    assert lines and all("adeptree " in line for line in lines)
    for line in lines:
        command = re.findall(r"adeptree (\w+)", line)[0]
        known = {opt for param in options(command) for opt in param.opts}
        assert set(re.findall(r"--[a-z-]+", line)) <= known, line


def test_commands_are_listed_by_use_and_in_full() -> None:
    text = good("--help")
    listed = text.partition("Commands:\n")[2]
    assert re.findall(r"^  (\w+)", listed, re.MULTILINE) == list(COMMANDS) and "..." not in listed
