"""Loading learners of other packages: it works, or the error gives the true reason."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import adeptree as at
from adeptree import research
from adeptree.checks import check
from adeptree.core.errors import InvalidArgument, StateError
from adeptree.families.registry import BY_KIND, FAMILIES, load_shipped
from adeptree.families.specs import parse
from adeptree.learners.loading import kinds, register_learner


class Ages(at.Thresholds):
    spec_name = "ages"


AGES = at.Family("ages", Ages, example="ages(n=120)")


class Cautious(at.Hedge):
    kind = "cautious"


@pytest.fixture(autouse=True)
def registers() -> Iterator[None]:
    load_shipped()
    with mock.patch.dict(kinds()), mock.patch.dict(FAMILIES):
        yield
    BY_KIND.pop(Ages, None)


def saved(tmp_path: Path, learner: Any) -> Path:
    learner.learn(3, 1)
    learner.save(tmp_path / "learner")
    return tmp_path / "learner"


def test_an_unknown_class_is_said_to_be_unknown(tmp_path: Path) -> None:
    learner = at.Adept(Ages(120), 10, base=at.Bisection(at.Thresholds(120)))
    path = saved(tmp_path, learner)
    with pytest.raises(StateError, match=r"ages\(n=120\); its class 'ages' is not known here: pass concept_class=, or"):
        at.load(path)
    given = at.load(path, concept_class=Ages(120), base=at.Bisection(at.Thresholds(120)))
    assert given.predict_proba(5) == learner.predict_proba(5)


def test_a_registered_class_is_loaded(tmp_path: Path) -> None:
    path = saved(tmp_path, at.Hedge(Ages(120), 10))
    assert at.register(AGES) is AGES and at.register(AGES) is AGES
    assert isinstance(at.load(path).concept_class, Ages) and isinstance(parse("ages(n=3)"), Ages)


def test_what_holds_code_is_said_to_hold_code(tmp_path: Path) -> None:
    classes = [
        at.BlockUnions(2, block=lambda x: x % 3),
        at.OracleClass(realizable=lambda sample: True, mistake_bound=9),
    ]
    for c in classes:
        path = saved(
            tmp_path, at.Adept(c, 10, base=None if c is classes[0] else research.DefaultZero(at.BlockUnions(9)))
        )
        with pytest.raises(StateError, match="holds code: pass it again as concept_class="):
            at.load(path)


def test_a_long_table_is_said_to_be_long(tmp_path: Path) -> None:
    path = saved(tmp_path, at.Hedge(at.Thresholds(9).to_finite(), 10))
    with mock.patch("adeptree.families.specs.MOST_VALUES", 5), pytest.raises(StateError, match="too long to be read"):
        at.load(path)


def test_an_unknown_learner_is_said_to_be_unknown_until_registered(tmp_path: Path) -> None:
    learner = Cautious(at.Thresholds(16), 10)
    path = saved(tmp_path, learner)
    with pytest.raises(StateError, match=r"kind 'cautious'; known here are adept, .*: import the package that defines"):
        at.load(path)
    assert register_learner(Cautious) is Cautious
    again = at.load(path)
    assert type(again) is Cautious and again.predict_proba(5) == learner.predict_proba(5)


def test_names_are_not_taken_twice() -> None:
    with pytest.raises(InvalidArgument, match="name of another family"):
        at.register(at.Family("thresholds", type("Mine", (at.Thresholds,), {})))
    with pytest.raises(InvalidArgument, match="name of another base learner"):
        at.register(at.Family("mine", Ages, bases=(type("Bisection", (at.BaseLearner,), {}),)))
    with pytest.raises(InvalidArgument, match="kind of another learner"):
        register_learner(type("Mine", (at.Hedge,), {}))
    with pytest.raises(InvalidArgument, match="to register has a"):
        register_learner(int)  # type: ignore[arg-type]
    for wrong in (int, at.Thresholds, at.Family("ages", int), at.Family("a b", Ages)):
        with pytest.raises(InvalidArgument, match="a family"):
            at.register(wrong)  # type: ignore[arg-type]


def test_the_contract_loads_as_users_do() -> None:
    class Forgets(at.Hedge):
        kind = "forgets"

        def settings(self) -> dict[str, Any]:
            return {"horizon": self.horizon, "rate": self.rate}  # and not the seed

    report = check(partial(Forgets, at.Thresholds(16)))
    assert "check_save_and_load" in str(report)
    assert "forgets" not in kinds()


def test_the_contract_sees_that_another_learner_was_loaded() -> None:
    mine = type("Mine", (at.Hedge,), {"kind": "hedge"})  # of the kind of Hedge, so that is what adeptree.load returns
    assert "adeptree.load returned a Hedge, not a Mine" in str(check(partial(mine, at.Thresholds(16))))


def test_a_class_whose_text_is_no_spec_is_said_to_be_unknown(tmp_path: Path) -> None:
    class Odd(at.Thresholds):
        def __repr__(self) -> str:
            return "<Odd object at 0x7f>"

    path = saved(tmp_path, at.Hedge(Odd(12), 10))
    with pytest.raises(StateError, match="is not known here: pass concept_class="):
        at.load(path)


def test_a_learner_without_a_kind_of_its_own_does_not_come_back_as_its_parent(tmp_path: Path) -> None:
    class Mine(at.Hedge):
        pass

    path = saved(tmp_path, Mine(at.Thresholds(12), 10))
    with pytest.raises(StateError, match="a learner of kind 'hedge, Mine'; known here are"):
        at.load(path)
