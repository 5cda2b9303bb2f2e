"""A class known only through an oracle: any callable on a labelled sample."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adeptree.classes.base import ConceptClass
from adeptree.errors import ContradictoryOracle, InvalidArgument, InvalidInstance, OracleError, got
from adeptree.types import Concept, Instance, Sample

Find = Callable[[Sample], Concept | None]
Realizable = Callable[[Sample], bool]


@dataclass(frozen=True)
class Labelling:
    """A rule known by its labels on a sample; elsewhere it takes 0 if the oracle allows it, else 1."""

    sample: tuple[tuple[Instance, int], ...]
    realizable: Realizable = field(compare=False, repr=False)
    key: Callable[[Any], Hashable] = field(compare=False, repr=False)

    def __call__(self, x: Instance) -> int:
        """Look x up among the labelled points; ask the oracle only if it is not there."""
        for point, label in self.sample:
            if self.key(point) == self.key(x):
                return label
        return int(not self.realizable([*self.sample, (x, 0)]))

    def __str__(self) -> str:
        ones = sum(label for _, label in self.sample)
        return f"a concept with label 1 on {ones} of {len(self.sample)} points seen"


class OracleClass(ConceptClass):
    """Any class, given by ``find(sample)`` (a concept that fits, or None) or ``realizable(sample)``.

    A sample is a sequence of (x, y) pairs. ``find`` is by far the cheaper to learn with: each concept
    it returns answers one of the two queries of its path for free. ``mistake_bound`` is the M of the
    base learner you bring. ``key`` maps an instance to something hashable, so that repeated instances
    are recognised (their label is then known without a query); plain values, tuples, lists, arrays and
    mappings need none. ``repeats="ask"`` asks the oracle about repeated instances too.

    ``strategy`` is how a frontier asks: "auto" decides sets of paths with one call wherever it can
    (``docs/few-queries.md``), "cubes" insists on the way that needs ``find``, and "literal" asks about every
    path by itself, as the paper does; ``repeats="ask"`` implies it.

    >>> c = OracleClass(realizable=lambda sample: sum(y for _, y in sample) <= 1, mistake_bound=1)
    >>> c.realizable([("a", 1), ("b", 0)]), c.realizable([("a", 1), ("b", 1)])
    (True, False)
    >>> str(c.erm([("a", 1), ("b", 1), ("a", 1)]))
    'a concept with label 1 on 1 of 2 points seen'
    """

    spec_name = "oracle"

    def __init__(
        self,
        find: Find | None = None,
        realizable: Realizable | None = None,
        mistake_bound: int | None = None,
        *,
        vc_dimension: int | None = None,
        littlestone_dimension: int | None = None,
        key: Callable[[Any], Hashable] | None = None,
        repeats: str = "infer",
        strategy: str = "auto",
        name: str = "oracle",
    ) -> None:
        if (find is None) == (realizable is None):
            raise InvalidArgument("give exactly one of find= (returns a concept or None) and realizable= (a bool)")
        if repeats not in ("infer", "ask"):
            raise InvalidArgument(f'repeats must be "infer" or "ask"; {got("repeats", repeats)}')
        _check_strategy(strategy, find is not None and repeats == "infer")
        self._find = find
        self._realizable = realizable
        self.mistake_bound = mistake_bound
        self._vc_dimension = vc_dimension
        self._littlestone_dimension = littlestone_dimension
        self._key = key
        self.repeats = repeats
        self.strategy = strategy if repeats == "infer" else "literal"
        self.name = name

    @classmethod
    def from_oracle(cls, oracle: Any, mistake_bound: int | None = None, **options: Any) -> OracleClass:
        """Return the class of an oracle object (``adeptree.oracles``): by ``find`` if it gives witnesses."""
        if not hasattr(oracle, "gives_witnesses"):
            raise InvalidArgument(f"expected an oracle such as ClassOracle(c); {got('oracle', oracle)}")
        asked = {"find": oracle.find} if oracle.gives_witnesses else {"realizable": oracle.realizable}
        return cls(**asked, mistake_bound=mistake_bound, **options)

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
        """Whether the oracle returns concepts, not just bits."""
        return self._find is not None

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
        if self._find is None:
            raise InvalidArgument("this oracle answers only realizable(sample); it was given no find=")
        concept = _asked(self._find, sample)
        if concept is not None and not callable(concept):
            raise OracleError(f"find must return a callable concept or None; {got('concept', concept)}")
        return concept  # type: ignore[no-any-return]

    def realizable(self, sample: Sample) -> bool:
        """Ask the oracle whether a concept fits."""
        if self._find is not None:
            return self.find(sample) is not None
        answer = _asked(self._realizable, sample)
        if not isinstance(answer, (bool, np.bool_)):
            raise OracleError(f"realizable must return True or False; {got('answer', answer)}")
        return bool(answer)

    def labelling(self, sample: Sample) -> Labelling:
        """Return a rule with these labels, without asking anything."""
        return Labelling(tuple(sample), self.realizable, self.key)

    def erm(self, sample: Sample) -> Concept:
        """Return a best concept: the realizable labellings are tried from the cheapest on."""
        counts: dict[Hashable, list[int]] = {}
        points: dict[Hashable, Instance] = {}
        for x, y in self.clean(sample):
            counts.setdefault(self.key(x), [0, 0])[y] += 1
            points.setdefault(self.key(x), x)
        keys = sorted(counts, key=lambda k: -abs(counts[k][1] - counts[k][0]))
        order = itertools.count()
        queue: list[tuple[int, int, int, tuple[tuple[Instance, int], ...]]] = [(0, 0, next(order), ())]
        while queue:
            loss, depth, _, labelled = heapq.heappop(queue)
            if labelled and not self.realizable(labelled):
                continue
            if -depth == len(keys):
                return (self.find(labelled) if self.gives_witnesses else None) or self.labelling(labelled)
            k = keys[-depth]
            for label in (0, 1):
                entry = (loss + counts[k][1 - label], depth - 1, next(order), (*labelled, (points[k], label)))
                heapq.heappush(queue, entry)
        raise ContradictoryOracle("the oracle denies every labelling of the sample: no concept is left")

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Refuse: only the user knows the domain."""
        raise InvalidArgument("an OracleClass does not know its domain; give the adversary instances=")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Refuse: only the user knows the concepts."""
        raise InvalidArgument("an OracleClass cannot draw concepts; give the adversary target=")


def _check_strategy(strategy: str, cubes: bool) -> None:
    if strategy not in ("auto", "literal", "cubes"):
        raise InvalidArgument(f'strategy must be "auto", "literal" or "cubes"; {got("strategy", strategy)}')
    if strategy == "cubes" and not cubes:
        raise InvalidArgument('strategy="cubes" needs find= and repeats="infer"; give those, or strategy="auto"')


def _asked(oracle: Callable[[Sample], Any] | None, sample: Sample) -> Any:
    assert oracle is not None
    try:
        return oracle(list(sample))
    except OracleError:
        raise
    except Exception as error:
        raise OracleError(
            f"the oracle raised {type(error).__name__}: {error}; nothing was learnt from this call"
        ) from error


def freeze(x: Any) -> Hashable:
    """Return a hashable stand-in for plain data.

    >>> freeze({"b": [1, 2], "a": 0}) == freeze({"a": 0, "b": (1, 2)})
    True
    """
    if isinstance(x, np.generic):
        return x.item()  # type: ignore[no-any-return]
    if isinstance(x, np.ndarray):
        return freeze(x.tolist())
    if isinstance(x, Mapping):
        return frozenset((name, freeze(value)) for name, value in x.items())
    if isinstance(x, (list, tuple)):
        return tuple(freeze(value) for value in x)
    hash(x)
    return x  # type: ignore[no-any-return]
