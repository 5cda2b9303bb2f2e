"""LazyAdept(prune="late"): deferred pruning, against its definition, its query count and its theorem."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument
from reproduction.voting_learners import MajorityPruning, WeightedVote

Path_ = tuple[int, ...]


def capacity(rounds: int, mistakes: int) -> int:
    return sum(math.comb(max(0, rounds), j) for j in range(mistakes + 1))


class ByDefinition:
    """Theorem P's learner with exact sums over tuples of labels: one state of the base for every committed path."""

    def __init__(self, c: Any, base: Any, K: int) -> None:
        self.c, self.base, self.K = c, base.bind(c), K
        self.M = self.base.mistake_bound
        self.eta = math.sqrt(8 * min(self.M, K) * math.log(math.e * K / min(self.M, K)) / K)
        self.points: list[Any] = []
        self.paths: dict[Path_, tuple[Any, int, int]] = {(): (self.base.start(), 0, 0)}
        self.queries = 0

    def probability(self, x: Any) -> float:
        left, sides = self.K - len(self.points) - 1, [0.0, 0.0]
        for state, wrong, loss in self.paths.values():
            guess = self.base.predict(state, x)
            for label in (0, 1):
                sides[label] += math.exp(-self.eta * loss) * capacity(left, self.M - wrong - (label != guess))
        return sides[1] / sum(sides)

    def commit(self, x: Any, y: int) -> None:
        grown = {}
        for path, (state, wrong, loss) in self.paths.items():
            guess = self.base.predict(state, x)
            for label in (0, 1):
                self.queries += 1
                if self.c.realizable([*zip(self.points, path, strict=True), (x, label)]):
                    entry = self.base.update(state, x, label), wrong + (label != guess), loss + (label != y)
                    grown[*path, label] = entry
        self.paths = grown
        self.points.append(x)


CASES: dict[str, tuple[Any, Any, Any]] = {
    "thresholds, bisection": (at.Thresholds(15), at.Bisection(), lambda rng: rng.randrange(15)),
    "thresholds, halving": (at.Thresholds(9), at.Halving(), lambda rng: rng.randrange(9)),
    "intervals, SOA": (at.Intervals(6), at.SOA(), lambda rng: rng.randrange(6)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("commits", [1, 4, 12, 40])
def test_it_is_its_definition_on_every_round(case: str, commits: int) -> None:
    """Also between commits and after the last one; queries are those of the commits alone."""
    c, base, draw = CASES[case]
    rng = random.Random(commits)
    lazy = at.LazyAdept(c, 40, commits=commits, base=base, seed=3, prune="late")
    plain = ByDefinition(c, base, commits)
    for _ in range(40):
        x, before = draw(rng), len(lazy.sampled_rounds)
        p = lazy.predict_proba(x)
        assert p == pytest.approx(plain.probability(x), abs=1e-12)
        assert lazy.queries.asked == plain.queries
        y = int(p < 0.5) if rng.random() < 0.6 else rng.randrange(2)
        lazy.learn(x, y)
        if len(lazy.sampled_rounds) > before:
            plain.commit(x, y)
    assert (lazy.width, lazy.inner.best_loss) == (len(plain.paths), min(e[2] for e in plain.paths.values()))
    assert lazy.queries.asked == plain.queries
    paths, alone = lazy.inner.paths, at.Adept(c, commits, engine="paths")
    for x in plain.points:
        alone.learn(x, 0)
    assert paths.contested.tolist() == alone.paths.contested.tolist()


@pytest.mark.parametrize("case", CASES)
def test_the_regret_on_the_sample_is_within_the_theorem(case: str) -> None:
    c, base, draw = CASES[case]
    worst = 0.0
    for seed in range(12):
        rng = random.Random(seed)
        lazy = at.LazyAdept(c, 30, commits=30, base=base, prune="late")
        for _ in range(30):
            x = draw(rng)
            lazy.learn(x, int(lazy.predict_proba(x) < 0.5))
        worst = max(worst, lazy.regret / at.bounds.regret(30, lazy.inner.mistake_bound or 0))
        assert lazy.queries.asked <= at.bounds.total_queries(30, c.vc_dimension or 0)
    assert 0.1 < worst <= 1


def test_majority_pruning_follows_concepts_of_an_oracle() -> None:
    """Its functions are concepts that the commits found: they label every point without a query."""
    calls = []

    def find(sample: Any) -> Any:
        calls.append(len(sample))
        low, high = max((x for x, y in sample if not y), default=-1), min((x for x, y in sample if y), default=99)
        return (lambda x, least=low + 1: int(x >= least)) if low < high else None

    rng = random.Random(2)
    hidden = at.OracleClass(find=find, vc_dimension=1)
    base: Any = MajorityPruning(1)
    lazy = at.LazyAdept(hidden, 300, commits=60, base=base, mistake_bound=8, on_excess="prune", prune="late")
    for _ in range(300):
        x = rng.randrange(40)
        before, committed = len(calls), len(lazy.sampled_rounds)
        p = lazy.predict_proba(x)
        assert len(calls) == before and 0 <= p <= 1
        lazy.learn(x, int(x >= 17))
        assert len(calls) == before or len(lazy.sampled_rounds) > committed
    frontier, council = lazy.inner.paths.frontier, lazy.inner.paths.base_rows._council  # type: ignore[attr-defined]
    labels = frontier.labels  # type: ignore[attr-defined]
    assert len(labels) > 5 and council.functions.max() < len(labels)
    assert lazy.queries.asked <= at.bounds.total_queries(lazy.commits, 1)
    assert lazy.best_loss == 0 and lazy.regret < 0.3 * 300


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"base": "ghost"}, "counts only rounds at which both labels are realizable"),
        ({"base": "vote"}, "no mistake bound is known"),
        ({"base": "majority of bits"}, "an oracle that returns concepts"),
        ({"prune": "later"}, "prune must be"),
    ],
)
def test_what_has_no_guarantee_is_refused_with_the_reason(options: dict[str, Any], reason: str) -> None:
    bases = {"ghost": at.Ghost(2), "vote": WeightedVote(), "majority of bits": MajorityPruning(1)}
    hidden = at.OracleClass(realizable=at.Thresholds(8).realizable, vc_dimension=1)
    made = {"prune": "late", **options, "base": bases.get(options.get("base", ""), at.Ghost(1))}
    with pytest.raises(InvalidArgument, match=reason):
        at.LazyAdept(hidden, 50, **made)


def test_save_and_load_in_the_middle(tmp_path: Path) -> None:
    c, rng = at.Thresholds(15), random.Random(5)
    pairs = [(rng.randrange(15), rng.randrange(2)) for _ in range(60)]
    whole = at.LazyAdept(c, 60, commits=20, seed=4, prune="late")
    expected = whole.learn_many(*zip(*pairs, strict=True)).tolist()
    for stop in (1, 17, 59):
        lazy = at.LazyAdept(c, 60, commits=20, seed=4, prune="late")
        lazy.learn_many(*zip(*pairs[:stop], strict=True))
        lazy.save(tmp_path / "lazy")
        again = at.load(tmp_path / "lazy")
        assert again.learn_many(*zip(*pairs[stop:], strict=True)).tolist() == expected[stop:]
        assert again.queries == whole.queries
