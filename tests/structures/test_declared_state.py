"""Every structure is what it declares after every round, and refuses a state that is not."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wild_games import ADEPTS, ROUNDS, Game

from adeptree.core.declared_state import Array, Declared, Fields, Items, Number, check_fields

OTHER_TYPES = (np.float32, np.int8, np.uint64, np.complex128, "U3")


def structures(learner: Any) -> Iterator[tuple[Declared, dict[str, Any]]]:
    """Return the structure of a learner and its parts, each with its state."""
    engine = learner.engine
    if engine.kind == "paths":
        yield engine.frontier, engine.frontier.state()
    yield from parts_of(engine)


def parts_of(engine: Any) -> Iterator[tuple[Declared, dict[str, Any]]]:
    yield engine, engine.state()
    if "line" in engine.state():
        yield engine.line, engine.line.state()
    for member in getattr(engine, "members", ()):
        yield from parts_of(member)


@pytest.mark.parametrize("kind", ADEPTS)
@pytest.mark.filterwarnings("ignore")
def test_after_every_round_a_structure_is_what_it_declares(tmp_path: Path, kind: str) -> None:
    declared = 0
    for seed in range(4):
        game = Game(kind, seed, tmp_path)
        for t, x in enumerate(game.stream.points[:ROUNDS]):
            for structure, state in structures(game.learner):
                structure.check(state)
                declared += len(structure.declared())
            game._round(t, x)
    assert declared > 0 or "oracle" in kind or "parities" in kind or "junctions" in kind


def damaged(value: Any, field: Any) -> Iterator[Any]:
    """Return values that are not what a field declares."""
    yield from (None, "x", [None, None, 1.5], {})
    if isinstance(field, Array):
        yield value.reshape(1, *value.shape)
        kinds = field.dtype if isinstance(field.dtype, str) else ""
        yield from (
            value.astype(kind) for kind in OTHER_TYPES if np.dtype(kind).kind not in kinds and value.dtype != kind
        )
        if value.dtype.itemsize > 1:
            yield value.astype(value.dtype.newbyteorder())
        for bound in (field.low, field.high):
            if value.size and np.isfinite(bound) and abs(bound) < 2**30:
                other = value.copy()
                other.flat[-1] = bound - 1 if bound is field.low else bound + 1
                yield other
        if value.dtype.kind == "f" and value.size:
            other = value.copy()
            other.flat[0] = math.nan
            yield other
    elif isinstance(field, Number):
        yield from (math.nan, [value])
        yield from (bound for bound in (field.low - 1, field.high + 1) if abs(bound) < 2**30)
    elif isinstance(field, Items):
        yield from (tuple(value), [*value, value], [math.nan, *value[1:]])


@pytest.mark.parametrize("kind", ADEPTS)
@pytest.mark.filterwarnings("ignore")
def test_a_value_that_is_not_as_declared_is_refused_by_its_name(tmp_path: Path, kind: str) -> None:
    for seed in range(2):
        game = Game(kind, seed, tmp_path)
        for t, x in enumerate(game.stream.points[:9]):
            game._round(t, x)
        for structure, state in structures(game.learner):
            for name, field in structure.declared().items():
                for other in damaged(state[name], field):
                    with pytest.raises(ValueError, match=f"^{name} cannot be what a learner saved"):
                        structure.check(state | {name: other})
                with pytest.raises(ValueError, match=name):
                    structure.check({key: value for key, value in state.items() if key != name})


@pytest.mark.parametrize("kind", ADEPTS)
@pytest.mark.filterwarnings("ignore")
def test_an_array_that_is_longer_or_shorter_is_refused(tmp_path: Path, kind: str) -> None:
    game = Game(kind, 1, tmp_path)
    for t, x in enumerate(game.stream.points[:9]):
        game._round(t, x)
    for structure, state in structures(game.learner):
        for name, field in structure.declared().items():
            if isinstance(field, Array) and state[name].size:
                longer = np.concatenate([state[name]] * 2, axis=-1)
                for other in (longer, state[name][..., :-1], state[name][..., :0]):
                    with pytest.raises((ValueError, IndexError)):
                        structure.check(copy.deepcopy(state) | {name: other})


def test_sizes_with_one_name_are_one_number() -> None:
    fields: Fields = {"a": Array("i", "n"), "b": Array(np.bool_, (2, "n")), "c": Items("n", Number(int, 0, 3))}
    check_fields({"a": np.arange(3), "b": np.zeros((2, 3), dtype=bool), "c": [1, 2, 3]}, fields)
    for change in ({"a": np.arange(4)}, {"b": np.zeros((3, 2), dtype=bool)}, {"c": [1, 2]}, {"c": [1, 2, 4]}):
        state = {"a": np.arange(3), "b": np.zeros((2, 3), dtype=bool), "c": [1, 2, 3]} | change
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            check_fields(state, fields)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1, 1 << 62, np.float64(1.0), math.nan])
def test_a_count_is_a_whole_number(value: Any) -> None:
    with pytest.raises(ValueError, match="rounds cannot be"):
        check_fields({"rounds": value}, {"rounds": Number(int, 0, 1 << 61)})
