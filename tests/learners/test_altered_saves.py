"""One value altered in the file of any learner, with a right checksum: refused on load, or it plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from altered_saves import trials, with_part
from long_form import times
from wild_games import ADEPTS, OTHERS

import adeptree as at
from adeptree.core import files
from adeptree.core.errors import DamagedFile


@pytest.mark.parametrize("kind", [*ADEPTS, *OTHERS])
@pytest.mark.filterwarnings("ignore")
def test_an_altered_learner_is_refused_or_plays(tmp_path: Path, kind: str) -> None:
    """``python tests/support/altered_saves.py 10000`` tries more."""
    for seed in range(times(1, 2)):
        outcomes, escaped = trials(kind, 10, seed, tmp_path)
        assert escaped == [] and sum(outcomes.values()) >= 5


def late(c: at.ConceptClass, xs: list[Any], **options: Any) -> at.Adept:
    """Return a learner with four open tickets, 4 to 7."""
    learner = at.Adept(c, **options)
    for t, x in enumerate(xs):
        learner.learn(x, t % 2)
    for x in (*xs, xs[0]):
        learner.answer(x)
    return learner


LINE: dict[str, Any] = {"c": at.RealThresholds(), "xs": [3.0, 1.0, 2.0]}
TABLE: dict[str, Any] = {"c": at.parse("table_unions(features=['a', 'b'], m=2)")}
TABLE["xs"] = [{"a": 1.0, "b": "red"}, {"a": None, "b": "green"}, {"a": 3.0, "b": None}]
TICKET = ("account", "tickets", 0)


@pytest.mark.parametrize(
    ("game", "where", "value"),
    [
        (LINE, (*TICKET, 0), 0.5),  # a number
        (LINE, (*TICKET, 0), 7000),
        (LINE, (*TICKET, 0), 5),  # that of the other ticket
        (LINE, (*TICKET, 1), "x"),  # an instance
        (LINE, (*TICKET, 2), 1.5),  # a probability
        (LINE, (*TICKET, 3), 1 << 70),  # a guess
        (LINE, (*TICKET, 3), 2),
        (LINE, (*TICKET, 4), 1 << 31),  # the labels before it
        (LINE, (*TICKET, 4), None),
        (LINE, ("account", "overlaps"), 1 << 62),
        (LINE | {"engine": "paths"}, ("learnt", "engine", "waiting", "tickets"), [4, 5, 6, 18]),
        (LINE | {"engine": "paths"}, ("learnt", "engine", "waiting", "tickets"), [4, 5, 6, 7, 7]),
        (LINE | {"engine": "paths"}, ("learnt", "engine", "waiting"), None),
        (TABLE, ("learnt", "engine", "columns", 0, "sums", 3), 0.5),
        (TABLE, ("learnt", "engine", "columns", 1, "sums", 1), 1000),
    ],
)
def test_what_led_to_an_error_later_is_refused_on_load(
    tmp_path: Path, game: dict[str, Any], where: tuple[Any, ...], value: Any
) -> None:
    path = tmp_path / "learner"
    late(**game).save(path)
    files.save(path, with_part(files.load(path), where, value))
    with pytest.raises(DamagedFile):
        at.load(path)


@pytest.mark.parametrize(("where", "value"), [((0, 0), 4), ((0, 1), 0.5), ((0,), [8, 3]), ((1,), [3, 8])])
def test_a_basis_of_parities_that_is_not_reduced_is_refused_by_its_name(
    tmp_path: Path, where: tuple[Any, ...], value: Any
) -> None:
    """Rounds that try a loaded learner may miss it: not every point is reduced by every vector."""
    path = tmp_path / "learner"
    late(at.Parities(4), [(1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 0, 0)], engine="paths").save(path)
    files.save(path, with_part(files.load(path), ("learnt", "engine", "frontier", "basis", *where), value))
    with pytest.raises(DamagedFile, match="basis cannot be what a learner saved"):
        at.load(path)


def test_a_ticket_whose_point_never_entered_is_settled(tmp_path: Path) -> None:
    """The columns of a table are exchanged: the values of the open tickets are then new to their columns."""
    path = tmp_path / "learner"
    late(**TABLE).save(path)
    saved = files.load(path)
    columns = saved["learnt"]["engine"]["columns"]
    files.save(path, with_part(saved, ("learnt", "engine", "columns"), columns[::-1]))
    learner = at.load(path)
    for ticket in list(learner.tickets):
        learner.learn(ticket, 1)
    for text in ("blue", "grey", "pink", "red", "green"):
        assert 0 <= learner.predict_proba({"a": text, "b": text}) <= 1
        learner.learn({"a": text, "b": text}, 1)
        assert 0 <= learner.predict_proba({"a": text, "b": text}) <= 1


@pytest.mark.parametrize(("c", "rounds"), [(at.RealIntervalUnions(12), 80), (at.BlockUnions(40), 120)], ids=repr)
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_the_largest_count_of_queries_is_loaded(tmp_path: Path, c: Any, rounds: int) -> None:
    learner = at.Adept(c)
    for t in range(rounds):
        learner.learn(t * 37 % rounds, t % 2)
    learner.save(tmp_path / "learner")
    assert at.load(tmp_path / "learner").queries.asked == learner.queries.asked == 1 << 61


def test_numbers_that_python_writes_only_in_hex_are_saved(tmp_path: Path) -> None:
    state = {"wide": 7**9000, "deep": [-(3**20000)], "short": 12}
    files.save(tmp_path / "state", state)
    assert files.load(tmp_path / "state") == state
