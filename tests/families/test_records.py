"""The records of the families are what the docs, the help and the tests' own lists go by."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shipped_families import shipped
from strategies import small_families
from typer.testing import CliRunner

import adeptree as at
from adeptree import api
from adeptree.app.cli import app
from adeptree.families.listed import EnumerableClass
from adeptree.families.registry import default_base, families
from adeptree.roles.family import Family

DOCS = Path(__file__).parents[2] / "docs"
PUBLIC = [family for family in shipped() if hasattr(api, family.kind.__name__)]
"""Those whose class is a public name; others are reached by ``parse``."""
each_family = pytest.mark.parametrize("family", shipped(), ids=lambda family: family.name)
each_public_family = pytest.mark.parametrize("family", PUBLIC, ids=lambda family: family.name)


def page(*names: str) -> str:
    return "".join((DOCS / name).read_text(encoding="utf-8") for name in names)


def shown(*words: str) -> str:
    """The text of the command line, on one line."""
    return re.sub(r"[\s│]+", " ", CliRunner(env={"COLUMNS": "80", "TERM": "dumb"}).invoke(app, [*words]).output)


@each_family
def test_a_record_says_what_the_rules_are(family: Family) -> None:
    for spec in (family.example, family.small or family.example):
        c = at.parse(spec)
        assert type(c) is family.kind and c.spec_name == family.name and at.parse(repr(c)) == c
    assert default_base(at.parse(family.example)).spec(at.parse(family.example)) is not None, "can be saved"


def test_every_public_class_has_a_page_and_a_record() -> None:
    public = {kind for kind in vars(api).values() if isinstance(kind, type) and issubclass(kind, at.ConceptClass)}
    assert at.Thresholds in public
    on_page = set(re.findall(r"^adeptree\.(\w+)", page("reference/classes.md"), re.MULTILINE))
    assert {kind.__name__ for kind in public} <= on_page
    recorded = {family.kind for family in families()}
    assert {kind for kind in public if kind.spec_name} <= recorded | {at.OracleClass}


@each_public_family
def test_the_tables_of_the_docs_name_it(family: Family) -> None:
    base = type(default_base(at.parse(family.example))).__name__
    tables = page("theory/dimensions.md", "theory/real-classes.md").splitlines()
    named = {f"`{base}`", f"`research.{base}`"}
    rows = [line for line in tables if line.startswith("|") and f"`{family.name}(" in line]
    assert any(name in row for row in rows for name in named)


@each_family
def test_the_command_line_names_it(family: Family) -> None:
    assert f"{family.example} " in shown("rules") and family.line in shown("rules")
    for text, line in family.on_columns.examples.items() if family.on_columns else ():
        assert f"{text} " in shown("rules") and line in shown("rules")


@each_public_family
def test_the_help_names_it(family: Family) -> None:
    """It is written by hand: it must not wait for the families to be imported."""
    for text in family.on_columns.examples if family.on_columns else ():
        assert re.search(rf'"?{re.escape(text)}"?,', shown("run", "--help"))


@each_public_family
def test_what_can_be_listed_has_a_reference_written_out(family: Family) -> None:
    kinds = {type(small.c) for small in small_families()}
    assert family.kind in kinds or not issubclass(family.kind, EnumerableClass)
