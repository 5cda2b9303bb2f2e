"""The chain that every question of a learner goes through: source -> layers -> asking -> counting -> frontier.

A *source* answers (a function here, a class or a solver elsewhere), a *layer* is an oracle around an oracle. A class
puts :class:`Asking` around any oracle; :class:`Counting` is the one place where calls and unknown answers are counted.
"""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adeptree.core.errors import AdeptreeError, InvalidArgument, OracleError, OracleUnknown, got
from adeptree.core.types import Concept, Sample
from adeptree.roles.frontier import Queries
from adeptree.roles.oracle import BITS, WITNESSES, Kind, Oracle, Samples, check_oracle

Find = Callable[[Sample], Concept | None]
FindMany = Callable[[Sequence[Sample]], Sequence[Concept | OracleUnknown | None]]
Realizable = Callable[[Sample], bool]


class FunctionOracle(Oracle):
    """A weak-consistency oracle made of one function: ``find(sample)`` or ``realizable(sample)``.

    ``find_many(samples)``, with ``find`` or without, answers a list of them. What a function returns or raises is
    checked: an exception becomes an :class:`OracleError`.

    >>> FunctionOracle(realizable=lambda sample: sum(y for _, y in sample) <= 1).realizable([("a", 1), ("b", 1)])
    False
    """

    answers: frozenset[Kind] = BITS

    def __init__(
        self,
        find: Find | None = None,
        realizable: Realizable | None = None,
        *,
        find_many: FindMany | None = None,
        name: str = "function",
    ) -> None:
        if (find is None and find_many is None) == (realizable is None):
            concepts = "find= (returns a concept or None; find_many= for a list of samples)"
            raise InvalidArgument(f"give exactly one of {concepts} and realizable= (a bool)")
        self._find, self._find_many, self._realizable = find, find_many, realizable
        self.answers = WITNESSES if realizable is None else BITS
        self.name = name

    def __repr__(self) -> str:
        return f"FunctionOracle(name={self.name!r})"

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Ask the function about the list, or about each sample of it."""
        if self._closed or kind not in self.answers:
            self._check(kind)
        if kind == "realizable" and self._realizable is None:
            return found_any(self.ask_many("find", samples))
        if self._find_many is None:
            return [checked(kind, said(self._find or self._realizable, list(sample))) for sample in samples]
        answers = said(self._find_many, list(map(list, samples)))
        if len(answers) != len(samples):
            raise OracleError(
                f"find_many got {len(samples)} samples and gave {len(answers)} answers; expected one answer per sample"
            )
        return [checked("find", answer) for answer in answers]


def found_any(answers: list[Any]) -> list[Any]:
    """Return, for answers to "find", those to "realizable"."""
    return [answer if isinstance(answer, OracleUnknown) else answer is not None for answer in answers]


def said(function: Any, given: Any) -> Any:
    """Call a function of the user; whatever it raises is said in a sentence."""
    try:
        return function(given)
    except OracleError:
        raise
    except Exception as error:
        raise _broken(error) from error


def _broken(error: Exception) -> OracleError:
    return OracleError(f"the oracle raised {type(error).__name__}: {error}; nothing was learnt from this call")


def checked(kind: Kind, answer: Any) -> Any:
    """Return an answer if it is one."""
    if isinstance(answer, OracleUnknown):
        return answer
    if kind == "realizable":
        if not isinstance(answer, (bool, np.bool_)):
            raise OracleError(f"realizable must return True or False; {got('answer', answer)}")
        return bool(answer)
    if answer is not None and not callable(answer):
        raise OracleError(f"find must return a callable concept or None; {got('concept', answer)}")
    return answer


def bits(answers: list[Any], keep: bool) -> list[bool]:
    """Return the answers to "realizable" with none unknown: such a one is True if it is kept, else raised."""
    unknown = [isinstance(answer, OracleUnknown) for answer in answers]
    if any(unknown) and not keep:
        raise answers[unknown.index(True)]
    return [missing or answer for missing, answer in zip(unknown, answers, strict=True)]


class Layer(Oracle):
    """Stands between whoever asks and ``oracle``; layers nest in any order.

    A subclass writes one method, ``_through``. Closing a layer closes what is inside, and attributes that it does not
    have are looked up inside too. Threads that ask the same layer wait for each other.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import Caching, ClassOracle, Counting
    >>> oracle = Caching(Counting(ClassOracle(Thresholds(8))))
    >>> oracle
    Caching(Counting(ClassOracle(thresholds(n=8))))
    >>> oracle.realizable([(3, 1)]), oracle.realizable([(3, 1)]), oracle.queries
    (True, True, 1)
    """

    needs: Kind | None = None
    """What the oracle inside must answer."""
    gives: frozenset[Kind] | None = None
    """What the layer answers, if not what the oracle inside does."""
    waits = True
    """Whether one thread is let in at a time; not in the chain of a class, where the source sees to that."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = check_oracle(oracle, self.needs)
        self._lock = threading.RLock()
        self._answers = self.gives or oracle.answers  # kept: looked at on every call, all the way down a chain

    @property
    def answers(self) -> frozenset[Kind]:
        """What this layer answers, by the oracle inside."""
        return self._answers

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Pass a batch on; an empty one reaches nobody."""
        if self._closed or kind not in self.answers:
            self._check(kind)
        if not samples:
            return []
        if not self.waits:
            return self._through(kind, samples)
        with self._lock:
            return self._through(kind, samples)

    @abstractmethod
    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        """Answer a batch that is not empty, by ``self.oracle.ask_many``."""

    def packed(self, answer: Any) -> Any:
        """Return an answer as the oracle inside sends it."""
        return self.oracle.packed(answer)

    def unpacked(self, answer: Any) -> Any:
        """Return what the oracle inside sent."""
        return self.oracle.unpacked(answer)

    def _release(self) -> None:
        self.oracle.close()

    def __getattr__(self, name: str) -> Any:
        # Only for names that are missing here. Private ones stay private: looking up "oracle" or "__setstate__"
        # inside, on a layer that is still being copied, would never end.
        if name.startswith("_") or "oracle" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.oracle, name)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.oracle!r})"


class Asking(Layer):
    """What a class puts around its oracle: questions go out in lists of at most ``batch``, and come back checked.

    A list that could not be decided has an OracleUnknown in the place of each answer: which it was, nobody knows.
    Whatever else is raised is said in a sentence. Where a bit costs as much as a concept, the concept is asked for.
    """

    waits = False

    def __init__(self, oracle: Oracle, batch: int = 1) -> None:
        super().__init__(oracle)
        self.batch = batch
        self._bits_by_find = oracle.gives_witnesses and not oracle.cheap_bits

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        by_find = kind == "realizable" and self._bits_by_find
        asked: Kind = "find" if by_find else kind
        lists = [samples[i : i + self.batch] for i in range(0, len(samples), self.batch)]
        answers = [checked(asked, answer) for some in lists for answer in self._attempt(asked, some)]
        return found_any(answers) if by_find else answers

    def _attempt(self, kind: Kind, samples: Samples) -> list[Any]:
        try:
            return self.oracle.ask_many(kind, samples)
        except OracleUnknown as error:
            return [error] * len(samples)
        except AdeptreeError:
            raise
        except Exception as error:
            raise _broken(error) from error


class Counting(Layer):
    """Counts ``queries``, their labelled ``points``, their ``seconds``, and those not decided (``unknowns``).

    Outside a cache it counts what was asked, inside what reached the oracle. Every query that arrives counts, even if
    what is inside then raises; a batch of n samples is n. ``account`` keeps them: the one of a frontier, say.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> oracle = Counting(ClassOracle(Thresholds(8)))
    >>> oracle.realizable_many([[(2, 0), (5, 1)], [(3, 1)]])
    [True, True]
    >>> oracle.queries, oracle.points
    (2, 3)
    """

    def __init__(self, oracle: Oracle, account: Queries | None = None) -> None:
        super().__init__(oracle)
        self.waits = account is None
        self.account = Queries() if account is None else account
        self.points, self.seconds = 0, 0.0
        """Labelled points in the queries, and how long the oracle inside took in all."""

    @property
    def queries(self) -> int:
        """Queries that arrived."""
        return self.account.posed

    @property
    def unknowns(self) -> int:
        """Queries that the oracle could not decide."""
        return self.account.unknown

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        start, unknown = time.perf_counter(), 0
        try:
            answers = self.oracle.ask_many(kind, samples)
            unknown = sum(isinstance(answer, OracleUnknown) for answer in answers)
        except OracleUnknown:
            unknown = len(samples)
            raise
        finally:
            with self._lock:
                self.account.posed += len(samples)
                self.account.unknown += unknown
                self.points += sum(map(len, samples))
                self.seconds += time.perf_counter() - start
        self.account.hear(kind, samples, answers)
        return answers
