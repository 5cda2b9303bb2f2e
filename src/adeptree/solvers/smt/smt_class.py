"""``SmtClass``: a rule template with unknown constants as a concept class, decided by z3."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cached_property
from typing import Any

from adeptree.core.errors import InvalidArgument, InvalidInstance, OracleError, got
from adeptree.core.types import Concept, Instance, Sample, label_of
from adeptree.families.templates.template_class import TemplateClass
from adeptree.families.templates.template_grid import check_text
from adeptree.oracles.keys import point_key
from adeptree.solvers.smt import terms
from adeptree.solvers.smt.compiling import Compiled, Unsupported, compiled
from adeptree.solvers.smt.smt_rules import Constant, Known, SmtRule, is_plain, placeholder, plain, tagged, z3_value
from adeptree.solvers.smt.solving import Solving
from adeptree.solvers.smt.terms import Term, z3
from adeptree.solvers.solver_class import SolverClass

CALL_COST = 1.5e-3
"""Seconds per call, approximately: 1 ms for thresholds, 3 ms for distances (``docs/howto/solvers-smt.md``)."""

LISTING_LIMIT = 1 << 20
"""Most settings of the constants that are listed, for the base learner."""


class SmtClass(SolverClass):
    """All rules that a template makes with any values of its constants; needs z3 (extra ``smt``).

    Instances are numbers, tuples or mappings of numbers, and other values that the template can read. If all constants
    are bounded integers with at most 2^20 settings, the base learner is Halving on the settings; otherwise give the
    learner ``base=``, or the class its ``littlestone_dimension=``. A template is code, so a class cannot be sent to
    workers directly; use :meth:`made_by`.

    Parameters
    ----------
    template
        ``template(x)`` returns a z3 condition on the constants.
    constants
        The z3 constants that a rule chooses.
    where
        Conditions that bound them.
    text
        The display format of rules, such as "age >= {a} and bmi < {b}".
    rlimit, seconds
        Limits of a call; ``rlimit`` counts z3's steps, which are the same on every machine. If z3 gives up,
        ``on_unknown="raise"`` raises :class:`OracleUnknown`, and "keep" treats the sample as realizable. This is safe
        (no path of a concept is lost), but a path without a concept may make more mistakes than M, so pass
        ``on_excess="prune"`` to the learner. ``find`` raises in any case. ``unknowns`` counts.
    name
        The name in messages and saved files.
    **options
        Parameters of :class:`OracleClass`.

    Examples
    --------
    >>> import z3
    >>> a, b = z3.Ints("a b")
    >>> bounds = [0 <= a, a <= 120, 0 <= b, b <= 60]
    >>> c = SmtClass(lambda x: z3.And(x["age"] >= a, x["bmi"] < b), constants=[a, b], where=bounds)
    >>> young, old = {"age": 39, "bmi": 25}, {"age": 40, "bmi": 25}
    >>> c.find([(young, 0), (old, 1)]).constants[0]
    ('a', 40)
    >>> c.realizable([(young, 1), (old, 0)]), c.core()
    (False, (0, 1))
    """

    spec_name = "smt"

    def __init__(
        self,
        template: Callable[[Any], Term],
        constants: Sequence[Term],
        where: Sequence[Term] = (),
        *,
        text: str | None = None,
        rlimit: int | None = None,
        seconds: float | None = None,
        name: str = "template",
        **options: Any,
    ) -> None:
        z3.require()
        if not callable(template):
            raise InvalidArgument(
                f"template must be a function of x that returns a z3 term; {got('template', template)}"
            )
        super().__init__({"name": name}, options, CALL_COST, name=name)
        self.template, self.text = template, text
        self._maker: tuple[Callable[..., SmtClass], tuple[Any, ...]] | None = None
        self.constants = terms.check_constants(constants)
        self._names = {constant.get_id(): constant.decl().name() for constant in self.constants}
        self.where = terms.check_where(where, self._names)
        check_text(text, self._names.values())
        self.ranges = terms.bounds_of(self.constants, self.where)
        self._solving = Solving(self.constants, self.where, rlimit, seconds)
        self._known: dict[Hashable, Known] = {}
        self._met: dict[int, Known] = {}
        """A second index by the ``id`` of the stored instance, because a frontier queries the same objects."""

    def __repr__(self) -> str:
        return f"smt(name={self.name!r}, constants={list(self._names.values())})"

    __eq__, __hash__ = object.__eq__, object.__hash__  # templates cannot be compared

    # --- Other processes -----------------------------------------------------------------------------

    @classmethod
    def made_by(cls, maker: Callable[..., SmtClass], *arguments: Any, executor: Executor | None = None) -> SmtClass:
        """Return ``maker(*arguments)``, which other processes can make by the same call.

        ``maker`` must be a function at the top of a module that makes the constants and the class.
        """
        made = maker(*arguments)
        if not isinstance(made, SmtClass):
            raise InvalidArgument(f"maker must return an SmtClass; {got('made', made)}")
        made._maker = maker, arguments
        if executor is not None:
            made.send_to(executor)
        return made

    def send_to(self, executor: Executor) -> None:
        """Send queries to these workers, which must be processes, because z3 terms are not thread-safe."""
        if isinstance(executor, ThreadPoolExecutor):
            raise InvalidArgument(
                "z3 cannot be used by several threads; give concurrent.futures.ProcessPoolExecutor(n)"
            )
        super().send_to(executor)

    def __reduce__(self) -> Any:
        if self._maker is None:
            raise InvalidArgument(
                f"{self!r} holds code and z3's terms, which cannot be sent to other processes; write a function that "
                f"returns the class and say SmtClass.made_by(function, executor=...)"
            )
        return _remade, self._maker

    def packed(self, answer: Any) -> Any:
        """Encode a rule by its values; the receiver knows the rest."""
        return answer.values if isinstance(answer, SmtRule) else answer

    def unpacked(self, answer: Any) -> Any:
        """Decode the rule of some values."""
        return self._rule(answer) if isinstance(answer, tuple) else answer

    # --- The oracle ----------------------------------------------------------------------------------

    def solved(self, sample: Sample) -> Concept | None:
        """Ask z3 for a concept that fits."""
        self._core = None
        labelled: dict[Hashable, tuple[int, int]] = {}
        for i, (x, y) in enumerate(sample):
            known, label = self._at(x), label_of(y)
            if known.key not in self._solving.literals:
                self._state(known)
            before, position = labelled.setdefault(known.key, (label, i))
            if before != label:
                self._core = position, i
                return None
        found = self._solving.values([(key, label) for key, (label, _) in labelled.items()])
        if isinstance(found, tuple):
            return self._rule(found)
        positions = [position for _, position in labelled.values()]
        self._core = tuple(positions[i] for i in found)
        return None

    def _rule(self, values: Sequence[Constant]) -> SmtRule:
        known = all(map(is_plain, values))
        label = (self._label, self._labels) if known else (self._label_by_z3, self._labels_by_z3)
        return SmtRule(tuple(zip(self._names.values(), values, strict=True)), *label, self._show)

    # --- Instances ---------------------------------------------------------------------------------

    def instance(self, x: Any) -> Instance:
        """Return x in plain Python values, after checking that the template accepts it."""
        return self._at(x).x

    def key(self, x: Any) -> Hashable:
        """Return the key that identifies x; 4 and 4.0 differ, because z3 divides them differently."""
        if (known := self._met.get(id(x))) is not None:
            return known.key
        return point_key(x if self._key is not None else tagged(plain(x)), self._key, "SmtClass")

    def _at(self, x: Any) -> Known:
        known = self._met.get(id(x))
        if known is None:
            key = self.key(x)
            known = self._known.get(key) or self._meet(plain(x), key)
        return known

    def _meet(self, x: Instance, key: Hashable) -> Known:
        """Instantiate the template once for every instance, because building terms is slow in Python."""
        with self.alone:
            term = self._instantiated(x)
            inside = terms.parts(term)
            terms.check_known(inside, self._names, "the template")
            try:
                run: Compiled | None = compiled(term, self.constants, self.ranges)
            except Unsupported:
                run = None
            known = self._known[key] = self._met[id(x)] = Known(x, key, term, inside, run)
        return known

    def _state(self, known: Known) -> None:
        """Add an instance to the solver when it is first queried; rules label many instances that never are."""
        solved = terms.split_cases(known.term, known.inside, self._numbers)
        self._solving.add(known.key, solved, known.inside if solved is known.term else terms.parts(solved))

    @cached_property
    def _numbers(self) -> dict[int, tuple[Term, terms.Range]]:
        """The integer constants with finite bounds, by their id."""
        both = zip(self.constants, self.ranges, strict=True)
        return {c.get_id(): (c, bounds) for c, bounds in both if bounds is not None and z3.is_int(c)}

    def _instantiated(self, x: Instance) -> Term:
        try:
            term = self.template(x)
        except Exception as error:
            raise InvalidInstance(f"the template raised {type(error).__name__}: {error}; {got('x', x)}") from error
        term = z3.BoolVal(term) if isinstance(term, bool) else term
        if not z3.is_bool(term):
            raise InvalidArgument(f"the template must return a z3 condition such as x >= a; {got('condition', term)}")
        return term

    # --- Concepts, without the solver ---------------------------------------------------------------

    def _label(self, x: Instance, values: tuple[Constant, ...]) -> int:
        run = (self._met.get(id(x)) or self._at(x)).run
        return self._label_by_z3(x, values) if run is None else int(run.scalar(*values))

    def _labels(self, xs: Sequence[Instance], values: tuple[Constant, ...]) -> list[int]:
        runs = [(self._met.get(id(x)) or self._at(x)).run for x in xs]
        if None in runs:
            return [self._label(x, values) for x in xs]
        return [int(run.scalar(*values)) for run in runs if run is not None]

    def _labels_by_z3(self, xs: Sequence[Instance], values: tuple[Constant, ...]) -> list[int]:
        return [self._label_by_z3(x, values) for x in xs]

    def _label_by_z3(self, x: Instance, values: tuple[Constant, ...]) -> int:
        with self.alone:
            result = z3.simplify(z3.substitute(self._at(x).term, *self._filled(values)))
        if not (z3.is_true(result) or z3.is_false(result)):
            raise OracleError(f"the template at x={x!r} has no value, it becomes {result}; exclude this with where=")
        return int(z3.is_true(result))

    def _filled(self, values: tuple[Constant, ...]) -> list[tuple[Term, Term]]:
        return [(c, z3_value(value, c)) for c, value in zip(self.constants, values, strict=True)]

    def _show(self, values: tuple[Constant, ...]) -> str:
        named = dict(zip(self._names.values(), values, strict=True))
        if self.text is not None:
            return self.text.format(**named)
        try:
            shape = placeholder(next(iter(self._known.values())).x)
            return " ".join(str(z3.substitute(self.template(shape), *self._filled(values))).split())
        except Exception:  # the template needs numbers in place of names
            return ", ".join(f"{name} = {value}" for name, value in named.items())

    # --- The settings of the constants, listed --------------------------------------------------------

    @property
    def settings(self) -> int | None:
        """Number of settings that the constants' bounds allow, before ``where``; None if infinite."""
        known = [high - low + 1 for low, high in filter(None, self.ranges)]
        return math.prod(known) if len(known) == len(self.ranges) else None

    @cached_property
    def listed(self) -> TemplateClass | None:
        """The same class with every setting listed, as Halving and Hedge need; None if there are too many."""
        if self.settings is None or self.settings > LISTING_LIMIT:
            return None
        grid = {}
        for constant, (low, high) in zip(self.constants, filter(None, self.ranges), strict=True):
            whole = range(low, high + 1)
            grid[constant.decl().name()] = [False, True] if z3.is_bool(constant) else whole
        try:
            allowed = compiled(z3.And(*self.where), self.constants, self.ranges)
        except Unsupported:
            return None
        return TemplateClass(self._listed_rule, grid, where=allowed, text=self.text, name=self.name)

    def _listed_rule(self, x: Instance, /, **constants: Any) -> Any:
        known = self._at(x)
        return self._label(x, tuple(constants.values())) if known.run is None else known.run(**constants)


def _remade(maker: Callable[..., SmtClass], arguments: tuple[Any, ...]) -> SmtClass:
    return SmtClass.made_by(maker, *arguments)
