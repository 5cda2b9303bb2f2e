"""Readers do not delay answers and labels; a refused request has no partial effect."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from serving import Inside, made

from adeptree.app.serve import writer
from adeptree.app.serve.requests import Limits, Refusal
from adeptree.app.serve.served_learner import Asked, FolderGone
from adeptree.core.errors import StateError


def test_rules_are_found_for_one_request_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with Inside() as inside:
        inside.ask("/learn", {"ticket": inside.ask("/answer", {"x": 3}).body["ticket"], "y": 1})
        learner, desk = inside.served["main"].learner, inside.service.writers["main"].desk
        inner, found, under_way, times = type(learner).rules_within, list[int](), [0], list[float]()

        def slowly(self: Any, *given: Any) -> Any:
            under_way[0] += 1
            found.append(under_way[0])
            times.append(time.monotonic())
            time.sleep(0.05)
            under_way[0] -= 1
            return inner(self, *given)

        async def ask(*keys: tuple[float, int]) -> list[Any]:
            return list(await asyncio.gather(*(desk.rules(*key) for key in keys), return_exceptions=True))

        monkeypatch.setattr(type(learner), "rules_within", slowly)
        assert len({str(one) for one in asyncio.run(ask(*[(1e9, 1000)] * 8))}) == 1 and found == [1]
        desk._turn = asyncio.Lock()  # (one belongs to one loop)
        asyncio.run(ask(*[(float(k), 9) for k in range(4)]))
        assert found == [1] * 5
        assert all(b - a > 0.09 for a, b in pairwise(times))  # (as long again is left to others)
        inside.ask("/learn", {"ticket": inside.ask("/answer", {"x": 3}).body["ticket"], "y": 0})
        assert inside.ask("/rules?within=3&limit=9").body["best_loss"] == learner.best_loss and len(found) == 6
        monkeypatch.setattr(writer, "MOST_WAITING", 2)
        desk._turn = asyncio.Lock()
        refused = [one for one in asyncio.run(ask(*[(1.0, 9)] * 3)) if isinstance(one, Refusal)]
        assert [one.status for one in refused] == [429]


def test_a_refused_batch_expires_nothing_and_no_batch_its_own_tickets() -> None:
    with Inside(Limits(open=3, batch=3), main="thresholds(v)") as inside:
        served = inside.served["main"]
        first = inside.ask("/answer", {"x": 1, "key": "old"}).body
        inside.ask("/answer", {"xs": [2, 3]})
        answers = inside.ask("/answer", {"asked": [{"x": 4, "key": "new"}, {"x": 1, "key": "old"}]}).body["answers"]
        assert answers[1] == first and list(served.book.open) == [1, 3, 4] and served.expired == 1
        before = served.taken
        served.max_open = 2
        assert "at most 2 answers may wait" in inside.ask("/answer", {"xs": [5, 6, 7]}).why
        assert served.taken == before and list(served.book.open) == [1, 3, 4]
        served.max_open = 3  # (of one that waits already and three more, all four would have to wait)
        asked = [{"x": 1, "key": "old"}, {"x": 5}, {"x": 6}, {"x": 7}]
        inside.service.limits = Limits(open=3, batch=4)
        assert "at most 3 answers may wait" in inside.ask("/answer", {"asked": asked}).why


def test_an_answer_that_fails_has_expired_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    with Inside(Limits(open=1, batch=1)) as inside:
        served = inside.served["main"]
        inside.ask("/answer", {"x": 1})
        monkeypatch.setattr(type(served.learner), "answer", fail)
        assert inside.ask("/answer", {"x": 2}).status == 503
        assert list(served.book.open) == [1] and served.expired == 0


def test_a_folder_that_was_swapped_is_noticed(tmp_path: Path) -> None:
    served = made("thresholds(v)", folder=tmp_path / "s")
    served.answer([Asked(["1"], {"v": 1.0})])
    served.commit()
    (tmp_path / "s").rename(tmp_path / "old")
    shutil.copytree(tmp_path / "old", tmp_path / "s")
    with pytest.raises(FolderGone, match=r"rows.journal was replaced while"):
        served.checkpoint()
    served.answer([Asked(["2"], {"v": 2.0})])
    with pytest.raises(FolderGone, match=r"rows.journal was replaced while"):
        served.commit()


def test_rows_are_counted_only_when_they_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(file: int) -> None:
        raise OSError(5, "Input/output error")

    served = made("thresholds(v)", folder=tmp_path / "s")
    before = (tmp_path / "s" / "answered").read_bytes()
    served.answer([Asked(["1"], {"v": 1.0})])
    monkeypatch.setattr(os, "fsync", lost)
    with pytest.raises(StateError, match="Input/output error"):
        served.commit()
    assert (tmp_path / "s" / "answered").read_bytes() == before
