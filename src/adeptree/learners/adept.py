"""ADEPT, the Adaptive Dynamic Expert Pruning Tree: Algorithm 2 of the paper.

An expert follows the base learner A except in at most M rounds. Experts with the same labels so far form one path v, so
a round costs one step per path and not one per expert. A path has a loss L(v), the number k(v) of rounds in which it
contradicts A, and a prior mass pi(v); in the paper this is W_t(v) = sum_{j <= M - k(v)} C(T - t, j), the number of
experts that are still on it. Round t extends every path v by both labels to u = v0 and u = v1, drops each u that no
concept realizes or that has k(u) > M, and predicts 1 with probability

    p = (sum over the u with u_t = 1 of pi(u) e^(-eta L(v))) / (sum over all u of pi(u) e^(-eta L(v))).

The label then adds 1 to the loss of every u that is wrong. The path of the best concept is never dropped, so the bound
of exponential weights holds against it: regret <= ln(1 / pi) / eta + Delta, with Delta the cost of mixing.

Read :meth:`Paths.extend` (step 2), ``_expand`` (step 3) and :meth:`Paths.commit` (step 4) first. Late labels (``open``,
``odds_of``, ``settle``) and the interface to the compiled round follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.types import BoolArray, Concept, FloatArray, Instance, IntArray
from adeptree.families.registry import frontier_of
from adeptree.learners.pending_labels import PendingLabels
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.dropping import Dropped, heaviest, within_bound
from adeptree.roles.engine import Engine, Entered, Expansion, Odds, Rows
from adeptree.roles.frontier import Children, Extension, Frontier, Split
from adeptree.theory.losses import Losses, charged
from adeptree.theory.mixture import log_weights, odds_of_one
from adeptree.theory.priors import Prior


class Paths(Engine):
    """Algorithm 2 as it stands: the active set V_t, in which every active prefix v is a row of the frontier.

    Each row keeps L(v), its loss against the true labels; k(v), the mistakes of the base learner on it; and n(v), the
    rounds at which both labels were realizable for it.
    """

    kind = "paths"
    prunes_late = False
    ADVICE = 'give a larger mistake_bound=, another base, or on_excess="prune" for Algorithm 2 to the letter'

    def __init__(
        self,
        concept_class: ConceptClass,
        base: BaseLearner,
        prior: Prior,
        mistake_bound: int | None = None,
        prune: bool = False,
        max_width: int | None = None,
        frontier: Frontier | None = None,
    ) -> None:
        super().__init__()
        self.concept_class, self.base = concept_class, base
        self.mistake_bound, self.prune = mistake_bound, prune
        # Initialize: V_0 = {()}, k(()) = 0, L_0(()) = 0.
        self.frontier = frontier_of(concept_class) if frontier is None else frontier
        self.base_rows = base.rows(self.frontier)
        self.rounds = 0
        self.mistakes: IntArray = np.zeros(1, dtype=np.int64)
        self.contested: IntArray = np.zeros(1, dtype=np.int64)
        self.losses: Losses = np.zeros(1, dtype=np.int64)
        self.prior, self.max_width, self.queries = prior, max_width, self.frontier.queries
        self.log_share: FloatArray | None = np.zeros(1) if prior.counts and self.frontier.log_size is not None else None
        self._mass: FloatArray = prior.log_mass(0, self.mistakes, self.contested, self.log_share)
        self.waiting = PendingLabels()
        self.looked: Expansion | None = None  # the expansion predicted since the last commit

    def parts(self) -> list[Any]:
        """Return the objects that change in a round."""
        return [self, *self.frontier.parts(), *self.base_rows.parts(), self.waiting, self.kernel]

    # --- Algorithm 2 -----------------------------------------------------------------------------

    def extend(self, x: Instance) -> Extension:
        """Extend every active prefix by both labels, and prune."""
        # 2(b)ii-iii. Realizability pruning: which of v∘0, v∘1 does the weak-consistency oracle accept?
        split = self._split(x)
        if not (split.splits or self.prunes_late):  # every path has one continuation, so no base learner is needed
            return Extension(split, split.children, self.mistakes, self.contested, split.children.parent[:0])
        # 2(a). Base learner step: p_t = A(v, x_t); if only one label is realizable, p_t is that label.
        guess = self._guesses(split)
        # 2(b)i. The surviving extensions u = v∘b, and 2(b)iv. k(u) = k(v) + [b != p_t].
        children = split.children
        mistakes = self.mistakes[children.parent] + (children.label != guess[children.parent])
        contested = (self.contested + split.contested)[children.parent]
        # 2(b)v. Mistake pruning: only k(u) <= M enters V_t.
        within = self._within_bound(mistakes)
        if within is None:
            return Extension(split, children, mistakes, contested, children.parent[:0])
        return Extension(split, children.only(within), mistakes[within], contested[within], children.parent[~within])

    def _split(self, x: Instance) -> Split:
        return self.frontier.split(x)

    def _guesses(self, split: Split) -> BoolArray:
        return np.where(split.contested, self.base_rows.predict(split), split.can1)

    def enter(self, children: Children, mistakes: IntArray, contested: IntArray) -> None:
        """Replace the active set by V_t."""
        self.base_rows.grow(children)
        self.frontier.grow(children)
        self.mistakes, self.contested = mistakes, contested
        self.rounds += 1

    def _within_bound(self, mistakes: IntArray) -> BoolArray | None:
        M = self.mistake_bound
        if M is None or mistakes.max() <= M:
            return None
        return within_bound(mistakes, M, self.rounds + 1, self.base, None if self.prune else self.ADVICE)

    @property
    def width(self) -> int:
        """Number of active paths |V_t|."""
        return self.frontier.width

    def _expand(self, x: Instance) -> Expansion:
        """Steps 1-3: extend every active prefix by both labels, prune, weigh, predict."""
        extension = self.extend(x)
        children = extension.children
        # The prior mass (in the paper W_t(u) = sum_{j <= M - k(u)} C(T - t, j)) and
        # w_t(u) = W_t(u) exp(-eta L_{t-1}(v)).
        log_share, mass = self._masses(extension)
        weight = self._log_weights(mass, children.parent)
        # 3. Predict 1 with probability equal to the share of the weight that predicts 1.
        odds = Odds(*odds_of_one(weight, children.label))
        return Expansion(self.concept_class.key(x), extension, log_share, mass, odds)

    def _log_weights(self, log_mass: FloatArray, rows: Any) -> FloatArray:
        """Return ln of the weights of paths with these masses, whose parents are these rows."""
        return log_weights(log_mass, self.losses[rows], self.best_loss, self.kernel.eta)

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Step 4: L_t(u) = L_{t-1}(v) + [u_t != y_t], and V_t becomes the active set."""
        expansion = self._expansion(x)
        wrong = expansion.extension.children.label != bool(label)
        self._grow(expansion, charged(self.losses[expansion.extension.children.parent], wrong, weight))

    def open(self, ticket: int, x: Instance) -> None:
        """Let x enter the tree before its label is known: V_t becomes the active set, and nothing is charged yet."""
        expansion = self._expansion(x)
        self._grow(expansion, self.losses[expansion.extension.children.parent], ticket)

    def odds_of(self, ticket: int) -> Odds:
        """Return the current odds at a point whose label is pending."""
        return Odds(*odds_of_one(self._log_weights(self._masses_now(), slice(None)), self.waiting.labels(ticket)))

    def settle(self, ticket: int, label: int, weight: float = 1) -> None:
        """Charge the paths that are wrong at a point whose label was pending."""
        self.losses = charged(self.losses, self.waiting.labels(ticket) != bool(label), weight)
        self.waiting.remove(ticket)
        self.looked = None

    def _grow(self, expansion: Expansion, losses: Losses, ticket: int | None = None) -> None:
        extension, kept = expansion.extension, None
        if len(extension.cut):
            lost = self.losses[extension.cut]
            self.dropped = self.dropped.and_also(np.full(len(lost), -np.inf), lost)
        if self.max_width is not None and len(losses) > self.max_width:
            weight = log_weights(expansion.log_mass, losses, losses.min(), self.kernel.eta)
            kept = heaviest(weight, losses, self.max_width)
            gone = expansion.log_mass[~kept] - self.prior.log_total
            self.dropped = self.dropped.and_also(gone, losses[~kept])
        rows = slice(None) if kept is None else kept
        children = extension.children if kept is None else extension.children.only(kept)
        self.enter(children, extension.mistakes[rows], extension.contested[rows])
        if ticket is not None or self.waiting.lines:
            self.waiting.grow(children, ticket)
        self.log_share = None if expansion.log_share is None else expansion.log_share[rows]
        self._mass, self.losses = expansion.log_mass[rows], losses[rows]
        self.looked = None

    def _masses(self, extension: Extension) -> tuple[FloatArray | None, FloatArray]:
        """Return ln of the children's shares of the concepts, and of their prior masses."""
        t, children, mistakes, contested = self.rounds + 1, extension.children, extension.mistakes, extension.contested
        if not self.prior.settled:
            return None, self.prior.log_mass(t, mistakes, contested)
        # A mass changes only where both labels were realizable.
        if not extension.split.splits:
            return self.log_share, self._mass
        new = extension.split.contested[children.parent].nonzero()[0]
        mass, share, new_share = self._mass[children.parent], None, None
        if self.log_share is not None:
            share = self.log_share[children.parent]
            share[new] = new_share = self.frontier.log_counts(children.only(new)) - (self.frontier.log_size or 0.0)
        mass[new] = self.prior.log_mass(t, mistakes[new], contested[new], new_share)
        return share, mass

    def _masses_now(self) -> FloatArray:
        return self._mass if self.prior.settled else self.prior.log_mass(self.rounds, self.mistakes, self.contested)

    # --- Speculation: the expansion at the last x is kept until the round is committed ---

    def _expansion(self, x: Instance) -> Expansion:
        if self.looked is None or self.looked.key != self.concept_class.key(x):
            self.looked = self._expand(x)
        return self.looked

    def probability(self, x: Instance) -> float:
        """Return the share of the weight that predicts 1 at x."""
        return self._expansion(x).odds.p

    def odds(self, x: Instance) -> Odds:
        """Return the share with its log-odds."""
        return self._expansion(x).odds

    # --- The structure's interface to the round (``roles/structure.py``) ---------------------------------

    def point(self, x: Instance, raw: Any) -> Instance:
        """Return the canonical instance."""
        return x

    def see(self, x: Any) -> tuple[float, float, Any]:
        """Return the odds at a new point, or at one whose label is pending."""
        if isinstance(x, Entered):
            odds = self.odds_of(x.ticket)
            return odds.p, odds.log_odds, None
        looked = self._expansion(x)
        return looked.odds.p, looked.odds.log_odds, looked.key

    def take(self, x: Any, label: int, cost: float) -> None:
        """Commit a new point, or charge one whose label was pending."""
        if isinstance(x, Entered):
            self.settle(x.ticket, label, cost)
        else:
            self.commit(x, label, cost)

    def entered(self, ticket: int, x: Instance, raw: Any) -> Entered:
        """Return the index of a pending point: the paths know their labels there without a query."""
        return Entered(ticket)

    def abandon(self, ticket: int) -> None:
        """Forget a point whose label will never come."""
        self.waiting.remove(ticket)

    def discard(self) -> None:
        """Roll back: discard the expansion made since the last commit."""
        self.looked = None

    rate_changed = forget_look = discard

    @property
    def best_loss(self) -> float:
        """L*: the least loss of an active path, which is the loss of the best concept."""
        return self.losses.min().item()  # type: ignore[no-any-return]

    def as_paths(self) -> Paths:
        """Return this object: it is the list of paths."""
        return self

    def rows(self) -> Rows:
        """Return the active paths, in the order of the frontier."""
        return Rows(self.losses, self.mistakes, self.contested, self._masses_now() - self.prior.log_total)

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return the frontier's concepts for rows."""
        return [self.frontier.concept(row) for row in places]

    def state(self) -> dict[str, Any]:
        """Return the rows."""
        return {
            "rounds": self.rounds,
            "losses": self.losses,
            "share": self.log_share,
            "dropped": self.dropped.state(),
            "waiting": self.waiting.state(),
            "mistakes": self.mistakes,
            "contested": self.contested,
            "frontier": self.frontier.state(),
            "base": self.base_rows.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved rows."""
        self.rounds, self.mistakes, self.contested = state["rounds"], state["mistakes"], state["contested"]
        self.frontier.restore(state["frontier"])
        need(self.frontier.width == len(self.mistakes), "the number of paths")
        need(self.mistake_bound is None or self.mistakes.max() <= self.mistake_bound, "more mistakes than M")
        self.base_rows.restore(state["base"], self.frontier.width)
        self.losses, self.log_share = state["losses"], state["share"]
        self.dropped = Dropped(**state.get("dropped", {}))
        self.waiting.restore(state.get("waiting"))
        if self.prior.settled:
            self._mass = self.prior.log_mass(self.rounds, self.mistakes, self.contested, self.log_share)
