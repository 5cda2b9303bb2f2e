"""Measure the price of the best rule's path on floats: python benchmarks/float_paths.py   (writes
docs/evidence/base-learners.md)

Followed along the labels of one rule: k*, the mistakes of the base learner; n*, the rounds at which both labels were
realizable; the price of the path in the KT prior; and next to it the logarithm of the number of rules that differ on
the points. Streams: uniform floats (20 seeds), and real tables in 10 random orders, with their best stump.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from evidence_page import put, table
from sklearn import datasets

import adeptree as at
from adeptree.theory.priors import KTPrior

SEEDS, ORDERS = 20, 10
VOTES = ("vote", "soft", "first", "last")
NEVER = math.inf


def price(mistakes: int, contested: int) -> float:
    """Return ln(1 / mass) of a path in the KT prior."""
    return -float(KTPrior().log_mass(0, np.array([mistakes]), np.array([contested]))[0])


def along(c: Any, xs: list[Any], labels: list[int]) -> tuple[int, int]:
    """Return k* and n* of the path with these labels, with the base learner that the class has by default."""
    base = at.Adept(c, engine="paths").base
    state, sample, mistakes = base.start(), list[tuple[Any, int]](), 0
    for x, y in zip(xs, labels, strict=True):
        # Labels that were the only possible one change nothing: the sample of the others allows the same rules.
        if c.realizable([*sample, (x, 1 - y)]):
            mistakes += int(base.predict(state, x) != y)
            sample.append((x, y))
        state = base.update(state, x, y)
    return mistakes, len(sample)


def uniform() -> str:
    """Return the table of uniform streams."""
    rows = []
    for c, flips, count in (
        (at.RealThresholds(), 1, lambda T: T + 1),
        (at.RealIntervals(), 2, lambda T: 1 + T * (T + 1) // 2),
    ):
        for T in (1_000, 10_000):
            found = []
            for seed in range(SEEDS):
                rng = np.random.default_rng(seed)
                xs, cuts = rng.random(T), np.sort(rng.random(flips))
                labels = (np.searchsorted(cuts, xs, side="right") % 2).tolist()
                found.append(along(c, xs.tolist(), labels))
            k, n = np.mean(found, axis=0)
            cost = np.mean([price(*one) for one in found])
            numbers = [f"{T:,}", *(f"{value:.1f}" for value in (k, n, cost, math.log(count(T))))]
            rows.append([f"`{c!r}`", *numbers])
    return table(["class", "T", "k\\*", "n\\*", "KT price", "ln(number of rules)"], rows, "lrrrrr")


def streams() -> dict[str, tuple[Any, Any]]:
    """Return the rows and labels of each real table, and of a drawn one."""
    rng = np.random.default_rng(0)
    cancer, wine, sugar = datasets.load_breast_cancer(), datasets.load_wine(), datasets.load_diabetes()
    digits, normal = datasets.load_digits(), rng.normal(size=(600, 10))
    return {
        "breast cancer": (cancer.data, cancer.target),
        "wine, first class": (wine.data, wine.target == 0),
        "diabetes, above median": (sugar.data, sugar.target > np.median(sugar.target)),
        "digits, zero": (digits.data[:600], digits.target[:600] == 0),
        "one of ten normal features, noise 0.1": (normal, (normal[:, 3] >= 0.2) ^ (rng.random(600) < 0.1)),
    }


def stumps(data: Any) -> dict[bytes, Any]:
    """Return the labellings of the rows by stumps, each once."""
    found = {}
    for values in data.T:
        for cut in (*np.unique(values), NEVER):
            for says in (values >= cut, values < cut):
                found[says.tobytes()] = says
    return found


def nearer(low: Any, high: Any, x: Any) -> Any:
    """Return whether x is at or above ``high``, or nearer to it than to ``low``."""
    return (high <= x) | ((low < x) & (high - x < x - low))


def voted(how: str, x: Any, least: Any, most: Any) -> int:
    """Return what the cells that still fit say at x; ``least`` and ``most`` are the extreme values of either label."""
    parts = []
    for rising, low, high in ((True, most[0], least[1]), (False, most[1], least[0])):
        near = nearer(low, high, x)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.clip((x - low) / (high - low), 0, 1)
        soft = np.where(np.isfinite(high - low), inside, near)
        parts.append((low < high, near == rising, soft if rising else 1 - soft))
    fits, hard, soft = (np.stack([one[i] for one in parts], axis=1).ravel() for i in range(3))
    says = hard[fits]
    if how == "soft":
        return int(2 * soft[fits].sum() > fits.sum())
    return int(2 * says.sum() > len(says)) if how == "vote" else int(says[0 if how == "first" else -1])


def voting(data: Any, labels: Any) -> tuple[dict[str, int], int]:
    """Return k* of each way to vote, and n*, along the labels of a stump."""
    columns = data.shape[1]
    least, most = np.full((2, columns), math.inf), np.full((2, columns), -math.inf)
    mistakes, contested = dict.fromkeys(VOTES, 0), 0
    for x, y in zip(data, labels, strict=True):
        above, below = np.maximum(most[1 - y], x), np.minimum(least[1 - y], x)  # (were the label the other one)
        if np.any(above < least[y]) or np.any(most[y] < below):
            contested += 1
            for how in VOTES:
                mistakes[how] += int(voted(how, x, least, most) != y)
        least[y], most[y] = np.minimum(least[y], x), np.maximum(most[y], x)
    return mistakes, contested


def tables() -> str:
    """Return the table of real streams."""
    rows = []
    for name, (data, labels) in streams().items():
        ways = stumps(data)
        best = min(ways.values(), key=lambda says: int((says != labels.astype(bool)).sum()))
        found = []
        for seed in range(ORDERS):
            order = np.random.default_rng(seed).permutation(len(data))
            found.append(voting(data[order], best[order].astype(int)))
        mistakes = " / ".join(f"{np.mean([one[how] for one, _ in found]):.1f}" for how in VOTES)
        cost = " / ".join(f"{np.mean([price(one[how], n) for one, n in found]):.1f}" for how in VOTES)
        size = f"{len(data)} x {data.shape[1]}"
        rows.append([name, size, f"{np.mean([n for _, n in found]):.1f}", mistakes, cost, f"{math.log(len(ways)):.1f}"])
    names = " / ".join(VOTES)
    head = ["stream", "rounds x features", "n\\*", f"k\\* {names}", f"KT price {names}", "ln(number of rules)"]
    return table(head, rows, "lrrrrr")


if __name__ == "__main__":
    put("base-learners.md", "uniform floats of benchmarks/float_paths.py", uniform())
    put("base-learners.md", "tables of benchmarks/float_paths.py", tables())
