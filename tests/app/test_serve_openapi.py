"""The OpenAPI document says what the service does: a tool that reads it finds nothing else, and no fault."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from running import POSIX
from serving import Inside, Server

from adeptree.app.serve.requests import Limits

CALL = "from schemathesis.cli import schemathesis; schemathesis()"


@POSIX
def test_what_is_made_of_the_document_is_answered_as_it_says(tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    with Server("--rules", "stumps(age, sex)") as server:
        options = ["--max-examples", "10", "--phases", "fuzzing", "--seed", "1", "--exclude-path-regex", "^/l/"]
        command = [sys.executable, "-c", CALL, "run", f"http://127.0.0.1:{server.port}/openapi.json", *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=110)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
        tried = re.search(r"(\d+) generated", done.stdout)
        assert tried and int(tried[1]) >= 30, done.stdout[-3000:]


def test_the_document_names_the_columns_the_limits_and_the_token() -> None:
    with Inside(Limits(batch=7), main="stumps(age, sex)", b="thresholds(n=8)") as inside:
        document = inside.ask("/openapi.json").body
        body = document["paths"]["/answer"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        one, xs, asked = body["anyOf"]
        assert one["properties"]["x"]["anyOf"][0]["required"] == ["age", "sex"]
        assert xs["properties"]["xs"]["maxItems"] == asked["properties"]["asked"]["maxItems"] == 7
        single = document["paths"]["/l/b/answer"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert {"$ref": "#/components/schemas/Cell"} in single["anyOf"][0]["properties"]["x"]["anyOf"]
        assert "security" not in document
        names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
        assert len(names) == len(set(names))
        used = set(re.findall(r"#/components/(\w+)/(\w+)", str(document)))
        assert used == {(kind, name) for kind, found in document["components"].items() for name in found}
    with Inside(Limits(token="a-token-of-this-test-0123")) as inside:
        document = inside.ask("/openapi.json", authorization="Bearer a-token-of-this-test-0123").body
        assert document["security"] == [{"token": []}] and document["paths"]["/health"]["get"]["security"] == []
