"""Classes as text: ``parse(repr(c)) == c``."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from adeptree.classes import (
    BlockUnions,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    FiniteClass,
    Intervals,
    Parities,
    RealIntervals,
    RealStumps,
    RealThresholds,
    Stumps,
    Thresholds,
)
from adeptree.classes.lp import Halfspaces
from adeptree.classes.sat.named import NAMED
from adeptree.errors import InvalidArgument, InvalidSpec, got

CLASSES: dict[str, type[ConceptClass]] = {
    c.spec_name: c
    for c in (
        FiniteClass,
        Thresholds,
        Intervals,
        Stumps,
        BlockUnions,
        Conjunctions,
        Disjunctions,
        Parities,
        RealThresholds,
        RealIntervals,
        RealStumps,
    )
}


SOLVED: dict[str, Any] = {Halfspaces.spec_name: Halfspaces, **NAMED}
"""Classes behind a solver: parsed like the others, once their extra is installed."""


LONGEST = 1 << 24
"""Most characters of a spec."""
MOST_VALUES = 1 << 18
"""Most values in one: Python takes some hundred bytes and some microseconds for each of them."""


def register_class(kind: type[ConceptClass]) -> type[ConceptClass]:
    """Make a class of your own known to :func:`parse` and :func:`adeptree.load`, by its ``spec_name``; a decorator too.

    >>> from adeptree import Thresholds
    >>> @register_class
    ... class Ages(Thresholds):
    ...     spec_name = "ages"
    >>> parse("ages(n=120)")
    ages(n=120)
    >>> del CLASSES["ages"]
    """
    name = getattr(kind, "spec_name", None)
    if not isinstance(name, str) or not name.isidentifier() or not issubclass(kind, ConceptClass):
        raise InvalidArgument(f"a class to register has a spec_name such as 'ages'; {got('kind', kind)}")
    if name in SOLVED or CLASSES.get(name, kind) is not kind:
        raise InvalidArgument(f'"{name}" is the spec_name of another class; choose another')
    CLASSES[name] = kind
    return kind


def parse(spec: str) -> ConceptClass:
    """Return the class that a text describes; only literal values are read, nothing is executed.

    >>> parse("thresholds(n=256)")
    thresholds(n=256)
    >>> parse("treshold(n=256)")
    Traceback (most recent call last):
    ...
    adeptree.errors.InvalidSpec: "treshold" is no class; did you mean "thresholds"?
    """
    name, positional, named = called(spec)
    kind = CLASSES.get(name) or SOLVED.get(name)
    if kind is None:
        raise InvalidSpec(_unknown(name))
    try:
        return kind(*positional, **named)
    except TypeError as error:
        reason = str(error).replace("__init__()", kind.spec_name)
        raise InvalidSpec(f'"{_short(spec)}" does not fit: {reason}') from None
    except InvalidArgument as error:
        raise InvalidSpec(f'"{_short(spec)}" does not fit: {error}') from None


def called(spec: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the name in a spec and its arguments, which must be plain values.

    >>> called("stumps(cuts={'age': (30, 50)})")
    ('stumps', [], {'cuts': {'age': (30, 50)}})
    """
    if not isinstance(spec, str):
        raise InvalidSpec(f'a spec is a text such as "thresholds(n=256)"; {got("spec", spec)}')
    if is_long(spec):
        raise InvalidSpec(
            f"a spec has at most {LONGEST} characters and {MOST_VALUES} values; {got('spec', spec[:100])} with "
            f"{len(spec)} characters and {spec.count(',') + 1} values: build the class in Python"
        )
    try:
        call = ast.parse(spec.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        positional = [ast.literal_eval(value) for value in call.args]
        named = {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
        if len(named) < len(call.keywords):
            raise ValueError
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise InvalidSpec(f'a spec looks like "thresholds(n=256)", with plain values; {got("spec", spec)}') from None
    return call.func.id, positional, named


def is_long(spec: str) -> bool:
    """Return whether a text is too long to be read as a spec in a second or two."""
    return len(spec) > LONGEST or spec.count(",") >= MOST_VALUES


def _short(spec: str) -> str:
    return spec if len(spec) <= 200 else spec[:197] + "..."


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, CLASSES, n=1)
    if near:
        return f'"{name}" is no class; did you mean "{near[0]}"?'
    return f'"{name}" is no class; known are {", ".join(sorted(CLASSES))}'
