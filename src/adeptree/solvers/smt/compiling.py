"""A z3 term as a Python function of the constants, exact, for numbers and for whole arrays of numbers.

A concept must label points without the solver, and often: every stored witness labels every new point. Terms become one
assignment per node, so that nothing nests and shared parts are computed once. A real number is stored as an integer
over a fixed denominator, so that arrays of int64 give exact answers too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from adeptree.solvers.smt.terms import Range, Term, z3

SAFE = 1 << 62
"""Arrays hold int64; terms that may reach this bound are computed with Python integers."""


SIGNS = {"and": "&", "or": "|", "xor": "^", "=": "=="} | {sign: sign for sign in ("<=", "<", ">=", ">", "+", "-", "*")}
CALLS = {"not": "({0} ^ True)", "=>": "(({0} ^ True) | {1})", "if": "pick({0}, {1}, {2})", "to_int": "({0} // {over})"}
CALLS |= {"mod": "mod({0}, {1})", "div": "div({0}, {1})", "/": "ratio({0}, {1})"}
"""Python forms of z3's operations, by name."""
SAME_SCALE = {"=", "<=", "<", ">=", ">", "distinct", "+", "-", "/"}
"""Operations on numbers of the same denominator."""


class Unsupported(Exception):
    """The term contains an operation without a translation; z3 itself can still evaluate it."""


class Value(NamedTuple):
    """A node: its expression (times ``over``, if it is a number) and the bound of its size."""

    code: str
    over: int = 1
    size: float = 1


@dataclass(frozen=True)
class Compiled:
    """The function of a term, called with one value for each constant by name, or with arrays of them."""

    scalar: Callable[..., Any]
    """The function on numbers: int, bool or Fraction."""
    arrays: Callable[..., Any] | None
    """The function on int64 arrays; None if it would not be exact."""

    def __call__(self, /, **constants: Any) -> Any:
        """Evaluate on numbers, or on arrays; TypeError where arrays would not be exact."""
        if not any(isinstance(value, np.ndarray) for value in constants.values()):
            return self.scalar(*constants.values())
        if self.arrays is None:
            raise TypeError("this term is not computed on arrays")
        return self.arrays(*constants.values())


def compiled(term: Term, constants: Sequence[Term], ranges: Sequence[Range | None]) -> Compiled:
    """Translate a term, or raise Unsupported."""
    writer = _Writer()
    for i, (constant, bounds) in enumerate(zip(constants, ranges, strict=True)):
        size = math.inf if bounds is None else max(map(abs, bounds))
        writer.done[constant.get_id()] = Value(f"c{i}", 1, size)
    try:
        result = writer.write(term)
    except RecursionError:
        raise Unsupported("nested too deeply") from None
    names = ", ".join(f"c{i}" for i in range(len(constants)))
    source = "\n    ".join([f"def rule({names}):", *writer.lines, f"return {result.code}"])
    code = compile(source, "<rule template>", "exec")
    return Compiled(_function(code, SCALARS), _function(code, ARRAYS) if writer.exact_arrays else None)


def _function(code: Any, helpers: dict[str, Any]) -> Callable[..., Any]:
    names = dict(helpers)
    exec(code, names)  # _Writer's code contains only numbers and its own names
    return names["rule"]  # type: ignore[no-any-return]


@dataclass
class _Writer:
    """Writes the assignments of a term, subterms first."""

    lines: list[str] = field(default_factory=list)
    done: dict[int, Value] = field(default_factory=dict)
    exact_arrays: bool = True
    numbers: Any = field(default_factory=itertools.count)

    def write(self, term: Term) -> Value:
        """Return the value of a term, writing what it needs."""
        known = self.done.get(term.get_id())
        if known is None:
            value = self._literal(term) or self._operation(term)
            known = self.done[term.get_id()] = self._named(value)
        return known

    def _named(self, value: Value) -> Value:
        if not value.size < SAFE:
            self.exact_arrays = False
        if value.code.lstrip("-").isalnum():
            return value
        name = f"t{next(self.numbers)}"
        self.lines.append(f"{name} = {value.code}")
        return value._replace(code=name)

    def _literal(self, term: Term) -> Value | None:
        if z3.is_true(term) or z3.is_false(term):
            return Value(str(z3.is_true(term)))
        if z3.is_int_value(term):
            return _number(Fraction(term.as_long()))
        return _number(term.as_fraction()) if z3.is_rational_value(term) else None

    def _operation(self, term: Term) -> Value:
        if not z3.is_app(term) or not term.num_args() or any(_foreign(part) for part in term.children()):
            raise Unsupported(str(term))
        name, values = term.decl().name(), [self.write(part) for part in term.children()]
        if name in SAME_SCALE:
            values = self._same_scale(values)
        elif name == "if":
            values[1:] = self._same_scale(values[1:])
        first, codes, sizes = values[0], [value.code for value in values], [value.size for value in values]
        self.exact_arrays &= name != "/"
        if name == "to_real":
            return first
        if name in ("-", "abs") and len(values) == 1:
            return first._replace(code=f"(-{first.code})" if name == "-" else f"abs({first.code})")
        if name == "distinct":
            return Value("(" + " & ".join(f"({a} != {b})" for a, b in itertools.combinations(codes, 2)) + ")")
        if name in CALLS:
            code = CALLS[name].format(*codes, over=first.over)
        elif name in SIGNS:
            code = "(" + f" {SIGNS[name]} ".join(codes) + ")"
        else:
            raise Unsupported(name)
        if name == "*":
            return Value(code, math.prod(value.over for value in values), math.prod(sizes))
        if name in ("+", "-", "if"):
            return Value(code, values[-1].over, max(sizes) if name == "if" else sum(sizes))
        return Value(code, 1, sum(sizes) if name in ("mod", "div", "to_int") else 1)

    def _same_scale(self, values: list[Value]) -> list[Value]:
        """Bring numbers to a common denominator (Booleans have 1)."""
        over = math.lcm(*(value.over for value in values))
        return [self._scaled(value, over // value.over) for value in values]

    def _scaled(self, value: Value, times: int) -> Value:
        if times == 1:
            return value
        return self._named(Value(f"({value.code} * {times})", value.over * times, value.size * times))


def _number(value: Fraction) -> Value:
    return Value(str(value.numerator), value.denominator, abs(value.numerator))


def _foreign(term: Term) -> bool:
    """Return True if a term's sort is not Bool, Int or Real."""
    return not (z3.is_bool(term) or z3.is_arith(term))


def _mod(number: Any, by: Any) -> Any:
    return number % abs(by) if by else number


def _div(number: Any, by: Any) -> Any:
    # The remainder is never negative, so the quotient is rounded down for positive divisors and up for negative.
    return (number // abs(by) if by > 0 else -(number // abs(by))) if by else 0


def _ratio(above: Any, below: Any) -> Any:
    return Fraction(above) / below if below else 0


def _mod_arrays(number: Any, by: Any) -> Any:
    size = np.abs(by)
    return np.where(size == 0, number, number % np.where(size == 0, 1, size))


def _div_arrays(number: Any, by: Any) -> Any:
    size = np.abs(by)
    return np.sign(by) * (number // np.where(size == 0, 1, size))


SCALARS: dict[str, Any] = {"mod": _mod, "div": _div, "ratio": _ratio, "pick": lambda c, a, b: a if c else b}
ARRAYS: dict[str, Any] = {"mod": _mod_arrays, "div": _div_arrays, "ratio": _ratio, "pick": np.where}
