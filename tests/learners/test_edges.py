"""The corners of the definitions, and wrong calls: adeptree's own error, and the learner as it was."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest
from strategies import Stream, finite, thresholds

import adeptree as at
from adeptree import errors
from reproduction.reference.listed_classes import MostConcepts, listed
from reproduction.reference.paper import algorithm_1, algorithm_2

WRONG_LABELS = [2, -1, 0.5, 1.5, "1", None, float("nan"), [1], 10**30]


def snapshot(learner: at.OnlineLearner, counters: bool = True) -> Any:
    """Everything a save would hold, as copies that compare with ==."""
    account: dict[str, Any] = {
        "rounds": learner.rounds,
        "losses": (learner.expected_loss, learner.realised_loss),
        "width": learner.width,
        "answered": (learner.answered, learner.variance, learner.overlaps, learner.tickets.state()),
        "learnt": _plain(learner._state()),
    }
    if counters:
        account["queries"] = (learner.queries.asked, learner.queries.posed)
    return copy.deepcopy(account)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value


def continues(learner: at.OnlineLearner, twin: at.OnlineLearner, stream: Stream) -> None:
    """Both continue equally to the last bit; ``twin`` was never disturbed."""
    for x, y in stream:
        assert learner.predict_proba(x) == twin.predict_proba(x)
        assert learner.predict(x) == twin.predict(x)
        learner.learn(x, y)
        twin.learn(x, y)
    assert snapshot(learner, counters=False) == snapshot(twin, counters=False)


def played(learner: at.OnlineLearner, stream: Stream) -> list[float]:
    return [float(p) for p in learner.learn_many([x for x, _ in stream], [y for _, y in stream])]


# ----------------------------------------------------------------------------------- defined values

ROWS = thresholds(3).rows
STREAMS: dict[str, Stream] = {
    "repeated points": [(1, 0), (1, 0), (1, 0), (2, 1), (1, 0)],
    "all labels 0": [(0, 0), (1, 0), (2, 0), (1, 0), (0, 0)],
    "all labels 1": [(0, 1), (1, 1), (2, 1), (1, 1), (0, 1)],
    "contradictions": [(1, 0), (1, 1), (1, 0), (1, 1), (1, 0)],
    "no concept fits": [(0, 1), (1, 0), (2, 1), (0, 1), (2, 0)],
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
@pytest.mark.parametrize("M", [2, 3, 5, 6, 13, 14, 40])
@pytest.mark.parametrize("rate", ["paper", "first-order"])
def test_odd_streams_and_bounds_have_the_values_of_the_reference(stream: Stream, M: int, rate: str) -> None:
    expected = algorithm_1(listed(ROWS), listed(ROWS), stream, 5, M, True, rate).p
    learner = at.Adept(finite(ROWS), horizon=5, mistake_bound=M, rate=rate)
    assert played(learner, stream) == pytest.approx(expected, abs=1e-12)
    assert learner.best_loss == min(sum(row[x] != y for x, y in stream) for row in ROWS)
    assert 0 < learner.bound < math.inf and learner.regret <= learner.bound


def test_no_mistakes_allowed() -> None:
    """M = 0: one concept, one path, rate 0, regret 0."""
    learner = at.Adept(at.FiniteClass(["0110"]), horizon=6)
    assert (learner.mistake_bound, learner.learning_rate, learner.bound) == (0, 0.0, 0.0)
    stream: Stream = [(0, 1), (1, 1), (2, 0), (3, 0), (1, 0), (1, 1)]
    assert played(learner, stream) == [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    assert learner.width == 1 and learner.regret == 0.0 and learner.best_loss == 3
    first_order = at.Adept(at.FiniteClass(["0110"]), horizon=6, rate="first-order")
    assert played(first_order, stream) == [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def test_a_single_round() -> None:
    """T = 1, so there is one schedule of each kind: M = 1 and more give 1/2, the base learner alone decides else."""
    for M in (1, 2, 3, 100):
        learner = at.Adept(finite(ROWS), horizon=1, mistake_bound=M)
        assert learner.learning_rate == pytest.approx(math.sqrt(8))
        assert learner.predict_proba(1) == pytest.approx(0.5)
        learner.learn(1, 1)
        assert learner.regret == pytest.approx(0.5) and learner.regret <= learner.bound < math.sqrt(0.5)
        assert learner.in_advance is not None and learner.bound < learner.in_advance < math.sqrt(0.5)


def test_the_first_prediction_by_hand() -> None:
    """T = 2, M = 1 on two opposite concepts: the base says 0; W is 2 for it and 1 against it."""
    learner = at.Adept(at.FiniteClass(["00", "11"]), horizon=2)
    assert learner.predict_proba(0) == pytest.approx(1 / 3)
    learner.learn(0, 1)
    eta = math.sqrt(8 * (1 + math.log(2)) / 2)
    # The paths 0 (k = 0, L = 1) and 1 (k = 1, L = 0) are forced, with W = 1 each at t = T.
    assert learner.predict_proba(1) == pytest.approx(1 / (1 + math.exp(-eta)))


def test_bool_and_numpy_labels_are_labels() -> None:
    plain, other = (at.Adept(at.Thresholds(9), horizon=4) for _ in range(2))
    for x, y in ((2, 0), (6, 1), (4, 1)):
        plain.learn(x, y)
    for z, v in ((np.int64(2), False), (6.0, np.True_), (np.float64(4), np.uint8(1))):
        other.learn(z, v)
    assert snapshot(plain) == snapshot(other)


# ---------------------------------------------------------------------------------------- wrong calls


def learners() -> list[at.OnlineLearner]:
    c = at.Thresholds(9)
    return [
        at.Adept(c, horizon=6),
        at.Adept(c, horizon=6, rate="first-order", base=at.Halving()),
        at.Adept(at.FiniteClass(ROWS_9), horizon=6),
        at.Hedge(c, horizon=6),
    ]


ROWS_9 = [[int(x >= a) for x in range(9)] for a in range(10)]
BEFORE: Stream = [(4, 1), (2, 1), (7, 0)]
AFTER: Stream = [(3, 0), (4, 1), (8, 1)]


@pytest.mark.parametrize("which", range(4))
def test_wrong_labels_and_instances_change_nothing(which: int) -> None:
    learner, twin = learners()[which], learners()[which]
    played(learner, BEFORE)
    played(twin, BEFORE)
    for predicted in (False, True):
        if predicted:
            learner.predict_proba(3)
        before = snapshot(learner)
        for wrong in WRONG_LABELS:
            with pytest.raises(errors.InvalidLabel, match=r"a label must be 0 or 1; got y="):
                learner.learn(3, wrong)
            assert snapshot(learner) == before
        for x in (-1, 9, 2.5, "3", None, True):
            for call in (learner.predict_proba, learner.predict, lambda x: learner.learn(x, 1)):
                with pytest.raises(errors.InvalidInstance, match=r"x must be .*; got x="):
                    call(x)
                assert snapshot(learner) == before
    continues(learner, twin, AFTER)


@pytest.mark.parametrize("which", range(4))
def test_past_the_horizon(which: int) -> None:
    learner = learners()[which]
    played(learner, BEFORE + AFTER)
    before = snapshot(learner)
    for call in (learner.predict_proba, learner.predict, lambda x: learner.learn(x, 1)):
        with pytest.raises(errors.HorizonReached, match=r"all 6 rounds .* longer horizon"):
            call(3)
        assert snapshot(learner) == before
    assert isinstance(str(learner.best_rule()), str)


@pytest.mark.parametrize("horizon", [0, -1, 1.5, True, "9", float("inf")])
def test_wrong_horizons(horizon: Any) -> None:
    for kind in (at.Adept, at.Bpss, at.Hedge):
        with pytest.raises(errors.InvalidArgument, match=r"horizon must be .*got horizon="):
            kind(at.Thresholds(4), horizon=horizon)


@pytest.mark.parametrize(
    "options",
    [
        *({"rate": rate} for rate in (0, -1.0, "fast", True, float("nan"), float("inf"))),
        {"prior": "kepler"},
        {"engine": "warp"},
        {"on_excess": "ignore"},
        {"seed": -1},
        {"seed": 1.5},
        *({"mistake_bound": M} for M in (-1, 2.0, "3", True)),
    ],
    ids=repr,
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgument, match="must be"):
        at.Adept(at.Thresholds(4), horizon=3, **options)


def test_the_class_is_checked() -> None:
    with pytest.raises(errors.InvalidArgument, match="a concept class such as"):
        at.Adept("thresholds(n=4)", horizon=3)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgument, match="can be listed"):
        at.Hedge(at.BlockUnions(2), horizon=3)
    with pytest.raises(errors.TooLarge, match="use Adept"):
        at.Bpss(at.Thresholds(255), horizon=60)


# ------------------------------------------------------------------------------- wrong mistake bounds


def test_a_wrong_mistake_bound_is_named_and_commits_nothing() -> None:
    learner = at.Adept(at.Thresholds(9), horizon=6, mistake_bound=1)
    twin = at.Adept(at.Thresholds(9), horizon=6, mistake_bound=1)
    stream: Stream = [(4, 1), (4, 0)]  # a 1 at 4 is the first mistake of bisection, a 1 at 1 the second
    played(learner, stream)
    played(twin, stream)
    before = snapshot(learner, counters=False)
    for _ in range(2):
        with pytest.raises(errors.MistakeBoundExceeded, match=r"round 3: .* k=2 .* M=1; .*mistake_bound="):
            learner.learn(1, 1)
        with pytest.raises(errors.MistakeBoundExceeded):
            learner.predict_proba(1)
        assert snapshot(learner, counters=False) == before
    continues(learner, twin, [(7, 0), (4, 1), (6, 1)])


def test_pruning_is_algorithm_2_to_the_letter() -> None:
    rows = frozenset(map(tuple, ROWS_9))
    stream = BEFORE + AFTER
    for M in (0, 1, 2):
        expected = algorithm_2(listed(rows), listed(rows, MostConcepts), stream, 6, M)
        last = expected.history()[-1]
        learner = at.Adept(at.Thresholds(9), horizon=6, mistake_bound=M, on_excess="prune")
        assert played(learner, stream) == pytest.approx(expected.p, abs=1e-12)
        assert learner.width == len(last)
        assert learner.best_loss == min(loss for _, loss in last.values())


def test_an_empty_frontier_says_so() -> None:
    """Mistake pruning alone cannot empty a frontier; one whose paths are already beyond M can."""
    learner = at.Adept(at.Thresholds(9), horizon=6, mistake_bound=1, on_excess="prune")
    learner.learn(4, 1)
    learner.paths.mistakes = learner.paths.mistakes + 5
    before = snapshot(learner, counters=False)
    with pytest.raises(errors.FrontierEmpty, match=r"round 2: .*M=1 left no path; give a larger mistake_bound="):
        learner.learn(3, 0)
    assert snapshot(learner, counters=False) == before


def test_explicit_experts_can_run_out() -> None:
    """The oracle changes its mind: every expert is deleted, and an error reports it."""
    answers = {"yes": True}
    c = at.OracleClass(realizable=lambda sample: answers["yes"], mistake_bound=1)
    learner = at.Bpss(c, horizon=3, base=at.Halving(at.Thresholds(9)), prune=True)
    learner.learn(4, 1)
    answers["yes"] = False
    with pytest.raises(errors.FrontierEmpty, match="round 2: no expert is left"):
        learner.learn(3, 1)
    assert learner.rounds == 1 and learner.width == 8
    answers["yes"] = True
    learner.learn(3, 1)
    assert learner.rounds == 2


# ---------------------------------------------------------------------------- misbehaving oracles and bases


class Moody:
    """The oracle of Thresholds(9), until told to misbehave."""

    def __init__(self) -> None:
        self.mood: Any = None
        self.c = at.Thresholds(9)

    def realizable(self, sample: Any) -> Any:
        return self._answer(self.c.realizable(sample))

    def find(self, sample: Any) -> Any:
        return self._answer(self.c.erm(sample) if self.c.realizable(sample) else None)

    def _answer(self, right: Any) -> Any:
        if isinstance(self.mood, Exception):
            raise self.mood
        return right if self.mood is None else self.mood

    def learner(self, form: str) -> at.Adept:
        oracle = at.OracleClass(**{form: getattr(self, form)})
        return at.Adept(oracle, horizon=6, base=at.Bisection(at.Thresholds(9)))


@pytest.mark.parametrize(
    ("form", "mood", "error", "sentence"),
    [
        ("realizable", RuntimeError("licence expired"), errors.OracleError, "RuntimeError: licence expired"),
        ("realizable", KeyError("x"), errors.OracleError, "the oracle raised KeyError"),
        ("realizable", errors.OracleUnknown("time limit"), errors.OracleUnknown, "time limit"),
        ("realizable", "yes", errors.OracleError, r"True or False; got answer='yes' \(str\)"),
        ("realizable", 1, errors.OracleError, "must return True or False"),
        ("find", RuntimeError("licence expired"), errors.OracleError, "licence expired"),
        ("find", 7, errors.OracleError, "a callable concept or None"),
        ("find", lambda x: 0, errors.ContradictoryOracle, "does not have the labels it was asked for"),
        ("find", lambda x: 2, errors.OracleError, "must say 0 or 1; got label=2"),
        ("find", lambda x: None, errors.OracleError, "must say 0 or 1; got label=None"),
        ("find", lambda x: x.missing, errors.OracleError, "raised AttributeError"),
    ],
)
def test_misbehaving_oracles(form: str, mood: Any, error: type[Exception], sentence: str) -> None:
    oracle = Moody()
    learner, twin = oracle.learner(form), Moody().learner(form)
    played(learner, BEFORE)
    played(twin, BEFORE)
    before = snapshot(learner, counters=False)
    oracle.mood = mood
    for call in (learner.predict_proba, lambda x: learner.learn(x, 1)):
        with pytest.raises(error, match=sentence):
            call(5)
        assert snapshot(learner, counters=False) == before
        assert learner.queries.inferred >= 0
    oracle.mood = None
    continues(learner, twin, AFTER)


def test_a_witness_that_fails_on_new_points_only() -> None:
    """A concept may fit its sample and still say nonsense at the next point."""

    def odd(x: int) -> int:
        return 1 if x == 4 else 2

    learner = at.Adept(at.OracleClass(find=lambda sample: odd), horizon=6, base=at.Bisection(at.Thresholds(9)))
    with pytest.raises(errors.OracleError, match="must say 0 or 1"):
        learner.predict_proba(5)
    assert learner.rounds == 0 and learner.width == 1


def test_an_oracle_that_denies_everything() -> None:
    learner = at.Adept(at.OracleClass(find=lambda s: None, mistake_bound=1), horizon=3, base=Own())
    with pytest.raises(errors.ContradictoryOracle, match="empty sample"):
        learner.predict_proba(5)


class Own:
    """A machine whose predictions can be spoilt."""

    mistake_bound = 9
    says: Any = 0

    def start(self) -> int:
        return 0

    def predict(self, state: int, x: Any) -> Any:
        return self.says

    def update(self, state: int, x: Any, y: int) -> int:
        if self.says == "break":
            raise RuntimeError("out of memory")
        return state + 1


@pytest.mark.parametrize("says", [2, -1, None, "1", 0.5])
def test_a_base_that_predicts_no_label(says: Any) -> None:
    for kind in (at.Adept, at.Bpss):
        base, other = Own(), Own()
        learner: Any = kind(at.Thresholds(9), horizon=6, base=base)
        twin: Any = kind(at.Thresholds(9), horizon=6, base=other)
        played(learner, BEFORE)
        played(twin, BEFORE)
        base.says = says
        for call in (learner.predict_proba, lambda x, learner=learner: learner.learn(x, 1)):
            with pytest.raises(errors.InvalidArgument, match="must predict 0 or 1; got label="):
                call(5)
        assert learner.rounds == 3
        base.says = 0
        assert played(learner, AFTER) == played(twin, AFTER)


def test_a_base_that_fails_while_committing() -> None:
    base = Own()
    learner = at.Adept(at.Thresholds(9), horizon=6, base=base)
    twin = at.Adept(at.Thresholds(9), horizon=6, base=Own())
    played(learner, BEFORE)
    played(twin, BEFORE)
    learner.predict_proba(5)
    before = snapshot(learner)
    base.says = "break"
    with pytest.raises(RuntimeError):
        learner.learn(5, 1)
    assert snapshot(learner) == before
    base.says = 0
    continues(learner, twin, AFTER)


def test_every_error_is_an_adeptree_error() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) > 10 and all(issubclass(kind, (at.AdeptreeError, UserWarning)) for kind in kinds)


def test_learn_many_checks_lengths_and_labels_before_it_learns() -> None:
    learner = at.Adept(at.Thresholds(8), 10)
    with pytest.raises(errors.InvalidArgument, match="same length; got 2 and 1"):
        learner.learn_many([1, 2], [0])
    with pytest.raises(errors.InvalidLabel):
        learner.learn_many([1, 2], [0, 2])
    assert learner.rounds == 0
