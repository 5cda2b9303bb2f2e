"""The chain of oracles that a learner's queries pass: source -> layers -> asking -> counting -> frontier.

A *source* answers (a function, a class or a solver); a *layer* is an oracle around an oracle. A class puts
:class:`Asking` around its oracle. Only :class:`Counting` counts calls and unknown answers.

Every layer is a function from a list of samples to a list of answers of the same length, so layers compose in any
order. Outside a cache, ``Counting`` counts the queries of the learner; inside, the queries that are posed. Read
``FunctionOracle`` (a source), ``Layer``, ``Asking`` and ``Counting``, in this order; other layers are in ``layers.py``.
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

    ``find_many(samples)``, with or without ``find``, answers a list of samples. Results are checked, and exceptions
    become :class:`OracleError`.

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
        """Call the function on the list, or on each of its samples."""
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
    """Convert answers to "find" to answers to "realizable"."""
    return [answer if isinstance(answer, OracleUnknown) else answer is not None for answer in answers]


def said(function: Any, given: Any) -> Any:
    """Call a user's function; convert its exceptions to errors of adeptree with a message."""
    try:
        return function(given)
    except OracleError:
        raise
    except Exception as error:
        raise _broken(error) from error


def _broken(error: Exception) -> OracleError:
    return OracleError(f"the oracle raised {type(error).__name__}: {error}; nothing was learnt from this call")


def checked(kind: Kind, answer: Any) -> Any:
    """Return an answer after checking it."""
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
    """Return the answers to "realizable"; an unknown one counts as True if unknowns are kept, else it is raised."""
    unknown = [isinstance(answer, OracleUnknown) for answer in answers]
    if any(unknown) and not keep:
        raise answers[unknown.index(True)]
    return [missing or answer for missing, answer in zip(unknown, answers, strict=True)]


class Layer(Oracle):
    """An oracle that forwards queries to the inner ``oracle``; layers nest in any order.

    A subclass defines one method, ``_through``. Closing a layer closes the inner oracle, and missing attributes are
    looked up there. Threads that use the same layer wait for each other.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import Caching, ClassOracle, Counting
    >>> oracle = Caching(Counting(ClassOracle(Thresholds(8))))
    >>> oracle
    Caching(Counting(ClassOracle(thresholds(n=8))))
    >>> oracle.realizable([(3, 1)]), oracle.realizable([(3, 1)]), oracle.queries
    (True, True, 1)
    """

    needs: Kind | None = None
    """The questions that the inner oracle must answer."""
    gives: frozenset[Kind] | None = None
    """The questions that the layer answers, if they differ from those of the inner oracle."""
    waits = True
    """True if the layer admits one thread at a time; False in the chain of a class, whose source does this."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = check_oracle(oracle, self.needs)
        self._lock = threading.RLock()
        self._answers = self.gives or oracle.answers  # cached, because every call of every layer reads it

    @property
    def answers(self) -> frozenset[Kind]:
        """The questions that this layer answers."""
        return self._answers

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Forward a batch; an empty one is not forwarded."""
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
        """Answer a nonempty batch, with ``self.oracle.ask_many``."""

    def packed(self, answer: Any) -> Any:
        """Encode an answer like the inner oracle."""
        return self.oracle.packed(answer)

    def unpacked(self, answer: Any) -> Any:
        """Decode an answer like the inner oracle."""
        return self.oracle.unpacked(answer)

    def _release(self) -> None:
        self.oracle.close()

    def __getattr__(self, name: str) -> Any:
        # Only called for missing names. Private names are not looked up: "oracle" or "__setstate__" on a layer that is
        # still being copied would recurse without end.
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
    """The layer around a class's oracle: it sends queries in lists of at most ``batch`` and checks the answers.

    If a list could not be decided, each of its answers is an OracleUnknown. Other exceptions become errors with a
    message. If a bit costs as much as a concept, the layer asks for the concept.
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
    """A layer that counts ``queries``, their labelled ``points``, their ``seconds`` and undecided ones (``unknowns``).

    Outside a cache it counts the queries asked, inside it those that reach the oracle. Every query counts, even if the
    inner oracle raises; a batch of n samples counts n. ``account`` holds the counters, for example those of a frontier.

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
        """Number of labelled points in the queries, and total time of the inner oracle."""

    @property
    def queries(self) -> int:
        """Number of queries that arrived."""
        return self.account.posed

    @property
    def unknowns(self) -> int:
        """Number of queries that the oracle could not decide."""
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
