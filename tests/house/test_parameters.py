"""The main public objects say what each of their parameters is for."""

from __future__ import annotations

import inspect
import re
from operator import attrgetter

import pytest

import adeptree as at

MAIN = (
    "Adept",
    "BlockUnions",
    "Bpss",
    "Family",
    "FiniteClass",
    "Ghost",
    "Halfspaces",
    "Hedge",
    "LazyAdept",
    "OracleClass",
    "RealStumps",
    "SatClass",
    "SmtClass",
    "Stumps",
    "load",
    "play",
    "register",
)


def described(docstring: str) -> dict[str, str]:
    """Return the parameters of a numpydoc section, with their descriptions.

    >>> described("About.\\n\\nParameters\\n----------\\na, b\\n    Two.\\n\\nExamples\\n--------\\n>>> 1\\n1")
    {'a': 'Two.', 'b': 'Two.'}
    """
    found = re.search(r"^Parameters\n-{10}\n(.*?)(?=\n\n\w+\n-{3,}\n|\Z)", docstring, flags=re.DOTALL | re.MULTILINE)
    parts = re.findall(r"^(\S.*)\n((?:(?: {4}.*)?(?:\n|\Z))+)", found[1] if found else "", flags=re.MULTILINE)
    return {name.lstrip("*"): " ".join(text.split()) for names, text in parts for name in names.split(", ")}


@pytest.mark.parametrize("name", MAIN)
def test_every_parameter_is_described(name: str) -> None:
    public = attrgetter(name)(at)
    said = described(inspect.getdoc(public) or "")
    wanted = [parameter for parameter in inspect.signature(public).parameters if not parameter.startswith("_")]
    assert sorted(said) == sorted(wanted)
    assert all(text.endswith(".") and len(text) > 5 for text in said.values()), said
