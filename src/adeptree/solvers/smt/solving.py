"""One z3 solver for a whole class: labels are assumptions, so learnt clauses are kept."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import Any

from adeptree.core.arguments import check_seconds, check_size
from adeptree.core.errors import OracleUnknown
from adeptree.solvers.smt.terms import Part, Term, parts, total, z3


class Solving:
    """Finds values of the constants that give known instances the requested labels.

    Every instance has a literal, equivalent to the template at that instance; asking for label 1 (0) assumes the
    literal (its negation). Push and pop, which drop learnt clauses, took two to three times as long. z3 is not
    thread-safe, so every caller holds the lock of the class.
    """

    def __init__(
        self, constants: Sequence[Term], where: Sequence[Term], rlimit: int | None, seconds: float | None
    ) -> None:
        if rlimit is not None:
            check_size("rlimit", rlimit)
        self.rlimit, self.seconds = rlimit, check_seconds(seconds)
        # In a separate context the solver's work, and so its rlimit, does not depend on other terms of the program.
        self.context: Any = z3.Context()
        self.constants = [constant.translate(self.context) for constant in constants]
        self.outside = constants[0].ctx
        self.solver: Any = z3.Solver(ctx=self.context)
        if rlimit is not None:
            self.solver.set("rlimit", rlimit)
        if seconds is not None:
            self.solver.set("timeout", max(1, round(1000 * seconds)))
        for condition in where:
            self._state(condition, *total(parts(condition)))
        self.named = 0
        """Number of literals; one whose creation was interrupted is never reused."""
        self.literals: dict[Hashable, tuple[Term, Term]] = {}

    def add(self, key: Hashable, term: Term, inside: Sequence[Part]) -> None:
        """Add an instance; ``term`` is the template there, with its subterms."""
        self.named += 1
        literal = z3.Bool(f"adeptree!{self.named}", self.context)
        self.solver.add(literal == term.translate(self.context))
        self._state(*total(inside))
        self.literals[key] = z3.Not(literal), literal

    def _state(self, *conditions: Term) -> None:
        self.solver.add(*(condition.translate(self.context) for condition in conditions))

    def values(self, labelled: Sequence[tuple[Hashable, int]]) -> tuple[Any, ...] | list[int]:
        """Return values of the constants, or (as a list) positions of labels that no values fit.

        Raises OracleUnknown if z3 gave up. Values are bool, int or Fraction if possible, else terms.
        """
        assumed = [self.literals[key][y] for key, y in labelled]
        # Always read, because reading changes the next values of z3, which must not depend on a limit.
        before, started = self.solver.statistics(), time.monotonic()
        # ``solver.check`` would check the sort of every literal again.
        handles = (z3.Ast * len(assumed))(*(literal.as_ast() for literal in assumed))
        answer = z3.Z3_solver_check_assumptions(self.context.ref(), self.solver.solver, len(assumed), handles)
        if answer == z3.Z3_L_FALSE:
            inside = {literal.get_id() for literal in self.solver.unsat_core()}
            return [i for i, literal in enumerate(assumed) if literal.get_id() in inside]
        if answer == z3.Z3_L_UNDEF:
            raise self._gave_up(len(labelled), before, started)
        model = self.solver.model()
        return tuple(self._value(model.eval(constant, model_completion=True)) for constant in self.constants)

    def _value(self, term: Term) -> Any:
        if isinstance(term, z3.IntNumRef):
            return term.as_long()
        if isinstance(term, z3.RatNumRef):
            return term.as_fraction()
        return z3.is_true(term) if isinstance(term, z3.BoolRef) else term.translate(self.outside)

    def _gave_up(self, points: int, before: Any, started: float) -> BaseException:
        reason = self.solver.reason_unknown()
        if self.rlimit is not None and _steps(self.solver.statistics()) - _steps(before) >= self.rlimit:
            reason = f"rlimit={self.rlimit} reached"
        elif self.seconds is not None and time.monotonic() - started >= 0.9 * self.seconds:
            reason = f"seconds={self.seconds} reached"
        elif reason == "canceled" or "interrupted" in reason:
            return KeyboardInterrupt()  # z3 handles Ctrl-C itself and reports only this
        return OracleUnknown(
            f"z3 could not decide a sample of {points} points ({reason}); give a larger rlimit= or seconds=, a simpler "
            f'template, tighter bounds in where=, or on_unknown="keep"'
        )


def _steps(statistics: Any) -> int:
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0
