"""A class whose oracle is a SAT solver."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from adeptree.core.arguments import check_seconds, check_size
from adeptree.core.errors import (
    AdeptreeError,
    ContradictoryOracle,
    InvalidArgument,
    OracleError,
    OracleUnknown,
    TooLarge,
    got,
)
from adeptree.core.types import Concept, Instance, Sample, label_of
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.solvers.sat.encoding import Encoding
from adeptree.solvers.sat.sat_solver import Solver
from adeptree.solvers.solver_class import SolverClass

T = TypeVar("T")

SOLVER = "glucose4"


class SatClass(SolverClass):
    """The concepts of an :class:`Encoding`, found by one incremental solver that is kept for all calls.

    The label of every instance is a literal, made when the instance first occurs. The labels of a sample are
    assumptions, so no clause is retracted between calls, and all learnt clauses stay valid.

    The solver is not part of what is pickled or copied: every process builds its own (``clone``), and so does every
    worker of an ``executor``.

    Parameters
    ----------
    encoding
        What the rules are, in clauses.
    mistake_bound
        The mistake bound M of the base learner that you pass.
    solver
        Its name in PySAT.
    conflicts, seconds
        Limits of a call; ``conflicts`` has the same effect on every machine. A call beyond a limit is *unknown*, never
        guessed.
    on_unknown
        The reaction to an unknown answer: "raise" an :class:`OracleUnknown`, or "keep": ``realizable`` answers True, as
        a path is pruned only if it was proven unrealizable, which is all that the regret bound needs of the oracle. The
        frontier may then be wider than the class, ``best_loss`` less than the best concept's, and a path without a
        concept may err more than M times (so learn with ``on_excess="prune"``). ``find`` raises in any case.
        ``unknowns`` counts them.
    vc_dimension, littlestone_dimension, **options
        Parameters of :class:`OracleClass`; the default ``call_cost`` is the encoding's.

    Examples
    --------
    >>> from adeptree.solvers.sat import KTermDnf
    >>> c = SatClass(KTermDnf(n=3, k=1))
    >>> str(c.find([((1, 1, 0), 1), ((1, 0, 0), 0), ((0, 1, 0), 0)]))
    '(x0 and x1)'
    >>> c.find([((0, 0, 0), 1), ((1, 0, 1), 0), ((1, 1, 1), 1), ((0, 1, 0), 1)]) is None, c.core()
    (True, (0, 1, 2))
    """

    spec_name = "sat"
    cheap_bits = True  # nothing is decoded
    UNSAID: ClassVar[Mapping[str, Any]] = {"on_unknown": "raise", "solver": SOLVER}

    def __init__(
        self,
        encoding: Encoding,
        mistake_bound: int | None = None,
        *,
        solver: str = SOLVER,
        conflicts: int | None = None,
        seconds: float | None = None,
        on_unknown: str = "raise",
        vc_dimension: int | None = None,
        littlestone_dimension: int | None = None,
        **options: Any,
    ) -> None:
        if not all(callable(getattr(encoding, name, None)) for name in ("start", "label", "decode", "instance")):
            raise InvalidArgument(
                f"encoding must be an Encoding such as KTermDnf(n=8, k=2); {got('encoding', encoding)}"
            )
        if conflicts is not None:
            check_size("conflicts", conflicts)
        own: dict[str, Any] = {
            "encoding": encoding,
            "mistake_bound": mistake_bound,
            "solver": solver,
            "conflicts": conflicts,
            "seconds": check_seconds(seconds),
            "on_unknown": on_unknown,
            "vc_dimension": vc_dimension,
            "littlestone_dimension": littlestone_dimension,
        }
        super().__init__(own, options, getattr(encoding, "call_cost", None), name=repr(encoding))
        self.encoding = encoding
        self._solver = Solver(solver, conflicts, seconds)
        self._working = copy.deepcopy(encoding)
        self._working.start(self._solver.new_var, self._solver.add_clause)
        self._literals: dict[Hashable, int] = {}

    def __repr__(self) -> str:
        kind = type(self.encoding)
        if kind.__dict__.get("spec_name") is None:
            return f"sat({self.encoding!r})"
        said = {f.name: getattr(self.encoding, f.name) for f in fields(self.encoding)}  # type: ignore[arg-type]
        said |= {name: value for name, value in self._said().items() if name != "encoding"}
        return f"{kind.spec_name}({', '.join(f'{name}={value!r}' for name, value in said.items())})"

    # --- The oracle ----------------------------------------------------------------------------------

    def solved(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, None if there is none; raise OracleUnknown at a limit."""
        return self._by_encoding(self._working.decode, self._solver.model()) if self.solvable(sample) else None

    def solvable(self, sample: Sample) -> bool:
        """Return True if there is a concept with these labels."""
        try:
            known = self._literals
            literals = [known[x] if label_of(y) else -known[x] for x, y in sample]
        except (KeyError, TypeError):
            literals = [self._literal(x) if label_of(y) else -self._literal(x) for x, y in sample]
        self._core = None
        answer = self._solver.solve(literals)
        if answer is None:
            raise self._undecided(len(sample))
        if not answer:
            core = set(self._solver.core())
            self._core = tuple(sorted({literal: i for i, literal in enumerate(literals) if literal in core}.values()))
        return answer

    def erm(self, sample: Sample) -> Concept:
        """Return a concept with the fewest errors, by MaxSAT."""
        weights: dict[int, int] = {}
        with self.alone:
            for x, y in sample:
                literal = self._literal(x)
                weights[literal] = weights.get(literal, 0) + (1 if label_of(y) else -1)
            wanted = {(literal if n > 0 else -literal): abs(n) for literal, n in weights.items() if n}
            model = self._solver.best(wanted)
            if model is None:
                raise self._empty()
            return self._by_encoding(self._working.decode, model)

    def to_finite(self, points: Iterable[Any], limit: int = 1 << 16) -> FiniteClass:
        """Return the class on some points as a table, found solution by solution.

        ``Halving(c.to_finite(points))`` is a base learner for streams of these points with M = floor(log2 rows).

        >>> from adeptree.solvers.sat import Dfas
        >>> SatClass(Dfas(states=2, alphabet="ab")).to_finite(["", "a", "b", "aa", "ab", "ba", "bb"]).size
        26
        """
        xs = [self.instance(x) for x in points]
        # Uses a separate solver, because every instance added to a solver slows all its later calls.
        with self.clone() as other:
            rows = other._labellings([other._literal(x) for x in xs], limit)
        return FiniteClass(np.array(rows, dtype=np.uint8), points=[self.key(x) for x in xs])

    def _labellings(self, literals: list[int], limit: int) -> list[list[bool]]:
        rows: list[list[bool]] = []
        while answer := self._solver.solve([]):
            if len(rows) == limit:
                raise TooLarge(f"{self!r} has more than limit={limit} labellings of these {len(literals)} points")
            model = self._solver.model()
            rows.append([model(literal) for literal in literals])
            self._solver.add_clause(*(-literal if model(literal) else literal for literal in literals))
        if answer is None:
            raise self._undecided(0)
        if not rows:
            raise self._empty()
        return rows

    def _literal(self, x: Any) -> int:
        literal = self._literals.get(self.key(x))
        if literal is None:
            # New, or only written differently (for example bits as a list).
            x = self.instance(x)
            literal = self._literals.get(self.key(x)) or self._by_encoding(self._working.label, x)
            self._literals[self.key(x)] = literal
        return literal

    def _by_encoding(self, method: Callable[[Any], T], given: Any) -> T:
        """Call the encoding, which may be the user's."""
        try:
            return method(given)
        except AdeptreeError:
            raise
        except Exception as error:
            name = getattr(method, "__name__", "a method")
            raise OracleError(f"{name} of {self.encoding!r} raised {type(error).__name__}: {error}") from error

    def _undecided(self, size: int) -> OracleUnknown:
        limits = {name: self._own[name] for name in ("conflicts", "seconds") if self._own[name] is not None}
        said = " and ".join(f"{name}={value}" for name, value in limits.items())
        return OracleUnknown(
            f"{self!r} could not decide a sample of {size} points within {said}; raise the limit, or give "
            f'on_unknown="keep" to prune only what is proven unrealizable'
        )

    def _empty(self) -> ContradictoryOracle:
        return ContradictoryOracle(f"the clauses of {self.encoding!r} have no solution: no concept is left")

    # --- Instances -----------------------------------------------------------------------------------

    def instance(self, x: Any) -> Instance:
        """Return x as the encoding writes it."""
        return super().instance(self.encoding.instance(x))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance, if the encoding supports it."""
        return self.encoding.random_instance(rng)

    def close(self) -> None:
        """Free the solver; a closed class raises OracleError when queried. Closing twice has no effect."""
        self._solver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
