"""Read and rewrite z3 terms: check templates, and make them cheap to solve."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.extras import Extra

SPLIT_LIMIT = 64
"""Most values of constants for splitting a term into cases."""
BOUNDS_EFFORT = 2_000_000
"""Steps (z3's rlimit) spent on finding the bounds of the constants."""

z3: Any = Extra("z3", "SmtClass", "smt")

Term = Any
Range = tuple[int, int]


class Part(NamedTuple):
    """A subterm and its kind (z3's ``Z3_OP_...``; -1 if it is not an application)."""

    term: Term
    kind: int


def parts(*terms: Term) -> list[Part]:
    """List the subterms, each once. Walking terms is slow in Python, so the lists are passed on."""
    stack, seen, found = list(terms), set[int](), []
    while stack:
        term = stack.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            found.append(Part(term, term.decl().kind() if z3.is_app(term) else -1))
            stack.extend(term.children())
    return found


def check_known(inside: Sequence[Part], known: Mapping[int, str], where: str) -> None:
    """Raise an error for symbols that are not constants, whose values could differ between instances."""
    symbol = z3.Z3_OP_UNINTERPRETED
    for term, kind in inside:
        if kind == -1:
            raise InvalidArgument(f"{where} must not contain quantifiers; got {term}")
        if kind == symbol and term.get_id() not in known:
            raise InvalidArgument(
                f"{where} uses {term.decl().name()}, which is not among constants={list(known.values())}; add it there"
            )


def total(inside: Sequence[Part]) -> list[Term]:
    """Define division by 0, which z3 leaves open, like our rules: n / 0 = n div 0 = 0 and n mod 0 = n."""
    return [
        z3.Implies(term.arg(1) == 0, term == (term.arg(0) if kind == z3.Z3_OP_MOD else 0))
        for term, kind in _divisions(inside)
    ]


def _divisions(inside: Sequence[Part]) -> list[Part]:
    """List the divisions and remainders whose divisor may be 0."""
    kinds = (z3.Z3_OP_DIV, z3.Z3_OP_IDIV, z3.Z3_OP_MOD)
    found = [part for part in inside if part.kind in kinds]
    return [part for part in found if not _is_number(part.term.arg(1)) or _is_zero(part.term.arg(1))]


def split_cases(term: Term, inside: Sequence[Part], ranges: Mapping[int, tuple[Term, Range]]) -> Term:
    """Replace constants that divide or multiply others by cases, if they have few values.

    With a number for a divisor the rest is linear, which z3 decides in about a millisecond; a remainder by an
    unknown took more than 40 (``x % m == r`` with m <= 12, 100 instances).
    """
    chosen = [ranges[i] for i in _nonlinear(inside) if i in ranges]
    if not chosen or math.prod(high - low + 1 for _, (low, high) in chosen) > SPLIT_LIMIT:
        return term
    cases = []
    for values in itertools.product(*(range(low, high + 1) for _, (low, high) in chosen)):
        fixed = [(symbol, z3.IntVal(value)) for (symbol, _), value in zip(chosen, values, strict=True)]
        here = z3.simplify(z3.substitute(term, *fixed))
        cases.append(z3.And(*(symbol == value for symbol, value in fixed), here))
    return z3.Or(*cases)


def _nonlinear(inside: Sequence[Part]) -> list[int]:
    """Return the ids of the symbols in divisors and in products of unknowns (except one factor)."""
    unknowns = [term.arg(1) for term, _ in _divisions(inside)]
    for term, kind in inside:
        if kind == z3.Z3_OP_MUL:
            unknowns += [factor for factor in term.children() if not _is_number(factor)][1:]
    return sorted({term.get_id() for term, kind in parts(*unknowns) if kind == z3.Z3_OP_UNINTERPRETED})


def bounds_of(constants: Sequence[Term], where: Sequence[Term]) -> list[Range | None]:
    """Return the least and the greatest value of every integer (or Boolean) constant; None if unbounded."""
    search = z3.Optimize()
    search.set(priority="box", rlimit=BOUNDS_EFFORT)
    search.add(*where)
    whole = [constant if z3.is_int(constant) else None for constant in constants]
    ends = [None if c is None else (search.minimize(c), search.maximize(c)) for c in whole]
    decided = search.check()
    if decided == z3.unsat:
        raise InvalidArgument("where= leaves no values for the constants: its conditions contradict each other")
    return [
        (0, 1) if z3.is_bool(constant) else _range(found) if decided == z3.sat and found is not None else None
        for constant, found in zip(constants, ends, strict=True)
    ]


def _range(ends: tuple[Any, Any]) -> Range | None:
    low, high = ends[0].value(), ends[1].value()
    if not (z3.is_int_value(low) and z3.is_int_value(high)):
        return None  # unbounded
    return low.as_long(), high.as_long()


def check_constants(constants: Any) -> list[Term]:
    """Return the constants; raise an error if they are not valid."""
    listed = list(constants) if isinstance(constants, (list, tuple)) else []
    if not listed or not all(z3.is_const(c) and z3.is_app_of(c, z3.Z3_OP_UNINTERPRETED) for c in listed):
        raise InvalidArgument(
            f'constants must be the unknowns of the template, e.g. z3.Ints("a b"); {got("constants", constants)}'
        )
    if len({constant.decl().name() for constant in listed}) < len(listed):
        raise InvalidArgument(f"constants must have different names; {got('constants', listed)}")
    return listed


def check_where(where: Any, known: Mapping[int, str]) -> list[Term]:
    """Return the conditions on the constants; raise an error if they are not valid."""
    listed = list(where) if isinstance(where, (list, tuple)) else [where]
    conditions = [z3.BoolVal(c) if isinstance(c, bool) else c for c in listed]
    for condition in conditions:
        if not z3.is_bool(condition):
            raise InvalidArgument(f"where must hold conditions such as 0 <= a; {got('where', condition)}")
        check_known(parts(condition), known, "where=")
    return conditions


def _is_number(term: Term) -> bool:
    return bool(z3.is_int_value(term) or z3.is_rational_value(term))


def _is_zero(term: Term) -> bool:
    return bool(term.as_fraction() == 0) if z3.is_rational_value(term) else bool(term.as_long() == 0)
