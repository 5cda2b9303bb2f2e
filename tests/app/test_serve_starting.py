"""Errors of ``adeptree serve`` before it listens, each with a message."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from running import POSIX, call
from serving import Server

from adeptree.app.serve import server
from adeptree.app.serve.serve_command import ServeOptions, _limits
from adeptree.core.extras import Extra


def refused(*options: str) -> str:
    result = call("serve", *options)
    assert result.exit_code == 2, result.stderr
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ([], "say what to compete with"),
        (["--rules", "stumps"], "a service has no stream to find columns in; name them"),
        (["--rules", "tresholds(n=4)"], 'did you mean "thresholds"?'),
        (["--rules", "thresholds(v)", "--features", "w"], "names its columns already"),
        (["--rules", "thresholds(v)", "--times", "w"], '--times: "w" is not a column of the rules, which read v'),
        (["--learner", "thresholds(v)"], "expected NAME=RULES"),
        (["--learner", "../a=thresholds(v)"], "expected NAME=RULES"),
        (["--learner", "a=thresholds(v)", "--learner", "a=thresholds(w)"], '"a" comes twice'),
        (["--rules", "thresholds(v)", "--host", "0.0.0.0"], "can be reached from other machines"),
        (["--rules", "thresholds(v)", "--token", "short"], "at least 16 letters"),
        (["--rules", "thresholds(v)", "--token-file", "nowhere"], "nowhere could not be read: No such file"),
        (["--rules", "thresholds(v)", "--token", "a" * 20, "--token-file", "f"], "give one of them"),
        (["--rules", "thresholds(v)", "--max-batch", "9", "--max-open", "3"], "must not be more than --max-open"),
        (["--rules", "thresholds(v)", "--host", "no such host"], "can be reached from other machines"),
        (
            ["--rules", "thresholds(v)", "--host", "example.invalid", "--token", "a" * 20],
            '--host: "example.invalid" is not an address of this machine',
        ),
        (["--rules", "thresholds(v)", "--host", "192.0.2.1", "--token", "a" * 20], "--host: 192.0.2.1, port 0 cannot"),
        (["--rules", "thresholds(v)", "--save", "/proc/nowhere/at/all"], "cannot be written"),
        (["--rules", "thresholds(v)", "--port", "70000"], "65535"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert why in refused(*options, *([] if "--port" in options else ["--port", "0"]))


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "uvicorn", Extra("no_such_server", "adeptree serve", "serve"))
    assert "pip install '.[serve]'" in refused("--rules", "thresholds(v)")


def test_a_broken_extra_is_named_before_anything_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_a_server").mkdir()
    (tmp_path / "half_a_server" / "__init__.py").write_text("import no_such_server")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(server, "uvicorn", Extra("half_a_server", "adeptree serve", "serve"))
    said = refused("--rules", "thresholds(v)", "--save", str(tmp_path / "s"))
    assert "pip install '.[serve]'" in said and "serving" not in said and not (tmp_path / "s").exists()


def test_a_port_in_use_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("--rules", "thresholds(v)", "--port", str(port), "--save", str(tmp_path / "s"))
        assert f"port {port} cannot be listened on" in said
    assert not (tmp_path / "s").exists()


@POSIX
def test_a_refused_start_leaves_nothing_behind(tmp_path: Path) -> None:
    """Nor does the first of two learners, if the second is refused."""
    save = ["--save", str(tmp_path / "s"), "--port", "0"]
    wrong = ["--learner", "a=thresholds(v)", "--learner", "b=steps(v)", "--drift"]
    assert "needs one rate" in refused(*wrong, *save) and not (tmp_path / "s").exists()
    assert "needs --review" in refused("--rules", "thresholds(v)", "--delay", "3", *save)
    with Server("--rules", "thresholds(v)", "--delay", "3", "--review", "0.2", "--save", str(tmp_path / "s")) as server:
        assert server.ask("/answer", {"x": 3}).status == 200


@POSIX
def test_a_service_with_a_number_of_segments_resumes(tmp_path: Path) -> None:
    options = ["--rules", "thresholds(v)", "--by", "shop", "--segments", "4", "--save", str(tmp_path / "s")]
    for first in (1, 2):
        with Server(*options) as server:
            answer = server.ask("/answer", {"x": {"v": 3, "shop": "a"}}).body
            assert answer["ticket"] == first and server.ask("/learn", {"ticket": first, "y": 1}).status == 200
    assert "segments: saved 4 / given 5" in refused(*options[:5], "5", *options[6:], "--port", "0")


@POSIX
def test_a_folder_has_one_service_and_one_meaning(tmp_path: Path) -> None:
    save = ["--save", str(tmp_path / "s"), "--port", "0"]
    with Server("--rules", "thresholds(v)", "--save", str(tmp_path / "s")) as server:
        server.ask("/answer", {"x": 3})
        assert "another run is writing to" in refused("--rules", "thresholds(v)", *save)
        assert server.ask("/answer", {"x": 3}).status == 200
    said = refused("--rules", "thresholds(w)", *save)
    assert said.endswith("rules: saved thresholds(v) / given thresholds(w)") and "--save: the run in" in said
    assert "--resume" not in said and "(key)" not in said
    assert "seed: saved 0 / given 1" in refused("--rules", "thresholds(v)", "--seed", "1", *save)
    run = call("run", "--rules", "thresholds(n=64)", "--save", str(tmp_path / "s" / "main"), "--resume")
    assert run.exit_code == 2 and "other settings" in run.stderr


def test_a_reply_is_sent_at_once() -> None:
    """Head and body are two packets: by default the second waits for the first to be acknowledged, for 40 ms."""
    with server.bound_socket("127.0.0.1", 0) as sock:
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def options(**given: object) -> ServeOptions:
    usual = {name: None for name in ServeOptions.__dataclass_fields__}
    limits = {"max_body": 1000, "max_batch": 1, "max_open": 1, "host": "127.0.0.1", "allow_host": []}
    return ServeOptions(**{**usual, **limits, **given})  # type: ignore[arg-type]


def test_the_token_comes_from_the_option_the_file_or_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("from-the-file-0123456\n")
    monkeypatch.setenv("ADEPTREE_TOKEN", "from-the-variable-0123")
    assert _limits(options()).token == "from-the-variable-0123"
    assert _limits(options(token="from-the-option-012345")).token == "from-the-option-012345"
    assert _limits(options(token_file=str(file))).token == "from-the-file-0123456"
    assert "0123" not in repr(_limits(options()))
    assert _limits(options(host="0.0.0.0")).hosts is None
    assert _limits(options(host="0.0.0.0", allow_host=["Stream.example.org"])).hosts == frozenset(
        {"stream.example.org"}
    )
    assert "127.0.0.1" in (_limits(options(allow_host=["a"])).hosts or ())
