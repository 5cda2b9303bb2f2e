"""Thresholds under an unknown ordering of points known in advance: O(log n) mistakes and oracle calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.seeds import stream
from adeptree.core.types import Instance, IntArray
from adeptree.learners.history_learner import HistoryLearner
from adeptree.learners.loading import register_learner
from adeptree.research.transductive import KnownPoints
from adeptree.roles.concept_class import ConceptClass

OPEN = -1
"""No label yet."""
PATIENCE = 250
"""Pairs drawn for one cut, of which each will do with a chance of 1/8 or more: all fail once in 10^14 times."""


@register_learner
class UnknownOrder(HistoryLearner):
    """Learns which points come before a cut, in an order that only the oracle knows.

    The class must be a chain: of any two rules one says 1 wherever the other does, as with thresholds on some order of
    the points; it is asked by ``find`` about pairs of points only. On a stream that some rule fits there are at most
    log_{4/3} n + 2 mistakes, n the number of points, and on average over the seed at most 8 log_{4/3} n calls,
    whichever of the rules that fit the oracle returns. On other streams nothing is promised. The result is that of
    Attias, Hanneke and Ramaswami (NeurIPS 2025, arXiv 2506.00135); this proof is in ``docs/theory/known-points.md``.

    Parameters
    ----------
    concept_class
        The chain, e.g. an ``OracleClass`` with ``find``.
    points
        All the points that may come; others are refused.
    horizon
        T, the number of rounds; by default one for each point given.
    seed
        Of the pairs asked about.

    Examples
    --------
    >>> from adeptree import OracleClass, Thresholds
    >>> c = OracleClass(find=Thresholds(100).find)
    >>> learner = UnknownOrder(c, range(100))
    >>> _ = learner.learn_many(range(100), [int(x >= 37) for x in range(100)])
    >>> learner.realised_loss <= 18, learner.queries.posed < 60
    (True, True)
    """

    kind = "unknown-order"

    def __init__(
        self, concept_class: ConceptClass, points: Iterable[Any], horizon: int | None = None, seed: int = 0
    ) -> None:
        known = KnownPoints(concept_class, points)
        super().__init__(concept_class, len(known.given) if horizon is None else horizon, seed)
        self._known = known
        self.points = known.given
        self.label: IntArray = np.full(len(known.instances), OPEN)
        """The state of each point."""
        self.cut: IntArray = self.label
        """The current rule's labels of the points that were open when it was found; all ``OPEN`` without a rule."""

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one of the points."""
        return self._known.random(rng)

    def _checked(self, xs: Any) -> Any:
        self._known.all_of(xs)
        return xs

    def _probability(self, x: Instance, raw: Any) -> float:
        i = self._known.of(x)
        if self.label[i] == OPEN and np.count_nonzero(self.label == OPEN) > 2 and self.cut[i] == OPEN:
            self.cut = self._found()
        return float(max(0, self.cut[i] if self.label[i] == OPEN else self.label[i]))

    def _found(self) -> IntArray:
        """Return a cut with a quarter of the open points or more on either side."""
        rng = stream(self.seed, f"pairs {self.rounds}")
        still = np.flatnonzero(self.label == OPEN)
        for _ in range(PATIENCE):
            below, above = (self._known.instances[i] for i in rng.choice(still, 2, replace=False))
            sample = [(below, 1), (above, 0)]
            self._queries.asked += 1
            self._queries.posed += 1
            rule = self.concept_class.find(sample)
            self._queries.hear("find", [sample], [rule])
            if rule is not None:
                says = np.array([int(rule(self._known.instances[i])) for i in still])
                if len(still) <= 4 * says.sum() <= 3 * len(still):
                    cut = np.full_like(self.label, OPEN)
                    cut[still] = says
                    return cut
        raise InvalidArgument(
            f"UnknownOrder found no rule that cuts {len(still)} points in {PATIENCE} draws: {self.concept_class!r} is "
            f"no chain of rules; use Transductive, or Adept"
        )

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        super()._commit(x, raw, label)
        i = self._known.of(x)
        known, cut = self.label.copy(), self.cut
        if known[i] == OPEN and cut[i] == 1 - label:
            # Wrong: all open points on the side of x that the cut gave the true label have it.
            known[(known == OPEN) & (cut == label)] = label
            cut = np.full_like(cut, OPEN)
        known[i] = label
        if len(set(cut[known == OPEN].tolist())) < 2:  # it cuts nothing any more
            cut = np.full_like(cut, OPEN)
        self.label, self.cut = known, cut

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"label": self.label, "cut": self.cut}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.label, self.cut = state["label"], state["cut"]
