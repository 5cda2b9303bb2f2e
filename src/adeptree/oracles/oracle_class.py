"""A class known only through an oracle: any callable on a labelled sample."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, InvalidInstance, OracleError, OracleUnknown, got
from adeptree.core.frozen import freeze
from adeptree.core.patience import Patience, check_seconds
from adeptree.core.types import Concept, Instance, Sample
from adeptree.oracles.best_labelling import best_labelling
from adeptree.oracles.labelling import Labelling
from adeptree.oracles.oracle_options import check_options, check_sources
from adeptree.oracles.sharding import Shards
from adeptree.roles.concept_class import ConceptClass

__all__ = ["Labelling", "OracleClass", "freeze"]

Find = Callable[[Sample], Concept | None]
FindMany = Callable[[Sequence[Sample]], Sequence[Concept | None]]
Realizable = Callable[[Sample], bool]
Found = Concept | OracleUnknown | None
"""A concept that fits, None if there is none, or why neither is known."""

BATCH = 64
"""Questions that go out together where a batch is cheaper than its parts."""


class OracleClass(ConceptClass):
    """Any class, given by ``find(sample)`` (a concept that fits, or None) or ``realizable(sample)``.

    A sample is a sequence of (x, y) pairs. The rows of a frontier are the same however they were asked for.

    Parameters
    ----------
    find
        Returns a concept that fits a sample, or None. By far the cheaper to learn with: each concept answers one of
        the two queries of its path for free.
    realizable
        Says whether there is one; give this where there is no ``find``.
    mistake_bound
        The M of the base learner you bring.
    find_many
        Answers a list of samples at once, where that is cheaper than one by one.
    vc_dimension, littlestone_dimension
        What you can prove; the second gives the base learner ``Ghost``.
    key
        Maps an instance to something hashable, so that repeats are recognised (their label is then known without a
        query); plain values, tuples, lists, arrays and mappings need none.
    repeats
        "infer", or "ask" to ask the oracle about repeated instances too (``strategy`` is then "literal").
    strategy
        How a frontier asks. "auto" decides sets of paths with one call wherever it can (``docs/few-queries.md``),
        "cubes" insists on the way that needs ``find``, "bits" on the one that does not; "literal" asks about every
        path by itself, as the paper does. "paper" does not even infer that a path denied one label can take the
        other, and so notices an oracle that denies both.
    on_unknown
        What is done when a call raises ``OracleUnknown``, as it cannot decide: "raise", or "keep", where the path in
        question, and no other, counts as realizable.
    seconds
        How long a call may take (``find_many``: per sample); then it has not decided. It is called in a thread of its
        own, where one that hangs goes on until the program ends. Rules that were found have no limit.
    call_cost
        The seconds that a call takes: "auto" asks literally where thinking would take longer than it saves.
    executor
        Workers that answer (``adeptree.core.workers``, any ``concurrent.futures.Executor``; ``docs/cluster.md``).
    batch
        How many questions go out together.
    name
        For messages and saved files.

    Examples
    --------
    >>> c = OracleClass(realizable=lambda sample: sum(y for _, y in sample) <= 1, mistake_bound=1)
    >>> c.realizable([("a", 1), ("b", 0)]), c.realizable([("a", 1), ("b", 1)])
    (True, False)
    >>> str(c.erm([("a", 1), ("b", 1), ("a", 1)]))
    'a concept with label 1 on 1 of 2 points seen'
    """

    spec_name = "oracle"

    shared_by_threads = True
    """Whether threads may ask this very object (if the user's function lets them); solvers are built for each."""

    def __init__(
        self,
        find: Find | None = None,
        realizable: Realizable | None = None,
        mistake_bound: int | None = None,
        *,
        find_many: FindMany | None = None,
        vc_dimension: int | None = None,
        littlestone_dimension: int | None = None,
        key: Callable[[Any], Hashable] | None = None,
        repeats: str = "infer",
        strategy: str = "auto",
        on_unknown: str = "raise",
        seconds: float | None = None,
        call_cost: float | None = None,
        executor: Executor | None = None,
        batch: int | None = None,
        name: str = "oracle",
    ) -> None:
        check_sources(find, realizable, find_many)
        finds = realizable is None
        check_options(strategy, repeats, on_unknown, call_cost, executor, batch, finds)
        self._find = find
        self._find_many = find_many
        self._realizable = realizable
        self.mistake_bound = mistake_bound
        self._vc_dimension = vc_dimension
        self._littlestone_dimension = littlestone_dimension
        self._key = key
        self.repeats = repeats
        self.strategy = strategy if repeats == "infer" or strategy == "paper" else "literal"
        self.on_unknown = on_unknown
        self.unknowns = 0
        self.seconds = check_seconds(seconds)
        self._patience = None if self.seconds is None else Patience(self.seconds)
        self.call_cost = call_cost
        self.shards: Shards | None = None
        self.batch = batch or (1 if find_many is None else BATCH)
        if executor is not None:
            self.send_to(executor)
            self.batch = batch or self.batch
        self.name = name

    @classmethod
    def from_oracle(cls, oracle: Any, mistake_bound: int | None = None, **options: Any) -> OracleClass:
        """Return the class of an oracle object (``adeptree.oracles``): by ``find`` if it gives witnesses."""
        if not hasattr(oracle, "gives_witnesses"):
            raise InvalidArgument(f"expected an oracle such as ClassOracle(c); {got('oracle', oracle)}")
        asked = {"find": oracle.find} if oracle.gives_witnesses else {"realizable": oracle.realizable}
        if oracle.gives_witnesses and "batch" in options:
            asked["find_many"] = oracle.find_many
        return cls(**asked, mistake_bound=mistake_bound, **options)

    def send_to(self, executor: Executor) -> None:
        """Have questions answered by these workers from now on."""
        self.shards = Shards(executor, self)
        self.batch = BATCH if self.batch == 1 else self.batch

    def __getstate__(self) -> dict[str, Any]:
        # Executors stay where they are: a worker asks its own oracle.
        return {**self.__dict__, "shards": None}

    def __repr__(self) -> str:
        return f"oracle(name={self.name!r})"

    @property
    def vc_dimension(self) -> int | None:
        """What the user declared."""
        return self._vc_dimension

    @property
    def littlestone_dimension(self) -> int | None:
        """What the user declared."""
        return self._littlestone_dimension

    @property
    def gives_witnesses(self) -> bool:
        """Whether every "realizable" comes with a concept: not with bits, nor if unknown answers are kept."""
        return self.finds and self.on_unknown == "raise"

    @property
    def finds(self) -> bool:
        """Whether the oracle returns concepts at all."""
        return self._realizable is None

    def instance(self, x: Any) -> Instance:
        """Return x unchanged; it must have a key."""
        self.key(x)
        return x

    def key(self, x: Any) -> Hashable:
        """Return what identifies x."""
        if self._key is not None:
            return self._key(x)
        try:
            return freeze(x)
        except TypeError:
            raise InvalidInstance(f"x must be hashable, or OracleClass be given key=; {got('x', x)}") from None

    def find(self, sample: Sample) -> Concept | None:
        """Ask the oracle for a concept that fits; only if it gives witnesses."""
        if not self.finds:
            raise InvalidArgument("this oracle answers only realizable(sample); it was given no find=")
        if self._find is None:
            return self.find_many([sample])[0]
        return _checked(self._counted(self._find, list(sample)))

    def realizable(self, sample: Sample) -> bool:
        """Ask the oracle whether a concept fits; an unknown that is kept is True."""
        try:
            if self._realizable is None:
                return self.find(sample) is not None
            answer = self._counted(self._realizable, list(sample))
        except OracleUnknown:
            if self.on_unknown == "raise":
                raise
            return True
        if not isinstance(answer, (bool, np.bool_)):
            raise OracleError(f"realizable must return True or False; {got('answer', answer)}")
        return bool(answer)

    def _counted(self, oracle: Callable[[Any], Any], given: list[Any], samples: int = 1) -> Any:
        """Call the user's oracle; whatever it raises is said in a sentence."""
        try:
            return oracle(given) if self._patience is None else self._patience.call(oracle, given, times=samples)
        except OracleError as error:
            self.unknowns += isinstance(error, OracleUnknown)
            raise
        except Exception as error:
            raise OracleError(
                f"the oracle raised {type(error).__name__}: {error}; nothing was learnt from this call"
            ) from error

    # --- Many questions at once ----------------------------------------------------------------------

    def find_many(self, samples: Sequence[Sample]) -> list[Concept | None]:
        """Ask for a concept for each sample: by the workers, by the oracle's own ``find_many``, or one by one."""
        found = self.found(samples)
        for answer in found:
            if isinstance(answer, OracleUnknown):
                raise answer
        return found  # type: ignore[return-value]

    def found(self, samples: Sequence[Sample]) -> list[Found]:
        """Answer ``find_many``, with an OracleUnknown in place of each answer that is not known."""
        if self.shards is None:
            return self.found_here(samples)
        answers = self.shards.ask("find", samples)
        self.unknowns += sum(isinstance(answer, OracleUnknown) for answer in answers)
        return [self.unpacked(answer) for answer in answers]

    def found_here(self, samples: Sequence[Sample]) -> list[Found]:
        """Answer :meth:`found` in this process."""
        if self._find_many is None:
            return [self._attempt(self.find, sample) for sample in samples]
        batches = [samples[i : i + self.batch] for i in range(0, len(samples), self.batch)]
        return [answer for batch in batches for answer in self._batched(self._find_many, batch)]

    def _batched(self, find_many: FindMany, batch: Sequence[Sample]) -> list[Found]:
        answers = self._attempt(
            lambda given: self._counted(find_many, given, len(given)), [list(sample) for sample in batch]
        )
        if isinstance(answers, OracleUnknown):
            return [answers] * len(batch)  # which of them could not be decided, nobody knows
        if len(answers) != len(batch):
            raise OracleError(f"find_many got {len(batch)} samples and gave {len(answers)} answers; one each is due")
        return [answer if isinstance(answer, OracleUnknown) else _checked(answer) for answer in answers]

    def _attempt(self, ask: Callable[[Any], Any], given: Any) -> Any:
        try:
            return ask(given)
        except OracleUnknown as error:
            return error

    def realizable_many(self, samples: Sequence[Sample]) -> list[bool]:
        """Ask ``realizable`` about each sample: by the workers, or one by one."""
        if self.shards is None:
            return [self.realizable(sample) for sample in samples]
        return self.shards.ask("realizable", samples)

    def packed(self, answer: Found) -> Any:
        """Return an answer as a worker sends it."""
        return answer

    def unpacked(self, answer: Any) -> Found:
        """Return what a worker sent as an answer."""
        return answer  # type: ignore[no-any-return]

    def labelling(self, sample: Sample) -> Labelling:
        """Return a rule with these labels, without asking anything."""
        return Labelling(tuple(sample), self.realizable, self.key)

    def erm(self, sample: Sample) -> Concept:
        """Return a best concept: the realizable labellings are tried from the cheapest on."""
        return best_labelling(self, sample)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Refuse: only the user knows the domain."""
        raise InvalidArgument("an OracleClass does not know its domain; give the adversary instances=")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Refuse: only the user knows the concepts."""
        raise InvalidArgument("an OracleClass cannot draw concepts; give the adversary target=")


def _checked(concept: Any) -> Concept | None:
    if concept is not None and not callable(concept):
        raise OracleError(f"find must return a callable concept or None; {got('concept', concept)}")
    return concept  # type: ignore[no-any-return]
