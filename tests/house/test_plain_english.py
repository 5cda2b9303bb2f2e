"""Docstrings, comments and pages say "per": "numbers per round", not "numbers a round"."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
MEASURES = (
    r"bytes?|calls?|coins?|columns?|cuts|entry|entries|exponential|ints|labels?|lines?|mistakes?|[mnµ]?s|[kMG]B|numbers?|"
    r"one|quer(?:y|ies)|rows?|seconds|states?|test|times|twice|width|words?|O\([^()]*(?:\([^()]*\))?[^()]*\)"
)
UNITS = (
    "block|call|cell|column|concept|constant|core|experiment|feature|file|law|level|line|node|path|phase|point|"
    "query|question|round|row|rule|run|second|seed|stage"
)
A_FOR_PER = re.compile(
    rf"(?<![\w`])(?:{MEASURES}) an? (?:{UNITS})\b(?! (?:of|has|had|takes?|costs?|is|may|was|ever)\b)"
)


def prose(path: Path) -> Iterator[str]:
    """Yield the lines of a page, and of a module its docstrings and comments: what a program says stays as it is."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from text.splitlines()
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            yield from token.string.splitlines()


@pytest.mark.parametrize("folder", ["src", "docs", "README.md"])
def test_per_is_per(folder: str) -> None:
    paths = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == folder]
    found = [(path.name, line.strip()) for path in paths for line in prose(path) if A_FOR_PER.search(line)]
    assert paths and not found


@pytest.mark.parametrize(
    "line", ["one row a path", "20 ms a call", "O(log t) a round", "two queries a path", "one a core"]
)
def test_what_is_meant_is_found(line: str) -> None:
    assert A_FOR_PER.search(line)


@pytest.mark.parametrize(
    "line", ["`learn` commits a round", "it asks a question", "learns a rule", "how many rows a class has"]
)
def test_what_is_not_meant_is_left(line: str) -> None:
    assert not A_FOR_PER.search(line)
