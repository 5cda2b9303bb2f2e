"""Errors on real streams: python benchmarks/real_streams.py [name...]   (extras: river, sklearn)

The streams that River's wheel holds (Phishing, Bananas, ImageSegments as "sky or not", Shuttle) and scikit-learn's
breast cancer, each in the order of its file, once through, predict then learn. Prints the tables of
docs/evidence/real-streams.md.

"sampled" is the exact expected error of Adept on stumps over floats, without a horizon; "argmax" the error of the same
learner when it takes the likelier label. "Hedge" lists the stumps with at most 32 cuts a feature, at quantiles of the
*whole* stream, so it knows in advance the data that Adept learns; its rate follows the stream or is tuned to a known T.
LR and SGD get features scaled by running means and variances.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from river import datasets, linear_model, preprocessing, tree
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier

import adeptree as at

Rows = list[tuple[dict[str, float], int]]
QUANTILES = 32


def numbers(x: dict[str, Any]) -> dict[str, float]:
    return {str(name): float(value) for name, value in x.items()}


def breast_cancer() -> Iterator[tuple[dict[str, Any], int]]:
    data = load_breast_cancer()
    for row, label in zip(data.data.tolist(), data.target.tolist(), strict=True):
        yield dict(zip(data.feature_names.tolist(), row, strict=True)), label


STREAMS: dict[str, Callable[[], Any]] = {
    "phishing": datasets.Phishing,
    "bananas": datasets.Bananas,
    "sky": lambda: ((x, y == "sky") for x, y in datasets.ImageSegments()),
    "shuttle": datasets.Shuttle,
    "breast cancer": breast_cancer,
}


@dataclass
class Score:
    """The result of a learner on a stream."""

    error: float
    """Share of wrong labels, in percent."""
    cpu: float
    """Processor time of predicting and learning, in milliseconds per row."""


def online(rows: Rows, predict: Callable[[Any], bool], learn: Callable[[Any, int], None]) -> Score:
    wrong, start = 0, time.process_time()
    for x, y in rows:
        wrong += predict(x) != bool(y)
        learn(x, y)
    return Score(100 * wrong / len(rows), 1000 * (time.process_time() - start) / len(rows))


def river(model: Any, rows: Rows) -> Score:
    return online(rows, lambda x: bool(model.predict_one(x)), lambda x, y: model.learn_one(x, bool(y)))


def sgd(rows: Rows) -> Score:
    scaler, model = preprocessing.StandardScaler(), SGDClassifier(loss="log_loss", random_state=0)
    model.partial_fit(np.zeros((1, len(rows[0][0]))), [0], classes=[0, 1])

    def vector(x: dict[str, float]) -> Any:
        return np.array([list(scaler.transform_one(x).values())])

    def learn(x: dict[str, float], y: int) -> None:
        scaler.learn_one(x)
        model.partial_fit(vector(x), [y])

    return online(rows, lambda x: bool(model.predict(vector(x))[0]), learn)


def listed_stumps(rows: Rows) -> at.Stumps:
    cuts = {}
    for name in rows[0][0]:
        values = np.array([x[name] for x, _ in rows])
        found = np.unique(np.quantile(values, np.linspace(0, 1, QUANTILES + 2)[1:-1], method="higher"))
        cuts[name] = found[found > values.min()].tolist() or [float(values.min()) + 1.0]
    return at.Stumps(cuts=cuts)


def hedge(rows: Rows, horizon: int | None) -> Score:
    learner = at.Hedge(listed_stumps(rows), horizon=horizon)
    start = time.process_time()
    learner.learn_many(*zip(*rows, strict=True))
    return Score(100 * learner.expected_loss / len(rows), 1000 * (time.process_time() - start) / len(rows))


def measure(name: str) -> tuple[at.Adept, dict[str, Score]]:
    rows: Rows = [(numbers(x), int(y)) for x, y in STREAMS[name]()]
    adept = at.Adept(at.RealStumps(list(rows[0][0])), prior="kt", seed=0)
    scores = {
        "argmax": online(rows, lambda x: adept.predict_proba(x) > 0.5, adept.learn),
        "Hedge": hedge(rows, None),
        "Hedge, T known": hedge(rows, len(rows)),
        "LR": river(preprocessing.StandardScaler() | linear_model.LogisticRegression(), rows),
        "HT": river(tree.HoeffdingTreeClassifier(), rows),
        "SGD": sgd(rows),
    }
    return adept, scores


def main(names: list[str]) -> None:
    errors, account = [], []
    for name in names or list(STREAMS):
        adept, scores = measure(name)
        T = adept.rounds
        percent = [
            100 * adept.best_loss / T,
            100 * adept.expected_loss / T,
            *(score.error for score in scores.values()),
        ]
        errors.append([name, f"{T:,}", *(f"{value:.2f}" for value in percent)])
        cpu = [f"{scores[who].cpu:.2g}" for who in ("argmax", "Hedge", "LR", "HT")]
        shown = [f"`{adept.best_rule()}`", f"{adept.regret:.1f}", f"{adept.bound:.1f}", f"{adept.width:,}"]
        account.append([name, *shown, *cpu])
        print(f"{name}: done", file=sys.stderr, flush=True)
    show(["stream", "rows", "best stump", "sampled", *scores], errors)
    show(["stream", "best stump", "regret", "bound", "paths", "Adept", "Hedge", "LR", "HT"], account)


def show(titles: list[str], lines: list[list[str]]) -> None:
    for line in [titles, ["---", *["--:"] * (len(titles) - 1)], *lines]:
        print("| " + " | ".join(line) + " |")
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
