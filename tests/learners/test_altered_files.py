"""Files altered with a right checksum: learners over solvers, oracles and stumps, experiment rows.

(Learners over the other classes, games and archives are altered in ``test_damaged_files.py``.)
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import times
from test_damaged_files import altered

import adeptree as at
from adeptree.core import files
from adeptree.core.errors import (
    AdeptreeError,
    DamagedFile,
    HorizonReached,
    MistakeBoundExceeded,
    OracleError,
    StateError,
)
from adeptree.core.json_lines import seal, unseal
from adeptree.families.registry import default_base
from adeptree.oracles import ClassOracle
from reproduction.journal import Journal
from reproduction.reproduce import reproduce

SQUARES = at.Thresholds(12)


def squares(**options: Any) -> at.OracleClass:
    return at.OracleClass(littlestone_dimension=4, name="squares", **options)


def find(sample: Any) -> Any:
    return ClassOracle(SQUARES).find(sample)


def sat(spec: str) -> Any:
    pytest.importorskip("pysat")
    return at.parse(spec)


def template() -> Any:
    z3 = pytest.importorskip("z3")
    from adeptree.solvers.smt import SmtClass

    a = z3.Int("a")
    return SmtClass(lambda x: x >= a, [a], [0 <= a, a <= 12])


def halfspaces(**options: Any) -> Any:
    pytest.importorskip("highspy")
    from adeptree.solvers.lp import Halfspaces

    return Halfspaces(**options)


LEARNERS: dict[str, Callable[[], Any]] = {
    "lists": lambda: at.Adept(sat("decision_lists(n=2, k=1)"), 80, base=at.Ghost(3)),
    "automata": lambda: at.Adept(sat("dfas(states=2, alphabet='a')"), base=at.Ghost(3)),
    "grid": lambda: at.Adept(halfspaces(dim=2, grid=3), 80),
    "ball": lambda: at.Adept(halfspaces(dim=1, radius=1, margin=0.1), 80),
    "template": lambda: at.Adept(template(), 80),
    "finder": lambda: at.Adept(squares(find=find), 80),
    "finder with a cost": lambda: at.Adept(squares(find=find, call_cost=1e-6), 80),
    "bits": lambda: at.Adept(squares(realizable=SQUARES.realizable), 80),
    "lazy bits": lambda: at.LazyAdept(squares(realizable=SQUARES.realizable), 80, exponent=0.7),
    "no dimension": lambda: at.Adept(at.OracleClass(realizable=SQUARES.realizable, name="squares")),
    "tracked bits": lambda: at.Adept(squares(realizable=SQUARES.realizable), drift=True, engine="paths"),
    "real stumps": lambda: at.Adept(at.RealStumps(["a", "b"])),
    "counted stumps": lambda: at.Adept(at.RealStumps(["a", "b"]), 80, prior="mixed"),
    "stumps": lambda: at.Adept(at.Stumps(cuts={"a": [0.2, 0.5], "b": [0.4]}), 80),
    "stump paths": lambda: at.Adept(at.Stumps(cuts={"a": [0.2, 0.5], "b": [0.4]}), 80, engine="paths"),
}
OWN = ("oracle", "smt")
"""Classes that a file cannot tell: they are given again."""


def stream(c: Any, count: int, seed: int) -> list[tuple[Any, int]]:
    rng = np.random.default_rng(seed)
    asked = type(c) is at.OracleClass or c.spec_name == "smt"
    return [(int(rng.integers(12)) if asked else c.random_instance(rng), int(rng.integers(2))) for _ in range(count)]


def goes_on(path: Path, given: Any) -> str:
    """Load and continue: an error message at loading, or valid numbers; return which."""
    try:
        learner = at.load(path, concept_class=given)
    except StateError:
        return "refused"
    except AdeptreeError:
        if given is None:
            raise
        return "refused"  # it may be about the class that was given
    try:
        for x, y in stream(learner.concept_class, 30, 5):
            p = learner.predict_proba(x)
            assert 0.0 <= p <= 1.0
            learner.learn(x, y)
            assert 0 <= learner.best_loss < math.inf and not math.isnan(learner.bound)
        str(learner.best_rule())
    except HorizonReached:
        return "ended"
    except (OracleError, MistakeBoundExceeded):
        return "contradiction"  # a row that no rule has: only asking again about all of them would tell
    return "went on"


def somewhere(value: Any, rng: random.Random, where: tuple[Any, ...] = ()) -> tuple[Any, ...]:
    """Return where something is altered: every part of a whole is as likely, however many parts it has."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, (list, tuple)) else ()
    if not keys or (where and rng.random() < 0.2):
        return where
    key = rng.choice(keys)
    return somewhere(value[key], rng, (*where, key))


def with_leaf(value: Any, where: tuple[Any, ...], leaf: Any) -> Any:
    if not where:
        return leaf
    copied = list(value) if isinstance(value, tuple) else value.copy()
    copied[where[0]] = with_leaf(value[where[0]], where[1:], leaf)
    return tuple(copied) if isinstance(value, tuple) else copied


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_altered_learners_are_refused_or_go_on(tmp_path: Path, name: str) -> None:
    learner = LEARNERS[name]()
    for x, y in stream(learner.concept_class, 20, 1):
        learner.learn(x, y)
    path = tmp_path / "learner"
    learner.save(path)
    given = learner.concept_class if learner.concept_class.spec_name in OWN else None
    whole, rng = files.load(path), random.Random(name)
    assert goes_on(path, given) == "went on"
    for _ in range(times(10, 40)):
        where = somewhere(whole, rng)
        value: Any = whole
        for key in where:
            value = value[key]
        other = altered(value, rng)
        try:
            files.save(path, with_leaf(whole, where, other))
        except (AdeptreeError, ValueError, TypeError):
            continue
        try:
            goes_on(path, given)
        except Exception as error:
            error.add_note(f"{where}: {str(value)[:200]} -> {str(other)[:200]}")
            raise


def saved(tmp_path: Path, learner: Any, rounds: int = 12) -> tuple[Path, dict[str, Any]]:
    for x, y in stream(learner.concept_class, rounds, 1):
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    return tmp_path / "learner", files.load(tmp_path / "learner")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("engine", "frontier", "bits_only", "costs"), np.full(4, np.nan)),  # of an array
        (("engine", "base", "kept"), np.array(["a"] * 12)),  # no number at all
    ],
)
def test_the_values_of_a_file_are_looked_at_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[str, ...], value: Any
) -> None:
    c = squares(find=find, call_cost=1e-6)
    path, whole = saved(tmp_path, at.Adept(c, 80))
    monkeypatch.setattr(at.Adept, "__init__", lambda *_: pytest.fail("a learner was built"))
    files.save(path, with_leaf(whole, ("learnt", *where), value))
    with pytest.raises(DamagedFile, match="cannot be what a learner saved"):
        at.load(path, concept_class=c)


@pytest.mark.parametrize(
    ("name", "where", "change"),
    [
        ("bits", ("engine", "frontier", "labels"), lambda labels: labels[[0, *range(len(labels) - 1)]]),
        ("bits", ("engine", "frontier", "labels"), lambda labels: labels[:, :-1]),
        ("bits", ("engine", "frontier", "labels"), lambda labels: labels.astype(int)),
        ("bits", ("engine", "frontier", "points"), lambda points: [*points[:-1], points[0]]),
        ("bits", ("engine", "frontier", "complete"), lambda complete: 1),
        ("bits", ("engine", "frontier", "bits_only", "counted"), lambda counted: counted[..., :-1]),
        ("bits", ("engine", "frontier", "bits_only", "rounds"), lambda rounds: -1),
        ("bits", ("engine", "base", "plans"), lambda plans: plans[:-1]),
        ("bits", ("engine", "base", "plans"), lambda plans: [*plans[:-1], plans[-1][:2]]),
        ("bits", ("engine", "base", "plans"), lambda plans: [*plans[:-1], with_leaf(plans[-1], (1,), ())]),
        (
            "bits",
            ("engine", "base", "plans"),
            lambda plans: [*plans[:-1], with_leaf(plans[-1], (2, 3), ("flat", 0, 0))],
        ),
        ("bits", ("engine", "base", "ghosts"), lambda ghosts: ghosts + 100),
        ("bits", ("engine", "base", "kept"), lambda kept: kept + 3),
        ("bits", ("engine", "waiting", "tickets"), lambda tickets: [3]),
        ("bits", ("rate", "eta"), lambda eta: 1 << 70),
        ("grid", ("engine", "frontier", "points"), lambda points: [*points[:-1], (7, 7)]),
        ("automata", ("engine", "frontier", "points"), lambda points: [*points[:-1], list(points[-1])]),
        ("grid", ("engine", "base", "row_of"), lambda row_of: row_of[:-1]),
        ("ball", ("engine", "base", "states"), lambda states: [*states[:-1], states[-1][:-1]]),
        ("ball", ("engine", "base", "states"), lambda states: [*states[:-1], (*states[-1][:-1], 0)]),
        ("real stumps", ("engine", "columns"), lambda columns: columns[:1]),
        ("real stumps", ("engine", "columns", 1, "keys"), lambda keys: keys[::-1]),
    ],
)
def test_what_no_learner_has_is_refused(tmp_path: Path, name: str, where: tuple[str, ...], change: Any) -> None:
    learner = LEARNERS[name]()
    path, whole = saved(tmp_path, learner)
    given = learner.concept_class if learner.concept_class.spec_name in OWN else None
    value: Any = whole["learnt"]
    for key in where:
        value = value[key]
    files.save(path, with_leaf(whole, ("learnt", *where), change(value)))
    with pytest.raises(DamagedFile):
        at.load(path, concept_class=given)


# --------------------------------------------------------------------------------------------- experiment rows


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": "x"},
        {"seconds": math.nan},
        {"seconds": math.inf},
        {"seconds": -1},
        {"seconds": None},
        {"cell": {"seed": 1}},
        {"cell": 3},
        {"row": {"seed": 1, "regret": 2.0}},
        {"row": [1]},
        {"key": "elsewhere"},
        {"more": 1},
    ],
)
def test_an_altered_row_with_a_right_checksum_is_run_again(tmp_path: Path, change: dict[str, Any]) -> None:
    journal = Journal(tmp_path, "regret", "1.0")
    journal.add({"seed": 0}, {"seed": 0, "regret": 1.0}, 0.5)
    header, line = journal.path.read_text().splitlines()
    entry = unseal(line)
    assert unseal(header) == {"format": "adeptree experiment", "version": 1, "experiment": "regret"}
    assert Journal(tmp_path, "regret", "1.0").row({"seed": 0}) == {"seed": 0, "regret": 1.0}
    journal.path.write_text(seal(json.dumps(entry | change)) + "\n")
    again = Journal(tmp_path, "regret", "1.0")
    assert again.rows == {} and again.seconds == {}


@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_rows_that_were_cut_off_are_run_again(tmp_path: Path) -> None:
    whole = reproduce(level="tiny", only="width", out=tmp_path)
    path = tmp_path / "width.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]))  # the header is the first
    again = reproduce(level="tiny", only="width", out=tmp_path)
    assert again.manifest["kept_from_before"] == 2 and again.rows == whole.rows
    assert len(path.read_text().splitlines()) == len(lines)
    assert reproduce(level="tiny", only="width", out=tmp_path).manifest["kept_from_before"] == len(lines) - 1


# ------------------------------------------------------------------------------------------- and nothing else is


@pytest.mark.parametrize(("d", "n"), [(1, 3), (2, 5), (3, 10), (4, 20), (5, 40), (8, 99), (15, 99)])
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_what_ghost_learners_saved_is_loaded(tmp_path: Path, d: int, n: int) -> None:
    c = at.OracleClass(find=ClassOracle(at.Thresholds(n)).find, name="line")
    for widest in (None, max(2, n // 4)):
        learner, rng = at.Adept(c, base=at.Ghost(d), max_width=widest), random.Random(d)
        for t in range(24):
            learner.learn(rng.randrange(n), rng.randrange(2))
            if t % 6 == 0:
                learner.save(tmp_path / "learner")
                again = at.load(tmp_path / "learner", concept_class=c)
                x = rng.randrange(n)
                assert again.predict_proba(x) == learner.predict_proba(x)


@pytest.mark.parametrize("c", [at.Thresholds(9), at.Intervals(6), at.Parities(3), at.Conjunctions(3)], ids=repr)
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_what_other_base_learners_saved_over_an_oracle_is_loaded(tmp_path: Path, c: Any) -> None:
    own, rng = at.OracleClass(find=ClassOracle(c).find, name="own"), np.random.default_rng(1)
    for base in (default_base(c), at.Halving(c.to_finite()), at.SOA(c.to_finite())):
        learner = at.Adept(own, 40, base=base)
        for t in range(20):
            learner.learn(c.random_instance(rng), int(rng.integers(2)))
            if t % 5 == 0:
                learner.save(tmp_path / "learner")
                again, x = at.load(tmp_path / "learner", concept_class=own, base=base), c.random_instance(rng)
                assert again.predict_proba(x) == learner.predict_proba(x)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("account", "expected_loss"), 1e6),
        (("account", "drift"), -5.0),
        (("account", "excess"), -1e308),
        (("account", "heaviest"), 1e308),
        (("learnt", "rate", "stay"), [0.0, 10**19, 0.0]),
    ],
)
def test_numbers_that_no_proof_allows_are_refused(tmp_path: Path, where: tuple[str, ...], value: Any) -> None:
    learner = at.Adept(at.Thresholds(12))
    learner.learn_many([3, 8, 5, 9, 1], [0, 1, 0, 1, 1])
    saved = learner.saved()
    part = saved
    for name in where[:-1]:
        part = part[name]
    assert where[-1] in part
    part[where[-1]] = value
    path = tmp_path / "learner"
    files.save(path, saved)
    with pytest.raises(StateError):
        at.load(path)


@pytest.mark.parametrize("more", [-1, 1])
def test_answers_that_neither_came_nor_wait_are_refused(tmp_path: Path, more: int) -> None:
    learner = at.Adept(at.Thresholds(9))
    learner.learn_many([3, 5, 4], [0, 1, 1])
    learner.answer(6)
    path, whole = saved(tmp_path, learner)
    files.save(path, with_leaf(whole, ("account", "answered"), whole["account"]["answered"] + more))
    with pytest.raises(DamagedFile, match="open tickets cannot be what a learner saved"):
        at.load(path)


@pytest.mark.parametrize("sums", [[1, 5.0, 0.5], [1, 0.25, 5.0], [1, -0.1, 0.5]])
def test_sums_that_no_answer_without_a_label_has_are_refused(tmp_path: Path, sums: list[Any]) -> None:
    learner = at.Adept(at.Thresholds(9))
    learner.give_up(learner.answer(6))
    path, whole = saved(tmp_path, learner)
    files.save(path, with_leaf(whole, ("account", "given_up"), sums))
    with pytest.raises(DamagedFile, match="given_up cannot be what a learner saved"):
        at.load(path)


def test_at_no_rate_do_late_labels_cost_more_than_was_charged(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(9), rate=1e20)
    learner.learn_many([3, 5, 4], [0, 1, 1])
    path, whole = saved(tmp_path, learner)
    for name in ("drift", "excess"):
        whole = with_leaf(whole, ("account", name), 1000.0)
    files.save(path, whole)
    with pytest.raises(DamagedFile, match="drift cannot be what a learner saved"):
        at.load(path)


def test_a_width_that_is_not_a_whole_number_is_refused(tmp_path: Path) -> None:
    learner = at.Adept(at.RealStumps(["a"]), engine="paths")
    learner.learn({"a": 0.5}, 1)
    learner.save(tmp_path / "learner")
    whole, where = files.load(tmp_path / "learner"), ("learnt", "engine", "frontier", "width")
    files.save(tmp_path / "learner", with_leaf(whole, where, float(learner.width)))
    with pytest.raises(DamagedFile, match="width cannot be what a learner saved"):
        at.load(tmp_path / "learner")


def test_labels_that_were_late_stay_late(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(9))
    learner.answer(6)
    learner.learn(3, 1)
    learner.save(tmp_path / "learner")
    files.save(tmp_path / "learner", with_leaf(files.load(tmp_path / "learner"), ("account", "late"), False))
    with pytest.raises(DamagedFile, match="late cannot be what a learner saved"):
        at.load(tmp_path / "learner")


def test_a_block_that_comes_twice_is_refused(tmp_path: Path) -> None:
    learner = at.Adept(at.BlockUnions(2), drift=True, engine="paths")
    learner.learn_many(["a", "b", "c"], [1, 0, 1])
    learner.save(tmp_path / "learner")
    whole, where = files.load(tmp_path / "learner"), ("learnt", "engine", "frontier", "blocks", 1)
    files.save(tmp_path / "learner", with_leaf(whole, where, "a"))
    with pytest.raises(DamagedFile, match="members cannot be what a learner saved"):
        at.load(tmp_path / "learner")


@pytest.mark.parametrize("c", [at.RealThresholds(), at.RealStumps(["a"])])
def test_a_rule_that_loses_more_than_was_charged_is_refused(tmp_path: Path, c: Any) -> None:
    learner = at.Adept(c)
    for value in (1.0, 2.0, 3.0):
        learner.learn(value if c.spec_name == "real_thresholds" else {"a": value}, 0)
    learner.save(tmp_path / "learner")
    whole = files.load(tmp_path / "learner")
    line: tuple[Any, ...] = () if c.spec_name == "real_thresholds" else ("columns", 0)
    where = ("learnt", "engine", *line, "gain")
    gain: Any = whole
    for key in where:
        gain = gain[key]
    files.save(tmp_path / "learner", with_leaf(whole, where, -gain))
    with pytest.raises(DamagedFile, match="gain cannot be what a learner saved"):
        at.load(tmp_path / "learner")
