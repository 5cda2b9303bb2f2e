"""What every online learner does: predict speculatively, commit with ``learn``, and account for itself."""

from __future__ import annotations

import copy
import functools
import math
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from adeptree.core import files
from adeptree.core.arguments import LARGEST_LINE, check_size
from adeptree.core.errors import HorizonReached, InvalidArgument, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, label_of, labels_of, listed
from adeptree.learners.coins import Coins, word_of
from adeptree.learners.tickets import OpenTickets, Ticket
from adeptree.learners.whole_rounds import Mark
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Queries
from adeptree.theory import bounds

Rate = str | float
Result = TypeVar("Result")


READERS = (
    "best_loss",
    "best_rule",
    "bound",
    "bound_after",
    "bound_for",
    "certificate",
    "final",
    "in_advance",
    "realised_bound",
    "width",
)
"""What reads several numbers of a learner, and must not see half a round of another thread."""


def _behind_the_lock(reader: Any) -> Any:
    """Return a method or property that waits until no other thread is inside the learner."""
    inner: Any = reader.fget if isinstance(reader, property) else reader

    @functools.wraps(inner)
    def waits(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._lock: return inner(self, *arguments, **named)  # fmt: skip  # noqa: E701

    return property(waits, doc=reader.__doc__) if isinstance(reader, property) else waits


class OnlineLearner(ABC):
    """An online learner of 0/1 labels against a concept class.

    ``predict_proba`` commits nothing: calling it twice gives the same number. ``learn`` commits a round, with or
    without a prediction before it. Where labels come late, ``answer`` gives a ticket, which ``learn`` settles
    whenever the label is there. The coin of a round is a function of ``seed``, the round and x, so ``predict`` too may
    be repeated, and looking at other points says nothing about it.
    """

    kind: ClassVar[str]
    """Name of the learner in saved files."""
    sampled_rounds: Sequence[int] | None = None
    """The rounds that were learnt, where that is not all of them."""
    GROWS: ClassVar[tuple[str, ...]] = ()
    """Lists and dicts that only grow; all else that a round changes is replaced (``whole_rounds.py``)."""
    follows_best_loss: ClassVar[bool] = True
    """Whether ``best_loss`` costs nothing, so that a game may record it in every round."""

    horizon: int | None
    """T, the rounds planned for; None without an end."""
    scale: float = 1
    """What a round costs at most."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        if not isinstance(concept_class, ConceptClass):
            raise InvalidArgument(
                f"the first argument must be a concept class such as Thresholds(256); "
                f"{got('concept_class', concept_class)}"
            )
        self.concept_class = concept_class
        self.horizon = self._checked_horizon(horizon)
        self._end = math.inf if self.horizon is None else self.horizon
        self.seed = check_size("seed", seed, at_least=0)
        self.rounds = 0
        """Rounds whose label came."""
        self.answered = 0
        """Rounds answered; those without a label wait."""
        self.expected_loss = 0.0
        """Sum of |p - y|, p as it was answered: the expected number of mistakes so far."""
        self.realised_loss: float = 0
        """Mistakes of the drawn labels so far."""
        self.variance = 0.0
        """Sum of p (1 - p) over the labelled rounds: what the drawn mistakes scatter by."""
        self.overlaps = 0
        """D: for every labelled round the labels of others that came between its answer and its own."""
        self.late = False
        """Whether a round was ever answered while another waited."""
        self.tickets = OpenTickets()
        """The answers that wait for their labels."""
        self._coins = Coins(seed)
        self._lock = threading.RLock()

    @staticmethod
    def _checked_horizon(horizon: int | None) -> int | None:
        if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
            raise InvalidArgument(f"horizon must be an int >= 1, the number of rounds T; {got('horizon', horizon)}")
        return check_size("horizon", int(horizon), at_most=LARGEST_LINE)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in READERS:
            if name in cls.__dict__ and not getattr(cls.__dict__[name], "__isabstractmethod__", False):
                setattr(cls, name, _behind_the_lock(cls.__dict__[name]))

    # --- All or nothing ----------------------------------------------------------------------------

    def _parts(self) -> list[Any]:
        """Return the objects that change in a round, this one among them."""
        return [self, self.tickets]

    def _whole(self, do: Callable[..., Result], *arguments: Any) -> Result:
        """Do something that is all or nothing, one thread at a time: whatever is raised leaves no trace."""
        # On one line, so that nothing can be raised between a line of ours and letting go of the lock.
        with self._lock: return self._undone_if_raised(do, arguments)  # fmt: skip  # noqa: E701

    def _undone_if_raised(self, do: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        mark = Mark(self._parts())
        try:
            return do(*arguments)
        except BaseException:
            try:
                self._undo(mark)
            except BaseException:  # a second Ctrl-C, say: an undo may be done again, and now it is done to the end
                self._undo(mark)
                raise
            raise

    def _undo(self, mark: Mark) -> None:
        """Go back to the mark; may be done again."""
        mark.undo()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    # --- A round -----------------------------------------------------------------------------------

    def predict_proba(self, x: Any) -> float:
        """Return the chance that the learner guesses 1 at x (not the chance that the label is 1). Commits nothing."""
        with self._lock: return self._looked_at(x)  # fmt: skip  # noqa: E701

    def _looked_at(self, x: Any) -> float:
        if self.answered >= self._end:
            self._check_horizon()
        return self._probability(self.concept_class.instance(x), x)

    def predict(self, x: Any) -> int:
        """Guess a label: 1 with probability ``predict_proba(x)``, by the coin of this round at x. Commits nothing."""
        with self._lock: return self._guess(self.concept_class.instance(x), self.predict_proba(x))  # fmt: skip  # noqa: E701

    def _guess(self, x: Instance, p: float) -> int:
        return int(self._coins.of(self.answered + 1, self.concept_class.key(x)) < p)

    def learn(self, x: Any, y: Any) -> None:
        """Commit a round: x had label y. Or settle a ticket of :meth:`answer`, given in place of x.

        It is all or nothing: whatever is raised, the learner is as before the call or as after it.
        """
        self._whole(self._learn, x, label_of(y))

    def _learn(self, x: Any, label: int) -> None:
        if isinstance(x, Ticket):
            self._settle_late(x, label)
            return
        if self.answered >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        p = self._probability(instance, x)
        guess = self._guess(instance, p)
        self._commit(instance, x, label)
        self._count_answer()
        self._settle(p, guess, label)

    def answer(self, x: Any) -> Ticket:
        """Answer x now and be told its label later: the ticket holds the chance ``p`` and the drawn ``guess``.

        The round is charged at this p, whenever its label comes.
        """
        return self._whole(self._answered, x)

    def _answered(self, x: Any) -> Ticket:
        if self.answered >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        p = self._probability(instance, x)
        owner = word_of(f"{self.kind} {self.concept_class!r} {self.seed}")
        kept = x if isinstance(x, (int, float, str, bytes, tuple)) else copy.deepcopy(x)  # a buffer may be used again
        ticket = Ticket(self.answered + 1, kept, p, self._guess(instance, p), self.rounds, owner)
        self._open(ticket, instance)
        return ticket

    def _open(self, ticket: Ticket, x: Instance) -> None:
        """Keep the answer; most learners learn nothing from the point before its label is there."""
        self._count_answer()
        self.tickets.add(ticket)

    def learn_answered(self, x: Any, y: Any, p: float, guess: int, since: int) -> None:
        """Commit a round that was answered with p and this guess when ``since`` labels had come: for adapters.

        It is charged as it was answered, but the point is let in only now: the certificate is exact (Theorem B), and
        nothing else is promised of late labels. :meth:`answer` is the better way where a ticket can be kept.
        """
        self._whole(self._learn_late, x, label_of(y), p, guess, since)

    def _learn_late(self, x: Any, label: int, p: float, guess: int, since: int) -> None:
        if self.answered >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        prompt = since == self.rounds and p == self._probability(instance, x)
        self._learn_answered(instance, x, label, p, guess, self.rounds - since, not prompt)

    def _learn_answered(
        self, x: Instance, raw: Any, label: int, p: float, guess: int, overlaps: int, late: bool
    ) -> None:
        self._probability(x, raw)
        self._commit(x, raw, label)
        self._count_answer(overlaps, late)
        self._settle(p, guess, label)

    def _count_answer(self, overlaps: int = 0, late: bool = False) -> None:
        self.answered += 1
        self.overlaps += overlaps
        self.late = self.late or late or len(self.tickets) > 0

    def _settle_late(self, given: Ticket, label: int) -> None:
        ticket = self.tickets.find(given)
        instance = self.concept_class.instance(ticket.x)
        self._probability(instance, ticket.x)
        self._commit(instance, ticket.x, label)
        self.tickets.remove(ticket)
        self.overlaps += self.rounds - ticket.arrivals
        self._settle(ticket.p, ticket.guess, label)

    def _settle(self, p: float, guess: int, label: int) -> None:
        """Count the committed round, answered with p and this guess."""
        self.rounds += 1
        self.expected_loss += abs(p - label)
        self.realised_loss += guess != label
        self.variance += p * (1.0 - p)

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return the chance of guessing 1 at each of the xs, all as of now. Nothing is committed."""
        points = listed("xs", xs)
        with self._lock: return np.array([self.predict_proba(x) for x in points])  # fmt: skip  # noqa: E701

    def learn_many(self, xs: Iterable[Any], ys: Iterable[Any]) -> FloatArray:
        """Learn a sequence of rounds; return the chance of guessing 1 in each.

        All is checked before the first; what is raised in the middle (by an oracle, or Ctrl-C) leaves whole rounds.
        """
        instances, labels = listed("xs", xs), labels_of(ys)
        if len(instances) != len(labels):
            raise InvalidArgument(f"xs and ys must have the same length; got {len(instances)} and {len(labels)}")
        for x in instances:
            self.concept_class.instance(x)
        with self._lock: return self._learn_all(instances, labels)  # fmt: skip  # noqa: E701

    def _learn_all(self, instances: list[Any], labels: IntArray) -> FloatArray:
        self._check_room(len(labels))
        probabilities = np.empty(len(labels), dtype=np.float64)
        for i, (x, y) in enumerate(zip(instances, labels.tolist(), strict=True)):
            probabilities[i] = self.predict_proba(x)
            self.learn(x, y)
        return probabilities

    # --- Account -----------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many answers wait for their labels."""
        return len(self.tickets)

    @property
    def ended(self) -> bool:
        """Whether all rounds of the horizon have been answered; never, without one."""
        return self.horizon is not None and self.answered >= self.horizon

    @property
    def regret(self) -> float:
        """Expected regret so far, exactly: expected loss minus the best concept's loss."""
        with self._lock:
            return self.expected_loss - self.best_loss

    @property
    @abstractmethod
    def best_loss(self) -> float:
        """Loss so far of the best concept in hindsight; a whole number, unless weights are not."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """What is proven of ``regret`` *now*, after the rounds so far, from what was seen; infinite if nothing is."""

    @property
    def in_advance(self) -> float | None:
        """What was proven before the first round of *any* stream as long as the horizon (without one, as this one).

        None if nothing was.
        """
        return self.bound_after(self.answered if self.horizon is None else self.horizon)

    def bound_after(self, rounds: int) -> float | None:
        """Return what is proven, before the first round, of the regret after so many rounds of any stream."""
        return None

    def realised_bound(self, confidence: float = 0.95) -> float:
        """Return what is proven of the mistakes *drawn* beyond the best rule's, with this probability, at all times.

        With at least this probability ``realised_loss - best_loss`` never exceeds this, however long the stream, if
        x and y are chosen without a look at the round's coin. (Answers that wait are counted as badly as they can be.)
        """
        return min(self.regret + self._excess(confidence), self.rounds - self.best_loss)

    def _excess(self, confidence: float, scale: float = 1.0) -> float:
        if isinstance(confidence, bool) or not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
            raise InvalidArgument(
                f"confidence must be a number between 0 and 1, e.g. 0.95; {got('confidence', confidence)}"
            )
        waiting = [ticket.p for ticket in self.tickets]
        variance = self.variance + scale**2 * sum(p * (1 - p) for p in waiting)
        return bounds.excess(variance, 1 - confidence, scale) + scale * sum(max(p, 1 - p) for p in waiting)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many experts (paths, schedules, concepts) are kept."""

    @property
    @abstractmethod
    def queries(self) -> Queries:
        """Weak-consistency queries so far."""

    @abstractmethod
    def best_rule(self) -> Concept:
        """Return a concept with the fewest mistakes so far; no oracle is asked."""

    @abstractmethod
    def _probability(self, x: Instance, raw: Any) -> float:
        """Return the chance of guessing 1 at the canonical instance x (``raw`` as the caller gave it)."""

    @abstractmethod
    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Take over the round that ``_probability`` has just looked at."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner, as plain values."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what has been learnt, as plain values and arrays."""

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None:
        """Take over what ``_state`` returned."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole learner to a file, to go on later with :func:`adeptree.load`."""
        files.save(path, self.saved())

    def saved(self) -> dict[str, Any]:
        """Return what a file holds: plain values and arrays."""
        with self._lock:
            return self._saved()

    def _saved(self) -> dict[str, Any]:
        account = {
            "rounds": self.rounds,
            "expected_loss": self.expected_loss,
            "realised_loss": self.realised_loss,
            "asked": self.queries.asked,
            "posed": self.queries.posed,
            "answered": self.answered,
            "variance": self.variance,
            "overlaps": self.overlaps,
            "late": self.late,
            "tickets": self.tickets.state(),
        }
        return {
            # (A subclass without a kind of its own is not to come back as its parent.)
            "kind": self.kind if "kind" in type(self).__dict__ else f"{self.kind}, {type(self).__name__}",
            "class": repr(self.concept_class),
            "settings": self.settings(),
            "account": account,
            "learnt": self._state(),
        }

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents (see :func:`adeptree.load`)."""
        account = saved["account"]
        self._restore(saved["learnt"])
        self.rounds = account["rounds"]
        self.expected_loss = account["expected_loss"]
        self.realised_loss = account["realised_loss"]
        self.queries.asked, self.queries.posed = account["asked"], account["posed"]
        # Files of the first edition know no late labels; what their drawn mistakes scatter by is at most rounds / 4.
        self.answered = account.get("answered", self.rounds)
        self.variance = account.get("variance", self.rounds / 4)
        self.overlaps, self.late = account.get("overlaps", 0), account.get("late", False)
        self.tickets.restore(account.get("tickets", []))

    def _check_room(self, rounds: int) -> None:
        """Refuse a batch that goes past the horizon, before its first round."""
        if self.horizon is not None and self.answered + rounds > self.horizon:
            left = self.horizon - self.answered
            raise HorizonReached(
                f"{rounds} rounds are more than the {left} that are left of the horizon of {self.horizon}; none was "
                f"learnt: give fewer, or build a learner with a longer horizon, or with horizon=None, which has no end"
            )

    def _check_horizon(self) -> None:
        if self.ended:
            raise HorizonReached(
                f"all {self.horizon} rounds of the horizon have been answered; build a learner with a longer "
                f"horizon, or with horizon=None, which has no end"
            )
