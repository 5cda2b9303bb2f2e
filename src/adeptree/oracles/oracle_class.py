"""A class given by an oracle: any callable on a labelled sample, or any chain of oracles."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from typing import Any

from adeptree.core.arguments import check_number, check_seconds, check_size, one_of
from adeptree.core.errors import InvalidArgument, WorkersNotUsed, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.oracles.chain import Asking, Counting, Find, FindMany, FunctionOracle, Realizable, bits
from adeptree.oracles.keys import PLAIN, point_key
from adeptree.oracles.labelling import best_labelling
from adeptree.oracles.layers import TimeLimit
from adeptree.oracles.sharding import SETS, Workers, way
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Queries
from adeptree.roles.oracle import Oracle, check_oracle, known

BATCH = 64
"""Number of queries sent together if a batch is cheaper than single queries."""
STRATEGIES = ("auto", "cubes", "bits", "literal", "paper")


class OracleClass(ConceptClass):
    """Any class, given by ``find(sample)`` (a concept that fits, or None) or ``realizable(sample)``.

    A sample is a sequence of (x, y) pairs. The rows of a frontier do not depend on how the oracle was queried.

    All queries pass one chain of oracles, ``c.oracle``: the function (or the object given as ``oracle=``), its time
    limit, batches (``Asking``), the workers, and the counters (``Counting``; ``unknowns`` counts undecided queries).

    Parameters
    ----------
    find
        Function that returns a concept that fits a sample, or None. It makes learning far cheaper than ``realizable``:
        each concept answers one of the two queries of its path for free. A concept may have ``labels(xs)``, its labels
        of a list of instances, which is then called once for all past points.
    realizable
        Function that returns True if some concept fits a sample; needed if there is no ``find``.
    mistake_bound
        The mistake bound M of the base learner that you pass.
    find_many
        Function that answers a list of samples, if that is cheaper than one by one. If it raises ``OracleUnknown``, the
        whole list is unknown.
    oracle
        An oracle object (``adeptree.oracles``) in place of these functions; :meth:`from_oracle` is shorter.
    vc_dimension, littlestone_dimension
        Known dimensions of the class. With the second, the base learner is ``Ghost(d)``, which has a guarantee in
        advance; without it, the base learner is ``Ghost()``, which adapts to the dimension.
    key
        Function that maps an instance to a hashable key, so that repeats are recognised (their label then needs no
        query). Plain values, tuples, lists, arrays and mappings need none.
    repeats
        "infer", or "ask" to query the oracle about repeated instances too (``strategy`` is then "literal").
    strategy
        How a frontier queries the oracle. "auto" decides sets of paths with one call if possible
        (``docs/theory/few-queries.md``). "cubes" requires ``find``; "bits" does not use it. "literal" queries every
        path separately, as the paper does. "paper" does not even infer that a path denied one label can take the other,
        and so detects an oracle that denies both.
    on_unknown
        The reaction to a call that raises ``OracleUnknown``: "raise" it, or "keep" the path in question, and no other,
        as realizable.
    seconds
        The time limit of a call (``find_many``: per sample), after which it counts as undecided. The call runs in a
        separate thread; if it hangs, the thread lives until the program ends. Calls of the concepts found have no
        limit.
    call_cost
        The duration of a call in seconds. "auto" queries literally if choosing cubes would take longer than it saves.
    executor
        Any ``concurrent.futures.Executor``, whose workers answer (``docs/howto/many-cores.md``). They are not used if
        ``call_cost`` shows that they do not pay off; there is then a warning (``WorkersNotUsed``).
    batch
        The number of queries sent together.
    name
        The name in messages and saved files.

    Examples
    --------
    >>> c = OracleClass(realizable=lambda sample: sum(y for _, y in sample) <= 1, mistake_bound=1)
    >>> c.realizable([("a", 1), ("b", 0)]), c.realizable([("a", 1), ("b", 1)])
    (True, False)
    >>> str(c.erm([("a", 1), ("b", 1), ("a", 1)]))
    'a concept with label 1 on 1 of 2 points seen'
    """

    spec_name = "oracle"

    vc_dimension: int | None = None
    littlestone_dimension: int | None = None
    finds = True
    """True if the oracle returns concepts."""
    shared_by_threads = True
    """True if threads may share this object (if the user's function allows it); solvers are built per thread."""

    def __init__(
        self,
        find: Find | None = None,
        realizable: Realizable | None = None,
        mistake_bound: int | None = None,
        *,
        find_many: FindMany | None = None,
        oracle: Oracle | None = None,
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
        if oracle is not None and any(given is not None for given in (find, realizable, find_many)):
            raise InvalidArgument("give oracle=, or functions (find=, find_many= or realizable=), not both")
        source = (
            FunctionOracle(find, realizable, find_many=find_many, name=name) if oracle is None else check_oracle(oracle)
        )
        self.finds = source.gives_witnesses
        self.mistake_bound = mistake_bound
        self.vc_dimension, self.littlestone_dimension = vc_dimension, littlestone_dimension
        self._key = key
        self.asked_by_methods = any(_is_the_users(type(self), name) for name in ("find", "realizable"))
        self.reads_by_function = key is not None
        self.repeats = one_of("repeats", repeats, ("infer", "ask"))
        self.infers_repeats = repeats == "infer"
        self._check_strategy(strategy)
        self.strategy = strategy if self.infers_repeats or strategy == "paper" else "literal"
        self.on_unknown = one_of("on_unknown", on_unknown, ("raise", "keep"))
        self.keeps_unknown = on_unknown == "keep"
        self.gives_witnesses = self.finds and not self.keeps_unknown
        self.seconds = check_seconds(seconds)
        if call_cost is not None:
            check_number("call_cost", call_cost, "a number of seconds", lambda cost: 0 <= cost < math.inf)
        self.call_cost = call_cost
        self.name = name
        if batch is not None:
            check_size("batch", batch)
        self.batch = batch or (1 if find_many is None else BATCH)
        # Only functions of lists get batches: a function of one sample is called, and timed, per sample.
        lists = 1 if oracle is None and find_many is None else self.batch
        asking = Asking(source if self.seconds is None else TimeLimit(source, self.seconds, waits=False), lists)
        self._account = Queries()
        self._here = Counting(asking, self._account)
        self.oracle: Counting = Counting(asking, self._account)
        if executor is not None:
            self.send_to(executor)
            self.batch = batch or self.batch

    @classmethod
    def from_oracle(cls, oracle: Any, mistake_bound: int | None = None, **options: Any) -> OracleClass:
        """Return the class of an oracle object (``adeptree.oracles``), which uses ``find`` if it gives witnesses."""
        return cls(oracle=check_oracle(oracle), mistake_bound=mistake_bound, **options)

    def send_to(self, executor: Executor) -> None:
        """Send future queries to these workers, unless a call takes less time than the communication."""
        if not isinstance(executor, Executor):
            raise InvalidArgument(
                f"executor must be a concurrent.futures.Executor, such as ProcessPoolExecutor(2) or the executor that "
                f"Dask's client.get_executor() returns; {got('executor', executor)}"
            )
        least = way(executor) * (SETS if self.finds and self.strategy in ("auto", "cubes") else 1)
        if self.call_cost is not None and self.call_cost < least:
            warnings.warn(
                f"a call of {self.name} takes {1e3 * self.call_cost:g} ms, and these workers save time from "
                f"{1e3 * least:g} ms on: they are not used; give a larger call_cost= if that is wrong",
                WorkersNotUsed,
                stacklevel=2,
            )
            return
        logging.getLogger("adeptree").info("calls of %s are answered by %s", self.name, type(executor).__name__)
        inside = self._here.oracle
        self.oracle.oracle = Workers(inside, executor, call_cost=self.call_cost, shared=self.shared_by_threads)
        self.by_workers = True
        self.batch = BATCH if self.batch == 1 else self.batch

    def __getstate__(self) -> dict[str, Any]:
        # Executors are not copied: a worker uses its own oracle.
        return {**self.__dict__, "oracle": Counting(self._here.oracle, self._account), "by_workers": False}

    def __repr__(self) -> str:
        return f"oracle(name={self.name!r})"

    @property
    def unknowns(self) -> int:
        """Number of queries that the oracle could not decide."""
        return self._account.unknown

    def instance(self, x: Any) -> Instance:
        """Return x unchanged, after checking that it has a key."""
        self.key(x)
        return x

    def key(self, x: Any) -> Hashable:
        """Return the key that identifies x."""
        return x if self._key is None and type(x) in PLAIN else point_key(x, self._key, "OracleClass")

    def find(self, sample: Sample) -> Concept | None:
        """Ask the oracle, in this process, for a concept that fits; only if it gives witnesses."""
        self._check_finds()
        return known(self._here.ask_many("find", [list(sample)]))[0]  # type: ignore[no-any-return]

    def find_many(self, samples: Sequence[Sample]) -> list[Concept | None]:
        """Ask for a concept for each sample: through the workers, the oracle's ``find_many``, or one by one."""
        self._check_finds()
        return known(self.oracle.ask_many("find", samples))

    def realizable(self, sample: Sample) -> bool:
        """Return True if a concept fits, queried in this process; an unknown that is kept counts as True."""
        return bits(self._here.ask_many("realizable", [list(sample)]), self.keeps_unknown)[0]

    def realizable_many(self, samples: Sequence[Sample]) -> list[bool]:
        """Ask ``realizable`` for each sample: through the workers, or one by one."""
        return bits(self.oracle.ask_many("realizable", samples), self.keeps_unknown)

    def _check_finds(self) -> None:
        if not self.finds:
            raise InvalidArgument("this oracle answers only realizable(sample); it was given no find=")

    def _check_strategy(self, strategy: str) -> None:
        one_of("strategy", strategy, STRATEGIES)
        if strategy == "cubes" and not (self.finds and self.infers_repeats):
            raise InvalidArgument('strategy="cubes" needs find= and repeats="infer"; give those, or strategy="auto"')
        if strategy == "bits" and (self.finds or not self.infers_repeats):
            raise InvalidArgument(
                'strategy="bits" needs realizable= and repeats="infer"; give those, or strategy="auto"'
            )

    def erm(self, sample: Sample) -> Concept:
        """Return a best concept, by trying the realizable labellings from the cheapest on."""
        return best_labelling(self, sample)


def _is_the_users(kind: type[Any], method: str) -> bool:
    """Return True if a method is defined outside this library."""
    writer = next(one for one in kind.__mro__ if method in vars(one))
    return not writer.__module__.startswith("adeptree.")
