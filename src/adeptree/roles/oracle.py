"""Oracles: objects that answer questions about labelled samples.

There are three questions (:data:`Kind`), and ``oracle.answers`` says which of them an oracle takes:

- ``"realizable"``: is there a concept with these labels? The paper's weak-consistency bit.
- ``"find"``: such a concept, or None. A witness is more informative than the bit, and most solvers return it at no
  extra cost.
- ``"best"``: a concept with the fewest errors on the sample. The paper's (agnostic) ERM.

Write your own by subclassing :class:`ConsistencyOracle` or :class:`ErmOracle`: one method is enough.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from adeptree.core.arguments import refuse_class
from adeptree.core.errors import InvalidArgument, OracleError, OracleUnknown, got
from adeptree.core.types import Concept, Sample

Kind = Literal["realizable", "find", "best"]
Samples = Sequence[Sample]

BITS: frozenset[Kind] = frozenset({"realizable"})
WITNESSES: frozenset[Kind] = frozenset({"realizable", "find"})
ERM: frozenset[Kind] = frozenset({"best"})


class Oracle(ABC):
    """The base class of oracles: they answer questions about samples, one at a time or in batches.

    A batch asks about each of its samples: n samples are n queries, however they are sent. Oracles are context
    managers; ``close`` may be called twice, and a closed oracle refuses to answer. Layers admit one thread at a time;
    an oracle that you write must ensure its thread safety itself.
    """

    cheap_bits: bool = False
    """True if ``realizable`` costs less than ``find``; otherwise a class asks for the concept."""
    _closed = False  # on the class, so that subclasses need not call our __init__

    @property
    @abstractmethod
    def answers(self) -> frozenset[Kind]:
        """The questions this oracle answers."""

    @abstractmethod
    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Answer one question about every sample, in order; an empty batch asks nothing.

        If the oracle cannot decide, it raises OracleUnknown or returns one in place of each unknown answer.
        """

    @property
    def gives_witnesses(self) -> bool:
        """True if ``find`` returns concepts; otherwise the oracle only gives bits."""
        return "find" in self.answers

    def realizable(self, sample: Sample) -> bool:
        """Is there a concept with these labels?"""
        return self.realizable_many([sample])[0]

    def find(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, or None if there is none."""
        return self.find_many([sample])[0]

    def best(self, sample: Sample) -> Any:
        """Return a concept with the fewest errors."""
        return self.best_many([sample])[0]

    def realizable_many(self, samples: Samples) -> list[bool]:
        """Answer ``realizable`` for every sample."""
        return known(self.ask_many("realizable", samples))

    def find_many(self, samples: Samples) -> list[Concept | None]:
        """Answer ``find`` for every sample."""
        return known(self.ask_many("find", samples))

    def best_many(self, samples: Samples) -> list[Any]:
        """Answer ``best`` for every sample."""
        return known(self.ask_many("best", samples))

    def packed(self, answer: Any) -> Any:
        """Encode an answer for sending to another process."""
        return answer

    def unpacked(self, answer: Any) -> Any:
        """Decode an answer that a worker sent."""
        return answer

    def close(self) -> None:
        """Release the resources of the oracle; closing twice has no effect."""
        if not self._closed:
            self._closed = True
            self._release()

    def _release(self) -> None:
        """Free solvers, files or connections; called once. Subclasses that hold any override this."""

    def _check(self, kind: Kind) -> None:
        if self._closed:
            raise OracleError(f"{self!r} is closed and answers nothing more; make a new one")
        if kind not in self.answers:
            known = " and ".join(sorted(self.answers)) or "nothing"
            hint = "; ErmAsConsistency(oracle) answers it by ERM" if "best" in self.answers else ""
            raise InvalidArgument(f"{self!r} answers only {known}; {got('kind', kind)}{hint}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ConsistencyOracle(Oracle):
    """The weak-consistency oracle of Definition "Oracle Types": is a sample realizable?

    A subclass defines ``realizable``, or ``find`` if it can return a concept that fits (learning is then far cheaper).
    It also defines ``realizable_many`` or ``find_many`` if a batch is cheaper than single calls.

    >>> class AtMostOne(ConsistencyOracle):
    ...     def realizable(self, sample):
    ...         return len({x for x, y in sample if y}) <= 1
    >>> oracle = AtMostOne()
    >>> oracle.realizable([("a", 1), ("b", 0)]), oracle.realizable_many([[], [("a", 1), ("b", 1)]])
    (True, [True, False])
    >>> oracle.gives_witnesses
    False
    """

    @property
    def gives_witnesses(self) -> bool:
        """True if the subclass defines ``find``."""
        mine = type(self)
        return mine.find is not ConsistencyOracle.find or mine.find_many is not ConsistencyOracle.find_many

    @property
    def answers(self) -> frozenset[Kind]:
        """``realizable``, and ``find`` if there are witnesses."""
        return WITNESSES if self.gives_witnesses else BITS

    def realizable(self, sample: Sample) -> bool:
        """Return True if some concept has these labels; by default asks ``find``."""
        return self.find(sample) is not None

    def find(self, sample: Sample) -> Concept | None:
        """Return a concept with these labels, or None; only for oracles that give witnesses."""
        if type(self).find_many is not ConsistencyOracle.find_many:
            return known(self.find_many([sample]))[0]  # type: ignore[no-any-return]
        raise InvalidArgument(f"{self!r} answers only realizable(sample): it gives no witnesses")

    def realizable_many(self, samples: Samples) -> list[bool]:
        """Answer ``realizable`` for every sample, one by one."""
        return [self.realizable(sample) for sample in samples]

    def find_many(self, samples: Samples) -> list[Concept | None]:
        """Answer ``find`` for every sample, one by one."""
        return [self.find(sample) for sample in samples]

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Answer one question about every sample; without a batch method, one by one, unknown answers included."""
        if self._closed or kind not in self.answers:
            self._check(kind)
        if not samples:
            return []
        if kind == "find":
            if type(self).find_many is ConsistencyOracle.find_many:
                return [attempt(self.find, sample) for sample in samples]
            return in_step(self.find_many(samples), samples)
        if type(self).realizable_many is ConsistencyOracle.realizable_many:
            return [attempt(self.realizable, sample) for sample in samples]
        return in_step(self.realizable_many(samples), samples)


class ErmOracle(Oracle):
    """The (agnostic) ERM oracle of Definition "Oracle Types": a concept with the fewest errors.

    >>> class Majority(ErmOracle):
    ...     def best(self, sample):
    ...         ones = sum(y for _, y in sample)
    ...         return lambda x: int(2 * ones > len(sample))
    >>> Majority().best([("a", 1), ("b", 1), ("c", 0)])("d")
    1
    """

    @property
    def answers(self) -> frozenset[Kind]:
        """Only ``best``; see :class:`~adeptree.oracles.ErmAsConsistency`."""
        return ERM

    @abstractmethod
    def best(self, sample: Sample) -> Concept:
        """Return a concept with the fewest errors on the sample."""

    def best_many(self, samples: Samples) -> list[Concept]:
        """Answer ``best`` for every sample, one by one."""
        return [self.best(sample) for sample in samples]

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Answer ``best`` for every sample."""
        self._check(kind)
        return in_step(self.best_many(samples), samples) if samples else []


def attempt(ask: Callable[[Sample], Any], sample: Sample) -> Any:
    """Return the answer, or the OracleUnknown if one is raised."""
    try:
        return ask(sample)
    except OracleUnknown as error:
        return error


def known(answers: list[Any]) -> list[Any]:
    """Return the answers if all are known; raise the first OracleUnknown among them."""
    for answer in answers:
        if isinstance(answer, OracleUnknown):
            raise answer
    return answers


def in_step(answers: list[Any], samples: Samples) -> list[Any]:
    """Check that a user's batch method returned one answer per sample."""
    if len(answers) != len(samples):
        raise OracleError(f"a batch of {len(samples)} samples got {len(answers)} answers; one each is expected")
    return answers


def check_oracle(oracle: object, kind: Kind | None = None) -> Oracle:
    """Return the argument if it is an oracle that answers ``kind``; otherwise raise an error."""
    refuse_class("oracle", oracle)
    if not isinstance(oracle, Oracle):
        raise InvalidArgument(f"expected an oracle such as ClassOracle(Thresholds(256)); {got('oracle', oracle)}")
    if kind is not None and kind not in oracle.answers:
        raise InvalidArgument(f"expected an oracle that answers {kind}; {got('oracle', oracle)}")
    return oracle
