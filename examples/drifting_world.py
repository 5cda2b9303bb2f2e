"""A world that flips: python examples/drifting_world.py   (River's learners join if it is installed)

A sensor's alarm means trouble above 0.5; from time to time the cables are swapped and it means trouble below. One fixed
rule is then right half of the time, and so is a learner that competes with one fixed rule: its guarantee holds and is
worth nothing. With `drift=True` the learner competes with sequences of rules that change (docs/theory/drift.md). You do
not state how often they change.

Label noise is 1 %. Errors are in percent. "Adept" has one rule for all rounds. It prints (in half a minute):

    flips        sharing     drift     Adept best rule        LR        PA        HT       HAT
    once             1.6       1.4      49.4      49.3       8.0       3.7       8.7       2.5
    every 500        4.4       4.6      49.4      48.9      35.4       6.0      41.5      10.5
    every 50        24.1      25.7      49.8      48.7      49.4      17.3      49.4      49.4
"""

from __future__ import annotations

import random

import adeptree as at

ROUNDS, NOISE, SEED = 8000, 0.01, 0
RULES = at.RealStumps(["x"])
Pair = tuple[dict[str, float], bool]


def flipping(period: int) -> list[Pair]:
    """Return the stream whose polarity flips every ``period`` rounds."""
    rng = random.Random(SEED)
    xs = [rng.random() for _ in range(ROUNDS)]
    return [({"x": x}, (x >= 0.5) ^ (t // period % 2 == 1) ^ (rng.random() < NOISE)) for t, x in enumerate(xs)]


def river_errors(stream: list[Pair]) -> dict[str, float]:
    try:
        from river import linear_model, preprocessing, tree
    except ImportError:
        return {}
    models = {
        "LR": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "PA": preprocessing.StandardScaler() | linear_model.PAClassifier(),
        "HT": tree.HoeffdingTreeClassifier(),
        "HAT": tree.HoeffdingAdaptiveTreeClassifier(seed=SEED),
    }
    errors = dict.fromkeys(models, 0)
    for x, y in stream:
        for name, model in models.items():
            errors[name] += bool(model.predict_one(x)) != y
            model.learn_one(x, y)
    return {name: count / ROUNDS for name, count in errors.items()}


def row(period: int) -> dict[str, float]:
    """Return everybody's error on one stream."""
    stream = flipping(period)
    xs, ys = zip(*stream, strict=True)
    learners = {
        "sharing": at.Adept(RULES, seed=SEED, drift="sharing"),
        "drift": at.Adept(RULES, seed=SEED, drift=True),
        "Adept": at.Adept(RULES, seed=SEED),
    }
    for learner in learners.values():
        learner.learn_many(xs, ys)
    errors = {name: learner.expected_loss / ROUNDS for name, learner in learners.items()}
    return errors | {"best rule": learners["Adept"].best_loss / ROUNDS, **river_errors(stream)}


def main() -> None:
    for i, (said, period) in enumerate([("once", ROUNDS // 2), ("every 500", 500), ("every 50", 50)]):
        errors = row(period)
        if not i:
            print(f"{'flips':10}" + "".join(f"{name:>10}" for name in errors))
        print(f"{said:10}" + "".join(f"{100 * error:10.1f}" for error in errors.values()))


if __name__ == "__main__":
    main()
