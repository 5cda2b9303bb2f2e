"""A service that is killed again and again: python benchmarks/serve_kills.py [--rounds 100000] [--kills 5]

A client plays rounds, labels in random order and some never. At random moments the service is killed with SIGKILL and
started again, and the client repeats the request it got no reply to. Beside it the library plays the same rounds and is
never stopped: every p and guess must be the same to the last digit, and so must the account at the end.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import adeptree as at

MAIN = "from adeptree.app.cli import main; main()"
SAID = ("guess", "p", "ask")
SHARED = ("rounds", "waiting", "overlaps", "expected_loss", "realised_loss", "best_loss", "regret", "bound", "drift")


class Service:
    """A service that is started again whenever it is gone."""

    def __init__(self, folder: str) -> None:
        self._folder, self.kills, self.repeated, self.starting = folder, 0, 0, list[float]()
        self._start()

    def _start(self) -> None:
        began = time.perf_counter()
        command = [sys.executable, "-c", MAIN, "serve", "--rules", "stumps(v, w)", "--port", "0"]
        self.process = subprocess.Popen([*command, "--save", self._folder], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = None
        while found is None:
            line = self.process.stderr.readline()
            assert line, "the service did not start"
            print("   ", line.rstrip())
            found = re.search(r"http://127.0.0.1:(\d+)/", line)
        self.starting.append(time.perf_counter() - began)
        self._link = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=120)

    def ask(self, path: str, value: Any = None) -> Any:
        """Ask until there is a reply."""
        while True:
            try:
                body, headers = (json.dumps(value), {"Content-Type": "application/json"}) if value else (None, {})
                self._link.request("POST" if value else "GET", path, body, headers)
                reply = self._link.getresponse()
                found = json.loads(reply.read())
                assert reply.status == 200, found
                return found
            except (OSError, http.client.HTTPException):
                code = self.process.wait(timeout=60)
                assert code == -9, code
                self.kills += 1
                self.repeated += 1
                self._start()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng, learner = random.Random(given.seed), at.Adept(at.TableStumps(["v", "w"]))
    folder = tempfile.mkdtemp()
    service = Service(f"{folder}/s")
    when = sorted(rng.sample(range(given.batch, given.rounds), given.kills))
    waiting: list[tuple[at.Ticket, int]] = []
    other, played, began = 0, 0, time.perf_counter()
    while played < given.rounds:
        xs = [
            {"v": rng.randrange(4000) / 8, "w": rng.choice("abcd")}
            for _ in range(min(given.batch, given.rounds - played))
        ]
        if when and played >= when[0]:
            when.pop(0)
            # Somewhere in the next requests, not between two of them.
            subprocess.Popen(["sh", "-c", f"sleep {rng.uniform(0, 0.3):.3f}; kill -9 {service.process.pid}"])
        asked = [{"x": x, "key": str(played + place)} for place, x in enumerate(xs)]
        for x, answer in zip(xs, service.ask("/answer", {"asked": asked})["answers"], strict=True):
            ticket = learner.answer(x)
            other += answer["ticket"] != ticket.id or any(answer[name] != getattr(ticket, name) for name in SAID)
            waiting.append((ticket, int(x["v"] > 200) ^ int(rng.random() < 0.1)))
        played += len(xs)
        rng.shuffle(waiting)
        due = [waiting.pop() for _ in range(max(0, len(waiting) - 300))]
        if due:
            service.ask("/learn", {"labels": [{"ticket": ticket.id, "y": y} for ticket, y in due]})
        for ticket, y in due:
            learner.learn(ticket, y)
    while when or service.kills < given.kills:  # one that was aimed at the end
        service.ask("/health")
        time.sleep(0.05)
    found, mine = service.ask("/certificate"), dict(learner.certificate())
    differ = [name for name in SHARED if found[name] != mine[name]]
    service.process.terminate()
    service.process.wait(timeout=60)
    seconds, lost = time.perf_counter() - began, learner.answered - (found["rounds"] + found["waiting"])
    print(f"{played:,} rounds, {service.kills} times kill -9, {seconds:.0f} s (the library's own rounds included)")
    print(f"{lost} lost, {other} other answers, the account differs in {differ or 'nothing'}")
    print(f"starting took {max(service.starting):.1f} s at most")
    shutil.rmtree(folder)
    sys.exit(bool(lost or other or differ))


if __name__ == "__main__":
    main()
