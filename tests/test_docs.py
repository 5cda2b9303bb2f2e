"""What the README and the docs show is what happens."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adeptree.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "docs").glob("*.md"))


def test_readme_examples_print_what_they_say() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 3
    names: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(block, names)
    said = re.findall(r"^# (.*)$", "\n".join(blocks), flags=re.MULTILINE)
    assert printed.getvalue().splitlines() == said


def test_readme_shows_the_summary_of_the_main_job() -> None:
    shown = re.search(r"```text\n(.*?)```", README, flags=re.DOTALL)
    assert shown is not None
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["run"])
    assert result.exit_code == 0
    assert shown[1].strip() in result.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_in_docs_run(page: Path) -> None:
    outcome = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert outcome.failed == 0


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda page: page.stem)
def test_links_between_pages_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
