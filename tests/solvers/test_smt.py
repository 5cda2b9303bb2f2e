"""Rule templates through z3: the solver says what listing every setting says."""

from __future__ import annotations

import os
import random
import runpy
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import times

from adeptree import Adept, Ghost, Halving, OracleClass, load
from adeptree.core.errors import (
    InvalidArgument,
    InvalidInstance,
    InvalidLabel,
    MissingExtra,
    OracleError,
    OracleUnknown,
)
from adeptree.families.registry import default_base
from adeptree.solvers.smt import SmtClass, SmtRule

z3 = pytest.importorskip("z3")
a, b, r = z3.Ints("a b r")
Draw = Callable[[random.Random], Any]


def quadrant(**options: Any) -> SmtClass:
    where = [0 <= a, a <= 20, 0 <= b, b <= 20]
    return SmtClass(lambda x: z3.And(x["age"] >= a, x["bmi"] < b), [a, b], where, **options)


def modular(**options: Any) -> SmtClass:
    # The modulus 0 is allowed on purpose: n mod 0 is n.
    return SmtClass(lambda x: x % a == b, [a, b], [0 <= a, a <= 12, 0 <= b, b < 12], **options)


def ball(**options: Any) -> SmtClass:
    where = [0 <= a, a <= 9, 0 <= b, b <= 9, 0 <= r, r <= 5]
    return SmtClass(lambda x: z3.Abs(x[0] - a) + z3.Abs(x[1] - b) <= r, [a, b, r], where, **options)


def person(rng: random.Random) -> dict[str, int]:
    return {"age": rng.randrange(22), "bmi": rng.randrange(22)}


def number(rng: random.Random) -> int:
    return rng.randrange(40)


def pair(rng: random.Random) -> tuple[int, int]:
    return rng.randrange(11), rng.randrange(11)


TEMPLATES = {"quadrant": (quadrant, person, 441), "modular": (modular, number, 156), "ball": (ball, pair, 600)}
BY_HAND: dict[str, Callable[..., bool]] = {
    "quadrant": lambda x, a, b: x["age"] >= a and x["bmi"] < b,
    "modular": lambda x, a, b: (x % a if a else x) == b,
    "ball": lambda x, a, b, r: abs(x[0] - a) + abs(x[1] - b) <= r,
}
named = pytest.mark.parametrize("name", TEMPLATES)


def samples(name: str, n: int, seed: int) -> tuple[SmtClass, list[list[tuple[Any, int]]]]:
    """Return samples near a concept: some realizable, some not."""
    make, draw, _ = TEMPLATES[name]
    c, rng = make(), random.Random(seed)
    assert c.listed is not None
    points = [draw(rng) for _ in range(30)]
    made = []
    for _ in range(n):
        rule = c.listed.concept(rng.randrange(c.listed.size))
        chosen = rng.choices(points, k=rng.choice((1, 2, 3, 5, 8, 13)))
        made.append([(x, rule(x) ^ (rng.random() < 0.1)) for x in chosen])
    return c, made


@named
def test_listed_settings_are_the_template(name: str) -> None:
    make, draw, size = TEMPLATES[name]
    c, rng = make(), random.Random(0)
    assert c.listed is not None and c.listed.size == size
    for x in (draw(rng) for _ in range(15)):
        settings = (c.listed.setting(i) for i in range(size))
        assert c.listed.labels(x).tolist() == [int(BY_HAND[name](x, **setting)) for setting in settings]


def listing(c: SmtClass) -> Callable[[list[tuple[Any, int]]], bool]:
    """Return the weak-consistency oracle of all settings, which remembers the labels of every point."""
    assert c.listed is not None
    columns: dict[Any, Any] = {}

    def realizable(sample: list[tuple[Any, int]]) -> bool:
        fits = np.ones(c.listed.size, dtype=np.bool_)  # type: ignore[union-attr]
        for x, y in sample:
            if c.key(x) not in columns:
                columns[c.key(x)] = c.listed.labels(x)  # type: ignore[union-attr]
            fits &= columns[c.key(x)] == y
        return bool(fits.any())

    return realizable


@named
def test_solver_is_enumeration(name: str) -> None:
    c, made = samples(name, times(350, 2000) if name != "ball" else times(200, 1000), seed=1)
    realizable = listing(c)
    answers = []
    for sample in made:
        concept = c.find(sample)
        answers.append(concept is not None)
        assert answers[-1] == realizable(sample)
        if concept is not None:
            assert isinstance(concept, SmtRule)
            assert all(concept(x) == y == BY_HAND[name](x, **dict(concept.constants)) for x, y in sample)
        else:
            assert len(set(c.core())) == len(c.core())
            assert not realizable([sample[i] for i in c.core()])
    assert 20 < sum(answers) < len(answers) - 20


@named
def test_a_template_is_instantiated_once_an_instance(name: str) -> None:
    make, draw, _ = TEMPLATES[name]
    c, rng = make(), random.Random(2)
    calls: list[Any] = []
    template = c.template
    c.template = lambda x: calls.append(x) or template(x)  # type: ignore[func-returns-value]
    points = [draw(rng) for _ in range(8)]
    for _ in range(30):
        c.find([(x, rng.randrange(2)) for x in rng.sample(points, 3)])
    assert len(calls) <= len(points)


@named
def test_frontier_is_that_of_the_listed_class(name: str) -> None:
    make, draw, size = TEMPLATES[name]
    c, rng = make(), random.Random(3)
    solver, listed = Adept(c, horizon=20), Adept(c.listed, horizon=20)  # type: ignore[arg-type]
    assert solver.mistake_bound == listed.mistake_bound == size.bit_length() - 1
    for x in [draw(rng) for _ in range(12)]:
        assert solver.predict_proba(x) == pytest.approx(listed.predict_proba(x), abs=1e-12)
        y = rng.randrange(2)
        solver.learn(x, y)
        listed.learn(x, y)
        assert solver.width == listed.width
    assert solver.best_loss == listed.best_loss
    assert solver.queries.asked == listed.queries.asked and solver.queries.posed < 0.5 * solver.queries.asked + 1


def test_kept_unknowns_lose_no_path_and_raised_ones_change_nothing() -> None:
    rng = random.Random(4)
    stream = [(person(rng), rng.randrange(2)) for _ in range(7)]
    exact = Adept(quadrant().listed, horizon=20)  # type: ignore[arg-type]
    kept = Adept(quadrant(rlimit=1, on_unknown="keep"), horizon=20, on_excess="prune")
    for x, y in stream:
        exact.learn(x, y)
        kept.learn(x, y)
    assert kept.width >= exact.width and kept.best_loss <= exact.best_loss
    strict = Adept(quadrant(rlimit=1), horizon=20)
    with pytest.raises(OracleUnknown, match=r"could not decide a sample of 0 points .*rlimit="):
        strict.learn(*stream[0])
    assert strict.width == 1 and strict.rounds == 0 and strict.concept_class.unknowns == 1  # type: ignore[attr-defined]
    with pytest.raises(OracleUnknown, match=r"seconds=0.001 reached"):
        quintic = SmtClass(lambda x: a**5 + b**5 == r**5 + x, [a, b, r], [a > 9, b > 9], seconds=0.001)
        quintic.find([(11, 1)])


def test_the_step_limit_is_deterministic() -> None:
    def answers(rlimit: int) -> list[bool | None]:
        c = ball(rlimit=rlimit)
        said: list[bool | None] = []
        for sample in made:
            try:
                said.append(c.find(sample) is not None)
            except OracleUnknown:
                said.append(None)
        return said

    truth, made = samples("ball", 60, seed=5)
    seen: set[bool | None] = set()
    for rlimit in (3000, 6000):  # how much is decided within them depends on z3's version, not on the machine
        said = answers(rlimit)
        assert said == answers(rlimit)
        assert all(one in (None, truth.listed.realizable(s)) for one, s in zip(said, made, strict=True))  # type: ignore[union-attr]
        seen |= set(said)
    assert {None, True} <= seen


def test_rules_read_well() -> None:
    sample = [({"age": 6, "bmi": 4}, 0), ({"age": 7, "bmi": 4}, 1), ({"age": 9, "bmi": 5}, 0)]
    assert str(quadrant().find(sample)) == "And(age >= 7, bmi < 5)"
    assert str(quadrant(text="age >= {a} and bmi < {b}").find(sample)) == "age >= 7 and bmi < 5"
    odd = SmtClass(lambda x: a == (3 if x > 5 else 4), [a], [0 <= a, a <= 9])
    assert str(odd.find([(7, 1)])) == "a = 3"


def test_reals_booleans_and_divisions_are_exact() -> None:
    cut, flip, step = z3.Real("cut"), z3.Bool("flip"), z3.Int("step")
    c = SmtClass(lambda x: z3.Xor(x / 3 + 0.1 < cut, flip), [cut, flip], [cut >= 0, cut <= 1])
    concept = c.find([(0.3, 1), (0.31, 0)])
    assert isinstance(concept, SmtRule) and concept(0.3) == 1 and concept(0.31) == 0
    assert c.listed is None and isinstance(concept.constants[0][1], Fraction)
    thirds = SmtClass(lambda x: z3.ToReal(a) * 0.1 + x == 0.3, [a], [-5 <= a, a <= 5])
    assert [concept(x) for concept in [thirds.find([(0.1, 1)])] if concept for x in (0.1, 0.2, 0.0)] == [1, 0, 0]
    assert thirds.listed is not None and thirds.listed.labels(0.1).tolist().index(1) == 7
    quotient = SmtClass(lambda x: x / step == 2, [step], [-4 <= step, step <= 4])
    assert quotient.listed is not None
    for x in range(-12, 13):
        assert quotient.realizable([(x, 1)]) == bool(quotient.listed.labels(x).any())
    root = SmtClass(lambda x: cut * cut == x, [cut], [cut >= 0])
    concept = root.find([(2, 1)])
    assert concept is not None and (concept(2), concept(3)) == (1, 0)


def test_constants_may_have_any_name() -> None:
    x, me = z3.Ints("x self")
    c = SmtClass(lambda point: z3.And(point >= x, point < me), [x, me], [0 <= x, x <= 5, 0 <= me, me <= 5])
    assert c.listed is not None and c.listed.labels(3).sum() == 4 * 2
    concept = c.find([(2, 1), (3, 0)])
    assert concept is not None and [concept(i) for i in (2, 3, 700)] == [1, 0, 0]
    assert len(c._solving.literals) == 2  # 700 was labelled, not asked about


def test_large_numbers_do_not_wrap_around() -> None:
    c = SmtClass(lambda x: a * x > 0, [a], [0 <= a, a <= 8])
    assert c.listed is not None and c.listed.labels(1 << 62).tolist() == [0, *[1] * 8]


def test_instances_are_recognised() -> None:
    c = quadrant()
    same = {"bmi": np.int64(4), "age": np.int32(6)}
    assert c.find([({"age": 6, "bmi": 4}, 1), (same, 0)]) is None and c.core() == (0, 1)
    assert c.instance(same) is c.instance({"age": 6, "bmi": 4})
    assert c.key({"age": 6, "bmi": 4}) != c.key({"age": 6.0, "bmi": 4})


def test_base_learners() -> None:
    c = quadrant()
    assert default_base(c) == Halving(c.listed) and default_base(c).mistake_bound == 8
    assert default_base(quadrant(littlestone_dimension=1)) == Ghost(1)
    assert default_base(quadrant(littlestone_dimension=3)).mistake_bound == 8
    endless = SmtClass(lambda x: x >= a, [a])
    with pytest.raises(InvalidArgument, match=r"too many settings.*bound them in where="):
        Adept(endless, horizon=5)
    assert Adept(endless, horizon=5, base=Ghost(2)).mistake_bound == 9


def test_erm_and_saving(tmp_path: Any) -> None:
    c = quadrant()
    sample = [({"age": i, "bmi": 5}, y) for i, y in enumerate([0, 1, 0, 0, 1, 1])]
    assert sum(c.erm(sample)(x) != y for x, y in sample) == 1
    learner = Adept(c, horizon=20)
    for x, y in sample:
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    again = load(tmp_path / "learner", concept_class=quadrant())
    assert again.predict_proba({"age": 2, "bmi": 4}) == learner.predict_proba({"age": 2, "bmi": 4})


def test_a_missing_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[smt\]'"):
        SmtClass(lambda x: x >= a, [a])
    check = "import sys, adeptree, adeptree.solvers.smt; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: SmtClass("x >= a", [a]), InvalidArgument, "template must be a function of x"),  # type: ignore[arg-type]
        (lambda: SmtClass(lambda x: x >= a, []), InvalidArgument, "constants must be the unknowns"),
        (lambda: SmtClass(lambda x: x >= a, [a + 1]), InvalidArgument, "constants must be the unknowns"),
        (lambda: SmtClass(lambda x: x >= a, a), InvalidArgument, "constants must be the unknowns"),
        (lambda: SmtClass(lambda x: x >= a, [a], [a + 1]), InvalidArgument, "where must hold conditions"),
        (lambda: SmtClass(lambda x: x >= a, [a], [b > 0]), InvalidArgument, "where= uses b, which is not among"),
        (lambda: SmtClass(lambda x: x >= a, [a], [a < 0, a > 0]), InvalidArgument, "contradict each other"),
        (lambda: quadrant(on_unknown="guess"), InvalidArgument, "'raise', 'keep'; got on_unknown='guess'"),
        (lambda: quadrant(text="age >= {c}"), InvalidArgument, r"text must be a format of the constants.*'a', 'b'"),
        (lambda: SmtClass(lambda x: x >= a, [a, z3.Real("a")]), InvalidArgument, "must have different names"),
        (lambda: quadrant(rlimit=0), InvalidArgument, "rlimit must be an int >= 1"),
        (lambda: quadrant(seconds=-1), InvalidArgument, "seconds must be a positive number"),
        (lambda: quadrant().core(), InvalidArgument, 'explains a "no", but the last answer was none'),
        (lambda: quadrant().find([({"age": 1}, 1)]), InvalidInstance, "the template raised KeyError: 'bmi'"),
        (lambda: quadrant().find([({"age": float("nan"), "bmi": 1}, 1)]), InvalidInstance, "the template raised"),
        (lambda: quadrant().find([({"age": 1, "bmi": 2}, 2)]), InvalidLabel, "a label must be 0 or 1"),
        (lambda: SmtClass(lambda x: a + x, [a]).instance(1), InvalidArgument, "must return a z3 condition"),
        (lambda: SmtClass(lambda x: a + b > x, [a]).instance(1), InvalidArgument, "the template uses b"),
    ],
)
def test_wrong_input_gets_a_sentence(make: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        make()


def test_it_is_an_oracle_class() -> None:
    assert isinstance(quadrant(), OracleClass) and issubclass(OracleUnknown, OracleError)
    assert quadrant().gives_witnesses and not quadrant(on_unknown="keep").gives_witnesses


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_is_no_answer() -> None:
    # It is not known if 114 is a sum of three cubes, so z3 would run for long.
    cubes = SmtClass(lambda x: a * a * a + b * b * b + r * r * r == x, [a, b, r], on_unknown="keep")
    cubes.instance(114)
    armed = True

    def strike(*_: Any) -> None:
        if armed:  # (if z3 answers, the signal must not strike another test)
            raise KeyboardInterrupt

    timer, before = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)), signal.signal(signal.SIGINT, strike)
    try:
        with pytest.raises(KeyboardInterrupt):
            try:
                timer.start()
                cubes.realizable([(114, 1)])
            finally:
                armed = False
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_the_example_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "rule_template.py"))
    example["main"]()
    shown = textwrap.dedent(example["__doc__"].split("rules that fit):")[1]).strip().splitlines()
    printed = capsys.readouterr().out.strip().splitlines()
    # The number of calls depends on the rules that z3 finds first.
    assert [line for line in printed if "z3 calls" not in line] == [line for line in shown if "z3 calls" not in line]
