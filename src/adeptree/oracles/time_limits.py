"""Time limits: an oracle that does not answer in time has not decided."""

from __future__ import annotations

from typing import Any

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.patience import Patience, check_seconds
from adeptree.oracles.chain import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples


class TimeLimit(Layer):
    """Waits for each question at most ``seconds``; then the answer is :class:`OracleUnknown`.

    A batch has that much for each of its samples. The oracle is asked in a thread of its own; a question that hangs
    goes on there in the background and its answer is never looked at.

    >>> import time
    >>> from adeptree.oracles import FunctionOracle
    >>> oracle = TimeLimit(FunctionOracle(realizable=lambda sample: time.sleep(60)), seconds=0.01)
    >>> oracle.realizable([(1, 1)])
    Traceback (most recent call last):
        ...
    adeptree.core.errors.OracleUnknown: the oracle did not answer within 0.01 seconds; raise seconds=, or give ...
    """

    def __init__(self, oracle: Oracle, seconds: float, *, waits: bool = True) -> None:
        super().__init__(oracle)
        self.waits = waits
        self.seconds = seconds
        limit = check_seconds(seconds)
        if limit is None:
            raise InvalidArgument(f"seconds must be a positive number of seconds; {got('seconds', seconds)}")
        self._patience = Patience(limit)

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        answers: list[Any] = self._patience.call(self.oracle.ask_many, kind, samples, times=len(samples))
        return answers
