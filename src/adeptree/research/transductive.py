"""Transductive learning: the points are known in advance, and only their labels are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.frozen import freeze
from adeptree.core.types import Instance, IntArray, LabelArray
from adeptree.families.registry import frontier_of
from adeptree.learners.hedge import Hedge
from adeptree.learners.inputs import Inputs
from adeptree.learners.online_learner import Rate
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Children
from adeptree.structures.experts import ListedExperts


class KnownPoints:
    """The announced points, numbered from 0 without repetition."""

    def __init__(self, concept_class: ConceptClass, points: Iterable[Any]) -> None:
        self.concept_class = concept_class
        self.given = list(Inputs(concept_class, points).xs)
        self.instances: list[Instance] = []
        self.number: dict[Any, int] = {}
        for x in map(concept_class.instance, self.given):
            if self.number.setdefault(freeze(concept_class.key(x)), len(self.number)) == len(self.instances):
                self.instances.append(x)
        if not self.instances:
            raise InvalidArgument(f"points must be the points that may come, at least one; {got('points', points)}")

    def of(self, x: Instance) -> int:
        """Return the number of a canonical instance; raise an error if it was not announced."""
        number = self.number.get(freeze(self.concept_class.key(x)))
        if number is None:
            raise InvalidInstance(
                f"x must be one of the {len(self.instances)} points announced as points=; {got('x', x)}; announce it, "
                f"or use Adept, which needs no points in advance"
            )
        return number

    def all_of(self, xs: Any) -> Any:
        """Return the points in the class's form; all of them were announced."""
        instances = self.concept_class.instances_of(xs)
        for x in instances:
            self.of(x)
        return instances

    def random(self, rng: np.random.Generator) -> Instance:
        """Draw a point."""
        return self.instances[int(rng.integers(len(self.instances)))]


class Labellings:
    """The labels of all labellings at a point, by its number."""

    def __init__(self, known: KnownPoints, rows: LabelArray) -> None:
        self.known, self.columns = known, np.ascontiguousarray(rows.T)

    def at(self, x: Instance) -> LabelArray:
        """Return the label of every labelling at x."""
        column: LabelArray = self.columns[self.known.of(x)]
        return column


class Transductive(Hedge):
    """Hedge over the labellings of points that are known in advance; regret at most sqrt(T ln|V| / 2).

    V is the set of all labellings of the points by the class, at most Sauer's (e n / VC)^VC for n points. So the regret
    depends on the VC dimension; learners that do not know the points depend on the Littlestone dimension. ADEPT's
    frontier finds the labellings before the first round, with 2 x width queries per point. Later rounds pose no queries
    (a saved learner poses them again when it is loaded). The setting and the number of queries are from Attias, Hanneke
    and Ramaswami (NeurIPS 2025, arXiv 2506.00135).

    Parameters
    ----------
    concept_class
        The rules to compete with: any class, including one known by its oracle alone.
    points
        All points that may come, in any order and with repetitions; other points are an error. Their order matters for
        ``rank`` only.
    horizon
        T, the number of rounds. Default: None, not limited.
    rate
        "paper" (needs a horizon), "first-order", "adaptive" or a positive number. Default: "paper" with a horizon,
        else "adaptive".
    seed
        Seed of the random guesses.
    costs, max_weight
        Parameters of :class:`Adept`.

    Examples
    --------
    >>> from adeptree import RealThresholds
    >>> learner = Transductive(RealThresholds(), [0.1, 0.7, 0.4], horizon=100)
    >>> learner.width, learner.queries.asked, learner.rank
    (4, 12, 1)
    >>> learner.learn(0.4, 1)
    >>> learner.predict_proba(0.7) > learner.predict_proba(0.1)
    True
    """

    kind = "transductive"

    def __init__(
        self,
        concept_class: ConceptClass,
        points: Iterable[Any],
        horizon: int | None = None,
        rate: Rate | None = None,
        seed: int = 0,
        *,
        costs: tuple[float, float] = (1, 1),
        max_weight: float = 1,
    ) -> None:
        self._frontier = frontier_of(concept_class)
        self._known = KnownPoints(concept_class, points)
        self.points = self._known.given
        self._levels: list[Children] = []
        for x in self._known.instances:
            children = self._frontier.split(x).children
            self._frontier.grow(children)
            self._levels.append(children)
        super().__init__(concept_class, horizon, rate, seed, costs=costs, max_weight=max_weight)

    def _experts(self) -> ListedExperts:
        rows: LabelArray = np.zeros((1, 0), dtype=np.uint8)
        for children in self._levels:
            rows = np.column_stack([rows[children.parent], children.label]).astype(np.uint8)
        experts = ListedExperts(self.concept_class, len(rows), Labellings(self._known, rows).at, self._frontier.concept)
        experts.queries = self._frontier.queries
        return experts

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one of the points."""
        return self._known.random(rng)

    def _checked(self, xs: Any) -> Any:
        return self._known.all_of(xs)

    @property
    def rank(self) -> int:
        """The optimal number of mistakes if the points come in their announced order, once each, and some rule fits.

        If both labels are possible and their subtrees have equal rank, the rank is one more; else the larger one.
        """
        ranks: IntArray = np.zeros(self.width, dtype=np.int64)
        for children in reversed(self._levels):
            below = np.where(children.row >= 0, ranks[children.row], -1)
            ranks = below.max(axis=0) + (below[0] == below[1])
        return int(ranks[0])
