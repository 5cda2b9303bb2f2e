"""Laws of online learners: predictions without commitment, randomness, the account and the regret bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import LearnerSubject
from adeptree.checks.trial_runs import account, check_undisturbed, queries, run, streams, trials, twins
from adeptree.core.errors import AdeptreeError, HorizonReached, InvalidArgument, InvalidInstance, InvalidLabel
from adeptree.learners.online_learner import OnlineLearner

TOLERANCE = 1e-9


def check_probability(subject: LearnerSubject) -> None:
    """A prediction is a probability, whatever the stream."""
    for name, learner, points, label in trials(subject):
        for played in run(learner, points, label):
            if not isinstance(played.p, float) or not 0.0 <= played.p <= 1.0:
                fail(f"P(1) must be a float in [0, 1], it is {played.p!r} at x={played.x!r} ({name} stream)")


def check_second_prediction(subject: LearnerSubject) -> None:
    """Predicting commits nothing: a second prediction costs no query and gives the same number."""
    learner, _, pairs = twins(subject)
    for x, y in pairs:
        first, before = learner.predict_proba(x), queries(learner)
        second = learner.predict_proba(x)
        if second != first:
            fail(f"predict_proba at x={x!r} gave {first!r}, then {second!r}")
        if queries(learner) != before:
            fail(f"the second prediction at x={x!r} asked queries")
        learner.learn(x, y)


def check_learning_without_predicting(subject: LearnerSubject) -> None:
    """``learn`` is the only commit, and works with or without a prediction before it."""
    asked, silent, pairs = twins(subject)
    for x, y in pairs:
        asked.predict_proba(x)
        asked.learn(x, y)
        silent.learn(x, y)
        if account(asked) != account(silent) or queries(asked) != queries(silent):
            fail(f"after x={x!r}: {account(asked)} with a prediction, {account(silent)} without")


def check_speculation(subject: LearnerSubject) -> None:
    """Predictions at other points in between change nothing."""
    others = subject.domain.points(3, "others")

    def look_elsewhere(learner: OnlineLearner, x: Any) -> None:
        for other in others:
            learner.predict_proba(other)
            learner.predict(other)

    check_undisturbed(subject, look_elsewhere, "looking elsewhere", counted=False)


def check_invalid_label(subject: LearnerSubject) -> None:
    """A value that is not a label raises InvalidLabel and leaves the learner unchanged."""

    def mislabel(learner: OnlineLearner, x: Any) -> None:
        _raises(InvalidLabel, [(learner.learn, (x, y)) for y in (2, -1, 0.5, "1", None)])

    check_undisturbed(subject, mislabel, "a refused call")


def check_invalid_instance(subject: LearnerSubject) -> None:
    """A point outside the domain raises InvalidInstance and leaves the learner unchanged."""
    stranger = subject.domain.refused()

    def confuse(learner: OnlineLearner, x: Any) -> None:
        _raises(InvalidInstance, [(learner.predict_proba, (stranger,)), (learner.learn, (stranger, 1))])

    check_undisturbed(subject, confuse, "a refused call")


def check_reproducible(subject: LearnerSubject) -> None:
    """The same seed gives the same run."""
    for name, (points, label) in streams(subject).items():
        if run(subject.make(5), points, label) != run(subject.make(5), points, label):
            fail(f"two runs of the same seed differ on the {name} stream")


def check_predict(subject: LearnerSubject) -> None:
    """``predict`` draws 1 with probability ``predict_proba``, by one coin per round."""
    # The point where the coin matters most comes first.
    x, *rest = sorted(subject.domain.points(6, "draw"), key=lambda x: abs(subject.make().predict_proba(x) - 0.5))
    guesses, chances = [], []
    for seed in range(80):
        learner = subject.make(seed)
        guess = learner.predict(x)
        for other in rest:
            learner.predict(other)
        if guess not in (0, 1) or learner.predict(x) != guess:
            fail(f"predict at x={x!r} drew {guess!r}, then {learner.predict(x)!r} in the same round")
        guesses.append(guess)
        chances.append(learner.predict_proba(x))
    spread = float(np.sqrt(sum(p * (1 - p) for p in chances)))
    if abs(sum(guesses) - sum(chances)) > 5 * spread + TOLERANCE:
        fail(f"predict drew 1 for {sum(guesses)} of {len(guesses)} seeds, where {sum(chances):.1f} are expected")


def check_account(subject: LearnerSubject) -> None:
    """Regret is reported exactly: sum of |p - y|, minus the best concept's mistakes."""
    for name, learner, points, label in trials(subject):
        rounds = run(learner, points, label)
        exact = sum(abs(r.p - r.y) for r in rounds)
        if learner.rounds != len(rounds) or abs(learner.expected_loss - exact) > TOLERANCE:
            fail(f"expected_loss is {learner.expected_loss}, the rounds add up to {exact} ({name} stream)")
        if abs(learner.regret - (exact - learner.best_loss)) > TOLERANCE:
            fail(f"regret is {learner.regret}, not {exact} - {learner.best_loss} ({name} stream)")
        drawn = sum(r.guess != r.y for r in rounds)
        if learner.realised_loss != drawn:
            fail(f"realised_loss is {learner.realised_loss}, the drawn labels erred {drawn} times ({name} stream)")


def check_regret_bound(subject: LearnerSubject) -> None:
    """The guarantee itself: expected regret at most ``bound``, after every round of every stream."""
    for name, learner, points, label in trials(subject):
        for t, x in enumerate(points):
            learner.learn(x, label(t, learner.predict_proba(x)))
            if np.isinf(learner.bound):
                skip("it promises nothing: its bound is infinite")
            if learner.regret > learner.bound + TOLERANCE:
                fail(f"regret {learner.regret:.6f} exceeds {learner.bound:.6f} in round {t + 1} of the {name} stream")


def check_best_loss(subject: LearnerSubject) -> None:
    """``best_loss`` is what ERM finds, at every moment, without one ERM call."""
    for name, learner, points, label in trials(subject):
        sample: list[tuple[Any, int]] = []
        for t, x in enumerate(points):
            sample.append((x, label(t, learner.predict_proba(x))))
            learner.learn(*sample[-1])
            rule = learner.concept_class.erm(sample)
            best = sum(rule(x) != y for x, y in sample)
            if learner.best_loss != best:
                fail(f"best_loss is {learner.best_loss}, ERM finds {best} in round {t + 1} of the {name} stream")


def check_best_rule(subject: LearnerSubject) -> None:
    """The rule shown is a best one, and naming it poses no query."""
    for name, learner, points, label in trials(subject):
        rounds = run(learner, points[: max(1, len(points) - 1)], label)
        before = queries(learner)
        rule = learner.best_rule()
        if queries(learner) != before:
            fail("best_rule asked queries")
        sample = [(r.x, r.y) for r in rounds]
        best = learner.concept_class.erm(sample)
        found, least = (sum(concept(x) != y for x, y in sample) for concept in (rule, best))
        if found != least or found != learner.best_loss:
            fail(f"best_rule {rule} errs {found} times, the best concept {least} times ({name} stream)")


def check_queries(subject: LearnerSubject) -> None:
    """Three counters, never merged, that only grow: asked = posed + inferred."""
    learner, _, pairs = twins(subject)
    last = (0, 0)
    for x, y in pairs:
        learner.learn(x, y)
        asked, posed, inferred = queries(learner)
        if asked != posed + inferred or asked < last[0] or posed < last[1]:
            fail(
                f"asked={asked}, posed={posed}, inferred={inferred} after x={x!r}; before, asked and posed were {last}"
            )
        last = asked, posed


def check_accessors(subject: LearnerSubject) -> None:
    """Reading the attributes of a learner poses no query and changes nothing."""

    def look(learner: OnlineLearner, x: Any) -> None:
        account(learner), repr(learner), learner.settings(), learner.best_rule(), learner.horizon
        if not isinstance(learner.width, int) or learner.width < 1:
            fail(f"width must be an int >= 1, it is {learner.width!r}")

    check_undisturbed(subject, look, "an accessor")


def check_learn_many(subject: LearnerSubject) -> None:
    """A batch of rounds equals the single rounds up to rounding, because it may add numbers in another order."""
    many, single, pairs = twins(subject)
    together = many.learn_many([x for x, _ in pairs], [y for _, y in pairs])
    expected = [r.p for r in run(single, [x for x, _ in pairs], lambda t, p: pairs[t][1])]
    once, one_by_one = [*together, *account(many).values()], [*expected, *account(single).values()]
    if not np.allclose(once, one_by_one, rtol=1e-12, atol=1e-12):
        fail(f"learn_many predicted {together.tolist()}, one by one {expected}")


def check_bool_labels(subject: LearnerSubject) -> None:
    """False and True are labels too."""
    numbers, bools, pairs = twins(subject)
    for x, y in pairs:
        numbers.learn(x, y)
        bools.learn(x, np.bool_(y) if numbers.rounds % 2 else bool(y))
    if account(numbers) != account(bools):
        fail(f"labels False/True gave {account(bools)}, labels 0/1 {account(numbers)}")


def check_horizon(subject: LearnerSubject) -> None:
    """After the last round prediction raises HorizonReached, and nothing moves."""
    learner, _, pairs = twins(subject)
    for x, y in pairs:
        learner.learn(x, y)
    before = account(learner), queries(learner)
    x, y = pairs[0]
    _raises(HorizonReached, [(learner.predict_proba, (x,)), (learner.predict, (x,)), (learner.learn, (x, y))])
    if (account(learner), queries(learner)) != before:
        fail("a round past the horizon changed the learner")


def check_one_round(subject: LearnerSubject) -> None:
    """T = 1 is a valid horizon."""
    for y in (0, 1):
        learner = subject.factory(horizon=1, seed=0)
        (played,) = run(learner, subject.domain.points(1, "one"), lambda t, p, y=y: y)  # type: ignore[misc]
        if not 0 <= played.p <= 1 or learner.rounds != 1 or learner.regret > learner.bound + TOLERANCE:
            fail(f"with T=1 and label {y} the account is {account(learner)}")


def check_invalid_horizon(subject: LearnerSubject) -> None:
    """A horizon that is not a number of rounds raises an error with a message."""
    for horizon in (0, -1, 2.5, True, "10"):
        try:
            subject.factory(horizon=horizon, seed=0)  # type: ignore[arg-type]
        except InvalidArgument:
            continue
        fail(f"horizon={horizon!r} must raise InvalidArgument")


Call = tuple[Callable[..., Any], tuple[Any, ...]]


def _raises(error: type[AdeptreeError], calls: list[Call]) -> None:
    for function, arguments in calls:
        try:
            function(*arguments)
        except error:
            continue
        fail(f"{function.__name__}{arguments!r} must raise {error.__name__}")
