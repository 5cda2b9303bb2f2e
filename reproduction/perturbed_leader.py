"""Follow the perturbed leader, a baseline with an ERM oracle.

To each of n *known* points x belongs a random integer k with P(k) proportional to
e^(-noise |k|); |k| fake examples at x, labelled 1 if k > 0 and else 0, join the history, and the leader
on both together is followed. Kalai & Vempala's scheme, with the fake examples of Syrgkanis et al. (2016).

Why it works when every x_t is one of the known points (the transductive setting). Let P_t be the chance
that the round-t leader errs and q_t the same for the leader that has already seen (x_t, y_t). Seeing it
shifts k at x_t by one, which changes no probability by more than e^noise: so q_t >= e^-noise P_t, and
sum P_t <= sum q_t + (1 - e^-noise) T. "Be the leader" gives sum q_t <= L* + E max_c sum_x k_x (c(x) - 1/2),
for every stream. `bounds.ftpl_regret` adds the two up. With other points, or against an adversary that reads
the drawn leader out of P_t (``Greedy`` does), nothing is promised; ``draws`` many leaders blunt the latter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from adeptree.core.arguments import check_number, check_size
from adeptree.core.errors import InvalidArgument
from adeptree.core.frozen import freeze
from adeptree.core.seeds import stream
from adeptree.core.types import Concept, Instance, IntArray
from adeptree.families.listed import EnumerableClass
from adeptree.learners.history_learner import HistoryLearner
from adeptree.learners.inputs import Inputs
from adeptree.learners.loading import register_learner
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory import bounds


@register_learner
class FollowThePerturbedLeader(HistoryLearner):
    """Follow the leader on the history and random fake examples, redrawn in every round from the seed.

    ``points`` are the known points (by default all instances of a class that can list them), ``noise`` the rate
    of the perturbation (smaller is stronger; by default tuned to the horizon). p is the share of ``draws``
    independent leaders that say 1, each one ERM call; with draws=1 it is 0 or 1, its randomness the noise.

    >>> from adeptree import Thresholds
    >>> learner = FollowThePerturbedLeader(Thresholds(16), horizon=100, draws=4)
    >>> learner.predict_proba(15) in (0, 0.25, 0.5, 0.75, 1), learner.queries.asked
    (True, 4)
    """

    kind = "follow-the-perturbed-leader"
    GROWS = ("history", "strangers")

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        points: Iterable[Any] | None = None,
        noise: float | None = None,
        draws: int = 1,
        seed: int = 0,
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.points = _points(concept_class, points)
        self.draws = check_size("draws", draws)
        self._column: dict[Hashable, int] = {self._key(x): i for i, x in enumerate(self.points)}
        self.surplus: IntArray = np.zeros(len(self.points), dtype=np.int64)
        """1s minus 0s seen at each known point."""
        self.strangers: list[tuple[Any, int]] = []
        """Rounds at points that were not known."""
        if noise is not None:
            check_number("noise", noise, "a positive number", lambda rate: 0 < rate < math.inf)
        self.noise = self._tuned() if noise is None else float(noise)
        self._leaders: list[Concept] = []

    def _probability(self, x: Instance, raw: Any) -> float:
        if not self._leaders:
            rng = stream(self.seed, f"perturbation {self.rounds}")
            self._leaders = [self.ask(self._perturbed(rng)) for _ in range(self.draws)]
        return sum(int(leader(raw)) for leader in self._leaders) / self.draws

    def _perturbed(self, rng: np.random.Generator) -> list[tuple[Any, int]]:
        # Real and fake examples are netted: the oracle sees a function of surplus + k alone, as the proof needs.
        stop = -math.expm1(-self.noise)
        n = len(self.points)
        net = self.surplus + rng.geometric(stop, n) - rng.geometric(stop, n)
        fakes = [(x, int(k > 0)) for x, k in zip(self.points, net.tolist(), strict=True) for _ in range(abs(k))]
        return fakes + self.strangers

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        super()._commit(x, raw, label)
        self._leaders = []
        self._remember(raw, label)

    def _remember(self, raw: Any, label: int) -> None:
        column = self._column.get(self._key(raw))
        if column is None:
            self.strangers.append((raw, label))
        else:
            step = np.zeros_like(self.surplus)
            step[column] = 2 * label - 1
            self.surplus = self.surplus + step

    def _key(self, raw: Any) -> Hashable:
        return freeze(self.concept_class.key(self.concept_class.instance(raw)))

    def _tuned(self) -> float:
        # Balances the two terms of the bound, noise T and sqrt(n ln N) / noise.
        return math.pow(max(1, len(self.points)) * self._log_concepts, 0.25) / math.sqrt(self.horizon)

    @property
    def _log_concepts(self) -> float:
        c, n = self.concept_class, max(1, len(self.points))
        most = 2**n if c.vc_dimension is None else bounds.sauer(n, c.vc_dimension)
        return math.log(max(2, min(most, c.size) if isinstance(c, EnumerableClass) else most))

    def mean_bound_after(self, rounds: int) -> float:
        """Return `bounds.ftpl_regret`: it bounds the *mean* regret over the noise, not that of one run.

        It holds only for streams of known points chosen without knowledge of p and guesses; so ``bound``, which speaks
        of any stream, is infinite.
        """
        if self.strangers:
            return math.inf
        return bounds.ftpl_regret(rounds, len(self.points), self._log_concepts, self.noise)

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        for x, y in self.history:
            self._remember(x, y)


def _points(concept_class: ConceptClass, points: Iterable[Any] | None) -> list[Any]:
    if points is not None:
        return list(Inputs(concept_class, points).xs)
    if isinstance(concept_class, EnumerableClass):
        return list(concept_class.instances())
    raise InvalidArgument(f"{concept_class!r} cannot list its instances; give points=, those that may come")
