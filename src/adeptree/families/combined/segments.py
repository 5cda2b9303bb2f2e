"""One rule for all segments next to one rule per segment: tenants, regions, carriers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, MOST, Array, Fields, Items, Number, need
from adeptree.core.errors import InvalidArgument, InvalidInstance, UnsupportedCombination, got
from adeptree.core.types import Concept, FloatArray, Instance, Sample
from adeptree.families.combined.row_engine import chosen
from adeptree.families.combined.row_rules import OnColumn, RowRules, Union
from adeptree.families.rule_values import RowRule, sql_name, sql_text
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Leader, Problem
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule
from adeptree.theory.priors import CountedPrior, Prior

_KERNEL = kernel("adeptree.structures.segments_kernel")
SUMS = ("zeros", "charged", "clock", "log_z")
"""Numbers that a file holds of each segment."""
OWN = 5  # numbers of a line with a rate of its own: rate, kappa, excess, rounds, rate of the last round
MANY = 1e300
"""More combinations of rules are not told apart."""
SHOWN = 3  # segments whose rules are part of a text


def name_of(value: Any) -> str:
    """Return the name of a segment; a missing value has the empty name, and 1.0 is 1.

    >>> name_of("a"), name_of(1.0), name_of(None), name_of(math.nan)
    ('a', '1', '', '')
    """
    if value is None or value != value:
        return ""
    try:
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    except ValueError:  # (Python writes no whole number of more digits)
        raise InvalidInstance(
            "the name of a segment must be a text or a number of at most 4,300 digits; got more digits"
        ) from None


@dataclass(frozen=True)
class SegmentRule(RowRule):
    """A rule for each segment; a segment without one says 0."""

    owner: OnColumn
    by: str
    rules: Mapping[str, Concept]

    def on(self, x: tuple[str, Any]) -> int:
        """Ask the rule of the segment."""
        rule = self.rules.get(x[0])
        return 0 if rule is None else int(rule(x[1]))

    def condition(self) -> str:
        """Return when it is 1, as SQL."""
        by, rules, column = sql_name(self.by), dict[str, Any](self.rules), self.owner.column
        which = {name: f"= {sql_text(name)}" if name else "IS NULL" for name in rules}
        return " OR ".join(f"({by} {which[n]} AND ({rules[n].condition(column)}))" for n in rules) or "1 = 0"

    def __str__(self) -> str:
        first = list(self.rules.items())[:SHOWN]
        told = [f"{name or 'missing'}: {self.owner.text(0, rule)}" for name, rule in first]
        told += [f"{len(self.rules) - SHOWN:,} more"] * (len(self.rules) > SHOWN)
        return f"by {self.by} ({'; '.join(told)})"


@dataclass(frozen=True, repr=False)
class PerSegment(ConceptClass):
    """One rule per segment; an instance is the name of a segment and a value. A part of :class:`Segmented`."""

    combines: ClassVar[bool] = True
    rules: OnColumn
    by: str
    segments: int | None = None

    def instance(self, x: Any) -> Instance:
        """Return the segment and the value of a row, or of such a pair."""
        if isinstance(x, tuple):
            return x
        return name_of(x.get(self.by)), self.rules.read(0, x)

    def key(self, x: Instance) -> Any:
        """Return the value, for coins."""
        return self.rules.rules.key(x[1])

    def erm(self, sample: Sample) -> Concept:
        """Return a best rule for each segment."""
        pairs: dict[str, list[Any]] = {}
        for (name, value), y in sample:
            pairs.setdefault(name, []).append((value, y))
        return SegmentRule(self.rules, self.by, {name: self.rules.rules.erm(some) for name, some in pairs.items()})

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one of three segments and a value."""
        return "abc"[int(rng.integers(3))], self.rules.rules.random_instance(rng)

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a rule for each of these."""
        return SegmentRule(self.rules, self.by, {name: self.rules.rules.random_concept(rng) for name in "abc"})


@dataclass(frozen=True, repr=False)
class Segmented(RowRules):
    """Rules for all rows, next to one such rule per segment; ``Adept(rules, by="tenant")`` makes one.

    Parameters
    ----------
    rules
        Thresholds on a column of the row, such as ``RealThresholds().on("score")``.
    by
        The column with the name of the segment. Rows where it is missing are a segment of their own.
    segments
        The number of segments, if it is known: only then is there a guarantee in advance.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> rules = Segmented(Thresholds(16).on("score"), by="tenant")
    >>> rows = [({"tenant": "a", "score": 3}, 0), ({"tenant": "a", "score": 9}, 1), ({"tenant": "b", "score": 9}, 0)]
    >>> rules.columns, str(rules.erm(rows))
    (('score', 'tenant'), 'by tenant (a: score >= 4; b: score >= 10)')

    """

    rules: ConceptClass
    by: str
    segments: int | None = None
    one_rate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.by, str) or not self.by:
            raise InvalidArgument(f"by must be the name of a column; {got('by', self.by)}")
        Union((self.rules,))  # (which checks that they name their columns)
        if self.segments is not None:
            check_size("segments", self.segments)

    @cached_property
    def parts(self) -> tuple[ConceptClass, ...]:  # type: ignore[override]
        """The rules for all, and those per segment."""
        return self.rules, PerSegment(self.rules, self.by, self.segments)  # type: ignore[arg-type]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rules and that of the segment."""
        return tuple(dict.fromkeys((*self.rules.columns, self.by)))  # type: ignore[attr-defined]

    def cells(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that are read; the name of the segment as a text."""
        row = super().cells(x)
        return {**row, self.by: name_of(row[self.by])} if self.by in row else row

    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the row as the part has it."""
        one = self.rules
        if part == 0 and isinstance(one, OnColumn):
            return {one.column: one.read(0, row)}
        return self.parts[part].instance(row)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a row, in one of three segments."""
        return self.instance({**self.rules.random_instance(rng), self.by: "abc"[int(rng.integers(3))]})

    def __repr__(self) -> str:
        known = "" if self.segments is None else f", segments={self.segments}"
        return f"segmented(rules={repr(self.rules)!r}, by={self.by!r}{known})"


class SegmentsPrior(CountedPrior):
    """The prior of one rule per segment."""

    def __init__(self, one: Prior, segments: int | None) -> None:
        super().__init__(0.0)
        self.unknown = "the number of segments is not known; give segments="
        self.one, self.segments, self.name = one, segments, one.name  # type: ignore[misc]
        self.floor = one.floor

    def price(self, t: int) -> float | None:
        """Return what a rule for each segment costs at most; None if the number of segments is not known."""
        if self.segments is None:
            return None
        one = self.one.price(-(-t // self.segments))
        return None if one is None else self.segments * one


def check_own(own: FloatArray) -> None:
    """Raise ValueError unless the accounts of lines, a row each, can be what a learner saved."""
    rate, kappa, excess, rounds, last = own.T
    need((rate > 0).all() and (rate <= last).all() and (rounds == np.floor(rounds)).all(), "own")
    need((kappa >= 2).all() and (rate * excess <= 2.1 * kappa * (1 + 1e-9)).all(), "own")


class SegmentsEngine(KernelEngine):
    """A line per segment, all in one arena (``segments_kernel.py``)."""

    kind = "segments"
    runs_base = False
    kernel: Any

    def __init__(self, concept_class: PerSegment, prior: Prior) -> None:
        super().__init__()
        engine, problem = chosen(concept_class.rules.rules, prior.name)
        self.concept_class, self.line = concept_class, engine.of(problem)
        self.prior = SegmentsPrior(engine.prior_of(problem), concept_class.segments)
        self._use(_KERNEL.SegmentsKernel(self.line.kernel))

    def _use(self, kernel: Any) -> None:
        super()._use(kernel)
        kernel.by, kernel.column = self.concept_class.by, self.concept_class.rules.column

    def share_inside(self) -> None:
        """Let the line of each segment share on the clock of the segment."""
        self.line.share_inside()
        self._use(_KERNEL.SegmentsKernel(self.line.kernel))

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Thresholds on one column."""
        rules = problem.concept_class.rules
        if isinstance(rules, OnColumn) and chosen(rules.rules, problem.prior.name)[0].in_arena:
            return None
        raise UnsupportedCombination(f'by= is for thresholds on a column, such as Thresholds(9).on("s"); got {rules}')

    @classmethod
    def prior_of(cls, problem: Problem) -> Prior:
        """Return the prior of a rule per segment."""
        return cls(problem.concept_class, problem.prior).prior

    def batch(self, xs: Any) -> int:
        """Give the kernel the pairs."""
        self.kernel.give(list(xs))
        return len(xs)

    def each(self) -> list[tuple[str, Leader, Concept]]:
        """Return the segments in the order of their first rounds, each with its best path and rule."""
        self.kernel.discard()
        found = []
        for name, k in self.kernel.places.items():
            self.kernel.visit(k)
            found.append((name, self.line.leader(), self.line.best_rule()))
        self.kernel.visit(0)
        return found

    def leader(self) -> Leader:
        """Return the best rule of every segment, as one path."""
        self.kernel.discard()
        prices = []
        for k in range(len(self.kernel.places)):
            self.kernel.visit(k)
            prices.append(self.line.leader().log_prior)
        self.kernel.visit(0)
        return Leader(self.best_loss, None, None, min(0.0, math.fsum(prices)))

    def best_rule(self) -> Concept:
        """Return the best rule of every segment."""
        return SegmentRule(
            self.concept_class.rules, self.concept_class.by, {name: rule for name, _, rule in self.each()}
        )

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the best combination; there are too many near ones to list."""
        return NearRules([RankedRule(self.best_rule(), self.best_loss)], k > 0)

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the lines of all segments, one after the other."""
        self.kernel.discard()
        kept: list[dict[str, Any]] = []
        for k in self.kernel.places.values():
            self.kernel.visit(k)
            kept.append(self.line.state())
        self.kernel.visit(0)
        names = [name for name, field in self.line.declared().items() if isinstance(field, Array)]
        joined = {name: np.array([one[name] for one in kept], dtype=np.float64) for name in SUMS}
        for name in names:
            columns = [one[name] for one in kept]
            joined[name] = np.concatenate(columns) if columns else self.line.state()[name][:0]
        sizes = np.array([[len(one[name]) for name in names] for one in kept], dtype=np.int64)
        sums = [self.kernel.lost, self.kernel.log_sum, min(self.kernel.paths, MANY)]
        if self.kernel.rated:
            joined["own"] = np.array(self.kernel.own)[: OWN * len(kept)].reshape(-1, OWN)
        told = {"names": list(self.kernel.places), "whole": bool(self.line.kernel.whole), "sums": sums}
        return {**joined, **told, "sizes_of": sizes.reshape(len(kept), len(names))}

    def declared(self) -> Fields:
        """Return the names; every line checks its own part."""
        sums = dict.fromkeys(SUMS, Array(np.float64, "segments"))
        return {
            "names": Items("segments"),
            "sizes_of": Array(np.int64, ("segments", "columns"), 0),
            "whole": FLAG,
            "sums": Items(3, Number()),
            **sums,
            **({"own": Array(np.float64, ("segments", OWN), -MOST)} if self.kernel.rated else {}),
        }

    def invariants(self, state: dict[str, Any]) -> None:
        """The rates are in balance."""
        if self.kernel.rated:
            check_own(state["own"])

    def restore(self, state: dict[str, Any]) -> None:
        """Plant the line of every segment, if that is possible."""
        self.check(state)
        names = [name for name, field in self.line.declared().items() if isinstance(field, Array)]
        need(None not in state["names"], "names")
        need(state["sizes_of"].shape[1] == len(names), "sizes_of")
        need((state["sizes_of"].sum(axis=0) == [len(state[part]) for part in names]).all(), "sizes_of")
        starts = np.zeros(len(names), dtype=np.int64)
        for k, (name, sizes) in enumerate(zip(state["names"], state["sizes_of"], strict=True)):
            kept = {part: state[part][at : at + size] for part, at, size in zip(names, starts, sizes, strict=True)}
            starts = starts + sizes
            self.kernel.meet(name)
            self.line.restore({**kept, **{part: float(state[part][k]) for part in SUMS}, "whole": state["whole"]})
            self.kernel.keep()
        if self.kernel.rated:
            np.asarray(self.kernel.own)[: state["own"].size] = state["own"].ravel()
        rate, self.kernel.stale = self.rate, True  # (the sums of all must be computed)
        self.rate = rate
        lost, log_sum, paths = map(float, state["sums"])
        computed = [self.kernel.lost, self.kernel.log_sum, min(self.kernel.paths, MANY)]
        need(np.allclose(state["sums"], computed, rtol=1e-9, atol=1e-6), "sums")
        self.kernel.lost, self.kernel.log_sum = lost, log_sum
        self.kernel.paths = paths if paths < MANY else self.kernel.paths
