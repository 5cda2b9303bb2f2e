"""The River classifier: River's own checks without exemption, and what River's users do with it."""

# mypy: disable-error-code=no-untyped-call
from __future__ import annotations

import pickle
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import HorizonReached, InvalidArgument, InvalidLabel, MissingExtra

pytest.importorskip("river")

import pandas as pd
from river import compose, datasets, evaluate, metrics, multiclass, preprocessing
from river.checks import yield_checks

from adeptree.compat.river import AdeptClassifier

MODELS = [
    AdeptClassifier(),
    AdeptClassifier(rules="real_thresholds()", feature="https", decision="argmax", seed=1),
]
EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKS = [(model, check) for model in MODELS for check in yield_checks(model)]


@pytest.mark.parametrize(("model", "check"), CHECKS, ids=lambda value: getattr(value, "__name__", "model"))
def test_river_checks(model: AdeptClassifier, check: Callable[[Any], None]) -> None:
    assert check.__name__ not in model._unit_test_skips()
    check(model.clone())


def test_no_exemption_is_asked_for_and_the_classifier_checks_are_among_them() -> None:
    assert all(model._unit_test_skips() == set() for model in MODELS)
    names = {check.__name__ for check in yield_checks(AdeptClassifier())}
    assert {"check_predict_proba_one_binary", "check_emerging_features", "check_seeding_is_idempotent"} <= names


def test_progressive_validation_in_a_pipeline() -> None:
    model = compose.Pipeline(preprocessing.StandardScaler(), AdeptClassifier(seed=0))
    accuracy = evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    assert accuracy.get() > 0.8
    learner = model["AdeptClassifier"].learner
    assert learner.rounds == 400 and 0 < learner.regret < learner.bound


def test_drift_follows_a_flip() -> None:
    still, moving = AdeptClassifier(seed=0), AdeptClassifier(drift=True, seed=0)
    rng = np.random.default_rng(2)
    for t in range(400):
        a = float(rng.integers(10))
        for model in (still, moving):
            model.learn_one({"a": a}, (a >= 5) ^ (t >= 200))
    assert moving.learner.expected_loss < 60 < still.learner.expected_loss


@pytest.mark.parametrize(("rules", "prior"), [("stumps", "mixed"), ("stumps(cuts={'a': [5]})", "paper")])
def test_a_horizon_may_be_given_and_ends_with_a_sentence(rules: str, prior: str) -> None:
    model = AdeptClassifier(rules=rules, horizon=3, seed=0)
    assert model.learner.settings()["prior"] == prior
    for t in range(3):
        model.learn_one({"a": float(t)}, False)
    with pytest.raises(HorizonReached, match="longer horizon"):
        model.learn_one({"a": 1.0}, True)


def test_rules_with_given_cuts_take_rows_with_absent_features() -> None:
    model = AdeptClassifier(rules=at.Stumps(cuts={"a": [0.5], "b": [2.0]}), decision="argmax", seed=0)
    for t in range(40):
        model.learn_one({"a": 1.0, "other": t} if t % 2 else {}, bool(t % 2))
    assert model.predict_one({"a": 3.0}) is True and model.predict_one({"b": 1.0}) is False


def test_many_classes_by_one_versus_rest() -> None:
    model = multiclass.OneVsRestClassifier(AdeptClassifier(seed=0))
    for x, y in datasets.ImageSegments().take(60):
        model.predict_one(x)
        model.learn_one(x, y)
    assert set(model.classifiers) == {y for _, y in datasets.ImageSegments().take(60)}


def mistakes(accuracy: metrics.Accuracy) -> float:
    return float(sum(accuracy.cm[a][b] for a in (False, True) for b in (False, True) if a != b))


@pytest.mark.parametrize("delay", [None, 1, 20, 10_000])
@pytest.mark.parametrize("rules", ["stumps", "real_thresholds()"])
@pytest.mark.parametrize("scaled", [False, True])
def test_realised_mistakes_are_those_that_river_counts(rules: str, delay: int | None, scaled: bool) -> None:
    """Also behind a transformer that learns, so that a row has other features when its label comes."""
    if scaled and rules != "stumps" and delay:
        pytest.skip("one scaled feature of three values: other questions have the features of this label")
    feature = "empty_server_form_handler" if rules != "stumps" else None
    model = AdeptClassifier(rules=rules, feature=feature, seed=3)
    accuracy = metrics.Accuracy()
    rows = list(datasets.Phishing().take(150)) * 2  # every row twice
    whole = preprocessing.StandardScaler() | model if scaled else model
    evaluate.progressive_val_score(iter(rows), whole, accuracy, delay=delay)
    learner = model.learner
    assert isinstance(learner, at.Adept) and learner.rounds == 300 and learner.realised_loss == mistakes(accuracy)
    assert learner.regret <= learner.bound and (learner.late or delay in (None, 1))


def test_a_late_label_is_charged_as_its_row_was_answered() -> None:
    model = AdeptClassifier(seed=3)
    rows = list(datasets.Phishing().take(40))
    said = [model.predict_proba_one(x)[True] for x, _ in rows]
    for x, y in rows:
        model.learn_one(x, y)
    assert model.learner.expected_loss == pytest.approx(sum(abs(p - y) for p, (_, y) in zip(said, rows, strict=True)))
    assert isinstance(model.learner, at.Adept) and model.learner.drift > 1


def test_both_ways_to_ask_are_one_question() -> None:
    model = AdeptClassifier(seed=3)
    for x, y in datasets.Phishing().take(50):
        p, guess = model.predict_proba_one(x)[True], model.predict_one(x)
        before = model.learner.realised_loss, model.learner.expected_loss
        model.learn_one(x, y)
        assert model.learner.realised_loss - before[0] == (guess != y)
        assert model.learner.expected_loss - before[1] == pytest.approx(abs(p - y))


def test_predicting_leaves_no_trace_where_labels_are_prompt() -> None:
    busy, calm = (AdeptClassifier(seed=4, late=False) for _ in range(2))
    for x, y in datasets.Phishing().take(80):
        for _ in range(3):
            assert busy.predict_one(x) == busy.predict_one(x)
            busy.predict_proba_one({**x, "never learnt": 7.0})
        calm.learn_one(x, y)
        busy.learn_one(x, y)
    x = next(iter(datasets.Phishing()))[0]
    assert busy.predict_proba_one(x) == calm.predict_proba_one(x)
    assert busy.learner.expected_loss == calm.learner.expected_loss


def test_a_pickle_goes_on_as_if_never_stopped() -> None:
    whole = AdeptClassifier(seed=5)
    rows = list(datasets.Phishing().take(120))
    for x, y in rows[:60]:
        whole.learn_one(x, y)
    copy = pickle.loads(pickle.dumps(whole))
    for x, y in rows[60:]:
        assert (copy.predict_one(x), copy.predict_proba_one(x)) == (whole.predict_one(x), whole.predict_proba_one(x))
        whole.learn_one(x, y)
        copy.learn_one(x, y)


def test_absent_features_are_missing_values() -> None:
    sparse, dense = AdeptClassifier(seed=0), AdeptClassifier(seed=0)
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = {name: float(rng.integers(-1, 2)) for name in "abc"}
        y = values["b"] > 0
        few = {name: value for name, value in values.items() if value or not sparse.learner.rounds}
        many = {name: few.get(name) for name in values}
        assert sparse.predict_proba_one(few) == dense.predict_proba_one(many)
        sparse.learn_one(few, y)
        dense.learn_one(many, y)
    assert str(sparse.best_rule()) == "b >= 1"


def test_blocklist_rules_read_a_text() -> None:
    model = AdeptClassifier(rules="blocks(d=1, block='sender')", seed=0)
    for t in range(60):
        sender = "bad" if t % 3 == 0 else f"friend {t}"
        model.learn_one({"sender": sender, "size": t}, sender == "bad")
    assert str(model.best_rule()) == "block in {'bad'}"
    assert model.predict_proba_one({"sender": "bad"})[True] > 0.8


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("rules", ["stumps", "stumps(cuts={'https': [0.5]})", "blocks(d=3, block='is_popular')"])
def test_a_mini_batch_is_its_rows(late: bool, rules: str) -> None:
    rows = list(datasets.Phishing().take(90))
    one, many = (AdeptClassifier(rules=rules, seed=3, late=late) for _ in range(2))
    said: list[tuple[float, bool]] = []
    for start in range(0, 90, 30):
        batch = rows[start : start + 30]
        X, y = pd.DataFrame([x for x, _ in batch], index=range(100, 130)), pd.Series([y for _, y in batch])
        chances, labels = many.predict_proba_many(X), many.predict_many(X)
        assert chances.index.equals(X.index) and labels.index.equals(X.index) and list(chances) == [False, True]
        expected = [(one.predict_proba_one(x)[True], one.predict_one(x)) for x, _ in batch]
        assert list(zip(chances[True], labels, strict=True)) == expected
        said += expected
        many.learn_many(X, y)
        for x, label in batch:
            one.learn_one(x, label)
    accounts = [{**model.learner.saved()["account"], "asked": 0} for model in (one, many)]  # (looks in another order)
    assert accounts[0] == accounts[1]
    if late:  # every row is charged as it was answered, at the beginning of its batch
        loss = sum(abs(p - y) for (p, _), (_, y) in zip(said, rows, strict=True))
        assert many.learner.expected_loss == pytest.approx(loss)
        assert many.learner.realised_loss == sum(guess != y for (_, guess), (_, y) in zip(said, rows, strict=True))


def test_a_gap_in_a_mini_batch_is_an_absent_feature() -> None:
    rows: list[dict[Any, Any]] = [{"a": 1.0, "b": None}, {"b": 2.0}, {"a": 3.0, "b": -1.0}]
    one, many = AdeptClassifier(seed=0), AdeptClassifier(seed=0)
    many.learn_many(pd.DataFrame(rows), pd.Series([True, False, True]))
    for x, y in zip(rows, [True, False, True], strict=True):
        one.learn_one(x, y)
    assert many.predict_proba_one({"a": 2.0}) == one.predict_proba_one({"a": 2.0})
    with pytest.raises(InvalidArgument, match="X must be a data frame"):
        many.learn_many(rows, [True, False, True])
    with pytest.raises(InvalidArgument, match="X, y and w must have the same length; got 3 and 3 and 2"):
        many.learn_many(pd.DataFrame(rows), [True, False, True], w=[1, 2])
    with pytest.raises(InvalidLabel):
        many.learn_many(pd.DataFrame(rows), [True, False, 2])
    assert many.learner.rounds == 3


@pytest.mark.parametrize("asked", [True, False])
def test_a_weight_is_what_an_error_costs(asked: bool) -> None:
    rows = [(x, y, 1 + i % 3) for i, (x, y) in enumerate(datasets.Phishing().take(60))]
    model, plain = AdeptClassifier(seed=1), at.Adept(at.parse("real_stumps(features=['https'])"))
    only = AdeptClassifier(rules=plain.concept_class, seed=1)
    for x, y, w in rows:
        for one in (model, only):
            if asked:
                one.predict_one(x)
            one.learn_one(x, y, w)
        plain.learn(x, y, w)
    assert only.learner.best_loss == plain.best_loss
    best = model.best_rule()
    assert model.learner.best_loss == sum(w * (best(x) != y) for x, y, w in rows)
    batch = AdeptClassifier(seed=1)
    batch.learn_many(pd.DataFrame([x for x, _, _ in rows]), [y for _, y, _ in rows], w=[w for _, _, w in rows])
    assert batch.learner.best_loss == model.learner.best_loss
    moving = AdeptClassifier(drift=True, seed=0)
    with pytest.raises(InvalidArgument, match=r"a round costs 2, more than the 1 announced .* with drift="):
        moving.learn_one({"a": 1.0}, True, w=2)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"decision": "vote"}, "decision must be"),
        ({"rules": 3}, 'rules must be a text such as "stumps" or a concept class'),
        ({"rules": "tables"}, '"tables" was renamed; use "stumps"'),
        ({"review": 9}, "a review must cost less than"),
        ({"frequency": True, "feedback": "asked"}, "frequency=True needs every label"),
        ({"rules": "stump"}, "stump"),
        ({"drift": 2}, 'drift must be True, False or "sharing"'),
    ],
)
def test_wrong_parameters_are_refused_with_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        AdeptClassifier(**wrong)


def test_wrong_rows_are_refused_with_a_sentence() -> None:
    model = AdeptClassifier(seed=0)
    for wrong in ({1: 1.0, "1": 2.0}, {"a": [1]}):
        with pytest.raises(InvalidArgument, match=r"different texts|numbers, texts or gaps"):
            model.learn_one(wrong, True)
    with pytest.raises(InvalidLabel):
        model.learn_one({"a": 1.0}, "yes")
    assert model.learner.rounds == 0
    model.learn_one({"b": 1.0}, True)  # the first good row names the columns
    assert repr(model.learner.concept_class) == "table_stumps(features=('b',))"


def test_decision_may_be_changed_and_nothing_else() -> None:
    model = AdeptClassifier(seed=0)
    model.mutate({"decision": "argmax"})
    assert model.decision == "argmax"
    with pytest.raises(ValueError, match="not a mutable attribute"):
        model.mutate({"horizon": 5})
    with pytest.raises(InvalidArgument):
        model.mutate({"decision": "vote"})


def test_without_river_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river", None)
    for name in ("adeptree.compat.river", "adeptree.compat.river_classifier"):
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[river\]'"):
        import adeptree.compat.river  # noqa: F401


def test_the_lesson_every_deterministic_learner_errs_always(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLES / "why_randomise.py"))
    example["main"].__globals__["ROUNDS"] = 300
    example["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert sum("100.0%" in line for line in lines) == 5
    (sampled,) = (line for line in lines if line.startswith("Adept, sampled"))
    assert 45 < float(sampled.split()[2].rstrip("%")) < 65


def test_the_blocklist_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(EXAMPLES / "blocklist.py"))
    example["main"]()
    said = [line.strip() for line in example["__doc__"].splitlines() if line.startswith("    ")]
    assert capsys.readouterr().out.splitlines() == said


# --- What is proven of drawn mistakes ----------------------------------------------------------------------


def beyond(model: AdeptClassifier, seed: int, rounds: int) -> bool:
    """Return True if the drawn loss ever exceeds its bound, if only mistakes are reported."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        x, y = {name: float(rng.integers(6)) for name in "ab"}, bool(rng.random() < 0.5)
        if model.predict_one(x) != y:
            model.learn_one(x, y)
        learner = model.learner
        if learner.rounds and learner.realised_loss - learner.best_loss > learner.realised_bound():
            return True
    return False


@pytest.mark.parametrize(
    "settings",
    [{}, {"rules": "intervals"}, {"rules": "real_thresholds()", "feature": "a", "drift": True, "horizon": 200}],
)
def test_reporting_only_mistakes_crosses_no_bound(settings: dict[str, Any]) -> None:
    """Rows that were answered and never labelled count as waiting: else about 7 of 10 streams cross at 95 %."""
    crossed = [beyond(AdeptClassifier(seed=seed, **settings), seed, 150) for seed in range(8)]
    assert not any(crossed)


def test_questions_without_a_label_wait_and_are_saved(tmp_path: Path) -> None:
    model = AdeptClassifier(rules="real_thresholds()", feature="a", seed=1)
    for t in range(60):
        model.learn_one({"a": t % 7}, t % 2)
    before = model.learner.realised_bound()
    ps = [model.predict_proba_one({"a": a})[True] for a in (1, 1, 5)]
    model.predict_one({"a": 5})  # (the same question, asked in the other way)
    learner = model.learner
    assert learner.waiting == 3 and learner.rounds == 60 and learner.answered == 63
    assert learner.realised_bound() > before
    learner.save(tmp_path / "saved")
    for other in (at.load(tmp_path / "saved"), pickle.loads(pickle.dumps(model)).learner):
        assert other.waiting == 3 and other.realised_bound() == learner.realised_bound()
    for a in (1, 5, 1):
        model.learn_one({"a": a}, True)
    assert model.learner.waiting == 0 and model.learner.rounds == 63
    assert sum(ps) > 0


def test_a_label_that_overtakes_another_is_an_overlap() -> None:
    model = AdeptClassifier(rules="real_thresholds()", feature="a", seed=1)
    for a in (1, 2, 3):
        model.predict_one({"a": a})
    for a in (3, 2, 1):
        model.learn_one({"a": a}, True)
    assert (model.learner.overlaps, model.learner.late) == (3, True)


def test_each_question_has_a_coin_of_its_own() -> None:
    model = AdeptClassifier(rules="real_thresholds()", feature="a", seed=1)
    guesses = [model.predict_one({"a": 1}) for _ in range(100)]  # (of nothing learnt yet, each with chance 1/2)
    assert 25 < sum(guesses) < 75


def test_weights_of_a_mini_batch_that_was_asked_about_are_charged() -> None:
    model = AdeptClassifier(rules="real_thresholds()", feature="a", seed=1)
    X = pd.DataFrame({"a": [1.0, 4.0, 2.0]})
    chances = model.predict_proba_many(X)[True]
    model.learn_many(X, [True, False, True], w=[2, 0.5, 3])
    expected = 2 * (1 - chances[0]) + 0.5 * chances[1] + 3 * (1 - chances[2])
    assert model.learner.expected_loss == pytest.approx(expected)


def test_an_old_name_is_refused_with_the_new_one() -> None:
    with pytest.raises(InvalidArgument, match="switches= was renamed; use drift=True"):
        AdeptClassifier(switches=3)  # type: ignore[call-arg]
