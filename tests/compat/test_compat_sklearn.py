"""The scikit-learn estimator: scikit-learn's own checks, and what its users do with it."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, MissingExtra

pytest.importorskip("sklearn")

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from adeptree.compat.sklearn import AdeptClassifier

CANCER = load_breast_cancer()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator() -> None:
    outcomes = check_estimator(AdeptClassifier(), on_skip=None)
    assert len(outcomes) > 40
    statuses = {outcome["check_name"]: outcome["status"] for outcome in outcomes}
    # The array API is looked at only where an environment variable asks for it.
    assert {name for name, status in statuses.items() if status != "passed"} <= {"check_array_api_input"}
    assert not any(outcome["expected_to_fail"] for outcome in outcomes)


def test_labels_may_be_any_two_values() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]] * 8)
    for labels in (["ham", "spam"], [-1, 1], [False, True], [2.0, 7.0]):
        y = np.array(labels)[(X[:, 0] >= 2).astype(int)]
        model = AdeptClassifier().fit(X, y)
        assert model.classes_.tolist() == sorted(labels)
        assert (model.predict(X) == y).all() and model.score(X, y) == 1.0
        assert model.predict_proba(X).shape == (32, 2)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_partial_fit_in_pieces_is_fit() -> None:
    X, y = CANCER.data[:150, :4], CANCER.target[:150]
    whole = AdeptClassifier().fit(X, y)
    pieces = AdeptClassifier()
    for start in range(0, 150, 50):
        pieces.partial_fit(X[start : start + 50], y[start : start + 50], classes=[0, 1])
    np.testing.assert_array_equal(pieces.predict_proba(X), whole.predict_proba(X))
    assert pieces.learner_.rounds == 150 and pieces.learner_.regret == whole.learner_.regret
    assert whole.fit(X[:20], y[:20]).learner_.rounds == 20


def test_partial_fit_must_know_both_labels() -> None:
    model = AdeptClassifier().partial_fit([[1.0]], ["a"], classes=["a", "b"])
    assert model.predict_proba([[1.0]]).shape == (1, 2)
    with pytest.raises(ValueError, match=r"labels \['c'\].*classes \['a', 'b'\]"):
        model.partial_fit([[1.0]], ["c"])
    lonely = AdeptClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert lonely.predict([[5.0]]).tolist() == ["a"] and lonely.predict_proba([[5.0]]).tolist() == [[1.0]]


def test_in_a_pipeline_with_cross_validation() -> None:
    model = make_pipeline(StandardScaler(), AdeptClassifier())
    assert cross_val_score(model, CANCER.data[:300, :6], CANCER.target[:300], cv=3).mean() > 0.8


def test_names_come_from_the_data_frame_and_the_account_is_there() -> None:
    X = pd.DataFrame(CANCER.data[:200, :5], columns=CANCER.feature_names[:5])
    model = AdeptClassifier().fit(X, CANCER.target_names[CANCER.target[:200]])
    assert str(model.best_rule()).startswith("mean ")
    assert 0 < model.learner_.regret < model.learner_.bound


def test_a_draw_follows_the_probabilities_and_the_random_state() -> None:
    X, y = np.zeros((400, 1)), [0, 1] * 200  # as many reasons for 0 as for 1
    model = AdeptClassifier(decision="sample", random_state=3).fit(X, y)
    drawn, p = model.predict(X), model.predict_proba(X)[:, 1]
    assert 0.05 < p[0] < 0.95
    assert (drawn == model.predict(X)).all()
    assert abs(drawn.sum() - p.sum()) < 5 * np.sqrt((p * (1 - p)).sum())
    assert (drawn != (p > 0.5)).any()


def test_sample_weights_are_what_errors_cost() -> None:
    X, y = CANCER.data[:120, :4], CANCER.target[:120]
    w = 1 + np.arange(120) % 3
    model, pieces = AdeptClassifier().fit(X, y, sample_weight=w), AdeptClassifier()
    pieces.partial_fit(X[:60], y[:60], classes=[0, 1], sample_weight=w[:60])
    pieces.partial_fit(X[60:], y[60:], sample_weight=pd.Series(w[60:]))
    np.testing.assert_array_equal(pieces.predict_proba(X), model.predict_proba(X))
    learner = at.Adept(at.TableStumps(["x0", "x1", "x2", "x3"]), max_weight=3)
    learner.learn_many(X, y, w)
    assert model.learner_.best_loss == learner.best_loss and model.learner_.regret == learner.regret
    assert model.learner_.regret <= model.learner_.bound and model.learner_.in_advance is not None
    evenly = AdeptClassifier().fit(X, y, sample_weight=np.ones(120))
    np.testing.assert_array_equal(evenly.predict_proba(X), AdeptClassifier().fit(X, y).predict_proba(X))
    for wrong, said in [(np.zeros(120), "zero"), (w[1:], "shape"), (-w, "from 0 to"), (w * np.nan, "NaN")]:
        with pytest.raises(ValueError, match=said):
            AdeptClassifier().fit(X, y, sample_weight=wrong)
    with pytest.raises(TypeError, match="takes X, y and sample_weight; got 'weight'"):
        AdeptClassifier().fit(X, y, weight=w)


def test_frames_of_other_libraries_have_names_too() -> None:
    polars = pytest.importorskip("polars")
    names = [str(name) for name in CANCER.feature_names[:5]]
    frames = pd.DataFrame(CANCER.data[:200, :5], columns=names), polars.DataFrame(CANCER.data[:200, :5], schema=names)
    models = [AdeptClassifier().fit(X, CANCER.target[:200]) for X in frames]
    assert str(models[0].best_rule()) == str(models[1].best_rule()) and str(models[1].best_rule()).startswith("mean ")
    np.testing.assert_array_equal(models[0].predict_proba(frames[0]), models[1].predict_proba(frames[1]))


@pytest.mark.parametrize(
    ("rules", "feature"),
    [
        (at.Stumps(cuts={"x0": [0.0], "x1": [0.5]}), None),
        ("stumps(cuts={'x1': [0.5]})", None),
        ("real_thresholds()", "x1"),
        (at.RealStumps(["x1"]), None),
    ],
)
def test_other_rules(rules: Any, feature: str | None) -> None:
    rng = np.random.default_rng(1)
    X = rng.random((120, 2))
    y = X[:, 1] >= 0.5
    assert AdeptClassifier(rules=rules, feature=feature).fit(X, y).score(X, y) > 0.9


def test_more_than_two_labels_are_refused_unless_wrapped() -> None:
    X, y = np.arange(12.0)[:, None], [0, 1, 2] * 4
    with pytest.raises(ValueError, match="Only binary classification"):
        AdeptClassifier().fit(X, y)
    assert OneVsRestClassifier(AdeptClassifier()).fit(X, y).predict(X).shape == (12,)


def test_a_pickle_predicts_the_same_and_learns_on() -> None:
    X, y = CANCER.data[:100, :3], CANCER.target[:100]
    model = AdeptClassifier().fit(X[:50], y[:50])
    copy = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[50:], y[50:])
    copy.partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_wrong_decision_is_refused_with_a_sentence() -> None:
    with pytest.raises(InvalidArgument, match="decision must be"):
        AdeptClassifier(decision="vote").fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rules": "thresholds(ht)", "by": "tennant"}, 'by: X has no column "tennant"; did you mean "tenant"; its'),
        ({"rules": "stumps(ht, hz)"}, 'rules: X has no column "hz"; its columns are ht, tenant'),
        ({"rules": "real_thresholds()", "feature": "shop"}, 'feature: X has no column "shop"; its columns are ht, '),
    ],
)
def test_columns_that_are_not_there_are_refused(settings: dict[str, Any], said: str) -> None:
    frame = pd.DataFrame({"ht": [0.1, 0.9], "tenant": ["a", "b"]})
    with pytest.raises(InvalidArgument) as refused:
        AdeptClassifier(**settings).fit(frame, [0, 1])
    assert said in str(refused.value)


def test_without_scikit_learn_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    for name in ("adeptree.compat.sklearn", "adeptree.compat.sklearn_classifier"):
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[sklearn\]'"):
        import adeptree.compat.sklearn  # noqa: F401
