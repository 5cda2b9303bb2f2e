"""Models under a guarantee: their outputs are columns, and none of them can stop the net."""

# mypy: disable-error-code=no-untyped-call
from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument

pytest.importorskip("river")
pytest.importorskip("sklearn")

import pandas as pd
from river import base, datasets, evaluate, linear_model, metrics, naive_bayes, preprocessing
from river.checks import yield_checks
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

from adeptree.compat import river, sklearn

ROWS = list(datasets.Phishing().take(300))


class Wild(base.Classifier):
    """A model that fails at some rows, in several ways."""

    def __init__(self, every: int = 5) -> None:
        self.every, self.calls = every, 0

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        self.calls += 1
        if self.calls % self.every == 0:
            raise ZeroDivisionError("no score")
        return {True: [0.9, math.nan, "high", None][self.calls % 4], False: 0.1}

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        if self.calls % 7 == 0:
            raise MemoryError


def scaled() -> Any:
    return preprocessing.StandardScaler() | linear_model.LogisticRegression()


def test_the_net_is_a_learner_over_rows_with_outputs() -> None:
    """Also with late labels: a label is learnt with the outputs that were there when its row was answered."""
    for delay in (0, 7):
        net = river.SafetyNet({"lr": scaled(), "nb": naive_bayes.GaussianNB()}, costs=(3, 1), review=0.4, seed=0)
        models: dict[str, Any] = {"lr": scaled(), "nb": naive_bayes.GaussianNB()}
        rules = at.Experts("lr", "nb") | at.TableStumps(list(ROWS[0][0]))
        loop, waiting = at.Adept(rules, costs=(3, 1), review=0.4, prior="mixed"), []
        for t in range(len(ROWS) + delay):
            if t < len(ROWS):
                x = ROWS[t][0]
                outputs = {name: model.predict_proba_one(x).get(True) for name, model in models.items()}
                waiting.append(loop.answer({**x, **outputs}))
                assert net.decide_one(x) == waiting[-1].action
            if t >= delay:
                x, y = ROWS[t - delay]
                loop.learn(waiting.pop(0), int(y))
                net.learn_one(x, y)
                for model in models.values():
                    model.learn_one(x, y)
        assert net.learner.expected_loss == loop.expected_loss and net.learner.bound == loop.bound
        assert net.learner.best_loss == loop.best_loss and str(net.best_rule()) == str(loop.best_rule())
        assert net.failures == {} and net.learner.certificate().reviews == loop.certificate().reviews > 0


def test_a_model_that_fails_stops_nothing() -> None:
    net = river.SafetyNet({"wild": Wild(), "lr": scaled()}, rules=None, seed=0)
    accuracy = evaluate.progressive_val_score(iter(ROWS), net, metrics.Accuracy())
    assert accuracy.get() > 0.8 and net.learner.rounds == 300
    assert set(net.failures) == {"wild"} and net.failures["wild"] > 60
    assert net.errors["wild"] in ("ZeroDivisionError: no score", "MemoryError: ", net.errors["wild"])
    assert str(net.best_rule()) == "lr >= 0.5"
    with pytest.raises(KeyboardInterrupt):  # (this is not a failure of a model)
        interrupted = river.SafetyNet({"user": Wild()})
        interrupted._models.attempt("user", lambda model: (_ for _ in ()).throw(KeyboardInterrupt))


def test_models_are_copied_and_pickled() -> None:
    model = scaled()
    net = river.SafetyNet({"lr": model}, seed=0)
    for x, y in ROWS[:100]:
        net.learn_one(x, y)
    assert model.predict_proba_one(ROWS[0][0]) == scaled().predict_proba_one(ROWS[0][0])
    other = pickle.loads(pickle.dumps(net))
    for x, y in ROWS[100:200]:
        assert net.predict_proba_one(x) == other.predict_proba_one(x)
        net.learn_one(x, y)
        other.learn_one(x, y)
    assert net.clone().learner.rounds == 0 and net.learner.expected_loss == other.learner.expected_loss


class Editing(base.Classifier):
    """A model that edits the rows that it gets."""

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        x.clear()
        return {True: 0.5, False: 0.5}

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        x.clear()


def test_a_model_that_edits_its_row_edits_a_copy() -> None:
    net = river.SafetyNet({"editing": Editing(), "nb": naive_bayes.GaussianNB()}, seed=0)
    rules = at.Experts("editing", "nb") | at.TableStumps(list(ROWS[0][0]))
    model, loop = naive_bayes.GaussianNB(), at.Adept(rules, prior="mixed")
    for x, y in ROWS[:120]:
        given = dict(x)
        loop.learn({**x, "editing": 0.5, "nb": model.predict_proba_one(x).get(True)}, int(y))
        model.learn_one(x, y)
        net.learn_one(given, y)
        assert given == x
    assert net.learner.expected_loss == loop.expected_loss and net.failures == {}


def test_segments_of_a_net_are_those_of_a_loop() -> None:
    net = river.SafetyNet({"nb": naive_bayes.GaussianNB()}, rules="thresholds(https)", by="port", costs=(3, 1), seed=0)
    rules, model = at.Experts("nb") | at.RealThresholds().on("https"), naive_bayes.GaussianNB()
    loop = at.Adept(rules, by="port", costs=(3, 1), prior="mixed")
    for t, (x, y) in enumerate(ROWS[:100]):
        x = {**x, "port": t % 3}
        loop.learn({**x, "nb": model.predict_proba_one(x).get(True)}, int(y))
        model.learn_one(x, y)
        net.learn_one(x, y)
    assert net.learner.by_segment() == loop.by_segment() and len(loop.by_segment()) == 3
    assert net.learner.expected_loss == loop.expected_loss and net.failures == {}


@pytest.mark.parametrize("check", [*yield_checks(river.SafetyNet({"lr": scaled()}))], ids=lambda check: check.__name__)
def test_river_checks(check: Callable[[Any], None]) -> None:
    check(river.SafetyNet({"lr": linear_model.LogisticRegression()}, rules="stumps"))


@pytest.mark.parametrize("models", [None, {}, {"": GaussianNB()}, [GaussianNB()], {3: GaussianNB()}])
def test_models_have_names(models: Any) -> None:
    for build in (lambda: river.SafetyNet(models), lambda: sklearn.SafetyNet(models).fit([[1.0]], [1])):
        with pytest.raises(InvalidArgument, match="models must be models by name"):
            build()


def test_a_column_and_a_model_have_different_names() -> None:
    net = river.SafetyNet({"https": scaled()})
    with pytest.raises(InvalidArgument, match="'https' is a column and a model"):
        net.learn_one(*ROWS[0])


# --- scikit-learn ----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_check_estimator() -> None:
    net = sklearn.SafetyNet({"nb": GaussianNB(), "lr": LogisticRegression()})
    outcomes = {one["check_name"]: one["status"] for one in check_estimator(net, on_skip=None)}
    assert {name for name, status in outcomes.items() if status != "passed"} <= {"check_array_api_input"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_outputs_are_those_of_models_that_saw_earlier_rows_only() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:200, :4], y[:200].to_numpy()
    net = sklearn.SafetyNet({"nb": GaussianNB(), "lr": LogisticRegression(), "votes": Perceptron()}, costs=(2, 1))
    net.fit(X, y)
    models: dict[str, Any] = {"nb": GaussianNB(), "lr": LogisticRegression(), "votes": Perceptron()}
    loop = at.Adept(at.Experts(*models) | at.TableStumps(list(X)), costs=(2, 1))
    for start, stop in [(0, 32), (32, 64), (64, 128), (128, 200)]:
        for t in range(start, stop):
            row = X.iloc[t : t + 1]
            outputs = {}
            if start:
                outputs = {name: models[name].predict_proba(row)[0, 1] for name in ("nb", "lr")}
                outputs["votes"] = float(models["votes"].predict(row)[0])
            loop.learn({**row.to_dict("records")[0], **outputs}, y[t])
        models["nb"].partial_fit(X[start:stop], y[start:stop], classes=[0, 1])
        models["votes"].partial_fit(X[start:stop], y[start:stop], classes=[0, 1])
        models["lr"].fit(X[:stop], y[:stop])
    assert net.learner_.expected_loss == pytest.approx(loop.expected_loss, rel=1e-12)
    assert net.learner_.best_loss == loop.best_loss and net.failures_ == {}
    before = copy.deepcopy(net.__dict__).keys()
    assert net.score(X, y) > 0.8 and set(net.decide(X)) <= {0, 1} and net.__dict__.keys() == before


class Short(GaussianNB):  # type: ignore[misc]
    """A model that returns too few rows."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:1]


class ShortVotes(Perceptron):  # type: ignore[misc]
    """A model that votes on too few rows."""

    def predict(self, X: Any) -> Any:
        return super().predict(X)[:1]


def test_too_few_outputs_are_a_failure_and_segments_work() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:200, :4].assign(clinic=[t % 2 for t in range(200)]), y[:200]
    models = {"short": Short(), "votes": ShortVotes(), "nb": GaussianNB()}
    net = sklearn.SafetyNet(models, rules="stumps", by="clinic", costs=(2, 1)).fit(X, y)
    assert set(net.failures_) == {"short", "votes"} and net.score(X, y) > 0.8
    assert net.errors_["short"] == "ValueError: the model returned 1 outputs for 200 rows"
    assert [name for name, _, _ in net.learner_.by_segment()] == ["0", "1"]


def test_frames_reach_the_models_as_they_are_and_failures_are_counted() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(["cook", "nurse"], 150), "age": rng.integers(20, 80, 150).astype(float)})
    y = ((frame["job"] == "cook") ^ (rng.random(150) < 0.1)).map({True: "yes", False: "no"}).to_numpy()
    frame.loc[::10, "age"] = np.nan
    encoded = make_pipeline(make_column_transformer((OneHotEncoder(), ["job"])), RandomForestClassifier(random_state=0))
    net = sklearn.SafetyNet({"forest": encoded, "nb": GaussianNB(), "none": None}).fit(frame, y)
    assert set(net.failures_) == {"nb", "none"} and "could not convert" in net.errors_["nb"]
    assert net.learner_.rounds == 150 and net.score(frame, y) > 0.8
    net.partial_fit(frame[:40], y[:40])
    assert net.learner_.rounds == 190 and str(net.best_rule()) in ("job == cook", "job != nurse", "forest >= 0.5")
