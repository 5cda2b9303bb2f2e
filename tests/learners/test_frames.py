"""Data frames, arrays and single calls: the same numbers; and never the names of the columns as rows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.core.dataframes import framed, values_in
from adeptree.core.errors import InvalidArgument, InvalidInstance, InvalidLabel
from reproduction.perturbed_leader import FollowThePerturbedLeader

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl: Any = import_module("polars") if find_spec("polars") else None

KINDS: dict[str, tuple[Callable[[dict[str, Any]], Any], Any]] = {
    "pandas": (lambda columns: pd.DataFrame(columns, index=range(100, 100 + len(columns["age"]))), pd.Series),
    "pyarrow": (lambda columns: pa.table(columns), pa.ChunkedArray),
    "batch": (lambda columns: pa.record_batch(columns), pa.ChunkedArray),
}
if pl is not None:
    KINDS["polars"] = (pl.DataFrame, pl.Series)
every_kind = pytest.mark.parametrize("kind", KINDS)

N = 60
RNG = np.random.default_rng(3)
AGE, BMI = RNG.integers(18, 90, N), np.round(RNG.normal(25, 4, N), 1)
Y = ((AGE >= 50) ^ (RNG.random(N) < 0.2)).astype(int)
COLUMNS = {"bmi": BMI, "age": AGE, "sex": [str(s) for s in RNG.choice(["f", "m"], N)]}
RECORDS = [{"age": int(a), "bmi": float(b)} for a, b in zip(AGE, BMI, strict=True)]
BY_NAME: dict[str, Callable[[], at.ConceptClass]] = {
    "stumps": lambda: at.Stumps(cuts={"age": [30, 50], "bmi": [25]}),
    "real_stumps": lambda: at.RealStumps(["age", "bmi"]),
    "template": lambda: at.TemplateClass(lambda x, a: x["age"] >= a, {"a": range(20, 90, 10)}),
}


def one_by_one(learner: at.OnlineLearner, xs: Any, ys: Any) -> list[float]:
    said = []
    for x, y in zip(xs, ys, strict=True):
        said.append(learner.predict_proba(x))
        learner.learn(x, y)
    return said


def chosen(frame: Any, names: list[str]) -> Any:
    return frame.select(names) if not isinstance(frame, pd.DataFrame) else frame[names]


def as_list(answer: Any) -> list[float]:
    return answer.to_pylist() if isinstance(answer, pa.ChunkedArray) else answer.to_list()  # type: ignore[no-any-return]


@every_kind
@pytest.mark.parametrize("rules", BY_NAME)
def test_frames_arrays_and_single_calls_agree_to_the_last_digit(kind: str, rules: str) -> None:
    frame, series = KINDS[kind][0](COLUMNS), KINDS[kind][1]
    answer: Any
    looked: Any
    if rules == "template":  # it reads every column
        frame = chosen(frame, ["age", "bmi"])
    learner, single = at.Adept(BY_NAME[rules](), seed=1), at.Adept(BY_NAME[rules](), seed=1)
    answer = learner.learn_many(frame, Y)
    assert isinstance(answer, series)
    assert as_list(answer) == one_by_one(single, RECORDS, Y.tolist())
    looked = learner.predict_proba_many(frame)
    assert isinstance(looked, series) and as_list(looked) == [single.predict_proba(x) for x in RECORDS]
    assert learner.certificate() == single.certificate()
    if kind == "pandas":
        assert answer.index.equals(frame.index) and looked.index.equals(frame.index)
    if rules in ("stumps", "real_stumps"):
        array = at.Adept(BY_NAME[rules](), seed=1)
        assert array.learn_many(np.column_stack([AGE, BMI]), Y).tolist() == as_list(answer)


@pytest.mark.parametrize("kind", [at.FollowTheLeader, at.Hedge, at.LazyAdept])
def test_other_learners_take_frames_and_arrays_too(kind: Any) -> None:
    more = {"commits": 20} if kind is at.LazyAdept else {}
    learners = [kind(BY_NAME["stumps"](), horizon=N, **more) for _ in range(3)]
    said = one_by_one(learners[0], RECORDS, Y.tolist())
    assert learners[1].learn_many(pd.DataFrame(COLUMNS), pd.Series(Y)).tolist() == said
    assert learners[2].learn_many(np.column_stack([AGE, BMI]), Y.astype(float)).tolist() == said


LINE = [at.Thresholds(100), at.RealThresholds(), at.RealSteps(), at.IntervalUnions(100, 2), at.BlockUnions(3)]


@pytest.mark.parametrize("c", [*LINE, at.FiniteClass(["0" * 50 + "1" * 50, "1" * 100])], ids=lambda c: repr(c)[:20])
def test_one_value_comes_from_a_series_or_the_one_column(c: at.ConceptClass) -> None:
    said = one_by_one(at.Adept(c), AGE.tolist(), Y.tolist())
    frame = pd.DataFrame({"age": AGE})
    for xs in (AGE, AGE[:, None], frame, frame["age"], pa.table({"age": AGE}), pa.array(AGE), pa.chunked_array([AGE])):
        assert np.array(at.Adept(c).learn_many(xs, Y)).tolist() == said
    with pytest.raises(InvalidArgument, match="one column; got a frame of 3: bmi, age, sex; choose one"):
        at.Adept(c).learn_many(pd.DataFrame(COLUMNS), Y)


@every_kind
def test_rows_of_bits_and_points_are_read_in_their_order(kind: str) -> None:
    bits = (RNG.random((N, 3)) < 0.5).astype(int)
    frame = KINDS[kind][0]({"age": bits[:, 0], "b": bits[:, 1] == 1, "c": bits[:, 2]})
    said = one_by_one(at.Adept(at.Conjunctions(3)), [tuple(row) for row in bits.tolist()], Y.tolist())
    assert as_list(at.Adept(at.Conjunctions(3)).learn_many(frame, Y)) == said
    assert at.Adept(at.Conjunctions(3)).learn_many(bits, Y).tolist() == said
    with pytest.raises(InvalidInstance, match="3 columns, in their order; it has 2"):
        at.Adept(at.Conjunctions(3)).learn_many(chosen(frame, ["age", "b"]), Y)
    pytest.importorskip("highspy")
    points = KINDS[kind][0]({"age": AGE[:8], "bmi": BMI[:8]})
    said = one_by_one(at.Adept(at.Halfspaces(2)), list(zip(AGE[:8].tolist(), BMI[:8].tolist(), strict=True)), Y[:8])
    assert as_list(at.Adept(at.Halfspaces(2)).learn_many(points, Y[:8])) == said


def test_a_blocklist_reads_its_column() -> None:
    senders = [f"s{i % 7}" for i in range(N)]
    frame = pd.DataFrame({"size": range(N), "sender": senders})
    said = one_by_one(at.Adept(at.BlockUnions(2, block="sender")), frame.to_dict("records"), Y.tolist())
    assert at.Adept(at.BlockUnions(2, block="sender")).learn_many(frame, Y).tolist() == said
    by_function = at.Adept(at.BlockUnions(2, block=lambda x: x["sender"]))
    assert by_function.learn_many(frame, Y).tolist() == pytest.approx(said)


LABELS: dict[str, Callable[[], Any]] = {
    "bools": lambda: Y == 1,
    "floats": lambda: Y.astype(float),
    "a list of floats": lambda: [float(y) for y in Y],
    "numpy values": lambda: list(Y == 1),
    "a column": lambda: Y[:, None],
    "uint8": lambda: Y.astype(np.uint8),
    "objects": lambda: Y.astype(object),
    "a series": lambda: pd.Series(Y == 1, index=range(5, 5 + N)),
    "nullable": lambda: pd.Series(Y, dtype="Int64"),
    "a frame": lambda: pd.DataFrame({"y": Y}),
    "arrow": lambda: pa.array(Y == 1),
}


@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_every_kind_are_the_same_labels(labels: str) -> None:
    expected = at.Adept(at.Thresholds(100)).learn_many(AGE, Y)
    assert at.Adept(at.Thresholds(100)).learn_many(AGE, LABELS[labels]()).tolist() == expected.tolist()
    if labels not in ("a column", "a frame", "arrow"):
        assert one_by_one(at.Adept(at.Thresholds(100)), AGE.tolist(), LABELS[labels]()) == expected.tolist()


@pytest.mark.parametrize("wrong", [[0.5], [float("nan")], ["1"], [None], [2.0]], ids=repr)
def test_what_is_no_label_is_refused_in_every_form(wrong: list[Any]) -> None:
    for ys in (wrong, np.array(wrong), pd.Series(wrong), pd.DataFrame({"y": wrong})):
        learner = at.Adept(at.Thresholds(100))
        with pytest.raises(InvalidLabel, match="a label must be 0 or 1; got y="):
            learner.learn_many([3], ys)
        assert learner.rounds == 0
    with pytest.raises(InvalidArgument, match="ys must be one column; got a frame of 2: a, b"):
        at.Adept(at.Thresholds(9)).learn_many([3], pd.DataFrame({"a": [1], "b": [0]}))


@pytest.mark.parametrize("rules", BY_NAME)
def test_a_single_row_of_a_frame_or_an_array_is_an_instance(rules: str) -> None:
    frame = pd.DataFrame(COLUMNS)[["age", "bmi"]]
    said = one_by_one(at.Adept(BY_NAME[rules]()), RECORDS, Y.tolist())
    rows = [frame.iloc[i] for i in range(N)], [frame[i : i + 1] for i in range(N)]
    arrays = np.column_stack([AGE, BMI])
    ways: list[Any] = [*rows, *([arrays] if rules in ("stumps", "real_stumps") else [])]
    for xs in ways:
        learner = at.Adept(BY_NAME[rules]())
        assert one_by_one(learner, xs, Y.tolist()) == said
        assert at.Adept(BY_NAME[rules]()).learn_many((x for x in xs), Y).tolist() == said
        assert learner.predict(xs[0]) in (0, 1)
        learner.learn(learner.answer(xs[0]), 1)
        assert learner.speculate(xs[3]) == learner.predict_proba(RECORDS[3])
    with pytest.raises(InvalidInstance, match="must be one row; got a frame of 60 rows: give it to learn_many"):
        at.Adept(BY_NAME[rules]()).learn(frame, 1)


@pytest.mark.parametrize("c", [*LINE, at.FiniteClass(["0" * 50 + "1" * 50, "1" * 100])], ids=lambda c: repr(c)[:20])
def test_a_single_value_may_come_in_a_row(c: at.ConceptClass) -> None:
    said = one_by_one(at.Adept(c), AGE.tolist(), Y.tolist())
    frame = pd.DataFrame({"age": AGE})
    assert one_by_one(at.Adept(c), [frame.iloc[i] for i in range(N)], Y) == said
    assert one_by_one(at.Adept(c), AGE[:, None], Y) == said


def test_missing_columns_gaps_and_texts_are_said_and_nothing_is_learnt() -> None:
    learner = at.Adept(at.RealStumps(["age", "bmi"]))
    frame = pd.DataFrame(COLUMNS)
    for wrong, said in [
        (frame[["age"]], r"must have the column 'bmi'; it has \['age'\]"),
        (frame.assign(bmi=np.nan), "feature 'bmi' must be a finite number"),
        (frame.assign(bmi="tall"), "feature 'bmi' must be a finite number"),
        (np.ones((N, 3)), "2 columns, in the order of the features age, bmi; it has 3"),
    ]:
        with pytest.raises(InvalidInstance, match=said):
            learner.learn_many(wrong, Y)
        with pytest.raises(InvalidInstance, match=said):
            learner.predict_proba_many(wrong)
    with pytest.raises(InvalidArgument, match="xs and ys must have the same length; got 60 and 59"):
        learner.learn_many(frame, Y[1:])
    with pytest.raises(InvalidArgument, match="different names"):
        learner.learn_many(pd.DataFrame(np.ones((2, 2)), columns=["age", "age"]), [0, 1])
    assert learner.rounds == 0


TWO = pd.DataFrame({0: [1, 0], 1: [0, 1]})
"""Its column names are bits, points, instances and labels of many classes."""


@pytest.mark.parametrize(
    "call",
    [
        lambda: at.play(at.Adept(at.Thresholds(2), 2), TWO),
        lambda: at.play(at.Adept(at.Thresholds(2), 2), {(0, 1): 1, (1, 1): 2}),
        lambda: at.play(at.Adept(at.Thresholds(2), 2), at.Stochastic(at.Thresholds(2), instances=TWO)),
        lambda: at.FiniteClass(["01", "11"], points=TWO),
        lambda: at.FiniteClass.from_template(lambda x, a: x >= a, {"a": [0, 1]}, TWO),
        lambda: at.RealStumps(TWO),
        lambda: at.Stumps(cuts={"a": TWO}),
        lambda: at.TemplateClass(lambda x, a: x >= a, {"a": TWO}),
        lambda: at.Conjunctions(2).instance({0: 1, 1: 0}),
        lambda: at.Thresholds(2).erm(TWO),
        lambda: at.Adept(at.Thresholds(2)).learn_many(TWO, [0, 1]),
        lambda: at.Adept(at.Thresholds(2)).learn_many({0: 1, 1: 0}, [0, 1]),
        lambda: at.Adept(at.Thresholds(2)).learn_many([0, 1], TWO),
        lambda: at.Adept(at.Thresholds(2)).learn_many([0, 1], [0, 1], TWO),
        lambda: at.Adept(at.Thresholds(2)).predict_proba_many(TWO),
        lambda: at.Adept(at.Conjunctions(2)).learn(TWO, 1),
        lambda: FollowThePerturbedLeader(at.Thresholds(2), 2, points=TWO),
    ],
)
def test_nobody_reads_the_names_of_the_columns(call: Callable[[], object]) -> None:
    with pytest.raises(InvalidArgument):
        call()


def test_a_table_of_rules_may_be_a_frame() -> None:
    assert at.FiniteClass(pd.DataFrame({"p": [0, 1], "q": [1, 1]}), points=pd.Series(["p", "q"])) == at.FiniteClass(
        [[0, 1], [1, 1]], points=["p", "q"]
    )


def test_frames_that_are_not_there_yet_are_refused() -> None:
    polars = pytest.importorskip("polars")
    with pytest.raises(InvalidArgument, match=r"got LazyFrame: collect it first"):
        at.Adept(at.RealStumps(["age"])).learn_many(polars.DataFrame({"age": [1]}).lazy(), [1])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(-(2**40), 2**40), st.booleans()), min_size=1, max_size=25))
def test_any_numbers_agree(rows: list[tuple[float, int, bool]]) -> None:
    a, b, y = zip(*rows, strict=True)
    said = one_by_one(at.Adept(at.RealStumps(["a", "b"])), [{"a": u, "b": v} for u, v, _ in rows], y)
    for frame in (pd.DataFrame({"a": a, "b": b}), pa.table({"a": a, "b": b})):
        assert np.array(at.Adept(at.RealStumps(["a", "b"])).learn_many(frame, y)).tolist() == said


def test_narwhals_is_imported_when_the_first_frame_comes() -> None:
    code = (
        "import sys, adeptree as at\n"
        "at.Adept(at.Thresholds(9)).learn_many([3, 4], [0, 1])\n"
        "assert not {'narwhals', 'pandas', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert framed((1, 2)) is None and framed(pd.Timestamp(0)) is None


@pytest.mark.parametrize(
    ("labels", "hint"), [([0, 1, float("nan")], "can be answered"), ([0, 1, None], "answered"), (["no"] * 3, "'yes'")]
)
def test_labels_that_are_missing_or_texts_are_refused_with_what_to_do(labels: Any, hint: str) -> None:
    learner = at.Adept(at.RealThresholds())
    with pytest.raises(InvalidLabel, match=hint):
        learner.learn_many([0.1, 0.2, 0.3], labels)
    assert learner.rounds == 0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drift": True, "costs": (5, 1)},
        {"by": "shop"},
        {"by": "shop", "drift": True},
        {"review": 0.3},
        {"review": 0.3, "by": "shop", "drift": True},
        {"review": 0.3, "feedback": "reviewed"},
        {"feedback": "asked"},
    ],
    ids=str,
)
def test_labels_with_rows_agree_exactly_and_tickets_up_to_rounding(options: dict[str, Any]) -> None:
    """``learn_many`` returns the share of the weight that says 1, which without review is the chance of guessing 1."""
    rng = np.random.default_rng(3)
    rows: list[dict[str, Any]] = [{"v": round(rng.random(), 2), "shop": "ab"[int(rng.integers(2))]} for _ in range(120)]
    ys = [int(row["v"] + rng.normal(0, 0.3) > 0.5) for row in rows]
    single, late, many = (at.Adept(at.Experts("v") | at.RealThresholds().on("v"), **options) for _ in range(3))
    shares, previews, tickets = [], [], []
    for row, y in zip(rows, ys, strict=True):
        shares.append(single.predict_proba(row))
        previews.append(single.preview(row))
        single.learn(row, y)
        tickets.append(late.answer(row))
        if tickets[-1].ask:
            late.learn(tickets[-1], y)
    assert many.learn_many(rows, ys).tolist() == shares and many.expected_loss == single.expected_loss
    assert (shares == [one.p for one in previews]) == ("review" not in options)
    for ticket, one in zip(tickets, previews, strict=True):
        assert (ticket.p, ticket.r) == pytest.approx((one.p, one.r), rel=0, abs=1e-12)
    assert late.expected_loss == pytest.approx(single.expected_loss, rel=1e-12)


@pytest.mark.parametrize("values", [["a", None, "b"], [[1], None, [2]], [True, None, False]])
def test_missing_values_are_none_in_every_library(values: list[Any]) -> None:
    for series in (pd.Series(values, dtype=object), pa.array(values), pd.Series(values, dtype=object).convert_dtypes()):
        assert values_in(framed(series)) == values
