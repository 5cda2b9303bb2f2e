"""The near-best rules of a learner, found for one request at a time, so that answers and labels get their turn."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from adeptree.app.serve.refusals import Refusal
from adeptree.app.serve.served_learner import ServedLearner
from adeptree.pages.standing import rule_text

MOST_WAITING = 16
"""Requests that may wait for their turn."""


class RulesDesk:
    """Finding rules keeps the learner, so it rests for as long as that took before it begins again."""

    def __init__(self, served: ServedLearner) -> None:
        self._served, self._turn, self._waiting, self._free = served, asyncio.Lock(), 0, 0.0
        self._last: tuple[tuple[float, int, int], dict[str, Any]] | None = None

    async def rules(self, within: float, limit: int) -> dict[str, Any]:
        """Return the rules as they are sent; whoever asked the same meanwhile gets the same."""
        if self._waiting >= MOST_WAITING:
            raise Refusal(429, f"{MOST_WAITING} requests wait for rules already; try again later", {"Retry-After": "1"})
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._found, (within, limit))
        finally:
            self._waiting -= 1

    def _found(self, key: tuple[float, int]) -> dict[str, Any]:
        served, (within, limit) = self._served, key
        with served.lock:
            if self._last is not None and self._last[0] == (*key, served.learner.rounds):
                return self._last[1]
        time.sleep(max(0.0, self._free - time.monotonic()))
        with served.lock:
            start = time.monotonic()
            try:
                near, rounds = served.learner.rules_within(within, limit), served.learner.rounds
            finally:
                self._free = 2 * time.monotonic() - start
        names = served.columns.names
        listed = [{"rule": rule_text(served.learner, names, one.rule), "loss": one.loss} for one in near]
        found = {"within": within, "best_loss": near[0].loss, "rules": listed, "more": near.more}
        self._last = (*key, rounds), found
        return found
