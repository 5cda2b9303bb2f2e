"""Pages, help, messages, docstrings and comments are plain English: "per round", and none of the banned words.

None of the patterns occurs in pages, help and messages, nor in docstrings and comments, those of the tests included.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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


BANNED = re.compile(
    r"\banew\b|\b(?:go|goes|going|went|gone) on\b|\bf(?:ound|ind|inds) out\b|\b(?:is|are|was|were) said\b|"
    r"\bsa(?:ys|id) so\b|\ba sentence\b|\bdear(?:er|est)?\b|\bin one sitting\b|\bbeside\b|\bbut for\b|"
    r"\bof (?:its|their|his|your|our) own\b|\b[Ww]hoever\b|\b(?:[Nn]o|[Ss]ome)body\b|\bpassed over\b|\blearnt of\b|"
    r"(?<!there )\bis none\b|\bmay be given many times\b|\b[Ss]o many\b|\bas many (?:cells|labels|rules)\b|"
    r"\b(?:is|are|was|were|be|been) told\b|\b(?:its|their) (?:like|kin)\b|\bthere once\b|\basked for by name\b|"
    r"(?:found|done|made|does it|runs?|cuts|start) by (?:itself|themselves)\b"
)
IS_NO = re.compile(
    r"(?<![Tt]here )\b(?:is|are|was|were) no\b"
    r"(?! (?:longer|more|less|later|fewer|larger|smaller|better|worse|faster|slower|higher|lower)\b)"
)
HEADLESS = re.compile(r"(?:^|(?<=[.;] ))(?:[Ww]ho|[Ww]hat)\b(?! (?:if|about)\b)[^.?;|]*(?:[.;]|$)")
PATTERNS = (BANNED, IS_NO, HEADLESS)
FRAGMENT = re.compile(r"\A(?:Of|Whether|How|Which|Why|Who|What|Where|Tell|Say|Take over|So|As of)\b(?![^.]*\?)[^.]*")
"""A docstring begins with the thing or with an imperative, and says what a caller gets."""
FOLDERS = ("src", "tests", "reproduction", "benchmarks", "examples", "docs", "playground", "packaging")


def odd(text: str) -> list[str]:
    """Return what a paragraph has of the patterns. Questions are exempt, and so is code."""
    text = re.sub(r"``?[^`]*``?|\([^()]*\)(?=\))", "x", " ".join(text.split()))
    return [found[0] for pattern in PATTERNS for found in pattern.finditer(text)]


def paragraphs(page: str) -> Iterator[str]:
    """Yield the prose of a page, without headings, code, formulas and the heads of tables."""
    text = re.sub(
        r"```(?!\{figure).*?```|\$\$.*?\$\$|^ {4,}>>>.*?(?:\n\n|\Z)", "\n\n", page, flags=re.DOTALL | re.MULTILINE
    )
    text = re.sub(r"^#.*$|^\|.*\|\n(?=\|[-:| ]+\|$)", "\n\n", text, flags=re.MULTILINE)
    yield from re.split(r"\n\s*\n|\n(?=[|*-] |\d+\. )|(?<!\\)\|", text)


def strings(path: Path) -> tuple[list[str], list[str]]:
    """Return the messages of a module, which are strings of several words, and its docstrings and comments."""
    text = path.read_text(encoding="utf-8")
    inner: list[str] = []
    docs: set[ast.AST] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            inner.append(node.value.value)
            docs.add(node.value)
    outer = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and " " in node.value
        and node.value not in inner
    ]
    comments = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    return outer, inner + [token.string.lstrip("# ") for token in comments]


def leaves(value: Any) -> Iterator[str]:
    """Yield the texts of a TOML file."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from leaves(each)


ROOMS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", ROOMS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_are_plain(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = {part: odd(part) for part in paragraphs(text) if odd(part)}
    if page.name == "reproduction.md":  # its last list quotes the claims as they were written
        found = {part: each for part, each in found.items() if not part.lstrip("* ").startswith("`")}
    assert not found


def test_help_and_messages_are_plain() -> None:
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted((ROOT / "src").rglob("*")):
        texts = list(leaves(tomllib.loads(path.read_text("utf-8")))) if path.suffix == ".toml" else []
        texts += strings(path)[0] if path.suffix == ".py" else []
        found |= {(path.name, text): odd(text) for text in texts if odd(text)}
    assert not found


def dialect(paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Return what docstrings and comments of modules have of the patterns."""
    return [
        (path.name, each)
        for path in paths
        for text in strings(path)[1]
        for each in [
            *(found[0] for found in FRAGMENT.finditer(text)),
            *(each for part in re.split(r"\n\s*\n", text) for each in odd(part)),
        ]
    ]


def test_docstrings_and_comments_are_plain() -> None:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert dialect([*sorted(ROOT.glob("*.py")), *paths]) == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "It begins anew.",
            "x is no number",
            "Who asks gets 1.",
            "a tree of its own",
            "nobody knows; what is left is 0.",
        ),
        *("It is told the label.", "ValueError and its like.", "so many rows", "there once it is fitted"),
    ],
)
def test_the_patterns_find_what_is_banned(text: str) -> None:
    assert odd(text)


@pytest.mark.parametrize(
    "text",
    ["There is no limit.", "What is a path?", "it is no longer open", "`who` is an option", "None if there is none"],
)
def test_the_patterns_leave_plain_sentences(text: str) -> None:
    assert not odd(text)


@pytest.mark.parametrize(
    "text",
    ["Of the guesses. It is an int.", "Whether x is a point.", "How a class asks.", "Say why not.", "What it says"],
)
def test_fragments_are_found(text: str) -> None:
    assert FRAGMENT.match(text)


@pytest.mark.parametrize("text", ["Which label?", "Offer x.", "Return True if x is a point.", "Sayings", "The seed."])
def test_whole_docstrings_are_left(text: str) -> None:
    assert not FRAGMENT.match(text)
