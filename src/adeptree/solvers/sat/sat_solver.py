"""One incremental solver of python-sat, with limits; the only file that imports it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from adeptree.core.arguments import one_of
from adeptree.core.errors import InvalidArgument, OracleError
from adeptree.core.extras import Extra
from adeptree.solvers.sat.encoding import Model

pysat: Any = Extra("pysat.solvers", "a SatClass", "sat")

LIMITED = ("glucose3", "glucose4", "glucose42", "maplechrono", "maplecm", "maplesat", "minisat22")
"""Solvers that stop after a number of conflicts (Glucose at the next restart), and can continue."""

UNLIMITED = ("cadical153", "cadical195")

SLICE = 500
"""Conflicts between two checks of the time: some milliseconds at typical sizes."""


class Solver:
    """A growing formula, solved under assumptions."""

    def __init__(self, name: str, conflicts: int | None, seconds: float | None) -> None:
        one_of("solver", name, LIMITED + UNLIMITED)
        if name in UNLIMITED and not (conflicts is None and seconds is None):
            raise InvalidArgument(f"{name} knows no limits; take solver='glucose4', or give neither of them")
        self.conflicts = conflicts
        self.seconds = seconds
        self.clauses: list[list[int]] = []
        self._variables = 0
        self._solver: Any = pysat.Solver(name=name)

    def new_var(self) -> int:
        """Return a fresh variable."""
        self._variables += 1
        return self._variables

    def add_clause(self, *literals: int) -> None:
        """Add a clause permanently."""
        self._open().add_clause(literals)
        self.clauses.append(list(literals))

    def solve(self, assumptions: Sequence[int]) -> bool | None:
        """Return True if there is a solution with these literals; None if a limit came first."""
        solver = self._open()
        if self.conflicts is None and self.seconds is None:
            return bool(solver.solve(assumptions=assumptions))
        # The time is checked between slices: this needs no thread to interrupt the solver, and keeps learnt clauses.
        end = None if self.seconds is None else time.monotonic() + self.seconds
        left = self.conflicts
        while left is None or left > 0:
            step = SLICE if left is None else left if end is None else min(left, SLICE)
            solver.conf_budget(step)
            answer: bool | None = solver.solve_limited(assumptions=assumptions)
            if answer is not None or (end is not None and time.monotonic() >= end):
                return answer
            left = None if left is None else left - step
        return None

    def model(self) -> Model:
        """Return the solution just found."""
        return self._model(self._open().get_model())

    def core(self) -> list[int]:
        """Return assumptions that cannot all be true, after an answer False."""
        return list(self._open().get_core() or ())

    def best(self, weights: Mapping[int, int]) -> Model | None:
        """Return a solution that makes literals of the greatest total weight true; None if there is none at all.

        It runs the MaxSAT solver RC2 on a copy of the formula, without limits.
        """
        formula = Extra("pysat.formula", "a SatClass", "sat").WCNF()
        formula.extend(self.clauses)
        for literal, weight in weights.items():
            formula.append([literal], weight=weight)
        with Extra("pysat.examples.rc2", "a SatClass", "sat").RC2(formula) as maxsat:
            found = maxsat.compute()
        return None if found is None else self._model(found)

    def _model(self, found: list[int]) -> Model:
        # A variable that occurs in no clause may be missing; its value is arbitrary.
        values = [0, *found, *[0] * (self._variables - len(found))]
        return lambda literal: values[literal] > 0 if literal > 0 else values[-literal] <= 0

    def close(self) -> None:
        """Free the solver; closing twice has no effect."""
        if self._solver is not None:
            self._solver.delete()
            self._solver = None

    def _open(self) -> Any:
        if self._solver is None:
            raise OracleError("the solver is closed and answers nothing more; make a new one with clone()")
        return self._solver
