"""Classes behind a SAT solver: the solver is enumeration, only faster."""

from __future__ import annotations

import copy
import functools
import importlib
import itertools
import pickle
import random
import runpy
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import (
    ContradictoryOracle,
    InvalidArgument,
    InvalidInstance,
    MissingExtra,
    OracleError,
    OracleUnknown,
    TooLarge,
)
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.solvers.sat import (
    AddClause,
    DecisionLists,
    DecisionTrees,
    Dfa,
    Dfas,
    Dnf,
    Encoding,
    KTermDnf,
    Model,
    NewVar,
    SatClass,
)

pytest.importorskip("pysat")

Rule = Callable[[Any], int]


# --- The same classes, listed rule by rule and knowing nothing of the encodings --------------------


def bit_tests(n: int) -> list[Rule]:
    return [lambda x, i=i, b=b: int(x[i] == b) for i in range(n) for b in (0, 1)]  # type: ignore[misc]


def all_dnfs(n: int, k: int) -> Iterator[Rule]:
    cubes = [
        [x for x in itertools.product((0, 1), repeat=n) if all(a in (None, b) for a, b in zip(term, x, strict=True))]
        for term in itertools.product((None, 0, 1), repeat=n)
    ]
    for terms in itertools.combinations_with_replacement([[], *cubes], k):
        ones = {x for term in terms for x in term}
        yield lambda x, ones=ones: int(x in ones)  # type: ignore[misc]


def all_lists(n: int, k: int) -> Iterator[Rule]:
    for rules in itertools.product(itertools.product(bit_tests(n), (0, 1)), repeat=k):
        for default in (0, 1):
            yield lambda x, rules=rules, default=default: next((b for test, b in rules if test(x)), default)  # type: ignore[misc]


def all_trees(n: int, depth: int) -> Iterator[Rule]:
    if depth == 0:
        yield from (lambda x: 0, lambda x: 1)
        return
    for i in range(n):
        for children in itertools.product(list(all_trees(n, depth - 1)), repeat=2):
            yield lambda x, i=i, children=children: children[x[i]](x)  # type: ignore[misc]


def all_dfas(states: int, alphabet: str) -> Iterator[Rule]:
    targets = itertools.product(range(states), repeat=len(alphabet))
    for moves in itertools.product(list(targets), repeat=states):
        for accepting in itertools.product((False, True), repeat=states):
            yield Dfa(alphabet, moves, accepting)


BITS3 = list(itertools.product((0, 1), repeat=3))
BITS4 = list(itertools.product((0, 1), repeat=4))
WORDS = ["".join(word) for size in range(6) for word in itertools.product("ab", repeat=size)]
CASES: dict[str, tuple[Encoding, Callable[[], Iterator[Rule]], list[Any]]] = {
    "dnf": (KTermDnf(n=4, k=2), lambda: all_dnfs(4, 2), BITS4),
    "dnf-3": (KTermDnf(n=3, k=3), lambda: all_dnfs(3, 3), BITS3),
    "lists": (DecisionLists(n=3, k=2), lambda: all_lists(3, 2), BITS3),
    "lists-1": (DecisionLists(n=4, k=1), lambda: all_lists(4, 1), BITS4),
    "trees": (DecisionTrees(n=4, depth=2), lambda: all_trees(4, 2), BITS4),
    "trees-0": (DecisionTrees(n=3, depth=0), lambda: all_trees(3, 0), BITS3),
    "dfas": (Dfas(states=3, alphabet="ab"), lambda: all_dfas(3, "ab"), WORDS),
    "dfas-1": (Dfas(states=2, alphabet="a"), lambda: all_dfas(2, "a"), ["a" * size for size in range(5)]),
}


@functools.cache
def listed(name: str) -> at.FiniteClass:
    _, rules, points = CASES[name]
    return at.FiniteClass([[rule(x) for x in points] for rule in rules()], points=points)


def samples(name: str, count: int, seed: int) -> Iterator[list[tuple[Any, int]]]:
    """Half of them almost those of a concept, so that both answers are common at every size."""
    table, points, rng = listed(name).table, CASES[name][2], random.Random(seed)
    for _ in range(count):
        row = table[rng.randrange(len(table))]
        noise = rng.choice((0.05, 0.15, 0.5))
        columns = [rng.randrange(len(points)) for _ in range(rng.randrange(len(points) + 1))]
        yield [(points[j], int(row[j]) ^ int(rng.random() < noise)) for j in columns]


@pytest.mark.parametrize("name", CASES)
def test_solver_agrees_with_enumeration(name: str) -> None:
    concept_class, reference = SatClass(CASES[name][0]), listed(name)
    said = [0, 0]
    for sample in samples(name, 1500, seed=1):
        concept = concept_class.find(sample)
        expected = reference.realizable(sample)
        said[expected] += 1
        assert (concept is not None) == expected
        if concept is not None:
            assert [concept(x) for x, _ in sample] == [y for _, y in sample]
            assert str(concept)
            with pytest.raises(InvalidArgument, match="last answer"):
                concept_class.core()
        else:
            core = [sample[i] for i in concept_class.core()]
            assert not reference.realizable(core)
            assert not concept_class.realizable(core)
    assert min(said) > 100


@pytest.mark.parametrize("name", CASES)
def test_all_labellings_are_those_of_the_listed_class(name: str) -> None:
    found = SatClass(CASES[name][0]).to_finite(CASES[name][2])
    assert {bytes(row) for row in found.table} == {bytes(row) for row in listed(name).table}


def test_numbers_of_regular_languages() -> None:
    # Domaratzki, Kisman, Shallit 2002: languages of DFAs with at most 1, 2, 3 states over two letters.
    assert [SatClass(Dfas(k, "ab")).to_finite(WORDS).size for k in (1, 2, 3)] == [2, 26, 1054]


@pytest.mark.parametrize("name", ["dnf", "lists", "trees", "dfas"])
def test_erm_is_a_best_concept(name: str) -> None:
    concept_class, reference = SatClass(CASES[name][0]), listed(name)
    for sample in samples(name, 12, seed=2):
        errors = [sum(rule(x) != y for x, y in sample) for rule in (concept_class.erm(sample), reference.erm(sample))]
        assert errors[0] == errors[1]


@pytest.mark.parametrize("name", ["dnf-3", "lists", "trees", "dfas"])
@pytest.mark.parametrize("strategy", ["auto", "literal"])
def test_adept_through_the_solver_equals_adept_on_the_table(name: str, strategy: str) -> None:
    encoding, _, points = CASES[name]
    rng = random.Random(3)
    stream = [(rng.choice(points), rng.randrange(2)) for _ in range(9)]
    base = at.Halving(listed(name))
    solved = at.Adept(SatClass(encoding, strategy=strategy), horizon=9, base=base)
    table = at.Adept(listed(name), horizon=9, base=base)
    for x, y in stream:
        assert solved.predict_proba(x) == pytest.approx(table.predict_proba(x), abs=1e-12)
        solved.learn(x, y)
        table.learn(x, y)
        assert (solved.width, solved.best_loss) == (table.width, table.best_loss)
    assert solved.queries.asked == table.queries.asked
    best = solved.best_rule()
    assert sum(best(x) != y for x, y in stream) == solved.best_loss


@pytest.mark.parametrize("solver", ["glucose4", "minisat22", "maplechrono", "cadical153", "cadical195"])
def test_every_solver_gives_the_same_answers(solver: str) -> None:
    with SatClass(CASES["trees"][0], solver=solver) as concept_class:
        for sample in samples("trees", 100, seed=4):
            assert concept_class.realizable(sample) == listed("trees").realizable(sample)


# --- Unknown -----------------------------------------------------------------------------------------


@dataclass
class Pigeons(Encoding):
    """x = (p, h): does pigeon p sit in hole h? With one hole too few this is hard to refute."""

    holes: int

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        self.seat = [[new_var() for _ in range(self.holes)] for _ in range(self.holes + 1)]
        self.crowded = new_var()
        for row in self.seat:
            add_clause(*row)
        for h in range(self.holes):
            for p, q in itertools.combinations(range(self.holes + 1), 2):
                add_clause(self.crowded, -self.seat[p][h], -self.seat[q][h])

    def label(self, x: Any) -> int:
        return self.crowded if x == "crowded" else self.seat[x[0]][x[1]]

    def decode(self, model: Model) -> Rule:
        seats = {(p, h): int(model(v)) for p, row in enumerate(self.seat) for h, v in enumerate(row)}
        crowded = int(model(self.crowded))
        return lambda x: crowded if x == "crowded" else seats[x]


HARD = [("crowded", 0)]


@pytest.mark.parametrize("limit", [{"conflicts": 1}, {"seconds": 1e-9}, {"conflicts": 700, "seconds": 60.0}])
def test_unknown_is_raised_and_nothing_is_learnt(limit: dict[str, Any]) -> None:
    concept_class = SatClass(Pigeons(9), mistake_bound=3, **limit)
    for ask in (concept_class.find, concept_class.realizable):
        with pytest.raises(OracleUnknown, match=r"could not decide a sample of 1 points within (conflicts|seconds)="):
            ask(HARD)
    assert concept_class.unknowns == 2
    with pytest.raises(InvalidArgument, match="last answer"):
        concept_class.core()
    assert concept_class.realizable([("crowded", 1)])
    learner = at.Adept(concept_class, horizon=5, base=at.Halving(at.FiniteClass([[0], [1]], points=["crowded"])))
    with pytest.raises(OracleUnknown):
        learner.predict_proba("crowded")
    assert (learner.rounds, learner.width) == (0, 1)


def test_unknown_can_be_kept_as_realizable() -> None:
    concept_class = SatClass(Pigeons(9), conflicts=1, on_unknown="keep")
    assert concept_class.realizable(HARD) and concept_class.unknowns == 1
    with pytest.raises(OracleUnknown, match="raise the limit"):
        concept_class.find(HARD)
    assert not concept_class.gives_witnesses and concept_class.finds
    base = at.Halving(at.FiniteClass([[0], [1]], points=["crowded"]))
    learner = at.Adept(concept_class, horizon=5, base=base, on_excess="prune")
    learner.learn("crowded", 1)
    assert learner.width == 2


@pytest.mark.parametrize("strategy", ["cubes", "literal"])
def test_a_kept_frontier_holds_every_realizable_path(strategy: str) -> None:
    encoding, _, points = CASES["dfas"]
    rng = random.Random(5)
    kept = SatClass(encoding, solver="minisat22", conflicts=1, on_unknown="keep", strategy=strategy)
    frontier = OracleFrontier(kept)
    assert frontier.strategy == strategy
    for x in rng.sample(points, 7):
        frontier.grow(frontier.split(x).children)
    assert kept.unknowns > 0
    rows = {bytes(row) for row in frontier.labels}
    seen = [points.index(x) for x in frontier.points]
    assert rows >= {bytes(row) for row in listed("dfas").table[:, seen].astype(np.bool_)}


def test_no_limit_is_no_unknown() -> None:
    assert not SatClass(Pigeons(5)).realizable(HARD)
    assert not SatClass(Pigeons(5), seconds=60).realizable(HARD)
    assert not SatClass(Pigeons(5), conflicts=10**6).realizable(HARD)


# --- Your own encoding, and the rest -------------------------------------------------------------------


@dataclass
class AtMostOneOf(Encoding):
    """1 on at most one of some names."""

    names: tuple[str, ...]

    def start(self, new_var: NewVar, add_clause: AddClause) -> None:
        self.chosen = {name: new_var() for name in self.names}
        for a, b in itertools.combinations(self.chosen.values(), 2):
            add_clause(-a, -b)

    def label(self, x: Any) -> int:
        return self.chosen[x]

    def decode(self, model: Model) -> Rule:
        one = next((name for name, variable in self.chosen.items() if model(variable)), None)
        return lambda x: int(x == one)


def test_an_encoding_of_ones_own() -> None:
    c = SatClass(AtMostOneOf(("a", "b", "c")), littlestone_dimension=1)
    assert c.realizable([("a", 1), ("b", 0)]) and not c.realizable([("c", 0), ("a", 1), ("b", 1)])
    assert c.core() == (1, 2)
    learner = at.Adept(c, horizon=10)  # the base is Ghost(1)
    for x, y in [("a", 0), ("b", 1), ("c", 1), ("b", 1)]:
        learner.learn(x, y)
    assert (learner.width, learner.best_loss) == (4, 1)


def test_an_encoding_that_raises_is_a_sentence() -> None:
    c = SatClass(AtMostOneOf(("a",)), littlestone_dimension=1)
    learner = at.Adept(c, horizon=5)
    with pytest.raises(OracleError, match=r"label of AtMostOneOf\(names=\('a',\)\) raised KeyError: 'z'"):
        learner.learn("z", 1)
    assert (learner.rounds, learner.width) == (0, 1)


def test_clauses_without_a_solution_are_a_sentence() -> None:
    class Nothing(AtMostOneOf):
        def start(self, new_var: NewVar, add_clause: AddClause) -> None:
            super().start(new_var, add_clause)
            add_clause(*(variable := [new_var()]))
            add_clause(-variable[0])

    c = SatClass(Nothing(("a",)), mistake_bound=1, littlestone_dimension=1)
    assert c.find([]) is None and c.core() == ()
    for ask in (lambda: c.erm([("a", 1)]), lambda: c.to_finite(["a"]), lambda: at.Adept(c, 5).predict_proba("a")):
        with pytest.raises(ContradictoryOracle):
            ask()


@pytest.mark.parametrize(
    "c",
    [
        SatClass(KTermDnf(8, 2)),
        SatClass(DecisionLists(4, 3), solver="minisat22", seconds=0.5),
        SatClass(DecisionTrees(5, 2), mistake_bound=4, vc_dimension=3, strategy="literal"),
        SatClass(Dfas(3, "ab"), on_unknown="keep", conflicts=7, batch=5),
        SatClass(Dfas(2, ("left", "right", 3)), littlestone_dimension=4),
    ],
    ids=repr,
)
def test_ready_made_classes_are_specs(c: SatClass) -> None:
    again = at.parse(repr(c))
    assert again == c and repr(again) == repr(c) and hash(again) == hash(c)


def test_specs_say_what_is_wrong() -> None:
    for text in ("dfas(states=0, alphabet='ab')", "dnf(n=3)", "dnf(n=3, k=1, solver='none')", "dnf(n=3, k=1, cost=2)"):
        with pytest.raises(at.errors.InvalidSpec, match="does not fit"):
            at.parse(text)
    with pytest.raises(at.errors.InvalidSpec, match='unknown rules "sat"'):
        at.parse("sat(3)")


def test_a_learner_on_a_ready_made_class_is_loaded_without_it(tmp_path: Path) -> None:
    learner = at.Adept(SatClass(Dfas(2, "ab"), littlestone_dimension=4), horizon=9)
    learner.learn("ab", 1)
    learner.save(tmp_path / "learner")
    assert at.load(tmp_path / "learner").predict_proba("ba") == learner.predict_proba("ba")


def test_copies_have_solvers_of_their_own() -> None:
    c = SatClass(Dfas(3, "ab"), mistake_bound=10, conflicts=10**6)
    said = "dfas(states=3, alphabet='ab', mistake_bound=10, conflicts=1000000)"
    c.find([("ab", 1)])
    for other in (c.clone(), copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert other == c and hash(other) == hash(c) and repr(other) == repr(c) == said
        other.close()
        other.close()
        with pytest.raises(OracleError, match="closed"):
            other.find([])
    assert c.realizable([("ab", 1)])


def test_a_saved_learner_goes_on(tmp_path: Any) -> None:
    base = at.Halving(listed("dfas"))
    learner = at.Adept(SatClass(Dfas(3, "ab")), horizon=20, base=base)
    for x, y in [("ab", 1), ("b", 0), ("aab", 1), ("", 1)]:
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    loaded = at.load(tmp_path / "learner", concept_class=SatClass(Dfas(3, "ab")), base=base)
    assert loaded.predict_proba("ba") == learner.predict_proba("ba")


def test_missing_extra_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[sat\]'"):
        SatClass(KTermDnf(2, 1))


def test_wrong_arguments_are_sentences() -> None:
    with pytest.raises(InvalidArgument, match="must be an Encoding"):
        SatClass("dnf")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="solver must be one of"):
        SatClass(KTermDnf(2, 1), solver="z3")
    with pytest.raises(InvalidArgument, match="knows no limits"):
        SatClass(KTermDnf(2, 1), solver="cadical153", conflicts=5)
    for wrong in ({"conflicts": 0}, {"seconds": -1.0}, {"on_unknown": "guess"}):
        with pytest.raises(InvalidArgument):
            SatClass(KTermDnf(2, 1), **wrong)
    with pytest.raises(InvalidArgument, match="alphabet"):
        Dfas(2, "aa")
    with pytest.raises(InvalidInstance, match="over the alphabet 'ab'"):
        SatClass(Dfas(2, "ab")).find([("abc", 1)])
    with pytest.raises(InvalidInstance, match="3 bits"):
        SatClass(KTermDnf(3, 1)).find([((0, 1), 1)])
    with pytest.raises(TooLarge, match="limit=5"):
        SatClass(KTermDnf(3, 2)).to_finite(BITS3, limit=5)


def test_a_formula_is_read_word_by_word() -> None:
    """Terms with a literal twice, or with both of a bit, bits far out, and points that are not tuples."""
    rules = [
        Dnf(((0, 0), (~1, 1))),
        Dnf(((1, ~1, 2),)),
        Dnf(((~2, 70), (1,))),
        Dnf(()),
        Dnf(((),)),
        Dnf(((0, ~1, 2), (3, ~0, ~0))),
    ]
    rng = random.Random(0)
    for x in [[rng.randrange(2) for _ in range(71)] for _ in range(60)]:
        for rule in rules:
            slow = any(all(x[i] == 1 if i >= 0 else x[~i] == 0 for i in term) for term in rule.terms)
            assert rule(tuple(x)) == rule(x) == rule(np.array(x)) == int(slow)


def test_words_of_any_letters() -> None:
    c = SatClass(Dfas(2, ("up", "down")))
    concept = c.find([(("up", "down"), 1), (["down"], 1), ((), 0)])
    assert concept is not None and concept(("up", "down")) == concept(["down"]) == 1


def test_minimal_automaton_has_the_same_language() -> None:
    rng = random.Random(6)
    for _ in range(50):
        moves = tuple((rng.randrange(5), rng.randrange(5)) for _ in range(5))
        dfa = Dfa("ab", moves, tuple(rng.random() < 0.5 for _ in range(5)))
        small = dfa.minimal()
        assert all(dfa(word) == small(word) for word in WORDS)
        assert len(small.moves) == len(small.minimal().moves) <= 5


def test_the_example_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[2] / "examples" / "noisy_dfa.py"
    example = runpy.run_path(str(path))
    learner = example["main"]()
    printed = capsys.readouterr().out.splitlines()
    shown = textwrap.dedent(example["__doc__"].split("seconds):")[1]).strip().splitlines()
    # The number of calls depends on the solutions that the solver finds first.
    assert [line for line in printed if "solver calls" not in line] == [
        line for line in shown if "solver calls" not in line
    ]
    assert learner.regret <= 0.02 * learner.rounds
    table = SatClass(Dfas(3, "ab")).to_finite(example["WORDS"])
    best = table.erm(example["reports"]())
    assert learner.best_loss == sum(best(x) != y for x, y in example["reports"]())
    assert learner.queries.posed < 0.01 * learner.queries.asked
