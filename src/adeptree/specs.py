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


def parse(spec: str) -> ConceptClass:
    """Return the class that a text describes; only literal values are read, nothing is executed.

    >>> parse("thresholds(n=256)")
    thresholds(n=256)
    >>> parse("treshold(n=256)")
    Traceback (most recent call last):
    ...
    adeptree.errors.InvalidSpec: "treshold" is no class; did you mean "thresholds"?
    """
    if not isinstance(spec, str):
        raise InvalidSpec(f'a spec is a text such as "thresholds(n=256)"; {got("spec", spec)}')
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
    kind = CLASSES.get(call.func.id) or SOLVED.get(call.func.id)
    if kind is None:
        raise InvalidSpec(_unknown(call.func.id))
    try:
        return kind(*positional, **named)
    except TypeError as error:
        reason = str(error).replace("__init__()", kind.spec_name)
        raise InvalidSpec(f'"{spec}" does not fit: {reason}') from None
    except InvalidArgument as error:
        raise InvalidSpec(f'"{spec}" does not fit: {error}') from None


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, CLASSES, n=1)
    if near:
        return f'"{name}" is no class; did you mean "{near[0]}"?'
    return f'"{name}" is no class; known are {", ".join(sorted(CLASSES))}'
