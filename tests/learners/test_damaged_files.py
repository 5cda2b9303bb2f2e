"""Every file proves itself, and what was altered with a right checksum is refused or harmless."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import times

import adeptree as at
from adeptree.core import files
from adeptree.core.errors import AdeptreeError, DamagedFile, StateError, UnknownVersion
from adeptree.core.json_lines import seal, unseal
from adeptree.games import Round
from reproduction.journal import Journal

LINE = at.Thresholds(32)


# ---------------------------------------------------------------------------------------------- lines of text


def flipped(content: bytes, seed: int) -> bytes:
    """Return the content with one bit turned."""
    rng = random.Random(seed)
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


@pytest.fixture
def game(tmp_path: Path) -> tuple[at.Transcript, Path]:
    run = at.play(at.Adept(LINE, 20), at.Stochastic(LINE), seed=3)
    run.save(tmp_path / "game.jsonl")
    return run, tmp_path / "game.jsonl"


def unsealed(path: Path) -> list[dict[str, Any]]:
    """Return what the lines of a file hold."""
    lines = path.read_text().splitlines()
    return [unseal(line, before) for before, line in zip(["", *lines], lines, strict=False)]


def resealed(values: list[dict[str, Any]]) -> str:
    """Return such values as lines with right checksums."""
    lines = [""]
    for value in values:
        lines.append(seal(json.dumps(value), lines[-1]))
    return "".join(f"{line}\n" for line in lines[1:])


def test_no_flipped_bit_makes_another_game(game: tuple[at.Transcript, Path]) -> None:
    _, path = game
    content = path.read_bytes()
    for seed in range(600):
        path.write_bytes(flipped(content, seed))
        with pytest.raises((DamagedFile, UnknownVersion)):
            at.Transcript.load(path)


def test_a_game_without_some_of_its_lines_is_refused(game: tuple[at.Transcript, Path]) -> None:
    _, path = game
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        for some in (lines[:kept], lines[:kept] + lines[kept + 1 :], [*lines, lines[kept]]):
            path.write_bytes(b"".join(some))
            with pytest.raises(DamagedFile):
                at.Transcript.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("p", 1.5), ("p", math.nan), ("p", "x"), ("y", 2), ("guess", -1), ("t", 7), ("width", 1.5)],
        *[("best_loss", -1), ("best_loss", 10**400), ("posed", 10**6), ("width", 10**400)],
    ],
)
def test_rounds_that_cannot_be_are_refused_with_any_checksum(
    game: tuple[at.Transcript, Path], name: str, value: Any
) -> None:
    run, path = game
    rounds = list(run.rounds)
    rounds[2] = Round(**{**vars(rounds[2]), name: value})
    at.Transcript(run.header, rounds, run.bound).save(path)
    with pytest.raises(DamagedFile):
        at.Transcript.load(path)


ALTERED_HEADS: list[dict[str, Any]] = [
    {"header": {"$array": 0}},
    {"header": {"$dict": [[1, 2]]}},
    {"header": {"$tuple": []}},
    {"header": []},
    {"header": None},
    {"header": 3},
    {"bound": 10**400},
    {"bound": -math.inf},
    {"version": 3.0},
    {"version": True},
]


@pytest.mark.parametrize("change", [{}, *ALTERED_HEADS], ids=lambda change: json.dumps(change)[:30])
def test_heads_that_no_game_has_are_refused(game: tuple[at.Transcript, Path], change: dict[str, Any]) -> None:
    run, path = game
    values = unsealed(path)
    path.write_text(resealed([values[0] | change, *values[1:]]))
    if not change:
        assert at.Transcript.load(path) == run
        return
    with pytest.raises((DamagedFile, UnknownVersion)):
        at.Transcript.load(path)


@pytest.mark.parametrize("x", [{"$array": 0}, {"$array": "a"}, {"$array": True}, {"$set": [1]}, {"$tuple": "ab"}])
def test_instances_that_no_game_writes_are_refused(game: tuple[at.Transcript, Path], x: Any) -> None:
    _, path = game
    values = unsealed(path)
    values[3]["round"][1] = x
    path.write_text(resealed(values))
    with pytest.raises(DamagedFile, match="is damaged in line 4"):
        at.Transcript.load(path)


@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_true_games_of_all_kinds_are_read(tmp_path: Path) -> None:
    more: dict[str, Callable[[], Any]] = {
        "costs": lambda: at.Adept(LINE, 60, costs=(3, 3)),
        "few paths": lambda: at.Adept(LINE, 60, max_width=3),
        "pruned": lambda: at.Adept(LINE, 60, mistake_bound=1, on_excess="prune"),
        "bpss": lambda: at.Bpss(at.Thresholds(4), 6),
    }
    for make in (learners() | more).values():
        learner = make()
        for rounds in (1, 4, learner.horizon - 5 if learner.horizon else 30):  # a learner may play on
            run = at.play(learner, stream(learner.concept_class, rounds, rounds), rounds=rounds)
            run.save(tmp_path / "game")
            assert at.Transcript.load(tmp_path / "game") == run


@pytest.mark.parametrize("version", [1, 9])
def test_files_of_other_formats_are_refused(game: tuple[at.Transcript, Path], version: int) -> None:
    _, path = game
    head = unsealed(path)[0] | {"version": version}
    for line in (json.dumps(head), seal(json.dumps(head))):
        path.write_text(f"{line}\n")
        with pytest.raises(UnknownVersion, match=rf"version {version} is not supported; this version reads 3;"):
            at.Transcript.load(path)


def test_an_altered_experiment_row_is_run_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "regret", "1.0")
    cells = [{"seed": i, "n": 16} for i in range(5)]
    for cell in cells:
        journal.add(cell, {**cell, "regret": 1.25 * cell["seed"]}, 0.1)
    content = journal.path.read_bytes()
    for seed in range(300):
        journal.path.write_bytes(flipped(content, seed))
        again = Journal(tmp_path, "regret", "1.0")
        assert len(again.rows) in (3, 4, 5)
        assert all(again.row(cell) in (None, journal.row(cell)) for cell in cells)


# ----------------------------------------------------------------------------------------------------- archives


def signed(path: Path, payload: bytes) -> Path:
    """Write a file with a right checksum around anything."""
    path.write_bytes(b"adeptree state 2\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    return path


def archive(compression: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as target:
        for name, member in members.items():
            target.writestr(f"{name.removeprefix('n')}.npy", member)
    return buffer.getvalue()


def npy(array: Any, **replaced: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    content = buffer.getvalue()
    for old, new in replaced.items():
        content = content.replace(old.encode(), new.encode())
    return content


def text(content: bytes) -> bytes:
    return npy(np.frombuffer(content, dtype=np.uint8))


TEXT = text(b'{"$map": [["kind", {"$array": 0}]]}')
WIDE = npy(np.zeros(3)).replace(b"(3,), }" + b" " * 15, b"(3000000000000000,), }")
HOSTILE: dict[str, Callable[[], bytes]] = {
    "bomb": lambda: archive(zipfile.ZIP_DEFLATED, njson=TEXT, n0=npy(np.zeros(1 << 23))),
    "objects": lambda: archive(njson=TEXT, n0=npy(np.array([print], dtype=object))),
    "wide": lambda: archive(njson=TEXT, n0=WIDE),
    "negative": lambda: archive(njson=TEXT, n0=npy(np.zeros(3)).replace(b"(3,)", b"(-3,)").replace(b"} ", b"}", 1)),
    "short": lambda: archive(njson=TEXT, n0=npy(np.zeros(3))[:-8]),
    "missing": lambda: archive(njson=TEXT),
    "not a number": lambda: archive(njson=TEXT, nx=npy(np.zeros(3))),
    "no text": lambda: archive(n0=npy(np.zeros(3))),
    "no map": lambda: archive(njson=text(b"[1]")),
    "deep": lambda: archive(njson=text(b"[" * 10**6)),
    "digits": lambda: archive(njson=text(b"9" * 10**5)),
    "twice": lambda: archive(
        njson=text(b'{"$map": [["a", {"$array": 0}], ["b", {"$array": 0}]]}'), n0=npy(np.zeros(3))
    ),
    "empty": lambda: b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_are_refused_before_memory_is_taken(tmp_path: Path, name: str) -> None:
    import tracemalloc

    path = signed(tmp_path / "learner", HOSTILE[name]())
    tracemalloc.start()
    with pytest.raises(DamagedFile):
        at.load(path)
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


def test_compressed_members_are_refused_at_any_size(tmp_path: Path) -> None:
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        path = signed(tmp_path / "learner", archive(compression, njson=TEXT, n0=npy(np.zeros(3))))
        if compression == zipfile.ZIP_STORED:
            assert files.load(path)["kind"].tolist() == [0, 0, 0]
            continue
        with pytest.raises(DamagedFile, match="compressed"):
            files.load(path)


def test_a_renamed_file_is_synced_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    plain = os.fsync

    def fsync(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        plain(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    files.write_atomically(tmp_path / "a", b"x")
    assert synced[1:] == [tmp_path.stat().st_ino] and synced[0] == (tmp_path / "a").stat().st_ino


# ------------------------------------------------------------------------------------- altered learners, re-signed


def learners() -> dict[str, Callable[[], Any]]:
    table = at.Intervals(6).to_finite()
    return {
        "paths": lambda: at.Adept(LINE, 60, engine="paths"),
        "paths, weights": lambda: at.Adept(LINE, engine="paths", max_weight=2.5),
        "ordered": lambda: at.Adept(LINE, 60, engine="collapsed"),
        "ordered, kt": lambda: at.Adept(LINE, prior="kt", engine="collapsed"),
        "blocks": lambda: at.Adept(at.BlockUnions(2), 60, engine="collapsed"),
        "block paths": lambda: at.Adept(at.BlockUnions(2), 60, engine="paths"),
        "sweep": lambda: at.Adept(at.Intervals(32), 60),
        "block sweep": lambda: at.Adept(at.BlockUnions(2), 60, engine="paths"),
        "interval paths": lambda: at.Adept(at.Intervals(32), 60, engine="paths"),
        "real": lambda: at.Adept(at.RealIntervals(), engine="paths"),
        "bits": lambda: at.Adept(at.Conjunctions(4), 60),
        "parities": lambda: at.Adept(at.Parities(4), 60),
        "finite": lambda: at.Adept(table, 60),
        "finite paths": lambda: at.Adept(table, 60, engine="paths"),
        "hedge": lambda: at.Hedge(LINE, 60),
        "hedge, adaptive": lambda: at.Hedge(LINE),
        "drift": lambda: at.Adept(LINE, drift=True),
        "drift, review": lambda: at.Adept(LINE, drift=True, review=0.2),
        "drift, paths": lambda: at.Adept(LINE, drift="sharing", engine="paths"),
        "lazy": lambda: at.LazyAdept(LINE, 60, exponent=0.7),
        "leader": lambda: at.FollowTheLeader(LINE, 60),
    }


COMPILED = {"sweep": "sweep", "block sweep": "sweep", "finite": "finite"}


def leaves(value: Any, at_path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where something can be altered."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([at_path] if at_path else []), *(leaf for key, v in inside for leaf in leaves(v, (*at_path, key)))]


def altered(value: Any, rng: random.Random) -> Any:
    """Return something else of the same or another kind."""
    if isinstance(value, np.ndarray) and rng.random() < 0.9:
        return altered_array(value, rng)
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.7:
        return rng.choice([value[1:], value * 2, value[:1], type(value)()])
    if isinstance(value, dict) and value and rng.random() < 0.7:
        gone = rng.choice(list(value))
        return {k: v for k, v in value.items() if k != gone}
    near = [value + 1, value - 1, -value, value * 1000] if isinstance(value, (int, float)) else []
    odd: list[Any] = [None, -1, 0, 3, 1 << 40, 1 << 70, 0.5, -2.5, math.nan, math.inf, "x", [], {}, True, np.zeros(3)]
    return rng.choice([*near, *near, *odd])


def altered_array(array: Any, rng: random.Random) -> Any:
    other = array.copy()
    if array.size and rng.random() < 0.6:
        place = rng.randrange(array.size)
        odd = [0, 1, -1, 7, 1000, 1 << 30, -(1 << 30), *([] if array.dtype.kind in "iub" else [math.nan, math.inf])]
        with np.errstate(all="ignore"):
            other.reshape(-1)[place] = np.array(rng.choice(odd)).astype(array.dtype)
        return other
    kinds = [np.float64, np.int8, np.int32, np.uint64, np.bool_, "U3", "S2"]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others: list[Callable[[], Any]] = [
            lambda: array.astype(rng.choice(kinds)),
            lambda: array[..., :-1],
            lambda: np.concatenate([array, array], axis=-1),
            lambda: array.reshape(-1, 1),
            lambda: array.reshape(1, -1),
            lambda: array[..., :0],
            lambda: array[..., ::-1],
            lambda: np.full_like(array, rng.choice([0, 1, 3])),
        ]
        return rng.choice(others)()


def stream(c: Any, count: int, seed: int) -> list[tuple[Any, int]]:
    rng = np.random.default_rng(seed)
    return [(c.random_instance(rng), int(rng.integers(2))) for _ in range(count)]


def with_leaf(value: Any, where: tuple[Any, ...], leaf: Any) -> Any:
    if not where:
        return leaf
    copied = value.copy()
    copied[where[0]] = with_leaf(value[where[0]], where[1:], leaf)
    return copied


def goes_on(path: Path) -> None:
    """Load, predict and learn: an error message at loading, or valid numbers."""
    try:
        learner = at.load(path)
    except StateError:
        return
    try:
        for x, y in stream(learner.concept_class, 6, 5):
            p = learner.predict_proba(x)
            assert 0.0 <= p <= 1.0
            learner.learn(x, y)
            assert learner.best_loss >= 0 and not math.isnan(learner.bound)
            str(learner.best_rule())
    except (at.errors.HorizonReached, at.errors.TooLarge):
        return


@pytest.mark.parametrize("name", learners())
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_altered_learners_are_refused_or_go_on(tmp_path: Path, name: str) -> None:
    learner = learners()[name]()
    for x, y in stream(learner.concept_class, 25, 1):
        learner.learn(x, y)
    path = tmp_path / "learner"
    learner.save(path)
    whole = files.load(path)
    if name in COMPILED:
        whole["learnt"]["kind"] = COMPILED[name]  # short runs are not worth it, but files are the same
    places, rng = leaves(whole), random.Random(name)
    for _ in range(times(12, 60)):
        where = rng.choice(places)
        value: Any = whole
        for key in where:
            value = value[key]
        other = altered(value, rng)
        try:
            files.save(path, with_leaf(whole, where, other))
        except (AdeptreeError, ValueError, TypeError):
            continue
        try:
            goes_on(path)
        except Exception as error:
            error.add_note(f"{where}: {str(value)[:200]} -> {str(other)[:200]}")
            raise
