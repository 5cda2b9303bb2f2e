"""Why must a forecaster randomise? python examples/why_randomise.py   (River's learners join if it is installed)

An adversary knows each learner and answers "not your prediction". A learner that always predicts the same from the
same past is wrong in every round, whatever it learns: LogisticRegression and trees as well as our own
FollowTheLeader, which predicts with the best rule so far. Against a learner that draws its label the adversary can do
no better than to pick the less likely one: it knows the probability p, not the coin. Adept then errs a little more than
half of the time, as its bound says it must, and the best threshold in hindsight errs half of the time on that stream.

The adversary plays each learner on its own, so every row has a different stream. It prints:

    1000 rounds of "not your prediction"      error   best threshold on that stream
    FollowTheLeader (deterministic)          100.0%   50.0%
    LogisticRegression (River)               100.0%   48.5%
    HoeffdingTree (River)                    100.0%   48.0%
    HoeffdingAdaptiveTree (River)            100.0%   48.6%
    Adept, argmax (deterministic)            100.0%   49.9%
    Adept, sampled                            55.4%   49.9%
    Adept's regret: 53.3 expected, at most 69.3 proven
"""

from __future__ import annotations

import random
from collections.abc import Callable

import adeptree as at

ROUNDS, POINTS, SEED = 1000, 64, 0
RULES = at.Thresholds(POINTS)
Learner = tuple[Callable[[int], bool], Callable[[int, bool], None]]


def points() -> list[int]:
    rng = random.Random(SEED)
    return [rng.randrange(POINTS) for _ in range(ROUNDS)]


def contradict(predict: Callable[[int], bool], learn: Callable[[int, bool], None]) -> tuple[float, float]:
    """Play a deterministic learner; return its error and the best threshold's."""
    errors, history = 0, []
    for x in points():
        guess = predict(x)
        y = not guess
        errors += guess != y
        learn(x, y)
        history.append((x, int(y)))
    rule = RULES.erm(history)
    return errors / ROUNDS, sum(rule(x) != y for x, y in history) / ROUNDS


def deterministic() -> dict[str, Learner]:
    leader = at.FollowTheLeader(RULES, horizon=ROUNDS)
    adept = at.Adept(RULES)
    return {
        "FollowTheLeader (deterministic)": (lambda x: leader.predict_proba(x) > 0.5, leader.learn),
        **river_learners(),
        "Adept, argmax (deterministic)": (lambda x: adept.predict_proba(x) > 0.5, adept.learn),
    }


def river_learners() -> dict[str, Learner]:
    try:
        from river import linear_model, preprocessing, tree
    except ImportError:
        return {}
    models = {
        "LogisticRegression": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "HoeffdingTree": tree.HoeffdingTreeClassifier(),
        "HoeffdingAdaptiveTree": tree.HoeffdingAdaptiveTreeClassifier(seed=SEED),
    }

    def played(model: object) -> Learner:
        return (
            lambda x: bool(model.predict_one({"x": x})),  # type: ignore[attr-defined]
            lambda x, y: model.learn_one({"x": x}, y),  # type: ignore[attr-defined]
        )

    return {f"{name} (River)": played(model) for name, model in models.items()}


def sampled() -> at.Adept:
    """Play Adept against the adversary that knows p but not the coin: it answers the less likely label."""
    learner = at.Adept(RULES, seed=SEED)
    for x in points():
        learner.learn(x, learner.predict_proba(x) <= 0.5)
    return learner


def main() -> None:
    title = f'{ROUNDS} rounds of "not your prediction"'
    print(f"{title:40}  error   best threshold on that stream")
    for name, learner in deterministic().items():
        error, best = contradict(*learner)
        print(f"{name:40}{error:7.1%}   {best:.1%}")
    adept = sampled()
    print(f"{'Adept, sampled':40}{adept.realised_loss / ROUNDS:7.1%}   {adept.best_loss / ROUNDS:.1%}")
    print(f"Adept's regret: {adept.regret:.1f} expected, at most {adept.bound:.1f} proven")


if __name__ == "__main__":
    main()
