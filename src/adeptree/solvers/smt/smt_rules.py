"""The concepts of an :class:`SmtClass`: a template with its constants filled in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from adeptree.core.types import Instance
from adeptree.solvers.smt.terms import Term, load_z3

Constant = Any
"""A value of a constant: bool, int or Fraction, or the z3 number itself where it is none of these."""


@dataclass(frozen=True)
class SmtRule:
    """A rule template with values for its constants; labels are computed without the solver."""

    constants: tuple[tuple[str, Constant], ...]
    label: Callable[[Instance, tuple[Constant, ...]], int] = field(compare=False, repr=False)
    show: Callable[[tuple[Constant, ...]], str] = field(compare=False, repr=False)
    values: tuple[Constant, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Keep the values at hand: a rule is called far more often than it is made."""
        object.__setattr__(self, "values", tuple(value for _, value in self.constants))

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        return self.label(x, self.values)

    def __str__(self) -> str:
        return self.show(self.values)


def plain_value(term: Term) -> Constant:
    """Return a z3 value as a bool, int or Fraction if it is one."""
    z3 = load_z3()
    if z3.is_true(term) or z3.is_false(term):
        return bool(z3.is_true(term))
    if z3.is_int_value(term):
        return term.as_long()
    if z3.is_rational_value(term):
        fraction = term.as_fraction()
        return Fraction(fraction.numerator, fraction.denominator)
    return term


def is_plain(value: Constant) -> bool:
    """Whether a value can be computed with in Python."""
    return isinstance(value, (bool, int, Fraction))


def z3_value(value: Constant, constant: Term) -> Term:
    """Return a plain value as the z3 value of a constant."""
    if not is_plain(value):
        return value
    z3 = load_z3()
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
    z3 = load_z3()
    if isinstance(value, bool):
        return z3.Bool(name)
    if isinstance(value, int):
        return z3.Int(name)
    return z3.Real(name) if isinstance(value, float) else value
