"""Parse specs, the texts of classes: ``parse(repr(c)) == c``."""

from __future__ import annotations

import ast
import re
from typing import Any

from adeptree.core.errors import InvalidArgument, InvalidSpec, got, unknown
from adeptree.families.registry import NATURAL, base_kind, families, family_named
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass

LONGEST = 1 << 24
"""Most characters of a spec."""
MOST_VALUES = 1 << 18
"""Most values in a spec: Python takes some hundred bytes and some microseconds for each of them."""


def parse(spec: str) -> ConceptClass:
    """Return the class that a text describes; only literal values are read, nothing is executed.

    >>> parse("thresholds(n=256)")
    thresholds(n=256)
    >>> parse("treshold(n=256)")
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidSpec: unknown rules "treshold"; did you mean "thresholds"?
    """
    # Check the name first, so that an unknown name is reported before errors between the brackets.
    begun = re.match(r"\s*(\w{1,80})\s*(\(|$)", spec) if isinstance(spec, str) else None
    if begun and family_named(begun[1]) is None:
        raise InvalidSpec(_no_class(begun[1]))
    name, positional, named = called(spec)
    family = family_named(name)
    if family is None or family.holds_code:
        raise InvalidSpec(_no_class(name))
    try:
        return (family.make or family.kind)(*positional, **named)
    except TypeError as error:
        reason = str(error).replace(f"{family.kind.__name__}.__init__()", name).replace("__init__()", name)
        raise InvalidSpec(f'"{_short(spec)}" does not fit: {reason}') from None
    except InvalidArgument as error:
        raise InvalidSpec(f'"{_short(spec)}" does not fit: {error}') from None


def _no_class(name: str) -> str:
    # It may also be rules on columns, in the syntax of the command line.
    on_columns = [family.on_columns.word for family in families() if family.on_columns]
    known = [*on_columns, *(family.name for family in families() if family.example)]
    return unknown(name, "rules", known, sorted({*on_columns, *(family.name for family in families() if family.line)}))


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
    """Return True if a text is too long to be parsed within a second or two."""
    return len(spec) > LONGEST or spec.count(",") >= MOST_VALUES


def _short(spec: str) -> str:
    return spec if len(spec) <= 200 else spec[:197] + "..."


def base_named(spec: str) -> BaseLearner | None:
    """Return the base learner of a saved file's text, e.g. "Bisection" or "Ghost(d=2)"; None is the default one.

    >>> base_named("Ghost(d=2)")
    Ghost(d=2)
    """
    if spec == NATURAL:
        return None
    name, positional, named = called(spec if "(" in spec else f"{spec}()")
    base: BaseLearner = base_kind(name)(*positional, **named)
    return base
