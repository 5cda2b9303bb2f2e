"""Many cores, many machines: the transcript is that of a single process, for any worker and any failure."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import killed_oracle as ko
import pytest

import adeptree as at
from adeptree import Transcript
from adeptree.core.errors import ContradictoryOracle, InvalidArgument, OracleError, WorkersNotUsed
from adeptree.oracles import FunctionOracle
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.oracles.sharding import DASK, PROCESSES, WORTH, Workers, way
from adeptree.solvers.sat import Dfas, SatClass

posix = pytest.mark.skipif(os.name == "nt", reason="a process is killed by a POSIX signal")

N, ROUNDS = 64, 24
_rng = random.Random(3)
STREAM = [(_rng.randrange(N), _rng.randrange(2)) for _ in range(ROUNDS)]
FATAL = STREAM[12][0]
WORDS = ["".join(w) for size in range(5) for w in itertools.product("ab", repeat=size)]


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with processes() as executor:
        yield executor


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    """A Dask cluster of two worker processes on this machine, as the docs make one."""
    distributed: Any = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.Client(**options, silence_logs=50) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        yield client.get_executor(pure=False)


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def learner_of(concept_class: at.OracleClass, rounds: int = ROUNDS) -> at.Adept:
    return at.Adept(concept_class, horizon=rounds, base=at.Halving(at.Thresholds(N)))


def learnt(concept_class: at.OracleClass, stream: Any = STREAM) -> Transcript:
    return at.play(learner_of(concept_class, len(stream)), stream, rounds=len(stream))


def dfas(**options: Any) -> Transcript:
    automata = SatClass(Dfas(states=2, alphabet="ab"), **options)
    rng = random.Random(1)
    stream = [(word, rng.randrange(2)) for word in rng.sample(WORDS, 14)]
    learner = at.Adept(automata, horizon=14, base=at.Halving(automata.to_finite(WORDS)))
    return at.play(learner, stream, rounds=14)


def source(form: str, oracle: Any) -> dict[str, Any]:
    return {"find" if form == "find" else "realizable": oracle}


SETTINGS = [("find", "literal"), ("find", "cubes"), ("bits", "literal")]
every_setting = pytest.mark.parametrize(("form", "strategy"), SETTINGS, ids=["find", "cubes", "bits"])


def oracle_of(form: str) -> Any:
    return ko.thresholds if form == "find" else ko.threshold_bits


# ------------------------------------------------------------------------------------------------ the same transcript


@every_setting
def test_processes_give_the_transcript_of_one(pool: Executor, form: str, strategy: str) -> None:
    given: dict[str, Any] = {**source(form, oracle_of(form)), "strategy": strategy, "batch": 8}
    assert learnt(at.OracleClass(**given, executor=pool)).rounds == learnt(at.OracleClass(**given)).rounds


@posix
@every_setting
def test_a_killed_process_leaves_the_learner_as_before(tmp_path: Path, form: str, strategy: str) -> None:
    """The call that met the broken pool raises; with a new pool the same call gives the transcript of one process."""
    given: dict[str, Any] = {"strategy": strategy, "batch": 8}
    alone, marker = learner_of(at.OracleClass(**source(form, oracle_of(form)), **given)), tmp_path / "killed"
    fatal = ko.KilledAt(oracle_of(form), FATAL, str(marker))
    with processes() as first, processes() as second:
        c = at.OracleClass(**source(form, fatal), **given, executor=first)
        learner, broken = learner_of(c), 0
        for x, y in STREAM:
            alone.learn(x, y)
            before = learner.rounds, learner.width, learner.expected_loss
            try:
                learner.learn(x, y)
            except OracleError as error:
                assert "a worker process ended before it answered" in str(error) and "send_to(executor)" in str(error)
                assert (learner.rounds, learner.width, learner.expected_loss) == before
                broken += 1
                c.send_to(second)
                learner.learn(x, y)
            assert (learner.width, learner.expected_loss) == (alone.width, alone.expected_loss)
    assert marker.exists() and broken == 1


class BreaksAtTheSecond(ThreadPoolExecutor):
    """A pool whose workers are gone when it takes the second task of a list."""

    def submit(self, *task: Any, **named: Any) -> Any:
        if self._work_queue.qsize() or self._threads:
            raise BrokenProcessPool("the pool is not usable anymore")
        return super().submit(*task, **named)


def test_a_pool_that_breaks_while_it_takes_tasks_is_told_in_the_same_words() -> None:
    with BreaksAtTheSecond(1) as broken:
        c = at.OracleClass(find=ko.thresholds, executor=broken)
        with pytest.raises(OracleError, match=r"a worker process ended before it answered.*send_to\(executor\)"):
            c.find_many([[(x, 1)] for x in range(8)])


def test_batches_change_only_the_number_of_calls(pool: Executor) -> None:
    one, many = (learnt(at.OracleClass(find=ko.thresholds, batch=batch)) for batch in (None, 8))
    calls = [run.rounds[-1].posed for run in (one, many)]
    assert [replace(r, posed=0) for r in one] == [replace(r, posed=0) for r in many]
    assert calls[0] <= calls[1] <= 1.3 * calls[0]


def test_solvers_in_workers(pool: Executor) -> None:
    """Path by path all is the same; the concepts that a solver finds depend on its past, and in cubes the count."""
    dear: dict[str, Any] = {"executor": pool, "call_cost": 1}  # so that they are used
    assert dfas(strategy="literal", **dear).rounds == dfas(strategy="literal").rounds
    shared, alone = dfas(strategy="cubes", **dear), dfas(strategy="cubes")
    assert [replace(r, posed=0) for r in shared] == [replace(r, posed=0) for r in alone]
    assert shared.rounds[-1].posed < 0.5 * shared.rounds[-1].asked


def test_halfspaces_in_workers(pool: Executor) -> None:
    pytest.importorskip("highspy")
    rng = random.Random(0)
    points = [(rng.randrange(9), rng.randrange(9)) for _ in range(12)]

    def rows(**options: Any) -> Any:
        frontier = OracleFrontier(at.Halfspaces(2, **options))
        for x in points:
            frontier.grow(frontier.split(x).children)
        return frontier.labels.tolist(), frontier.queries

    assert rows(executor=pool, batch=16, call_cost=1) == rows(batch=16, call_cost=1)


def test_templates_in_workers(pool: Executor) -> None:
    pytest.importorskip("z3")
    rng = random.Random(0)
    stream = [((rng.randrange(20), rng.randrange(20)), rng.randrange(2)) for _ in range(6)]
    sent = at.SmtClass.made_by(ko.quadrants)
    (cost, sent.call_cost) = (sent.call_cost, 1)  # so that they are used, though z3 is too fast for that
    sent.send_to(pool)
    workers: Any = sent.oracle.oracle
    workers.call_cost = cost
    alone, shared = (at.Adept(c, 6) for c in (at.SmtClass.made_by(ko.quadrants), sent))
    for learner in (alone, shared):
        learner.learn_many(*zip(*stream, strict=True))
    assert shared.expected_loss == alone.expected_loss and shared.width == alone.width
    asked: Any = shared.concept_class.oracle
    assert 0 < asked.sent < shared.queries.posed, "short lists are answered here"
    assert str(shared.best_rule()).startswith("x >= ")
    with pytest.raises(InvalidArgument, match=r"SmtClass.made_by\(function"):
        z = __import__("z3").Int("z")
        at.SmtClass(lambda x: x >= z, [z], executor=pool, call_cost=1).find_many([[(1, 1)]])
    with ThreadPoolExecutor(2) as threads, pytest.raises(InvalidArgument, match="several threads"):
        at.SmtClass.made_by(ko.quadrants, executor=threads)
    with pytest.raises(InvalidArgument, match="must return an SmtClass"):
        at.SmtClass.made_by(dict)  # type: ignore[arg-type]


def test_threads_share_a_function(pool: Executor) -> None:
    with ThreadPoolExecutor(4) as threads:
        run = learnt(at.OracleClass(find=lambda sample: ko.thresholds(sample), executor=threads, batch=8))
        assert run.rounds == learnt(at.OracleClass(find=ko.thresholds, batch=8)).rounds
        assert dfas(strategy="literal", executor=threads, call_cost=1).rounds == dfas(strategy="literal").rounds


# ------------------------------------------------------------------------------------------------ only where it pays


class Unused(Executor):
    """Workers that must not be used."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("asked")


def test_workers_are_not_used_for_calls_cheaper_than_the_way_to_them() -> None:
    with pytest.warns(WorkersNotUsed, match=r"save time from 0\.3 ms on: they are not used; give a larger call_cost="):
        at.OracleClass(find=ko.thresholds, executor=Unused(), call_cost=1e-4, strategy="literal")
    with pytest.warns(WorkersNotUsed, match=r"takes 5 ms, and these workers save time from 6 ms on"):
        c = at.OracleClass(find=ko.thresholds, executor=Unused(), call_cost=5e-3)
    c.call_cost = 1e-4
    alone = at.OracleClass(find=ko.thresholds, call_cost=1e-4)
    assert (c.batch, c.by_workers) == (1, False) and learnt(c).rounds == learnt(alone).rounds
    with pytest.warns(WorkersNotUsed, match=r"Dfas.* takes 0\.1 ms"):
        assert dfas(executor=Unused()).rounds == dfas().rounds
    bits = at.OracleClass(realizable=ko.threshold_bits)
    bits.call_cost = way(Unused()) / 2
    with pytest.warns(WorkersNotUsed):
        bits.send_to(Unused())
    assert OracleFrontier(bits).strategy == "bits"


@pytest.mark.parametrize(("cost", "lists"), [(None, {1, 7, 40}), (5e-3, {1, 7, 40}), (1e-3, {7, 40}), (3e-4, {40})])
def test_short_lists_are_answered_here(cost: float | None, lists: set[int]) -> None:
    """A list is sent if it is worth 16 times its way: 4.8 ms to processes."""
    used: list[int] = []

    class Counted(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            used.append(len(args[2]))
            return super().submit(fn, *args, **kwargs)

    with Counted(2) as threads:
        layer = Workers(FunctionOracle(find=ko.thresholds), threads, call_cost=cost, shared=True)
        layer.task = WORTH * PROCESSES
        for n in (1, 7, 40):
            samples = [[(x, 1), (x + 1, 0)] if x % 2 else [(x, 1)] for x in range(n)]
            before = layer.sent
            answers = layer.find_many(samples)
            assert [answer is None for answer in answers] == [x % 2 == 1 for x in range(n)]
            assert (layer.sent - before == n) == (n in lists)
    assert layer.sent == sum(used) == sum(lists) and layer.seconds > 0
    assert way(threads) < way(Unused()) < DASK


def test_workers_that_are_used_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="adeptree"), ThreadPoolExecutor(1) as threads:
        learnt(at.OracleClass(find=ko.thresholds, executor=threads, call_cost=1e-3, name="cuts"))
    assert [one.message for one in caplog.records if "answered" in one.message] == [
        "calls of cuts are answered by ThreadPoolExecutor"
    ]


def test_dask_asks_for_longer_lists(cluster: Executor) -> None:
    assert way(cluster) == DASK


@posix
@pytest.mark.filterwarnings("default")  # Dask's own, about a worker that died
def test_dask_with_a_killed_worker(cluster: Executor, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    run = learnt(at.OracleClass(find=ko.KilledAt(ko.thresholds, FATAL, str(marker)), batch=8, executor=cluster))
    assert marker.exists()
    assert run.rounds == learnt(at.OracleClass(find=ko.thresholds, batch=8)).rounds


# ------------------------------------------------------------------------------------------------ what goes wrong


def predicting(concept_class: at.OracleClass) -> at.Adept:
    learner = at.Adept(concept_class, horizon=9, base=at.Halving(at.Thresholds(N)))
    learner.learn(20, 1)
    learner.learn(3, 0)
    return learner


@pytest.mark.parametrize("strategy", ["literal", "cubes"])
@pytest.mark.parametrize("batch", [None, 4])
@pytest.mark.parametrize("shared", [False, True], ids=["here", "in workers"])
def test_an_oracle_that_raises(pool: Executor, strategy: str, batch: int | None, shared: bool) -> None:
    executor = pool if shared else None
    learner = predicting(at.OracleClass(find=ko.broken, strategy=strategy, batch=batch, executor=executor))
    before = learner.rounds, learner.width, learner.predict_proba(8), learner.best_loss
    with pytest.raises(OracleError, match="the oracle raised ZeroDivisionError: no such luck"):
        learner.predict_proba(7)
    assert (learner.rounds, learner.width, learner.predict_proba(8), learner.best_loss) == before
    learner.learn(8, 1)


@pytest.mark.parametrize("shared", [False, True], ids=["here", "in workers"])
def test_an_oracle_that_denies_both_labels(pool: Executor, shared: bool) -> None:
    """With bits this can be seen only by asking about both, which all but the strategy "paper" save."""
    learner = predicting(at.OracleClass(realizable=ko.denying, strategy="paper", executor=pool if shared else None))
    with pytest.raises(ContradictoryOracle, match="denies both labels of x=7 on a path of 2 points"):
        learner.predict_proba(7)
    assert learner.rounds == 2 and learner.queries.posed == learner.queries.asked
    empty = at.OracleClass(realizable=ko.denying, strategy="literal", executor=pool if shared else None)
    with pytest.raises(ContradictoryOracle, match="no concept is left"):
        at.Adept(empty, 5, base=at.Halving(at.Thresholds(N))).predict_proba(7)


def test_what_cannot_be_sent_is_said(pool: Executor) -> None:
    with pytest.raises(InvalidArgument, match=r"must be picklable.*no lambdas"):
        at.OracleClass(find=lambda sample: None, executor=pool).find_many([[]])
    with pytest.raises(OracleError, match="concepts that find returns must be picklable"):
        at.OracleClass(find=ko.unsendable, executor=pool).find_many([[(1, 0)]])
    with pytest.raises(InvalidArgument, match=r"executor must be a concurrent\.futures\.Executor.*get_executor"):
        at.OracleClass(find=ko.thresholds, executor=2)  # type: ignore[arg-type]
