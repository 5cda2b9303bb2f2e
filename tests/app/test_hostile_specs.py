"""Numbers in specs and options that no class can have: an error message and exit code 2, never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from long_form import times
from running import call

import adeptree as at
from adeptree import errors
from adeptree.app.cli import app
from adeptree.families.registry import families

ROWS = "a,y\n1,0\n2,1\n3,1\n"
NUMBERS = ["9" * 5000, "-" + "9" * 5000, "9" * 4301, "9" * 400, "1" * 19, str(2**63), "1e999", "-1e999", "nan", "inf"]
NUMBERS += [
    "0x" + "f" * 6000,
    "0." + "9" * 5000,
    "0" * 5000 + "1",
    "1e5000",
    "1e-400",
    "10**9",
    "1j",
    "-1",
    "0",
    "-0.0",
]
NUMBERS += [
    "٣",
    "1٣",
    "１２",
    "²",
    "1_0",
    "+5",
    "--1",
    "True",
    "None",
    "''",
    "()",
    "...",
    "[1]*9",
    "b'x'",
    "'\\ud800'",
    "",
]
FORMS = [family.on_columns for family in families() if family.on_columns]
EXAMPLES = [
    *(str(text) for form in FORMS for text in form.examples),
    *(one.example for one in families() if one.example),
]
NOWHERE = ["--host", "203.0.113.7", "--token", "a" * 20]
"""No service begins to listen here."""


def value(rng: random.Random) -> str:
    way = rng.random()
    if way < 0.75:
        return rng.choice(NUMBERS)
    if way < 0.85:
        left, right = rng.choice([("(", ")"), ("[", "]"), ("{", "}"), ("-", "-"), ("~", "~")])
        deep = rng.choice([3, 50, 200, 2000, 100_000])
        return f"{left * deep}{rng.choice(NUMBERS)}{right * deep if left in '([{' else ''}"
    return f"[{','.join(rng.choice(NUMBERS) for _ in range(3))}]"


def spec(rng: random.Random) -> str:
    """Return an example with one part replaced, or a name with random arguments."""
    if rng.random() < 0.5:
        text = str(rng.choice(EXAMPLES))
        if parts := list(re.finditer(r"\d+(\.\d+)?|[a-z]+(?=[,)])", text)):
            part = rng.choice(parts)
            text = text[: part.start()] + value(rng) + text[part.end() :]
        return text
    names = ["", "d=", "n=", "m=", "k=", "cuts=", "points=", "values=", "a, d=", "a, m="]
    inside = ", ".join(rng.choice(names) + value(rng) for _ in range(rng.randint(0, 3)))
    return f"{rng.choice([*(one.name for one in families()), *(form.word for form in FORMS)])}({inside})"


def refused(*arguments: str) -> str:
    """Return the error message of a command that may also succeed ("" then)."""
    result = call(*arguments, stdin=ROWS)
    file = "File name too long" in result.stderr  # (a trouble of the system: 1)
    assert result.exit_code in (0, 1 if file else 2), result.stderr
    assert "Traceback" not in result.stderr
    return str(result.stderr) if result.exit_code else ""


@pytest.mark.filterwarnings("ignore")  # (what is promised of random classes may be no better than a coin)
def test_random_specs_are_parsed_or_refused() -> None:
    taken, count = 0, times(250, 1500)
    for seed in range(count):
        try:
            at.Adept(at.parse(spec(random.Random(seed))))
            taken += 1
        except errors.AdeptreeError as error:
            assert len(str(error)) < 1500, str(error)[:200]
    assert 0 < taken < count


@pytest.mark.parametrize("seed", range(25))
def test_random_rules_of_the_command_line_are_taken_or_refused(seed: int, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    assert len(refused("run", "-", "--rules", spec(rng))) < 1500
    assert 0 < len(refused("serve", "--rules", spec(rng), *NOWHERE)) < 1500


@pytest.mark.parametrize("form", [form for form in FORMS if form.limit], ids=lambda form: form.word)
@pytest.mark.parametrize("number", ["9" * 5000, "9" * 4301, "9" * 400, "1٣"], ids=["5000", "4301", "400", "Arabic"])
def test_a_limit_of_thousands_of_digits_is_refused(form: Any, number: str) -> None:
    rules = f"{form.word}(a, {form.limit}={number})"
    for command in (["run", "-", "--rules", rules], ["serve", "--rules", rules, *NOWHERE]):
        assert 0 < len(refused(*command)) < 1500
    assert "digits" in refused("run", "-", "--rules", rules) or len(number) < 400


def options(command: str) -> list[str]:
    """Return the options of a command that take a value."""
    found: Any = typer.main.get_command(app)
    return [
        one.opts[0]
        for one in found.commands[command].params
        if one.opts[0].startswith("--")
        and not getattr(one, "is_flag", False)
        and one.opts[0] not in ("--rules", "--help")
    ]


@pytest.mark.parametrize("command", ["run", "serve"])
def test_every_option_takes_or_refuses_every_number(command: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    for option in options(command):
        for number in rng.sample(NUMBERS, 4):
            if command == "run":
                refused("run", "-", "--rules", "thresholds(a)", f"{option}={number}")
            elif option not in ("--host", "--port"):
                refused("serve", "--rules", "thresholds(a)", *NOWHERE, f"{option}={number}")
