"""The public names: few, each in the reference, and an old one leads to its replacement."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import adeptree
from adeptree import research
from adeptree.core.renamed import RENAMED

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
MOST_NAMES = 61
"""Number of public names of ``adeptree``. It may fall."""


def named_in(*pages: Path) -> set[str]:
    texts = "".join(page.read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r"\badeptree\.((?:research\.)?\w+)", texts))


def test_the_top_level_has_few_names() -> None:
    assert len(adeptree.__all__) == len(set(adeptree.__all__)) <= MOST_NAMES


def test_every_name_is_in_the_reference() -> None:
    pages = set(REFERENCE.glob("*.md")) - {REFERENCE / "renamed.md"}
    assert set(adeptree.__all__) - named_in(*pages) == set()
    here = {name for name, value in vars(research).items() if not name.startswith("_") and not _is_module(value)}
    assert {f"research.{name}" for name in here} - named_in(REFERENCE / "research.md") == set()


def test_old_names_are_listed_with_the_new_ones() -> None:
    page = (REFERENCE / "renamed.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `adeptree\.(\w+)` \| (?:any )?`([^`]+)`", page, flags=re.MULTILINE))
    assert listed == {old: new.removeprefix("any ") for old, new in RENAMED.items()}
    assert not set(RENAMED) & set(adeptree.__all__)


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_leads_to_the_new_one(old: str) -> None:
    says = re.escape(f"module 'adeptree' has no attribute '{old}'; use {RENAMED[old]} (docs/reference/renamed.md)")
    with pytest.raises(AttributeError, match=says):
        getattr(adeptree, old)
    with pytest.raises(ImportError, match=says):
        exec(f"from adeptree import {old}", {})
    assert not hasattr(adeptree, old) and old not in dir(adeptree)
    module, _, name = RENAMED[old].partition("(")[0].rpartition(".")
    assert module.startswith("any ") or getattr(import_module(module), name) is not None


def test_research_is_loaded_only_when_used() -> None:
    code = "import sys, adeptree; adeptree.Adept; print([m for m in sys.modules if m.startswith('adeptree.research')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _is_module(value: object) -> bool:
    return isinstance(value, type(sys))
