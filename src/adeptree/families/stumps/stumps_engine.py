"""The engine of stumps: a mixture of lines, one per feature, with rising and falling rules (``mixture_kernel.py``)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import MOST
from adeptree.core.errors import InvalidInstance
from adeptree.core.types import Concept, FloatArray
from adeptree.families.finite.version_space import Halving
from adeptree.families.line.cuts_engine import CutsPrior
from adeptree.families.line.readable_cuts import round_cut
from adeptree.families.line.thresholds import RealThresholds, Thresholds
from adeptree.families.line.two_way_engine import TwoWayEngine
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.cell_vote import CellVote
from adeptree.families.stumps.feature_values import Table
from adeptree.families.stumps.grid_stumps import Stumps
from adeptree.roles.engine import Problem
from adeptree.roles.near_rules import NearRules, RankedRule
from adeptree.structures.mixture_engine import MixtureEngine, MixturePrior
from adeptree.theory.coins import word_of
from adeptree.theory.priors import Prior

_KERNEL = kernel("adeptree.structures.mixture_kernel")
_LINES = kernel("adeptree.structures.column_tree_kernel")


class StumpsPrior(MixturePrior):
    """The prior of stumps: equal shares for features and directions; cuts have the prior of their line.

    >>> from adeptree import RealStumps
    >>> round(StumpsPrior("mixed", RealStumps([f"f{i}" for i in range(10)])).price(1000), 2)
    50.13
    """

    def __init__(self, name: str, concept_class: Any) -> None:
        given = concept_class.cuts.values() if isinstance(concept_class, Stumps) else ()
        self.lines: list[Any] = [Thresholds(len(cuts) + 1) for cuts in given]
        self.lines = self.lines or [RealThresholds()] * len(concept_class.features)
        self.inner = [CutsPrior(name, line.line, 1).one for line in self.lines]
        super().__init__(name, 2 * len(self.lines), self.inner[0])

    def price(self, t: int) -> float | None:
        """Return the largest price of a rule; None if a feature has no limit."""
        known = [price for prior in self.inner if (price := prior.price(t)) is not None]
        return None if len(known) < len(self.inner) else math.log(self.kinds) + max(known)


class RankedEngine(TwoWayEngine):
    """The line of a feature with given cuts: a value's point is the number of cuts that it reaches."""

    def __init__(self, concept_class: Thresholds, prior: Prior, cuts: Sequence[float]) -> None:
        super().__init__(concept_class, prior)
        self.cuts = cuts
        self._use(_LINES.RankedLine(self.measure(), cuts))

    def batch(self, xs: Any) -> int:
        """Hand the values to the kernel, or their ranks if it knows only these."""
        if self.shared:
            return super().batch(np.searchsorted(self.cuts, xs, side="right"))
        self.kernel.give(np.ascontiguousarray(xs, dtype=np.float64))
        return len(xs)

    def rank(self, name: str, row: Mapping[str, Any]) -> int | None:
        """Return the number of cuts that a value of a row reaches; None if it is not plainly a finite number."""
        value: Any = row.get(name)
        return bisect_right(self.cuts, value) if type(value) in (int, float) and -MOST <= value <= MOST else None


class StumpsEngine(MixtureEngine):
    """The features' lines, with equal shares of the prior.

    >>> from adeptree import RealStumps
    >>> from adeptree.theory.priors import KTPrior
    >>> engine = StumpsEngine(RealStumps(["age", "bmi"]), KTPrior())
    >>> engine.rate = 0.5
    >>> for age, bmi, y in [(20, 22.5, 0), (60, 24, 1), (41.9, 31, 0), (43.2, 20, 1)]:
    ...     engine.commit({"age": age, "bmi": bmi}, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule()), round(engine.probability({"age": 50, "bmi": 22}), 6)
    (20, 0, 'age >= 43', 0.557786)
    """

    kind = "stump-lines"

    def __init__(self, concept_class: Any, prior: Prior) -> None:
        super().__init__()
        self.concept_class, self.prior = concept_class, StumpsPrior(prior.name, concept_class)
        self.given: Any = concept_class.cuts if isinstance(concept_class, Stumps) else {}
        names = list(self.given or self.concept_class.features)
        lines = zip(names, self.prior.lines, self.prior.inner, strict=True)
        self.members: Any = [
            RankedEngine(line, one, self.given[name]) if self.given else TwoWayEngine(line, one)
            for name, line, one in lines
        ]
        for member in self.members[1:]:
            member.kernel.lead = self.members[0].kernel  # all lines have one rate
        parts, log_shares = [member.kernel for member in self.members], [-math.log(self.prior.kinds)] * len(names)
        self._use(_KERNEL.MixtureKernel(parts, names, [None] * len(names), log_shares, word_of))

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep weights of sequences on every line; lines with given cuts then find ranks in a row."""
        self.kernel.readers = [partial(one.rank, name) for name, one in zip(self.given, self.members, strict=False)]
        self.kernel.readers += [None] * (len(self.members) - len(self.given))
        return super().share_out(share, lanes, spans, room)

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept the priors without a horizon if no rule is dropped; other base learners run on paths."""
        return problem.beyond(("kt", "mixed"), CellVote, Halving)

    def batch(self, xs: Any) -> int:
        """Hand every line its values, from a table in the order of the features or from mappings."""
        count = len(self.members)
        given = xs.values if isinstance(xs, Table) else xs
        rows = given if isinstance(given, np.ndarray) else list(map(itemgetter(*self.kernel.names), xs))
        table: FloatArray = np.asarray(rows, dtype=np.float64)
        table = table.reshape(-1, 1) if count == 1 and table.ndim == 1 else table
        if len(xs) and (table.shape != (len(xs), count) or not np.isfinite(table).all()):
            raise InvalidInstance(
                f"a table of {count} columns of finite numbers was expected, one per feature; "
                f"got one of shape {table.shape}"
            )
        for f, member in enumerate(self.members if len(xs) else ()):
            member.batch(table[:, f])
        return len(xs)

    def constants(self) -> list[RankedRule]:
        """Return the constants: every line has seen all labels."""
        line = self.members[0].kernel
        return [RankedRule(Constant(0), line.charged - line.zeros), RankedRule(Constant(1), line.zeros)]

    def near(self, f: int, reach: float, limit: int) -> NearRules:
        """Return the stumps of a feature: rising ones from left to right, then falling ones.

        Cuts below or above all values seen are constants so far.
        """
        gaps, more = self.members[f].near_gaps(reach, limit + 4)
        return NearRules((RankedRule(self._stump(f, gap), gap.loss) for gap in gaps if not gap.edge), more)

    def precedence(self, near: RankedRule) -> int:
        """With given cuts, sort all rising stumps before falling ones, as in the list of concepts."""
        return int(isinstance(near.rule, Stump) and not near.rule.above) if self.given else 0

    def _stump(self, f: int, gap: Any) -> Concept:
        name = self.kernel.names[f]
        cut = self.given[name][gap.low - 1] if self.given else round_cut(float(gap.low), float(gap.high))
        return Stump(name, cut, not gap.falls)
