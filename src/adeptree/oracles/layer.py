"""A layer: an oracle around an oracle, that looks at what goes through and changes no answer."""

from __future__ import annotations

import threading
from abc import abstractmethod
from typing import Any

from adeptree.core.errors import InvalidArgument, got
from adeptree.roles.oracle import Kind, Oracle, Samples


class Layer(Oracle):
    """Stands between whoever asks and ``oracle``; layers nest in any order.

    A subclass writes one method, ``_through``, for single queries and batches alike. Closing a layer
    closes what is inside, and attributes a layer does not have are looked up inside too. Threads that ask the same
    layer wait for each other.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import Caching, ClassOracle, Counting
    >>> oracle = Caching(Counting(ClassOracle(Thresholds(8))))
    >>> oracle
    Caching(Counting(ClassOracle(thresholds(n=8))))
    >>> oracle.realizable([(3, 1)]), oracle.realizable([(3, 1)]), oracle.queries
    (True, True, 1)
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = check_oracle(oracle)
        self._lock = threading.RLock()
        self._answers = oracle.answers  # kept: looked at on every call, all the way down a chain

    @property
    def alone(self) -> Any:
        """Held while a question is answered: for what belongs to the layer and lies outside it."""
        return self._lock

    @property
    def answers(self) -> frozenset[Kind]:
        """What the oracle inside answers."""
        return self._answers

    def ask_many(self, kind: Kind, samples: Samples) -> list[Any]:
        """Pass a batch on; an empty one reaches nobody."""
        self._check(kind)
        if not samples:
            return []
        with self._lock:
            return self._through(kind, samples)

    @abstractmethod
    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        """Answer a batch that is not empty, by ``self.oracle.ask_many``."""

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


def check_oracle(oracle: object, kind: Kind | None = None) -> Oracle:
    """Return the oracle, if it is one (and answers ``kind``), or say what was expected."""
    if not isinstance(oracle, Oracle):
        raise InvalidArgument(f"expected an oracle such as ClassOracle(Thresholds(256)); {got('oracle', oracle)}")
    if kind is not None and kind not in oracle.answers:
        raise InvalidArgument(f"expected an oracle that answers {kind}; {got('oracle', oracle)}")
    return oracle
