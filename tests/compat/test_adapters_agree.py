"""The same rows through shell, pandas, polars, River, scikit-learn and a loop: the same numbers, bit for bit."""

# mypy: disable-error-code=no-untyped-call
from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from running import good

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidSpec, UnsupportedCombination

pytest.importorskip("river")
pytest.importorskip("sklearn")
pytest.importorskip("polars")

import pandas as pd
import polars as pl

from adeptree.compat import river, sklearn

NAMES = ["age", "job", "when", "lr", "ht"]


def rows(count: int = 300) -> tuple[list[dict[str, Any]], list[int]]:
    """Return rows with numbers, texts, times, scores and missing values; none is missing in the first."""
    rng, found, labels = random.Random(5), list[dict[str, Any]](), list[int]()
    for t in range(count):
        row: dict[str, Any] = {
            "age": rng.randrange(18, 90) + rng.choice([0.0, 0.5]),
            "job": rng.choice(["cook", "nurse", "clerk"]),
            "when": f"2013-05-{1 + t % 28:02}T{rng.randrange(24):02}:30",
            "lr": rng.random(),
            "ht": round(rng.random(), 3),
        }
        labels.append(int((row["age"] >= 60) != (rng.random() < 0.2)))
        found.append(row if not t else {n: None if rng.random() < 0.1 and n != "when" else v for n, v in row.items()})
    return found, labels


ROWS, LABELS = rows()


def numbers(learner: Any) -> list[Any]:
    account = learner.certificate()
    return [
        learner.rounds,
        learner.expected_loss,
        learner.best_loss,
        learner.regret,
        learner.bound,
        account.realised_loss,
    ]


WAYS: list[tuple[str, str | None, dict[str, Any], list[str]]] = [
    ("stumps", None, {}, []),
    ("stumps(age, job)", None, {"costs": (5, 1)}, ["--cost-miss", "5"]),
    ("intervals(age, values=2)", None, {"review": 0.2}, ["--review", "0.2"]),
    ("stumps", None, {"drift": True}, ["--drift"]),
    ("experts(lr, ht, at=0.6)", None, {"drift": True, "review": 0.3}, ["--drift", "--review", "0.3"]),
    ("stumps(age) | experts(lr, ht)", None, {"costs": (3, 1)}, ["--cost-miss", "3"]),
    ("stumps(age)", None, {"review": 0.2, "feedback": "reviewed"}, ["--review", "0.2", "--feedback", "reviewed"]),
]


@pytest.mark.parametrize(("rules", "feature", "settings", "options"), WAYS, ids=lambda value: str(value))
def test_the_numbers_are_those_of_a_loop(
    rules: str, feature: str | None, settings: dict[str, Any], options: list[str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(ROWS, columns=NAMES)
    frame.assign(y=LABELS).to_csv("f.csv", index=False)
    good("run", "f.csv", "--rules", rules, "--label", "y", "--save", "s", *options)
    shell = at.load("s/checkpoint")
    loop = at.Adept(shell.concept_class, prior="mixed", **settings)
    said = []
    for x, y in zip(ROWS, LABELS, strict=True):
        said.append(loop.predict_proba(x))
        loop.learn(x, y)
    expected = numbers(loop)
    assert numbers(shell) == expected

    model = river.AdeptClassifier(rules=rules, feature=feature, seed=0, **settings)
    asked = river.AdeptClassifier(rules=rules, feature=feature, seed=0, **settings)
    chances = []
    for x, y in zip(ROWS, LABELS, strict=True):
        model.learn_one(x, bool(y))
        chances.append(asked.predict_proba_one(x)[True])
        asked.predict_one(x)
        asked.decide_one(x)
        asked.learn_one(x, bool(y))
    assert repr(model.learner.concept_class) == repr(loop.concept_class)
    assert numbers(model.learner) == numbers(asked.learner) == expected and chances == said

    batch = sklearn.AdeptClassifier(rules=rules, feature=feature, **settings).fit(frame, LABELS)
    parts = sklearn.AdeptClassifier(rules=rules, feature=feature, **settings)
    for start in range(0, 300, 100):
        part = slice(start, start + 100)
        parts.partial_fit(pl.DataFrame(ROWS, schema=NAMES, strict=False)[part], LABELS[part], classes=[0, 1])
    assert numbers(batch.learner_) == numbers(parts.learner_) == expected
    assert batch.predict_proba(frame)[:, 1].tolist() == [loop.predict_proba(x) for x in ROWS]

    for some in (frame, pl.DataFrame(ROWS, schema=NAMES, strict=False)):
        many = at.Adept(loop.concept_class, **settings)
        assert list(many.learn_many(some, LABELS)) == said and numbers(many) == expected


def test_rules_of_a_frame_are_those_of_the_command(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    named = [{"id": f"p{t}", **row, "day": f"2013-05-{1 + t % 28:02}"} for t, row in enumerate(ROWS)]
    frame = pd.DataFrame(named)
    frame.assign(y=LABELS).to_csv("f.csv", index=False)
    good("run", "f.csv", "--label", "y", "--save", "s")
    wanted = at.load("s/checkpoint").concept_class
    assert wanted == at.TableStumps.of(frame.assign(y=LABELS), label="y") and "id" not in wanted.features
    assert {"weekday(when)", "hour(when)", "weekday(day)"} < set(wanted.features) and "hour(day)" not in wanted.features
    times = frame.assign(when=pd.to_datetime(frame["when"]), day=pd.to_datetime(frame["day"]).dt.date)
    assert at.TableStumps.of(times) == at.TableStumps.of(pl.DataFrame(times.to_dict("list"), strict=False)) == wanted
    assert sklearn.AdeptClassifier().fit(times, LABELS).learner_.concept_class == wanted


def test_segments_agree() -> None:
    by = [{"tenant": "abc"[t % 3], "score": row["ht"] or 0.0} for t, row in enumerate(ROWS)]
    loop = at.Adept(at.RealThresholds().on("score"), costs=(5, 1), review=0.5, by="tenant")
    model = river.AdeptClassifier("thresholds(score)", costs=(5, 1), review=0.5, by="tenant", seed=0)
    single = river.AdeptClassifier(at.RealThresholds(), feature="score", costs=(5, 1), review=0.5, by="tenant", seed=0)
    for x, y in zip(by, LABELS, strict=True):
        loop.learn(x, y)
        model.learn_one(x, y)
        single.learn_one(x, y)
    batch = sklearn.AdeptClassifier("thresholds(score)", costs=(5, 1), review=0.5, by="tenant")
    batch.fit(pd.DataFrame(by), LABELS)
    assert numbers(model.learner) == numbers(single.learner) == numbers(batch.learner_) == numbers(loop)
    assert model.learner.by_segment() == loop.by_segment() and len(loop.by_segment()) == 3
    with pytest.raises(UnsupportedCombination, match="does not combine with other rules"):
        river.AdeptClassifier("steps(score)", by="tenant")


@pytest.mark.parametrize("rules", ["thresholds(score)", "stumps(score, lr)", "stumps(lr) | thresholds(score)"])
@pytest.mark.parametrize("drift", [False, True])
def test_segments_of_the_shell_are_those_of_the_adapters(
    rules: str, drift: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    by = [{"tenant": "abc"[t % 3], "score": row["ht"] or 0.0, "lr": row["lr"] or 0.5} for t, row in enumerate(ROWS)]
    settings: dict[str, Any] = {"costs": (5, 1), "review": 0.5, "by": "tenant", "drift": drift}
    pd.DataFrame(by).assign(y=LABELS).to_csv("f.csv", index=False)
    options = ["--cost-miss", "5", "--review", "0.5", "--by", "tenant", *["--drift"][:drift]]
    for name, more in (("s", []), ("f", ["--follow", "-q"])):
        good("run", "f.csv", "--rules", rules, *options, "--save", name, *more)
    model = river.AdeptClassifier(rules, seed=0, **settings)
    for x, y in zip(by, LABELS, strict=True):
        model.learn_one(x, y)
    fitted = sklearn.AdeptClassifier(rules, **settings).fit(pl.DataFrame(by).to_pandas(), LABELS)
    found = [at.load("s/checkpoint"), at.load("f/checkpoint"), model.learner, fitted.learner_]
    assert [numbers(learner) for learner in found] == [numbers(found[0])] * 4 and found[0].certificate().reviews


def test_decisions_are_those_of_tickets() -> None:
    settings: dict[str, Any] = {"costs": (2, 1), "review": 0.3}
    model = river.AdeptClassifier("stumps(age)", seed=0, **settings)
    loop, actions = at.Adept(at.TableStumps(["age"]), **settings), []
    for x, y in zip(ROWS, LABELS, strict=True):
        ticket, action = loop.preview(x), model.decide_one(x)
        assert action == ticket.action and model.predict_one(x) in (True, False)
        actions.append(action)
        loop.learn(x, y)
        model.learn_one(x, y)
    assert set(actions) == {0, 1, "review"} and loop.certificate().reviews == actions.count("review")
    fitted = sklearn.AdeptClassifier("stumps(age)", random_state=1, **settings).fit(pd.DataFrame(ROWS), LABELS)
    ages = pd.DataFrame(ROWS).assign(age=[20.0, 60.0, 90.0] * 100)
    likely, drawn = fitted.decide(ages), fitted.set_params(decision="sample").decide(ages)
    assert set(likely) <= {0, 1, "review"} and set(drawn) == {0, 1, "review"} and set(fitted.predict(ages)) <= {0, 1}
    chances = [fitted.learner_.preview({"age": age}).r for age in (20.0, 60.0, 90.0)]
    assert abs(sum(action == "review" for action in drawn) - 100 * sum(chances)) < 40


def test_labels_that_are_not_wanted_are_not_learnt() -> None:
    model = river.AdeptClassifier("stumps(age)", feedback="asked", seed=0, horizon=300)
    wanted = 0
    for x, y in zip(ROWS, LABELS, strict=True):
        wanted += model.asks_one(x)
        model.learn_one(x, y)
    assert 0 < wanted == model.learner.rounds < 300 == model.learner.answered
    late = river.AdeptClassifier("stumps(age)", review=0.3, feedback="reviewed", seed=0)
    actions = [late.decide_one({**x, "age": t}) for t, x in enumerate(ROWS)]
    for t, (x, y) in enumerate(zip(ROWS, LABELS, strict=True)):
        late.learn_one({**x, "age": t}, y)
    assert late.learner.rounds == actions.count("review") > 0 == late.learner.waiting


def test_a_frequency_is_that_of_the_shell(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(ROWS)
    frame.assign(y=LABELS).to_csv("f.csv", index=False)
    good("run", "f.csv", "--label", "y", "--frequency", "--predictions", "p.csv")
    model, said = river.AdeptClassifier(frequency=True, seed=0), []
    for x, y in zip(ROWS, LABELS, strict=True):
        said.append(model.predict_proba_one(x)[True])
        model.learn_one(x, y)
    assert said == pd.read_csv("p.csv")["frequency"].tolist() and len(set(said)) > 10
    batch = sklearn.AdeptClassifier(frequency=True).fit(frame, LABELS)
    assert batch.predict_proba(frame[:5])[:, 1].tolist() == [model.predict_proba_one(x)[True] for x in ROWS[:5]]
    with pytest.raises(UnsupportedCombination, match="frequency=True needs every label"):
        sklearn.AdeptClassifier(frequency=True, feedback="asked").fit(frame, LABELS)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("tables", '"tables" was renamed; use "stumps"'),
        ("stump", "stump"),
        ("stumps |", "looks like"),
        ("blocklist(a, b, d=2)", "blocklist reads one column"),
        ("stumps | thresholds(n=3)", "must name the columns they read"),
    ],
)
def test_wrong_texts_are_refused(rules: str, said: str) -> None:
    for wrong in (lambda: river.AdeptClassifier(rules), lambda: sklearn.AdeptClassifier(rules).fit([[1.0]], [1])):
        with pytest.raises((InvalidSpec, InvalidArgument), match=said):
            wrong()
