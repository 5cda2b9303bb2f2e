"""Regret of the default prior, "mixed", against the former one, "kt":  python benchmarks/default_prior.py [--help]

Every learner plays the same points and (except with the greedy opponent) the same labels; numbers are expected regret,
means over seeds. A ratio new/old above 1.03 is shown with its standard error and measured again, with more seeds that
were not used before. The bound (``bound``, ``in_advance``) is compared with the regret after every round.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from operator import methodcaller
from statistics import geometric_mean
from typing import Any

import numpy as np

import adeptree as at
from adeptree.core.seeds import stream as randomness
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import Threshold

Draw = Callable[[np.random.Generator], Any]
NOISE = {"noise 0": 0.0, "noise 0.1": 0.1, "noise 0.3": 0.3, "noise 0.5": 0.5, "flip": 0.15}
STREAMS = [*NOISE, "greedy"]


@dataclass(frozen=True)
class Case:
    """A class, how its points and its target are drawn, and whether the paper's learner and Hedge play too."""

    name: str
    concepts: at.ConceptClass
    point: Draw
    target: Draw
    others: bool = False

    def learners(self, T: int) -> dict[str, at.OnlineLearner]:
        c = self.concepts
        kt, mixed = at.Adept(c, prior="kt", engine="paths"), at.Adept(c, engine="paths")
        paper = {"paper": at.Adept(c, horizon=T, engine="paths")} if self.others else {}
        hedge = {"hedge": at.Hedge(c)} if self.others and isinstance(c, EnumerableClass) else {}
        return {"old": kt, "new": mixed, **paper, **hedge}


def own(name: str, c: at.ConceptClass, others: bool = False) -> Case:
    return Case(name, c, c.random_instance, c.random_concept, others)


def blocks(d: int, B: int, others: bool = False) -> Case:
    c = at.BlockUnions(d)
    name, point = f"{d} of {B} blocks", methodcaller("integers", B)
    return Case(name, c, point, lambda rng: c.union(rng.permutation(B)[:d].tolist()), others)


def floats(name: str) -> Case:
    draw = methodcaller(name)  # of the random stream: rng.normal() is a float
    return Case(f"floats, {name}", at.RealThresholds(), draw, lambda rng: Threshold(draw(rng)))


CASES = [
    *(own(f"thresholds({n})", at.Thresholds(n), others=n == 255) for n in (255, 1024, 4095)),
    own("intervals(63)", at.Intervals(63), others=True),
    own("stumps, 5 x 20", at.Stumps(cuts={name: range(1, 21) for name in "abcde"}), others=True),
    *(blocks(d, B, others=d == 2 and B > 8) for d, B in [(2, 8), (3, 12), (2, 40), (3, 40), (2, 200)]),
    *map(floats, ("uniform", "normal", "lognormal")),
]

largest: dict[str, tuple[float, str]] = {}  # share of what was proven that a regret has come to, and where


def look(learner: at.OnlineLearner, who: str, where: str) -> None:
    """Compare the regret with what is proven of it, unless that is trivial: no more than all rounds."""
    for what, proven in [("bound", learner.bound), ("in_advance", learner.in_advance)]:
        if proven is not None and proven < learner.rounds:
            seen = (learner.regret / max(proven, 1e-9), f"{where}, round {learner.rounds}")
            largest[f"{who}, {what}"] = max(largest.get(f"{who}, {what}", seen), seen)


def play(case: Case, T: int, stream: str, seed: int) -> dict[str, float]:
    """Return the regret of each learner on one stream."""
    rng = randomness(seed, f"{case.name} {T}")
    target, xs = case.target(rng), [case.point(rng) for _ in range(T)]
    wrong = rng.random(T) < NOISE.get(stream, 0.0)
    if stream == "flip":
        wrong[int(0.4 * T) : int(0.55 * T)] ^= True
    players = case.learners(T)
    for who, learner in players.items():
        for x, inverted in zip(xs, wrong.tolist(), strict=True):
            y = int(learner.predict_proba(x) <= 0.5) if stream == "greedy" else int(target(x)) ^ inverted
            learner.learn(x, y)
            look(learner, who, f"{case.name}, {stream}, T = {T}, seed {seed}")
    return {who: learner.regret for who, learner in players.items()}


def ratio_of(games: list[dict[str, float]]) -> tuple[float, float]:
    """Return new/old, and its standard error: the same streams were played, so only what differs scatters."""
    old, new = (np.array([game[who] for game in games]) for who in ("old", "new"))
    ratio = float(new.mean() / old.mean())
    return ratio, float((new - ratio * old).std(ddof=1) / np.sqrt(len(games)) / old.mean())


def cell(games: list[dict[str, float]]) -> str:
    means = {who: f"{np.mean([game[who] for game in games]):.1f}" for who in games[0]}
    return " / ".join(f"**{mean}**" if who == "new" else mean for who, mean in means.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8, help="at least 2; a quarter as many for greedy")
    parser.add_argument("--again", type=int, default=8, help="times as many seeds where a ratio is above 1.03")
    parser.add_argument("--rounds", type=int, nargs="+", default=[300, 1000], help="the lengths T; 3000 takes longer")
    parser.add_argument("--only", default="", help="the configurations whose name holds this")
    parser.add_argument("--wide", action="store_true", help="also 3 of 200 blocks: 1.3 million paths, hours")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", at.errors.NoBetterThanACoin)  # short games are played on purpose
    begun, suspects, ratios = time.perf_counter(), [], defaultdict[str, list[float]](list)
    seeds = {stream: max(2, asked.seeds // 4) if stream == "greedy" else asked.seeds for stream in STREAMS}
    print(f"| old / **new** / paper / Hedge | T | {' | '.join(STREAMS)} |\n|---|---|{'---|' * len(STREAMS)}")
    for case in [*CASES, *([blocks(3, 200)] if asked.wide else [])]:
        for T in asked.rounds if asked.only in case.name else []:
            row = {s: [play(case, T, s, seed) for seed in range(seeds[s])] for s in STREAMS}
            print(f"| {case.name} | {T} | {' | '.join(map(cell, row.values()))} |", flush=True)
            for stream, games in row.items():
                ratio = ratio_of(games)[0]
                for group in (stream, "floats" if case.name.startswith("floats") else "all but floats", "all"):
                    ratios[group].append(ratio)
                suspects += [(case, T, stream, games)] if ratio > 1.03 else []
    groups = [group for group in (*STREAMS, "floats", "all but floats", "all") if ratios[group]]
    means = [f"{group} {geometric_mean(ratios[group]):.3f}" for group in groups]
    print(f"\nnew/old, geometric means: {', '.join(means)}; largest {max(ratios['all']):.3f}\n")
    for case, T, stream, games in suspects:
        fresh = range(len(games), len(games) * (1 + asked.again))
        again = [play(case, T, stream, seed) for seed in fresh]
        first, second = ("{:.3f} ± {:.3f}".format(*ratio_of(played)) for played in (games, again))
        print(f"- {case.name}, {stream}, T = {T}: {first}; with {len(fresh)} other seeds {second}, {cell(again)}")
    print("\nLargest regret / what is proven of it, after any round (above 1 is a bug):")
    for who, (share, where) in sorted(largest.items()):
        print(f"- {who}: {share:.6f} ({where})")
    print(f"\n{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
