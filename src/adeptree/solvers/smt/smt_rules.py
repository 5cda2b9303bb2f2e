"""Instances of a template in plain Python values, and its rules with the constants filled in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from adeptree.core.types import Instance
from adeptree.solvers.smt.compiling import Compiled
from adeptree.solvers.smt.terms import Part, Term, z3


@dataclass(frozen=True)
class Known:
    """A known instance: the template's term there, its subterms, and its Python form (None if there is none)."""

    x: Any
    key: Hashable
    term: Term
    inside: Sequence[Part]
    run: Compiled | None


def plain(x: Any) -> Any:
    """Convert NumPy numbers in x to Python's, which z3 can compare.

    >>> plain({"age": np.int64(41), "weights": np.array([1.5, 2.0])})
    {'age': 41, 'weights': (1.5, 2.0)}
    """
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, Mapping):
        return {name: plain(value) for name, value in x.items()}
    return tuple(map(plain, x)) if isinstance(x, (list, tuple)) else x


def tagged(x: Any) -> Any:
    """Return plain data with 4, 4.0 and True made different, as z3 divides and compares them differently."""
    if isinstance(x, dict):
        return {name: tagged(value) for name, value in x.items()}
    if isinstance(x, tuple):
        return tuple(map(tagged, x))
    return (type(x).__name__, x) if isinstance(x, (float, bool)) else x


Constant = Any
"""A value of a constant: bool, int or Fraction, or else the z3 number itself."""


@dataclass(frozen=True)
class SmtRule:
    """A rule template with values for its constants; labels are computed without the solver."""

    constants: tuple[tuple[str, Constant], ...]
    label: Callable[[Instance, tuple[Constant, ...]], int] = field(compare=False, repr=False)
    of_all: Callable[[Sequence[Instance], tuple[Constant, ...]], list[int]] = field(compare=False, repr=False)
    show: Callable[[tuple[Constant, ...]], str] = field(compare=False, repr=False)
    values: tuple[Constant, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Store the values in a dict, because a rule is called far more often than it is made."""
        object.__setattr__(self, "values", tuple(value for _, value in self.constants))

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        return self.label(x, self.values)

    def labels(self, xs: Sequence[Instance]) -> list[int]:
        """Return the labels of all xs."""
        return self.of_all(xs, self.values)

    def __str__(self) -> str:
        return self.show(self.values)


def is_plain(value: Constant) -> bool:
    """Return True if Python can compute with a value."""
    return isinstance(value, (bool, int, Fraction))


def z3_value(value: Constant, constant: Term) -> Term:
    """Return a plain value as the z3 value of a constant."""
    if not is_plain(value):
        return value
    if z3.is_bool(constant):
        return z3.BoolVal(value)
    return z3.IntVal(value) if z3.is_int(constant) else z3.RealVal(str(value))


def placeholder(x: Instance) -> Instance:
    """Return x with names in place of its numbers, so that a template called on it can be read.

    >>> placeholder({"age": 41, "bmi": 22.5})["age"], placeholder((3, 4))
    (age, (x0, x1))
    """
    if isinstance(x, dict):
        return {name: _symbol(str(name), value) for name, value in x.items()}
    if isinstance(x, tuple):
        return tuple(_symbol(f"x{i}", value) for i, value in enumerate(x))
    return _symbol("x", x)


def _symbol(name: str, value: Any) -> Any:
    if isinstance(value, bool):
        return z3.Bool(name)
    if isinstance(value, int):
        return z3.Int(name)
    return z3.Real(name) if isinstance(value, float) else value
