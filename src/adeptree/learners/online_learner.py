"""What every online learner does: predict speculatively, commit with ``learn``, and account for itself."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any

import numpy as np

from adeptree.core.arguments import check_number
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import FloatArray, Instance, IntArray, label_of, labels_of
from adeptree.learners.given import Given, one, same_length
from adeptree.learners.saving import Saved
from adeptree.learners.tickets import Ticket
from adeptree.learners.watching import OnBestRule, OnRound, Progress, Watch
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.theory.coins import Coins, word_of
from adeptree.theory.losses import check_weights

Rate = str | float


class OnlineLearner(Saved):
    """An online learner of 0/1 labels against a concept class.

    ``predict_proba`` commits nothing: calling it twice gives the same number. ``learn`` commits a round, with or
    without a prediction before it. Where labels come late, ``answer`` gives a ticket, which ``learn`` settles
    whenever the label is there. The coin of a round is a function of ``seed``, the round and x, so ``predict`` too may
    be repeated, and looking at other points says nothing about it.

    To write one: ``_probability``, ``_commit`` and ``best_loss`` (or inherit :class:`HistoryLearner`, which knows it).
    """

    _eta: float = 0.0
    """Rate at which the coming round is mixed; 0 for a learner that does not mix experts."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self._coins = Coins(seed)

    @abstractmethod
    def _probability(self, x: Instance, raw: Any) -> float:
        """Return the chance of guessing 1 at the canonical instance x (``raw`` as the caller gave it)."""

    def _odds(self, x: Instance, raw: Any) -> Odds:
        """Return the probability with its log-odds, which learners that mix at rates above 4 must know."""
        return Odds(self._probability(x, raw), 0.0)

    @abstractmethod
    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Take over the round that ``_probability`` has just looked at."""

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw an instance that may come, to try the learner on."""
        return self.concept_class.random_instance(rng)

    # --- A round -----------------------------------------------------------------------------------

    def predict_proba(self, x: Any) -> float:
        """Return the chance that the learner guesses 1 at x (not the chance that the label is 1). Commits nothing."""
        with self._lock: return self._looked_at(x)  # fmt: skip  # noqa: E701

    def _looked_at(self, x: Any) -> float:
        return self._probability(*self._met(x))

    def _met(self, x: Any) -> tuple[Instance, Any]:
        """Return the instance that a new round is about, and what was given for it."""
        if self.answered >= self._end:
            self._check_horizon()
        given = one(self.concept_class, x)
        return self.concept_class.instance(given), given

    def predict(self, x: Any) -> int:
        """Guess a label: 1 with probability ``predict_proba(x)``, by the coin of this round at x. Commits nothing."""
        with self._lock: return self._guessed_at(one(self.concept_class, x))  # fmt: skip  # noqa: E701

    def _guessed_at(self, x: Any) -> int:
        return self._guess(self.concept_class.instance(x), self.predict_proba(x))

    def _guess(self, x: Instance, p: float) -> int:
        return int(self._coins.of(self.answered + 1, self.concept_class.key(x)) < p)

    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        """Commit a round: x had label y. Or settle a ticket of :meth:`answer`, given in place of x.

        It is all or nothing: whatever is raised, the learner is as before the call or as after it. Only
        :class:`Adept` takes another weight than 1: what an error costs in this round.
        """
        label = label_of(y)
        self._whole(self._learn, x, label, self._cost(label, weight))

    def _learn(self, x: Any, label: int, cost: float) -> None:
        if isinstance(x, Ticket):
            self._settle_late(self.tickets.find(x), label, cost)
        else:
            self._play(*self._met(x), label, cost)

    def _play(self, x: Instance, raw: Any, label: int, cost: float) -> float:
        """Play a round whose label is there, and return the chance of guessing 1 that was answered."""
        now = self._odds(x, raw)
        guess = self._guess(x, now.p)
        self._commit(x, raw, label)
        self.ledger.answer(0, False)
        self._charge(now.p, guess, label, cost, now)
        return now.p

    def _charge(self, p: float, guess: int, label: int, cost: float, now: Odds) -> None:
        """Count a labelled round: answered with p, and as it would be answered now."""
        self.ledger.charge(p, guess, label, cost, now.p, now.against(label), self._eta)

    def answer(self, x: Any) -> Ticket:
        """Answer x now and be told its label later: the ticket holds the chance ``p`` and the drawn ``guess``.

        The round is charged at this p, whenever its label comes.
        """
        return self._whole(self._answered, x)

    def _answered(self, x: Any) -> Ticket:
        instance, x = self._met(x)
        p = self._probability(instance, x)
        owner = word_of(f"{self.kind} {self.concept_class!r} {self.seed}")
        # A buffer may be used again, and of a row only what the class reads is kept: the rest may be no data.
        kept = (
            x if isinstance(x, (int, float, str, bytes, tuple)) else copy.deepcopy(instance if type(x) is dict else x)
        )
        ticket = Ticket(self.answered + 1, kept, p, self._guess(instance, p), self.rounds, owner)
        self._open(ticket, instance)
        return ticket

    def _open(self, ticket: Ticket, x: Instance) -> None:
        """Keep the answer; most learners learn nothing from the point before its label is there."""
        self.ledger.answer(0, False)
        self.ledger.waiting += 1
        self.tickets.add(ticket)

    def give_up(self, ticket: Ticket) -> None:
        """Say that the label of a ticket will never come: it takes no more room, and counts among those that wait."""
        self._whole(self._give_up, ticket)

    def _give_up(self, given: Ticket) -> None:
        self.tickets.give_up(self.tickets.find(given))

    def note_answer(self, p: float) -> None:
        """Count an answer drawn with p that an adapter has given: it waits until :meth:`learn_answered` settles it.

        What is proven of drawn mistakes needs every answer: which labels come may depend on what was drawn.
        """
        check_number("p", p, "a chance, from 0 to 1", lambda chance: 0 <= chance <= 1)
        with self._lock:
            self.tickets.noted = self.tickets.noted.and_also(p)

    def learn_answered(self, x: Any, y: Any, p: float, guess: int, since: int, weight: float = 1) -> None:
        """Commit a round that was answered with p and this guess when ``since`` labels had come: for adapters.

        Each answer is told to :meth:`note_answer` first. It is charged as it was answered, but the point is let in only
        now: the certificate is exact (Theorem B), and nothing else is promised of late labels. Where a ticket can be
        kept, :meth:`answer` is the better way.
        """
        label = label_of(y)
        self._whole(self._learn_late, x, label, p, guess, since, self._cost(label, weight))

    def _cost(self, label: int, weight: Any) -> float:
        """Return what a wrong guess costs in a round: 1, unless a learner knows weights."""
        if weight != 1:
            raise InvalidArgument(f"{type(self).__name__} weighs all rounds alike; {got('weight', weight)}; use Adept")
        return 1

    def _learn_late(self, x: Any, label: int, p: float, guess: int, since: int, cost: float) -> None:
        instance, x = self._met(x)
        if not self.tickets.noted.number:
            raise InvalidArgument(
                f"no answer waits; tell note_answer(p) of every answer when it is given; {got('p', p)}"
            )
        self.tickets.noted = self.tickets.noted.without(p)
        prompt = since == self.rounds and p == self._probability(instance, x)
        self._learn_answered(instance, x, label, p, guess, self.rounds - since, not prompt, cost)

    def _learn_answered(
        self, x: Instance, raw: Any, label: int, p: float, guess: int, overlaps: int, late: bool, cost: float
    ) -> None:
        now = self._odds(x, raw)
        self._commit(x, raw, label)
        self.ledger.answer(overlaps, late)
        self._charge(p, guess, label, cost, now)

    def _settle_late(self, ticket: Ticket, label: int, cost: float) -> None:
        instance = self.concept_class.instance(ticket.x)
        now = self._odds(instance, ticket.x)
        self._commit(instance, ticket.x, label)
        self.tickets.remove(ticket)
        self.ledger.waiting -= 1
        self.ledger.overlaps += self.rounds - ticket.arrivals
        self._charge(ticket.p, ticket.guess, label, cost, now)

    # --- Many rounds -------------------------------------------------------------------------------

    def predict_proba_many(self, xs: Any) -> Any:
        """Return the chance of guessing 1 at each of the xs, all as of now. Nothing is committed.

        The xs are a list, an array or a data frame, as in :meth:`learn_many`.
        """
        given = Given(self.concept_class, xs)
        with self._lock: return given.back(self._looked_at_all(given.xs))  # fmt: skip  # noqa: E701

    def _looked_at_all(self, xs: Any) -> FloatArray:
        return np.array([self.predict_proba(x) for x in xs], dtype=np.float64)

    def learn_many(
        self,
        xs: Any,
        ys: Any,
        weights: Any = None,
        *,
        on_round: OnRound | None = None,
        on_best_rule_changed: OnBestRule | None = None,
        progress: Progress = False,
    ) -> Any:
        """Learn a sequence of rounds, each of its weight (by default 1); return the chance of guessing 1 in each.

        The xs are a list of instances, an array with a row per instance, or a data frame (of pandas, polars, pyarrow
        and others), whose columns are read by their names where instances are mappings; the answer is then a series of
        the same kind. All is checked before the first round, and the numbers are those of single calls; what is raised
        in the middle (by an oracle, or Ctrl-C) leaves whole rounds.

        Who wants to watch: ``on_round`` and ``on_best_rule_changed`` are called as in :func:`adeptree.play`, at the
        speed of single calls; ``progress=True`` says on the standard error how far it is, or is a function of the
        rounds done and all of them.
        """
        given, labels = Given(self.concept_class, xs), labels_of(ys)
        weighed = None if weights is None else check_weights(weights)
        same_length(xs=given.xs, ys=labels, weights=weighed)
        instances, costs = self._checked(given.xs), self._costs(labels, weighed)
        watching = (on_round, on_best_rule_changed, progress)
        with self._lock: return given.back(self._watched(watching, instances, labels, costs))  # fmt: skip  # noqa: E701

    def _watched(self, watching: tuple[Any, Any, Any], instances: Any, labels: IntArray, costs: Any) -> FloatArray:
        self._check_room(len(labels))
        watch = Watch(self, *watching, total=len(labels))
        if watch.off:
            return self._learn_all(instances, labels, costs)
        return watch.learn(self._learn_all, instances, labels, costs)

    def _checked(self, xs: Any) -> Any:
        """Return instances that the class accepts, as this learner wants them."""
        self.concept_class.instances_of(xs)
        return xs

    def _costs(self, labels: IntArray, weights: list[float] | None) -> list[float] | None:
        """Return what a wrong guess costs in each round; None where that is 1."""
        for weight in weights or ():
            self._cost(0, weight)
        return None

    def _learn_all(self, instances: Any, labels: IntArray, costs: list[float] | None) -> FloatArray:
        probabilities = np.empty(len(labels), dtype=np.float64)
        for i, (x, y) in enumerate(zip(instances, labels.tolist(), strict=True)):
            probabilities[i] = self.predict_proba(x)
            self.learn(x, y)
        return probabilities
