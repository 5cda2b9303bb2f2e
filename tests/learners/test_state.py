"""Saved learners: bit-identical afterwards, data only, and an error message for every file that is not whole."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import times
from strategies import Family, Stream, intervals, small_families, thresholds

import adeptree as at
from adeptree import errors
from adeptree.core import files as state

T = 9


def continued(learner: at.OnlineLearner, stream: Stream) -> list[Any]:
    """Everything a user can see of the rest of a run."""
    seen: list[Any] = []
    for x, y in stream:
        seen += [learner.predict_proba(x).hex(), learner.predict(x)]
        learner.learn(x, y)
        seen += [learner.width, learner.best_loss, learner.regret.hex(), learner.realised_loss]
        seen += [str(learner.best_rule()), learner.queries.asked]
    return seen


@pytest.mark.parametrize("family", small_families(), ids=repr)
@pytest.mark.parametrize("rate", ["paper", "first-order", 0.7])
def test_saved_at_every_round_goes_on_the_same(family: Family, rate: Any, tmp_path: Path) -> None:
    stream = family.stream(4, T)
    whole = continued(at.Adept(family.c, horizon=T, rate=rate, seed=5), stream)
    a_round = len(whole) // T
    for t in range(0, T + 1, times(3, 1)):
        learner = at.Adept(family.c, horizon=T, rate=rate, seed=5)
        for x, y in stream[:t]:
            learner.learn(x, y)
        learner.save(tmp_path / "learner")
        again = at.load(tmp_path / "learner")
        assert type(again) is at.Adept and again.concept_class == family.c and again.settings() == learner.settings()
        assert continued(again, stream[t:]) == whole[t * a_round :]
        assert again.rounds == T


@pytest.mark.parametrize("kind", [at.SOA, at.Halving])
def test_other_bases_are_found_again(kind: Any, tmp_path: Path) -> None:
    for family in (thresholds(6), intervals(5)):
        stream = family.stream(8, T)
        learner = at.Adept(family.c, horizon=T, base=kind(), mistake_bound=7, on_excess="prune")
        for x, y in stream[:4]:
            learner.learn(x, y)
        learner.save(tmp_path / "learner")
        again = at.load(tmp_path / "learner")
        assert again.settings() == learner.settings()
        assert continued(again, stream[4:]) == continued(learner, stream[4:])


def test_hedge_goes_on_the_same(tmp_path: Path) -> None:
    stream = thresholds(6).stream(8, T)
    learner = at.Hedge(at.Thresholds(6), horizon=T, seed=2)
    for x, y in stream[:4]:
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    assert continued(again, stream[4:]) == continued(learner, stream[4:])


def test_saving_between_prediction_and_learning(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(9), horizon=4)
    learner.learn(3, 1)
    p = learner.predict_proba(5)
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    assert again.predict_proba(5) == p and again.predict(5) == learner.predict(5)


def test_bpss_says_that_it_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(errors.StateError, match="use Adept"):
        at.Bpss(at.Thresholds(3), horizon=3).save(tmp_path / "learner")
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------- what holds code is passed again


def realizable(sample: Any) -> bool:
    return at.Thresholds(9).realizable(sample)


def find(sample: Any) -> Any:
    return at.Thresholds(9).erm(sample) if realizable(sample) else None


class Own:
    """A user's machine with plain states."""

    mistake_bound = 9

    def start(self) -> tuple[Any, ...]:
        return ()

    def predict(self, state: tuple[Any, ...], x: Any) -> int:
        return len(state) % 2

    def update(self, state: tuple[Any, ...], x: Any, y: int) -> tuple[Any, ...]:
        return (*state, (x, y))


STREAM: Stream = [(4, 1), (2, 1), (7, 0), (3, 0), (8, 1), (4, 1)]


def saved(path: Path, c: at.ConceptClass, **options: Any) -> at.Adept:
    learner = at.Adept(c, horizon=6, **options)
    for x, y in STREAM[:3]:
        learner.learn(x, y)
    learner.save(path)
    return learner


@pytest.mark.parametrize("form", ["realizable", "find"])
def test_an_oracle_is_passed_again(form: str, tmp_path: Path) -> None:
    path = tmp_path / "learner"
    c = at.OracleClass(**{form: globals()[form]}, name="mine")
    base = at.Bisection(at.Thresholds(9))
    learner = saved(path, c, base=base)
    with pytest.raises(errors.StateError, match=r"pass it again as base="):
        at.load(path, concept_class=c)
    with pytest.raises(errors.StateError, match=r"pass it again as concept_class="):
        at.load(path, base=base)
    with pytest.raises(errors.StateError, match="pass the same class"):
        at.load(path, concept_class=at.OracleClass(realizable=realizable, name="other"), base=base)
    again = at.load(path, concept_class=c, base=base)
    for x, y in STREAM[3:]:
        assert again.predict_proba(x) == learner.predict_proba(x)
        again.learn(x, y)
        learner.learn(x, y)
        assert again.queries.inferred >= 0 and again.queries.asked == learner.queries.asked


def test_an_own_base_is_passed_again(tmp_path: Path) -> None:
    path = tmp_path / "learner"
    learner = saved(path, at.Thresholds(9), base=Own())
    with pytest.raises(errors.StateError, match=r"your own base learner: pass it again as base="):
        at.load(path)
    with pytest.raises(errors.StateError, match="pass the same one"):
        at.load(path, base=at.Halving())
    assert continued(at.load(path, base=Own()), STREAM[3:]) == continued(learner, STREAM[3:])


def test_a_mismatch_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "learner"
    saved(path, at.Thresholds(9))
    for base in (at.Halving(), at.Bisection(at.Thresholds(7)), Own()):
        with pytest.raises(errors.StateError, match="pass the same one"):
            at.load(path, base=base)
    with pytest.raises(errors.StateError, match="pass the same class"):
        at.load(path, concept_class=at.Thresholds(8))
    assert at.load(path, concept_class=at.Thresholds(9), base=at.Bisection()).rounds == 3


def test_a_block_function_is_passed_again_by_another_process(tmp_path: Path) -> None:
    """The function of another process has the same name and another address."""

    def made() -> at.BlockUnions:
        def sender(x: Any) -> Any:
            return x["from"]

        return at.BlockUnions(2, block=sender)

    learner = at.Adept(made(), horizon=4)
    learner.learn({"from": "a"}, 1)
    learner.save(tmp_path / "learner")
    with pytest.raises(errors.StateError, match="pass it again as concept_class="):
        at.load(tmp_path / "learner")
    again = at.load(tmp_path / "learner", concept_class=made())
    assert again.predict_proba({"from": "a"}) == learner.predict_proba({"from": "a"})


def test_points_that_are_no_data_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "learner"
    learner = at.Adept(at.BlockUnions(2), horizon=4)
    learner.learn("a", 1)
    learner.save(path)
    old = path.read_bytes()
    learner.learn(frozenset({1}), 1)
    with pytest.raises(errors.StateError, match="a frozenset cannot be saved"):
        learner.save(path)
    assert path.read_bytes() == old and list(tmp_path.iterdir()) == [path]


# -------------------------------------------------------------------------------------- files that are not whole


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    path = tmp_path / "learner"
    saved(path, at.Thresholds(9))
    return path


def refused(path: Path, kind: type[errors.StateError] = errors.StateError) -> str:
    with pytest.raises(kind) as caught:
        at.load(path)
    assert str(path) in str(caught.value) and len(str(caught.value).split()) >= 5
    return str(caught.value)


def sealed(payload: bytes) -> bytes:
    """A file with a right header and checksum around any payload."""
    return b"adeptree state 2\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload


def test_every_truncation_is_refused(whole: Path) -> None:
    content = whole.read_bytes()
    cuts = {*range(0, 120), *range(120, len(content), 37), len(content) - 1}
    for length in sorted(cuts):
        whole.write_bytes(content[:length])
        refused(whole)
    whole.write_bytes(content + b"\0")
    refused(whole, errors.DamagedFile)
    whole.write_bytes(content)
    assert at.load(whole).rounds == 3


def test_every_flipped_byte_is_refused(whole: Path) -> None:
    content = whole.read_bytes()
    rng = np.random.default_rng(0)
    places = {*range(90), *rng.integers(len(content), size=300).tolist(), len(content) - 1}
    for place in sorted(places):
        changed = bytearray(content)
        changed[place] ^= int(rng.integers(1, 256))
        whole.write_bytes(bytes(changed))
        refused(whole)


def test_unknown_versions_are_refused(whole: Path) -> None:
    content = whole.read_bytes()
    for version in ("1", "0", "999", "2.1", "", "one"):
        whole.write_bytes(content.replace(b"state 2\n", f"state {version}\n".encode(), 1))
        says = f"file format version {version!r} is not supported; this version reads 2; learn again"
        assert says in refused(whole, errors.UnknownVersion)


def test_files_that_are_none(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    refused(empty, errors.DamagedFile)
    text = tmp_path / "text"
    text.write_text("hello, world\n")
    assert "not a file saved by adeptree" in refused(text, errors.DamagedFile)
    refused(tmp_path)
    refused(tmp_path / "missing")
    refused(tmp_path / "no" / "such" / "folder")
    with pytest.raises(errors.StateError, match="not the name of a file"):
        at.load("a\0b")


class Bomb:
    """Unpickling it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)


def test_loading_executes_nothing(whole: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    bomb = pickle.dumps(Bomb(trace))
    objects = io.BytesIO()
    np.save(objects, np.array([Bomb(trace)], dtype=object), allow_pickle=True)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("json.npy", objects.getvalue())
        file.writestr("0.npy", objects.getvalue())
    for content in (bomb, sealed(bomb), sealed(archive.getvalue()), sealed(objects.getvalue())):
        whole.write_bytes(content)
        refused(whole, errors.DamagedFile)
        assert not trace.exists()
    pickle.loads(bomb)
    assert trace.exists(), "the bomb would have worked"


def test_settings_and_specs_are_not_executed(whole: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    content = state.load(whole)
    content["class"] = f"__import__('os').mkdir({str(trace)!r})"
    state.save(whole, content)
    refused(whole)
    assert not trace.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "oracle of delphi"},
        {"settings": {"horizon": 0}},
        {"settings": {"horizon": 6, "colour": "red"}},
        {"settings": {"horizon": 6, "base": "Nobody", "rate": "paper", "seed": 0}},
        {"settings": None},
        {"learnt": {}},
        {"account": {}},
        {"class": 3},
    ],
    ids=repr,
)
def test_a_sealed_file_with_other_contents_is_refused(whole: Path, change: dict[str, Any]) -> None:
    content = state.load(whole)
    state.save(whole, {**content, **change})
    with pytest.raises(at.AdeptreeError) as caught:
        at.load(whole)
    assert len(str(caught.value).split()) >= 5


@pytest.mark.parametrize("payload", [b"", b"PK", b"{}", json.dumps({"$map": []}).encode()])
def test_a_sealed_file_that_is_no_archive_is_refused(whole: Path, payload: bytes) -> None:
    whole.write_bytes(sealed(payload))
    refused(whole, errors.DamagedFile)


# ----------------------------------------------------------------------------------------------- full disks


@pytest.mark.parametrize("step", ["fsync", "replace", "fdopen"])
def test_a_full_disk_leaves_the_old_file(whole: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = whole.read_bytes()
    learner = at.load(whole)
    learner.learn(3, 0)

    def full(*args: Any, **options: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, full)
        with pytest.raises(errors.StateError, match="No space left on device; the file before it stays"):
            learner.save(whole)
    assert whole.read_bytes() == old and list(whole.parent.iterdir()) == [whole]
    learner.save(whole)
    assert at.load(whole).rounds == 4


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(4), horizon=3)
    for path in (tmp_path / "no" / "folder", tmp_path):
        with pytest.raises(errors.StateError, match="could not be written"):
            learner.save(path)
    assert list(tmp_path.iterdir()) == []


def test_values_survive_exactly(tmp_path: Path) -> None:
    value: dict[Any, Any] = {
        "tuple": (1, ("a", None), [2.5, True]),
        (0, "key"): {"nested": {}},
        "big": 3**200,
        "tiny": 5e-324,
        "empty": np.zeros((0, 3), dtype=np.uint64),
        "flags": np.array([[True, False]]),
        "$tuple": "not a tag",
        "text": "naïve\n\0",
    }
    state.save(tmp_path / "values", value)
    again = state.load(tmp_path / "values")
    assert list(again) == list(value)
    for key in value:
        if isinstance(value[key], np.ndarray):
            assert again[key].dtype == value[key].dtype and np.array_equal(again[key], value[key])
        else:
            assert again[key] == value[key] and type(again[key]) is type(value[key])
    with pytest.raises(errors.StateError, match="Python objects"):
        state.save(tmp_path / "values", {"a": np.array([object()])})


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    path, plain = tmp_path / "learner", tmp_path / "plain"
    plain.touch()
    at.Adept(at.Thresholds(8), 10).save(path)
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    at.Adept(at.Thresholds(8), 10).save(path)
    assert path.stat().st_mode & 0o777 == 0o600
