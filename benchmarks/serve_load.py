"""Measure the requests per second of ``adeptree serve`` from a second process on this machine (needs wrk).

Every route is compared with an echo of the same body by the same server, in turns, so that a busy machine is busy for
both: ``python benchmarks/serve_load.py [--seconds 5] [--turns 3] [--connections 16]``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

START = """
from starlette.routing import Route
from adeptree.app.serve import service
from adeptree.app.serve.requests import json_of
from adeptree.app.serve.routes import said
async def echo(request):
    return said(json_of(request))
service.ROUTES.append(Route("/echo", echo, methods=["POST"]))
from adeptree.app.cli import main
main()
"""
RULES = "stumps(age, income, city)"
LUA = """
local n = %(first)d
local function row()
  return string.format('{"age": %%d, "income": %%.2f, "city": "city %%d"}',
    math.random(18, 90), math.random() * 9e4, math.random(1, 30))
end
request = function()
  n = n + 1
  local body = %(body)s
  return wrk.format("POST", "%(path)s", {["Content-Type"] = "application/json"}, body)
end
"""
ONE = """'{"x": ' .. row() .. '}'"""
MANY = """(function() local t = {} for i = 1, 100 do t[i] = row() end
  return '{"xs": [' .. table.concat(t, ", ") .. ']}' end)()"""
LABEL = """string.format('{"ticket": %d, "y": %d}', n, math.random(0, 1))"""


class Server:
    """A service in a separate process."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-c", START, "serve", "--rules", RULES, "--port", "0"]
        command += ["--max-open", "1000000", *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        found = None
        while found is None:
            found = re.search(r"http://127.0.0.1:(\d+)/", self._process.stderr.readline())
        self.address = f"http://127.0.0.1:{found[1]}"
        self.learnt = 0

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.communicate(timeout=60)

    def post(self, path: str, value: object) -> None:
        """Send one request."""
        headers = {"Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(self.address + path, json.dumps(value).encode(), headers)).read()

    def open_tickets(self, batches: int) -> None:
        """Answer thousands, so that there are tickets to learn."""
        for _ in range(batches):
            self.post("/answer", {"xs": [[40, 1000.5, "city 3"]] * 1000})


def load(server: Server, path: str, body: str, seconds: float, connections: int) -> tuple[float, float, float, int]:
    """Return requests per second, the median and the 99th percentile in milliseconds, and how many went wrong."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(LUA % {"first": server.learnt, "body": body, "path": path})
        script.flush()
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", "--latency", "-s", script.name, server.address]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    requests = int(re.search(r"(\d+) requests in", said)[1])  # type: ignore[index]
    if path == "/learn":
        server.learnt += requests + connections
    speed = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])  # type: ignore[index]
    at = {share: _milliseconds(value) for share, value in re.findall(r"(50|99)%\s+([\d.]+\w+)", said)}
    wrong = sum(int(number) for number in re.findall(r"Non-2xx or 3xx responses: (\d+)", said))
    wrong += sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", said)))
    return speed, at["50"], at["99"], wrong


def _milliseconds(text: str) -> float:
    value, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()  # type: ignore[union-attr]
    return float(value) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--connections", type=int, default=16)
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed (Debian: apt-get install wrk)")
    folder = Path(tempfile.mkdtemp())
    servers = {"in memory": Server(), "--save": Server("--save", str(folder / "s"))}
    loads = {"/answer": ONE, "/learn": LABEL, "/answer, 100 at a time": MANY}
    print(f"{given.connections} connections, {given.seconds:g} seconds, {given.turns} turns, {os.cpu_count()} cores")
    print(f"{'route':<34}{'requests/s':>11}{'of echo':>9}{'median ms':>11}{'p99 ms':>9}{'echo p99':>10}{'errors':>8}")
    for kept, server in servers.items():
        for name, body in loads.items():
            path = name.partition(",")[0]
            if path == "/learn":
                server.open_tickets(given.turns * int(given.seconds) * 8)
            found, echoes = [], []
            for _ in range(given.turns):
                echoes.append(load(server, "/echo", body, given.seconds, given.connections))
                found.append(load(server, path, body, given.seconds, given.connections))
            ratio = statistics.median(one[0] / echo[0] for one, echo in zip(found, echoes, strict=True))
            speed, middle, p99 = (statistics.median(one[part] for one in found) for part in range(3))
            echo99 = statistics.median(one[2] for one in echoes)
            wrong = sum(one[3] for one in [*found, *echoes])
            label = f"{name} ({kept})"
            print(
                f"{label:<34}{speed:>11,.0f}{ratio:>9.2f}{middle:>11.1f}{p99:>9.1f}{echo99:>10.1f}{wrong:>8}",
                flush=True,
            )
    for server in servers.values():
        server.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
