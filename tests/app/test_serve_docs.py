"""The recipes of ``docs/howto/serve.md`` work; the tables of ``docs/reference/http-api.md`` are the code's."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import POSIX, ROOT
from serving import Server

from adeptree.app.serve import service
from adeptree.app.serve.serve_command import ServeOptions

PAGE = (ROOT / "docs" / "howto" / "serve.md").read_text(encoding="utf-8")
API = (ROOT / "docs" / "reference" / "http-api.md").read_text(encoding="utf-8")
TOOLS = [tool for tool in ("curl", "jq", "split") if shutil.which(tool) is None]


def recipe(heading: str, kind: str) -> str:
    """Return the first block of a kind below a heading."""
    below = PAGE[PAGE.index(f"## {heading}") :]
    found = re.search(rf"```{kind}\n(.*?)```", below, flags=re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server("--rules", "stumps(age, sex)") as server:
        yield server


def here(text: str, server: Server) -> str:
    assert "127.0.0.1:8000" in text
    return text.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")


@POSIX
@pytest.mark.skipif(bool(TOOLS), reason=f"not installed: {', '.join(TOOLS)}")
def test_curl_and_the_shell_pipe(server: Server, tmp_path: Path) -> None:
    said = ""
    for line in here(recipe("A round with curl", "sh"), server).splitlines():
        if line.startswith("# "):
            assert json.loads(said) == json.loads(line[2:])
        else:
            said = subprocess.run(line, shell=True, capture_output=True, text=True, check=True).stdout
            assert "error" not in json.loads(said)
    rows = [{"age": 20 + i % 50, "sex": "fm"[i % 2]} for i in range(2500)]
    (tmp_path / "rows.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [{"ticket": 2 + i, "y": int(row["age"] > 40)} for i, row in enumerate(rows[:900])]  # type: ignore[operator]
    (tmp_path / "labels.ndjson").write_text("".join(json.dumps(label) + "\n" for label in labels))
    pipe = here(recipe("From a shell pipe", "sh"), server)
    done = subprocess.run(["bash", "-ec", pipe], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == {"learnt": 900, "rounds": 901}
    answers = [json.loads(line) for line in (tmp_path / "answers.ndjson").read_text().splitlines()]
    assert [answer["ticket"] for answer in answers] == list(range(2, 2502))


def test_python(server: Server) -> None:
    before = server.ask("/certificate").body["rounds"]
    exec(here(recipe("From Python", "python"), server), {})
    assert server.ask("/certificate").body["rounds"] == before + 1


def test_kafka_is_python_and_docker_has_the_options() -> None:
    ast.parse(recipe("From Kafka", "python"))
    options = set(re.findall(r"--[a-z-]+", recipe("In Docker", "dockerfile"))) - {"--no-cache-dir", "--create-home"}
    assert {option[2:].replace("-", "_") for option in options} <= set(ServeOptions.__dataclass_fields__)


def test_every_option_and_every_address_is_on_the_page() -> None:
    table = API[API.index("| option | default |") :]
    for name in ServeOptions.__dataclass_fields__:
        assert f"`--{name.replace('_', '-')}" in table, name
    addresses = {route.path for route in [*service.OF_LEARNER, *service.OF_SERVICE]}
    for path in addresses - {"/", "/live", "/favicon.ico", "/l/{name}"}:
        assert re.search(rf"`(GET|POST) {re.escape(path)}\b", API), path
