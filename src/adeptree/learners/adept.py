"""ADEPT, the Adaptive Dynamic Expert Pruning Tree: Algorithm 2 of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree import bounds
from adeptree.bases import NATURAL, BaseLearner, base_for
from adeptree.classes.base import ConceptClass, check_size
from adeptree.errors import FrontierEmpty, InvalidArgument, MistakeBoundExceeded, got
from adeptree.frontiers import Children, Queries, frontier_of
from adeptree.learners.base import OnlineLearner, Rate, bound_now, check_rate, rate_now
from adeptree.learners.mixture import log_capacities, log_weights, probability_of_one
from adeptree.types import Concept, Instance, IntArray


@dataclass(frozen=True)
class Expansion:
    """Steps 1-3 of one round, ready to be committed: the next active set V_t and what it predicts."""

    key: Any
    children: Children
    mistakes: IntArray
    probability: float


class Adept(OnlineLearner):
    """Agnostic online learning with O(t^VC) paths and regret at most sqrt(T M ln(eT/M) / 2).

    Every row of the frontier is an active prefix v: a realizable labelling of the points so far. The
    learner keeps k(v), the mistakes the base learner makes on it, and L(v), its loss against the true labels.

    ``base`` is the realizable learner (by default the natural one of the class) and M its mistake bound
    (``mistake_bound`` overrides it). ``rate`` is "paper", "first-order" or a positive number. With a valid
    M a realizable path never has k > M, so one that does is an error; ``on_excess="prune"`` drops it
    instead, which is Algorithm 2 to the letter.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(16), horizon=100, seed=1)
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     p = learner.predict_proba(x)
    ...     learner.learn(x, y)
    >>> learner.width, learner.best_loss, str(learner.best_rule())
    (5, 0, 'x >= 6')
    >>> learner.regret < learner.bound
    True
    """

    kind = "adept"

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        base: Any = None,
        rate: Rate = "paper",
        prior: str = "paper",
        engine: str = "auto",
        seed: int = 0,
        *,
        mistake_bound: int | None = None,
        on_excess: str = "raise",
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        _one_of("prior", prior, ("paper",))
        _one_of("engine", engine, ("auto", "paths"))
        self.on_excess = _one_of("on_excess", on_excess, ("raise", "prune"))
        self.rate = check_rate(rate, ("paper", "first-order"))
        self.base: BaseLearner = base_for(base, concept_class)
        self._base_given = base is not None
        self.mistake_bound = resolve_mistake_bound(mistake_bound, self.base, concept_class)
        # Initialize: V_0 = {()}, k(()) = 0, L_0(()) = 0.
        self.frontier = frontier_of(concept_class)
        self.base_rows = self.base.rows(self.frontier)
        self.mistakes: IntArray = np.zeros(1, dtype=np.int64)
        self.losses: IntArray = np.zeros(1, dtype=np.int64)
        self.log_experts = float(log_capacities(self.horizon, min(self.mistake_bound, self.horizon))[-1])
        self._pending: Expansion | None = None

    # --- Algorithm 2 -----------------------------------------------------------------------------

    def _expand(self, x: Instance) -> Expansion:
        """Steps 1-3: extend every active prefix by both labels, prune, weigh, predict."""
        # (M beyond T is T: no path has more mistakes than rounds, and the capacities are the same.)
        t, T, M = self.rounds + 1, self.horizon, min(self.mistake_bound, self.horizon)
        # 2(b)ii-iii. Realizability pruning: which of v∘0, v∘1 does the weak-consistency oracle accept?
        split = self.frontier.split(x)
        # 2(a). Base learner step: p_t = A(v, x_t); where only one label is realizable, it is that one.
        guess = np.where(split.contested, self.base_rows.predict(split), split.can1)
        # 2(b)i. The surviving extensions u = v∘b, and 2(b)iv. k(u) = k(v) + [b != p_t].
        children = split.children
        mistakes = self.mistakes[children.parent] + (children.label != guess[children.parent])
        # 2(b)v. Mistake pruning: only k(u) <= M enters V_t.
        children, mistakes = self._within_bound(children, mistakes)
        # W_t(u) = sum_{j <= M - k(u)} C(T - t, j) and w_t(u) = W_t(u) exp(-eta L_{t-1}(v)).
        # (T - t is clamped for LazyAdept, which predicts on after its last commit.)
        capacity = log_capacities(max(0, T - t), M)[M - mistakes]
        weight = log_weights(capacity, self.losses[children.parent], self.best_loss, self.learning_rate)
        # 3. Predict 1 with the share of the weight that says 1.
        p = probability_of_one(weight, children.label)
        return Expansion(self.concept_class.key(x), children, mistakes, p)

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Step 4: L_t(u) = L_{t-1}(v) + [u_t != y_t], and V_t becomes the active set."""
        expansion = self._expansion(x)
        children = expansion.children
        self.base_rows.grow(children)
        self.frontier.grow(children)
        self.mistakes = expansion.mistakes
        self.losses = self.losses[children.parent] + (children.label != bool(label))
        self._pending = None

    def _within_bound(self, children: Children, mistakes: IntArray) -> tuple[Children, IntArray]:
        kept = mistakes <= self.mistake_bound
        if kept.all():
            return children, mistakes
        if self.on_excess == "raise":
            raise MistakeBoundExceeded(
                f"round {self.rounds + 1}: a realizable path has k={int(mistakes.max())} mistakes of "
                f"{self.base!r}, more than M={self.mistake_bound}; so M (or the oracle) is wrong: give a larger "
                f'mistake_bound=, another base, or on_excess="prune" for Algorithm 2 to the letter'
            )
        if not kept.any():
            raise FrontierEmpty(
                f"round {self.rounds + 1}: mistake pruning at M={self.mistake_bound} left no path; give a larger "
                f"mistake_bound="
            )
        return children.only(kept), mistakes[kept]

    # --- Speculation: the expansion of the last x asked for is kept until the round is committed ---

    def _expansion(self, x: Instance) -> Expansion:
        if self._pending is None or self._pending.key != self.concept_class.key(x):
            self._pending = self._expand(x)
        return self._pending

    def _probability(self, x: Instance, raw: Any) -> float:
        return self._expansion(x).probability

    def speculate(self, x: Any) -> float:
        """Return P(label = 1) at x, also past the horizon (with no rounds to come)."""
        return self._expansion(self.concept_class.instance(x)).probability

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        self._pending = None

    # --- Account -----------------------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """eta of the coming round."""
        paper = bounds.paper_rate(self.horizon, self.mistake_bound)
        return rate_now(self.rate, paper, self.log_experts, self.best_loss)

    @property
    def bound(self) -> float:
        """The proven bound on the expected regret (for "first-order": at the best loss so far)."""
        if self.mistake_bound == 0:
            return 0.0
        paper = bounds.regret(self.horizon, self.mistake_bound)
        return bound_now(self.rate, paper, self.horizon, self.log_experts, self.best_loss)

    @property
    def width(self) -> int:
        """Number of active paths |V_t|."""
        return self.frontier.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.frontier.queries

    @property
    def best_loss(self) -> int:
        """L*: the least loss of an active path, which is the best concept's."""
        return int(self.losses.min())

    def best_rule(self) -> Concept:
        """Return a concept of the best path."""
        return self.frontier.concept(int(self.losses.argmin()))

    # --- Saving ------------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner."""
        return {
            "horizon": self.horizon,
            "base": self.base.spec(self.concept_class) or (None if self._base_given else NATURAL),
            "rate": self.rate,
            "seed": self.seed,
            "mistake_bound": self.mistake_bound,
            "on_excess": self.on_excess,
        }

    def _state(self) -> dict[str, Any]:
        return {
            "mistakes": self.mistakes,
            "losses": self.losses,
            "frontier": self.frontier.state(),
            "base": self.base_rows.state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.mistakes, self.losses = state["mistakes"], state["losses"]
        self.frontier.restore(state["frontier"])
        self.base_rows.restore(state["base"])


def resolve_mistake_bound(given: int | None, base: BaseLearner, concept_class: ConceptClass) -> int:
    """Return M: what the user said, else what the base learner proves, else what the class declares."""
    for bound in (given, base.mistake_bound, getattr(concept_class, "mistake_bound", None)):
        if bound is not None:
            return check_size("mistake_bound", bound, at_least=0)
    raise InvalidArgument(
        f"no mistake bound is known for {base!r} on {concept_class!r}; give mistake_bound=M, the most mistakes the "
        f"base learner makes on a realizable sequence"
    )


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(map(repr, allowed))}; {got(name, value)}")
    return value
