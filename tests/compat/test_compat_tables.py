"""Texts and gaps through the adapters."""

from __future__ import annotations

import numpy as np
import pytest

import adeptree as at

pd = pytest.importorskip("pandas")
FRAME = pd.DataFrame(
    {
        "age": [31.0, None, 28.0, 44.0, None, 25.0] * 5,
        "sex": ["m", "f", "f", "m", None, "f"] * 5,
        "late": [True, False] * 15,
    }
)
LABELS = np.array([0, 1, 1, 0, 0, 1] * 5)


def alone() -> at.Adept:
    learner = at.Adept(at.TableStumps(["age", "sex", "late"]))
    for row, y in zip(FRAME.to_dict("records"), LABELS.tolist(), strict=True):
        learner.learn(row, y)
    return learner


def test_frames_and_single_calls_agree_to_the_last_digit() -> None:
    learner, single = at.Adept(at.TableStumps(["age", "sex", "late"])), alone()
    learner.learn_many(FRAME, LABELS)
    assert learner.expected_loss == single.expected_loss and str(learner.best_rule()) == "sex == f"
    rows = FRAME.to_dict("records")
    assert learner.predict_proba_many(FRAME).tolist() == [single.predict_proba(row) for row in rows]


def test_scikit_learn_takes_texts_and_gaps() -> None:
    pytest.importorskip("sklearn")
    from adeptree.compat.sklearn import AdeptClassifier

    for rules in ("stumps", "stumps(age, sex, late)", at.TableStumps(["age", "sex", "late"])):
        model = AdeptClassifier(rules=rules).fit(FRAME, LABELS)
        assert model.learner_.expected_loss == alone().expected_loss
        assert (model.predict(FRAME) == LABELS).all()


def test_river_takes_texts_and_gaps() -> None:
    pytest.importorskip("river")
    from adeptree.compat.river import AdeptClassifier

    rows = FRAME.to_dict("records")
    for rules in (at.TableStumps(["age", "sex", "late"]), "stumps", "stumps(age, sex, late)"):
        model, batch = AdeptClassifier(rules=rules), AdeptClassifier(rules=rules)
        for row, y in zip(rows, LABELS.tolist(), strict=True):
            model.learn_one(row, bool(y))
        batch.learn_many(FRAME, pd.Series(LABELS == 1))
        assert model.learner.expected_loss == batch.learner.expected_loss == alone().expected_loss
        assert model.predict_proba_one({"sex": "f"})[True] > 0.5
        assert str(model.best_rule()) == "sex == f"
    first = AdeptClassifier()
    first.learn_many(FRAME[1:], pd.Series(LABELS[1:] == 1))
    assert first.learner.concept_class == at.TableStumps(["age", "sex", "late"])
