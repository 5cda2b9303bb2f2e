"""One chain: whatever a learner asks goes through the layers that it was given, and one place counts."""

from __future__ import annotations

import ast
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, OracleError, OracleUnknown
from adeptree.oracles import (
    Caching,
    ClassOracle,
    ConsistencyOracle,
    Counting,
    FunctionOracle,
    Kind,
    Layer,
    Oracle,
)
from adeptree.oracles.chain import Asking
from adeptree.oracles.oracle_frontier import OracleFrontier

LINE = at.Thresholds(16)
STREAM = [(3, 0), (12, 1), (8, 1), (5, 0), (8, 1), (6, 1), (14, 0), (1, 1)]


def find(sample: Any) -> Any:
    return LINE.erm(sample) if LINE.realizable(sample) else None


def unsure(sample: Any) -> Any:
    """Give up on samples that hold both labels."""
    if len({y for _, y in sample}) == 2:
        raise OracleUnknown("too hard")
    return find(sample)


def unsure_bit(sample: Any) -> bool:
    return unsure(sample) is not None


def inside(oracle: Oracle) -> Iterator[Oracle]:
    yield oracle
    while isinstance(oracle, Layer):
        oracle = oracle.oracle
        yield oracle


def names(oracle: Oracle) -> list[str]:
    return [type(one).__name__ for one in inside(oracle)]


def test_the_chain_of_a_function() -> None:
    with ThreadPoolExecutor(2) as threads:
        whole = at.OracleClass(find=find, seconds=5, executor=threads)
        assert names(whole.oracle) == ["Counting", "Workers", "Asking", "TimeLimit", "FunctionOracle"]
        assert names(pickle.loads(pickle.dumps(whole)).oracle) == ["Counting", "Asking", "TimeLimit", "FunctionOracle"]
    assert names(at.OracleClass(find=find).oracle) == ["Counting", "Asking", "FunctionOracle"]
    with pytest.raises(InvalidArgument, match="not both"):
        at.OracleClass(find=find, oracle=ClassOracle(LINE))
    given = Caching(ClassOracle(LINE))
    placed = list(inside(at.OracleClass.from_oracle(given).oracle))
    assert placed[2] is given and names(placed[0]) == ["Counting", "Asking", "Caching", "ClassOracle"]


@pytest.mark.parametrize("build", [lambda: at.Halfspaces(1), lambda: at.SatClass(dnf())], ids=["lp", "sat"])
def test_solvers_are_sources(build: Any) -> None:
    c = build()
    assert names(c.oracle) == ["Counting", "Asking", "SolverOracle"]
    frontier = OracleFrontier(c)
    frontier.grow(frontier.split((1,)).children)
    assert frontier.queries.posed == c.oracle.queries > 0


def dnf() -> Any:
    from adeptree.solvers.sat import KTermDnf

    return KTermDnf(n=1, k=1)


class Notes(Layer):
    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle)
        self.kinds: list[str] = []

    def _through(self, kind: Kind, samples: Any) -> list[Any]:
        self.kinds += [kind] * len(samples)
        return self.oracle.ask_many(kind, samples)


@pytest.mark.parametrize("options", [{}, {"batch": 4}, {"strategy": "literal"}, {"strategy": "paper"}])
@pytest.mark.parametrize("form", ["find", "bits"])
def test_every_question_of_a_learner_passes_every_layer(form: str, options: dict[str, Any]) -> None:
    class Bits(ConsistencyOracle):
        def realizable(self, sample: Any) -> bool:
            return LINE.realizable(sample)

    source = Counting(ClassOracle(LINE) if form == "find" else Bits())
    notes = Notes(Caching(source))
    outside = Counting(notes)
    learner = at.Adept(at.OracleClass.from_oracle(outside, **options), 20, base=at.Bisection(LINE))
    learner.learn_many(*zip(*STREAM, strict=True))
    assert learner.queries.posed == outside.queries == source.queries > 0
    assert notes.kinds == ["find" if form == "find" else "realizable"] * source.queries


@pytest.mark.parametrize("workers", [False, True], ids=["here", "workers"])
@pytest.mark.parametrize("given", [{"find": unsure}, {"realizable": unsure_bit}], ids=["find", "realizable"])
def test_one_place_counts_what_is_unknown(given: Any, workers: bool) -> None:
    with ThreadPoolExecutor(2) as threads:
        options: dict[str, Any] = {"executor": threads} if workers else {}
        c = at.OracleClass(**given, on_unknown="keep", strategy="literal", **options)
        frontier = OracleFrontier(c)
        for x in (3, 9, 5):
            frontier.grow(frontier.split(x).children)
        assert frontier.queries.unknown == c.unknowns == c.oracle.unknowns > 0
        assert frontier.queries.posed == c.oracle.queries
        assert c.realizable([(3, 0), (4, 1)]) and c.unknowns == frontier.queries.unknown + 1
        assert c.realizable_many([[(3, 0), (4, 1)], [(3, 0)]]) == [True, True]
        assert c.unknowns == frontier.queries.unknown + 2


@pytest.mark.parametrize("strategy", ["literal", "paper"])
@pytest.mark.parametrize("form", ["find", "realizable"])
def test_nothing_is_asked_after_an_answer_that_ends_the_round(form: str, strategy: str) -> None:
    """After a timeout, the other paths do not wait again."""

    def at_9(sample: Any) -> Any:
        if any(x == 9 for x, _ in sample):
            raise OracleUnknown("too hard")
        return find(sample) if form == "find" else LINE.realizable(sample)

    given: dict[str, Any] = {form: at_9}
    c = at.OracleClass(**given, strategy=strategy)
    frontier = OracleFrontier(c)
    for x in (3, 5, 7):
        frontier.grow(frontier.split(x).children)
    before = frontier.queries.posed
    with pytest.raises(OracleUnknown, match="too hard"):
        frontier.split(9)
    assert frontier.width == 4 and frontier.queries.posed == before + 1
    assert c.unknowns == frontier.queries.unknown == 1


def test_what_is_not_known_is_told_of_each_sample() -> None:
    class Unsure(ConsistencyOracle):
        def find(self, sample: Any) -> Any:
            return unsure(sample)

    samples = [[(3, 0)], [(3, 0), (4, 1)], [(3, 1)]]
    told = Asking(Counting(Unsure()), 3).ask_many("find", samples)
    assert [type(answer).__name__ for answer in told] == ["Threshold", "OracleUnknown", "Threshold"]
    cache = Caching(Unsure())
    for oracle in (Unsure(), Counting(Unsure()), cache):
        with pytest.raises(OracleUnknown, match="too hard"):
            oracle.find_many(samples)
    assert cache.misses == 0 and cache.find(samples[0]) is not None


def test_an_oracle_object_that_breaks_gets_a_sentence() -> None:
    class Broken(ConsistencyOracle):
        def realizable(self, sample: Any) -> Any:
            return 1 // len(sample)

    c = at.OracleClass.from_oracle(Broken())
    with pytest.raises(OracleError, match=r"the oracle raised ZeroDivisionError: .*; nothing was learnt"):
        c.realizable([])
    with pytest.raises(OracleError, match="realizable must return True or False; got answer=1"):
        c.realizable([(1, 1)])
    with pytest.raises(InvalidArgument, match="this oracle answers only realizable"):
        c.find_many([[]])


def test_a_function_answers_what_it_can_and_nothing_when_closed() -> None:
    only_bits, lists = (
        FunctionOracle(realizable=LINE.realizable),
        FunctionOracle(find_many=lambda many: [*map(find, many)]),
    )
    for ask in (only_bits.find, lambda sample: only_bits.find_many([sample])):
        with pytest.raises(InvalidArgument, match="answers only realizable; got kind='find'"):
            ask([(3, 1)])
    assert str(lists.find([(3, 0)])) == "x >= 4" and lists.realizable_many([[(3, 0)]]) == [True]
    unknown = FunctionOracle(find_many=lambda many: [OracleUnknown("too hard") for _ in many])
    with pytest.raises(OracleUnknown, match="too hard"):
        unknown.find([(3, 0)])
    for oracle in (only_bits, lists):
        oracle.close()
        with pytest.raises(OracleError, match="closed"):
            oracle.realizable([(3, 1)])


def test_workers_are_taken_up_by_a_frontier_that_is_there() -> None:
    c = at.OracleClass(find=find)
    frontier = OracleFrontier(c)
    with ThreadPoolExecutor(2) as threads:
        c.send_to(threads)
        assert "Workers" in names(frontier.oracle)
        frontier.grow(frontier.split(3).children)
    assert frontier.width == 2 and c.realizable([(3, 1)]), "one question is asked here, when the workers are gone too"


ROOMS = Path(at.__file__).parent
NOT_ROLES = {"encoding", "method", "self.encoding"}
"""Names read by ``getattr`` outside of our roles: the user's encoding of a SAT class."""


def test_capabilities_are_declared_not_guessed() -> None:
    """No class, oracle or frontier is probed for an attribute: the role defines it."""
    files = [path for room in ("oracles", "solvers", "ghost") for path in (ROOMS / room).rglob("*.py")]
    guesses = []
    for path in [*files, ROOMS / "families" / "registry.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            guess = node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3)
            if guess and ast.unparse(node.args[0]) not in NOT_ROLES:
                guesses.append(f"{path.name}:{node.lineno}: {ast.unparse(node)}")
    assert not guesses


def test_a_class_says_what_it_can_do() -> None:
    declared = ["finds", "gives_witnesses", "infers_repeats", "keeps_unknown", "batch", "by_workers", "call_cost"]

    def said(c: Any) -> list[Any]:
        return [getattr(c, name) for name in declared]

    assert said(LINE) == [False, True, True, False, 1, False, None]
    assert said(at.OracleClass(find=find)) == [True, True, True, False, 1, False, None]
    kept = at.OracleClass(find_many=lambda samples: [], on_unknown="keep", repeats="ask", call_cost=1)
    assert said(kept) == [True, False, False, True, 64, False, 1]
    assert said(at.OracleClass(realizable=unsure_bit))[:2] == [False, False]
    assert str(LINE.find([(3, 0)])) == "x >= 4" and LINE.find([(3, 1), (4, 0)]) is None
    assert LINE.mistake_bound is None and LINE.strategy == "auto" and LINE.oracle is None


def test_the_walk_of_a_prediction() -> None:
    """One look at a fresh point goes through 14 files at most, from the learner to the user's function and back."""

    class AtLeast:
        def __init__(self, bound: int) -> None:
            self.bound = bound

        def __call__(self, x: int) -> int:
            return int(x >= self.bound)

    def own(sample: Any) -> Any:
        bound = max((x + 1 for x, y in sample if not y), default=0)
        return AtLeast(bound) if all(x >= bound for x, y in sample if y) else None

    with pytest.warns(at.errors.NoBetterThanACoin):
        learner = at.Adept(at.OracleClass(find=own, littlestone_dimension=6), horizon=50)
    for x in (3, 40, 21, 33, 9):
        learner.learn(x, int(x >= 20))
    entered: set[str] = set()

    def note(frame: Any, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if ROOMS in path.parents:
            entered.add(path.relative_to(ROOMS).as_posix())

    before, posed = sys.gettrace(), learner.queries.posed
    sys.settrace(note)
    try:
        learner.predict_proba(27)
    finally:
        sys.settrace(before)
    assert learner.queries.posed > posed
    assert {"oracles/chain.py", "oracles/oracle_frontier.py", "oracles/cube_search.py"} <= entered
    assert len(entered) <= 14, sorted(entered)
