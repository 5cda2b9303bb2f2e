"""Everything we ship keeps its contract, and the contract suite notices who does not."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import pytest
from long_form import times
from shipped_families import shipped

import adeptree as at
from adeptree import research
from adeptree.checks import (
    Check,
    CheckFailed,
    CheckSkipped,
    Report,
    check,
    checks_for,
    parametrize_with_checks,
    subject,
)
from adeptree.checks.subjects import HORIZON
from adeptree.core.errors import InvalidArgument
from adeptree.families.registry import default_base
from adeptree.games import Recorded
from adeptree.roles.family import Family
from reproduction.block_reset import BlockReset
from reproduction.ghost_adversary import MadeUp
from reproduction.voting_learners import Consistent, MajorityPruning, WeightedVote

LINE, SPANS, STUMPS, BLOCKS = (
    at.Thresholds(6),
    at.Intervals(6),
    at.Stumps(cuts={"age": [30, 50], "bmi": [25]}),
    at.BlockUnions(2),
)
TABLE = at.FiniteClass(["0011", "0101", "1111", "1000"], points=["a", "b", "c", "d"])
BITS = (at.Conjunctions(3), at.Disjunctions(2), at.Parities(3))


def tens(x: int) -> int:
    """A block function."""
    return x // 3


def find(sample: Any) -> Any:
    """An oracle with witnesses."""
    return LINE.erm(sample) if LINE.realizable(sample) else None


class RememberOnes:
    """A user's own state machine for block unions."""

    mistake_bound = 2

    def start(self) -> tuple[Any, ...]:
        return ()

    def predict(self, state: tuple[Any, ...], x: Any) -> int:
        return int(x in state)

    def update(self, state: tuple[Any, ...], x: Any, y: int) -> tuple[Any, ...]:
        return (*state, x) if y and x not in state else state


BY_BIT = at.OracleClass(realizable=LINE.realizable, mistake_bound=2, name="bit")
BY_WITNESS = at.OracleClass(find=find, vc_dimension=1, littlestone_dimension=2, mistake_bound=2, name="witness")

RECORDS = {at.parse(family.small or family.example): family for family in shipped()}
"""Every family we ship, at a small size."""

CLASSES: list[Any] = [
    *RECORDS,
    *(at.Thresholds(n) for n in (1, 2, 7, 65536)),
    *(at.Intervals(n) for n in (1, 2, 7, 300)),
    at.Stumps(cuts={"x": [0.5]}),
    *(at.BlockUnions(d) for d in (1, 4)),
    at.BlockUnions(2, block=tens),
    at.BlockUnions(2, block="sender"),
    *(kind(1, monotone=m) for kind in (at.Conjunctions, at.Disjunctions) for m in (False, True)),
    at.Conjunctions(3, monotone=True),
    at.Disjunctions(3),
    at.Parities(1),
    *(kind(70) for kind in (at.Conjunctions, at.Disjunctions, at.Parities)),
    at.FiniteClass([[0]]),
    at.FiniteClass([[0, 1, 1], [1, 0, 1]]),
    TABLE,
    subject(at.TemplateClass(lambda x, a: x >= a, {"a": range(5)}), instances=range(6)),
    subject(BY_BIT, instances=range(6)),
    subject(BY_WITNESS, instances=range(6)),
]
CITED = (MajorityPruning(2), WeightedVote(), Consistent())
BASES: list[Any] = [
    *(subject(default_base(c).bind(c), concept_class=c) for c in RECORDS),
    *(at.Bisection(at.Thresholds(n)) for n in (1, 4, 1000)),
    *(research.IntervalSearch(at.Intervals(n)) for n in (1, 5, 200)),
    *(research.DefaultZero(at.BlockUnions(d)) for d in (1, 3)),
    *(research.Elimination(kind(n)) for kind in (at.Conjunctions, at.Disjunctions) for n in (1, 3)),
    research.Elimination(at.Conjunctions(3, monotone=True)),
    *(research.GaussianElimination(at.Parities(n)) for n in (1, 4)),
    *(at.SOA(c) for c in (TABLE, LINE, STUMPS)),
    *(at.Halving(c) for c in (TABLE, SPANS, STUMPS, at.Parities(2))),
    *(subject(base, concept_class=c) for base in CITED for c in (LINE, at.BlockUnions(1, block=tens))),
    subject(at.Ghost(1), concept_class=at.BlockUnions(1)),
    subject(at.Ghost(1), concept_class=at.BlockUnions(1, block=tens)),
    subject(at.Ghost(2), concept_class=LINE),
    subject(RememberOnes(), concept_class=BLOCKS, name="RememberOnes"),
    subject(at.Bisection(LINE), concept_class=BY_WITNESS, instances=range(6), name="Bisection on an oracle"),
]


def recalling(c: at.ConceptClass) -> at.ConceptClass:
    """The class, which recalls what it answered: all laws of learners play the same streams, and ask it the same."""
    c = copy(c)
    for name in ("realizable", "erm"):
        c.__dict__[name] = recalled(getattr(c, name))
    return c


def recalled(ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[str, Any] = {}

    def answer(sample: Any) -> Any:
        key = repr(sample := list(sample))
        return known[key] if key in known else known.setdefault(key, ask(sample))

    return answer


def options(family: Family) -> dict[str, Any]:
    """The options of Adept in the family's golden game."""
    return {name: value for name, value in family.golden.items() if name not in ("adversary", "rounds")}


ADEPT: dict[str, Callable[..., at.OnlineLearner]] = {
    "Adept thresholds": partial(at.Adept, LINE),
    "Adept thresholds first-order": partial(at.Adept, LINE, rate="first-order"),
    **{f"Adept thresholds {base!r}": partial(at.Adept, LINE, base=base, prior="kt") for base in CITED},
    "Adept intervals": partial(at.Adept, SPANS),
    "Adept intervals first-order": partial(at.Adept, SPANS, rate="first-order"),
    "Adept stumps rate 0.3": partial(at.Adept, STUMPS, rate=0.3),
    "Adept blocks": partial(at.Adept, BLOCKS),
    "Adept blocks by function": partial(at.Adept, at.BlockUnions(1, block=tens)),
    "Adept blocks own base": partial(at.Adept, BLOCKS, base=RememberOnes()),
    **{f"Adept {c!r}": partial(at.Adept, c) for c in BITS},
    "Adept table SOA": partial(at.Adept, TABLE, base=at.SOA()),
    "Adept table Halving first-order": partial(at.Adept, TABLE, base=at.Halving(), rate="first-order"),
    "Adept KT adaptive": partial(at.Adept, LINE, prior="kt"),
    "Adept KT anytime": partial(at.Adept, SPANS, prior="kt", rate="anytime"),
    "Adept KT first-order": partial(at.Adept, STUMPS, prior="kt", rate="first-order"),
    "Adept collapsed blocks": partial(at.Adept, BLOCKS, engine="collapsed"),
    "Adept collapsed blocks KT": partial(at.Adept, BLOCKS, prior="kt", engine="collapsed"),
    "Adept real thresholds": partial(at.Adept, at.RealThresholds(), prior="kt"),
    **{
        f"Adept {c!r} of its record": partial(at.Adept, recalling(c), **options(family))
        for c, family in RECORDS.items()
        if family.name != "real_steps"  # whose regret is to the most probable labelling, not to ERM
    },
    "Adept one concept M=0": partial(at.Adept, at.FiniteClass([[0, 1]])),
    "Hedge thresholds": partial(at.Hedge, LINE),
    "Hedge stumps first-order": partial(at.Hedge, STUMPS, rate="first-order"),
    "LazyAdept thresholds": partial(at.LazyAdept, LINE),
    "LazyAdept all rounds": partial(at.LazyAdept, SPANS, exponent=1.0),
    "Adept collapsed line": partial(at.Adept, LINE, engine="collapsed"),
    "Adept collapsed line KT": partial(at.Adept, LINE, prior="kt", engine="collapsed"),
}
SLOW = ("Adept table_", "Adept real_unions")
LEARNERS: list[Any] = [
    *(
        subject(factory, name=name, horizon=times(7, HORIZON) if name.startswith(SLOW) else HORIZON)
        for name, factory in ADEPT.items()
    ),
    subject(partial(at.Bpss, TABLE), horizon=7, name="Bpss table"),
    subject(partial(at.Bpss, LINE, prune=True), horizon=7, name="Bpss thresholds pruned"),
    subject(partial(at.Bpss, LINE, rate="first-order"), horizon=7, name="Bpss thresholds first-order"),
    subject(partial(at.Adept, BY_BIT, base=at.Bisection(LINE)), instances=range(6), name="Adept oracle bit"),
    subject(partial(at.Adept, BY_WITNESS, base=at.Bisection(LINE)), instances=range(6), name="Adept oracle witness"),
]
RESET = BlockReset(d=1)
MADE_UP = [MadeUp(d, strategy) for d, strategy in ((2, "full"), (2, "coined"), (3, "constant"))]
ADVERSARIES: list[Any] = [
    at.Stochastic(LINE),
    at.Stochastic(STUMPS, noise=0.0),
    at.Stochastic(BLOCKS, instances=range(5)),
    at.Drifting(SPANS, period=4),
    at.Greedy(at.Parities(3)),
    at.LittlestoneTree(LINE),
    at.LittlestoneTree(STUMPS),
    subject(Recorded([(t % 6, t % 2) for t in range(40)]), concept_class=LINE),
    subject(RESET, learner=partial(at.Adept, RESET.oracle)),
    *(subject(game, learner=partial(at.Adept, game.oracle)) for game in MADE_UP),
]


MAY_SKIP = {
    "check_save_and_load": "Bpss",  # a small reference, not saved
    "check_save_after_predicting": "Bpss",
    "check_regret_bound": "LazyAdept",  # the theorem hides its constant
    "check_invalid_instance": "by function",  # only the user's function knows what is valid
    "check_bound_is_possible": "unions",  # the Littlestone dimension of two intervals is unknown
    "check_total": "Ghost",  # raises an error for samples that are not realizable
}
"""The laws that shipped learners and adversaries may skip."""
BOUND_LAWS = {
    "check_mistake_bound",
    "check_bound_is_possible",
    "check_mistakes_on_every_sequence",
    "check_mistakes_against_the_other_label",
    "check_mistakes_against_a_chooser",
}


@parametrize_with_checks(CLASSES)
def test_classes(check: Check) -> None:
    check()


@parametrize_with_checks([*BASES, *LEARNERS, *ADVERSARIES])
def test_contract(check: Check) -> None:
    try:
        check()
    except CheckSkipped as skipped:
        assert MAY_SKIP.get(check.name, "nobody") in check.subject.name or promises_no_bound(check), skipped
        raise


def promises_no_bound(check: Check) -> bool:
    """Return True if a law of mistake bounds was applied to a base learner without one."""
    base = getattr(check.subject, "base", None)
    return check.name in BOUND_LAWS and base is not None and base.mistake_bound is None


@pytest.mark.parametrize(
    ("objects", "laws", "ran"),
    [(CLASSES, 30, 19), (BASES, 12, 11), (LEARNERS, 21, 19), (ADVERSARIES, 6, 6)],
    ids=["classes", "bases", "learners", "adversaries"],
)
def test_enough_checks_ran(objects: list[Any], laws: int, ran: int) -> None:
    """Skips never hollow out the contract: a floor on the laws, and on those that ran."""
    assert all(len(checks_for(obj)) >= laws for obj in objects)
    # (Of all but classes, test_contract says who may skip what.)
    for obj in objects[:: len(objects) // 4] if objects is CLASSES else objects[:1]:
        assert len(check(obj).ran) >= ran, check(obj)


def test_every_law_says_why() -> None:
    for obj in (LINE, BASES[0], LEARNERS[0], ADVERSARIES[0]):
        names = [one.name for one in checks_for(obj)]
        assert len(names) == len(set(names))
        assert all(one.reason.endswith(".") for one in checks_for(obj))


def test_report_reads_well() -> None:
    report = check(at.BlockUnions(2, block=tens))
    assert report.passed
    assert str(report).startswith("ran 23, skipped 7: it holds a function")
    assert str(check(LINE)) == "ran 30, skipped 0"
    assert not Report((), {"check_a": "no"}, {}).passed, "nothing ran, so nothing was shown"


def test_ids_can_be_selected() -> None:
    mark = parametrize_with_checks([LINE]).mark
    ids = [mark.kwargs["ids"](one) for one in mark.args[1]]
    assert "thresholds(n=6)-check_empty_sample" in ids


def test_a_class_without_instances_is_skipped_with_a_hint() -> None:
    report = check(at.OracleClass(realizable=LINE.realizable))
    assert "instances=" in report.skipped["check_contradiction"]


def test_checks_raise_on_their_own() -> None:
    with pytest.raises(CheckSkipped, match="cannot be listed"):
        next(one for one in checks_for(BLOCKS) if one.name == "check_size")()
    assert issubclass(CheckFailed, AssertionError)


@pytest.mark.parametrize("obj", [3, at.Adept(LINE, horizon=2), at.Bisection(), Recorded([]), lambda horizon, seed: 3])
def test_what_cannot_be_checked_is_refused(obj: object) -> None:
    with pytest.raises(InvalidArgument):
        check(obj)
