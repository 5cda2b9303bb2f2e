"""An answer that was sent is never forgotten and a label that was acknowledged is learnt, however the service ends."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from running import POSIX
from serving import GONE, Inside, Server, made, sent

import adeptree as at
from adeptree.app.serve import served_learner
from adeptree.app.serve.served_learner import Asked, ServedLearner, Told
from adeptree.core import files
from adeptree.core.errors import AdeptreeError, DamagedFile, StateError

RULES = "thresholds(v)"


def x_of(rng: random.Random) -> float:
    return rng.randrange(400) / 8


# --- Real processes, killed at random moments -----------------------------------------------------------


class Stubborn:
    """A client that repeats a request until it is answered, starting the service again when it is gone."""

    def __init__(self, options: list[str], rng: random.Random, kills: int) -> None:
        self.options, self.rng, self.kills, self.done = options, rng, kills, 0
        self.server = Server(*options)
        self._aim()

    def _aim(self) -> None:
        if self.done < self.kills:
            self._timer = threading.Timer(self.rng.uniform(0.0, 0.25), self.server._process.kill)
            self._timer.start()

    def ask(self, path: str, value: Any) -> Any:
        while True:
            try:
                reply = self.server.ask(path, value)
            except GONE:
                assert self.server.wait() == -signal.SIGKILL
                self.server.__exit__()
                self.done += 1
                self.server = Server(*self.options)
                self._aim()
            else:
                assert reply.status == 200, reply
                return reply.body


SHARED = ("rounds", "waiting", "expected_loss", "regret", "drift", "bound")
DECISIONS: dict[str, dict[str, Any]] = {
    "": {},
    "--review 0.2 --by t": {"review": 0.2, "by": "t"},
    "--review 0.15 --feedback reviewed --horizon 3000": {"review": 0.15, "feedback": "reviewed", "horizon": 3000},
    "--feedback asked --drift --horizon 3000": {"feedback": "asked", "drift": True, "horizon": 3000},
}


@POSIX
@pytest.mark.parametrize("options", DECISIONS)
def test_killed_again_and_again_nothing_is_lost_and_every_prediction_is_that_of_a_run_never_stopped(
    tmp_path: Path, options: str
) -> None:
    decisions, stored = DECISIONS[options], 0
    rules: Any = at.RealThresholds().on("v") if "by" in decisions else at.TableThresholds(["v"])
    rng, learner = random.Random(7), at.Adept(rules, **decisions)
    kills = 2 if options else 4
    client = Stubborn(["--rules", RULES, "--save", str(tmp_path / "s"), *options.split()], rng, kills)
    waiting: list[tuple[at.Ticket, int]] = []
    t = 0
    while client.done < client.kills or t < 60:
        xs: list[dict[str, Any]] = [
            {"v": x_of(rng), "t": rng.choice(["a", 7, None])} for _ in range(rng.choice([1, 3]))
        ]
        # (with keys, so that a request may be repeated)
        asked = [{"x": x, "key": f"{t} {place}"} for place, x in enumerate(xs)]
        answers = client.ask("/answer", {"asked": asked})["answers"]
        for x, answer in zip(xs, answers, strict=True):
            ticket = learner.answer(x)
            assert answer == sent(ticket)
            waiting.append((ticket, int(x["v"] > 20) ^ int(rng.random() < 0.1)))
        rng.shuffle(waiting)
        due = [waiting.pop() for _ in range(rng.randrange(len(waiting)))]
        if due:
            said = client.ask("/learn", {"labels": [{"ticket": ticket.id, "y": y} for ticket, y in due]})["labels"]
            assert [one["learnt"] for one in said] == [ticket.ask for ticket, _ in due]
        for ticket, y in due:
            if ticket.ask:
                learner.learn(ticket, y)
        stored += sum(not ticket.ask for ticket, _ in due)
        t += 1
    found = client.server.ask("/certificate").body
    assert client.server.end() == 0
    client.server.__exit__()
    assert {name: found[name] for name in SHARED} == {name: getattr(learner, name) for name in SHARED}
    assert found["stored_labels"] == stored and (stored > 20) == ("--feedback" in options)


# --- Every system call, one after the other -------------------------------------------------------------


CALLS = ("write", "fsync", "replace", "ftruncate", "chmod", "open")


def script(rounds: int) -> list[list[Any]]:
    """Return what is asked for: instances with keys, and now and then the labels of some tickets, in any order."""
    rng, asked, tickets = random.Random(2), list[list[Any]](), list[int]()
    for t in range(rounds):
        x = x_of(rng)
        asked.append([Asked([repr(x)], {"v": x}, f"key {t}")])
        tickets.append(t + 1)
        rng.shuffle(tickets)
        if t % 3 == 2:
            asked.append([Told(tickets.pop(), rng.randrange(2)), Told(tickets.pop(), rng.randrange(2))])
    return asked


def carried_out(served: ServedLearner, one: list[Any]) -> Any:
    """Return the answers, None for labels: these may have been learnt before."""
    if isinstance(one[0], Asked):
        return served.answer(one)
    return None if served.learn(one) else one


@POSIX
def test_a_service_that_ends_at_any_system_call_is_the_same_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a separate process that dies at its n-th call, for n of all sizes; sent results are not undone."""
    asked, folder, told, plain = script(12), tmp_path / "s", tmp_path / "told", made(RULES)
    expected = [carried_out(plain, one) for one in asked]

    def leaving(real: Any, left: list[int]) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
            return real(*args, **named)

        return call

    def live(calls: int) -> None:
        left = [calls]
        for name in CALLS:
            monkeypatch.setattr(os, name, leaving(getattr(os, name), left))
        served = made(RULES, folder=folder)
        begun = told.read_text().count("\n") if told.exists() else 0
        for place, one in enumerate(asked[begun:], begun):
            found = carried_out(served, one)
            served.commit()
            with told.open("a") as file:  # (through a file object: not counted)
                file.write(json.dumps(found) + "\n")
            if place % 4 == 3:
                served.checkpoint()

    stops, code = 0, 9
    while code == 9:
        pid = os.fork()
        if pid == 0:
            code = 3
            try:
                live(stops)
                code = 0
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        stops += 1
        assert stops < 200, "the service does not get on"
    assert code == 0 and stops > 20
    assert [json.loads(line) for line in told.read_text().splitlines()] == expected
    again = made(RULES, folder=folder)
    assert dict(again.learner.certificate()) == dict(plain.learner.certificate())
    assert again.course.moments == plain.course.moments


# --- A disk that is full, files that are damaged --------------------------------------------------------


def kept(tmp_path: Path, rounds: int = 12) -> tuple[Path, ServedLearner]:
    """Return the folder of a service that was killed after some rounds, one ticket open, and what it knew."""
    folder = tmp_path / "s"
    served = made(RULES, folder=folder, max_open=4)
    rng = random.Random(5)
    for t in range(rounds):
        x = x_of(rng)
        served.answer([Asked([repr(x)], {"v": x}, f"key {t}")])
        if t % 3:
            served.learn([Told(t + 1, rng.randrange(2))])
        served.commit()
        if t == rounds // 2:
            served.checkpoint()
    return folder, served


def test_a_full_disk_refuses_and_what_was_acknowledged_is_there_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Inside() as inside:
        served = inside.served["main"]
        other = made(RULES, folder=tmp_path / "s")
        served.folder, served.saved = other.folder, 0
        assert inside.ask("/answer", {"x": 3, "key": "a"}).status == 200
        real = os.write

        def full(file: int, content: bytes) -> int:
            if content.startswith(b'{"from"'):
                real(file, content[:20])  # a part of it still had room
                raise OSError(28, "No space left on device")
            return real(file, content)

        monkeypatch.setattr(os, "write", full)
        for _ in range(2):
            refused = inside.ask("/answer", {"x": 4})
            assert refused.status == 503 and "No space left on device; acknowledged labels are safe" in refused.why
        assert inside.ask("/health").status == 503
        assert inside.ask("/certificate").status == 200
        monkeypatch.undo()
        assert inside.ask("/answer", {"x": 4}).status == 503  # memory is ahead of the disk
    again = made(RULES, folder=tmp_path / "s")
    assert again.learner.answered == 1 and list(again.book.keys) == ["a"]


@pytest.mark.parametrize("step", ["_show", "_note"])
def test_a_round_that_is_torn_ends_it_and_a_restart_has_whole_rounds(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of memory after the learner has learnt, and before the journal knows: nothing is built upon that."""
    with Inside() as inside:
        served = inside.served["main"]
        served.folder = made(RULES, folder=tmp_path / "s").folder
        for x in (3, 4):
            assert inside.ask("/answer", {"x": x}).status == 200

        def tired(*_: object) -> None:
            raise MemoryError

        monkeypatch.setattr(served, step, tired)
        assert inside.ask("/learn", {"ticket": 1, "y": 1}).status == 503
        monkeypatch.undo()
        assert inside.ask("/learn", {"ticket": 2, "y": 1}).status == 503
    again, plain = made(RULES, folder=tmp_path / "s"), made(RULES)
    assert (again.learner.answered, again.learner.rounds) == (2, 0)
    plain.answer([Asked([str(x)], {"v": float(x)}) for x in (3, 4)])
    assert again.answer([Asked(["5"], {"v": 5.0})]) == plain.answer([Asked(["5"], {"v": 5.0})])


@POSIX
def test_a_journal_that_lost_its_end_is_refused_by_the_command(tmp_path: Path) -> None:
    options = ["--rules", RULES, "--save", str(tmp_path / "s")]
    with Server(*options) as server:
        for x in (3, 4, 5):
            server.ask("/answer", {"x": x})
        server.end(signal.SIGKILL)
    journal = tmp_path / "s/main/rows.journal"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    server = Server(*options)
    assert server.wait() == 1 and "ends with row 2, but 3 rows were answered" in " ".join(server.said)
    server.__exit__()


def test_what_is_committed_is_on_the_disk_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served, synced, real = made(RULES, folder=tmp_path / "s"), list[int](), os.fsync

    def counted(file: int) -> None:
        synced.append(file)
        real(file)

    monkeypatch.setattr(os, "fsync", counted)
    for x in (1.0, 2.0, 3.0):
        served.answer([Asked([repr(x)], {"v": x})])
        served.commit()
    assert len(synced) == 3


@POSIX
def test_a_folder_that_was_removed_is_noticed_before_anything_is_acknowledged(tmp_path: Path) -> None:
    with Server("--rules", RULES, "--save", str(tmp_path / "s")) as server:
        assert server.ask("/answer", {"x": 3}).status == 200
        shutil.rmtree(tmp_path / "s")
        why = server.ask("/answer", {"x": 4}).why
        assert "rows.journal was removed" in why and "safe" not in why
        assert server.end() == 1 and "rows.journal was removed" in server.said[-1]


def test_expired_tickets_stay_so_also_with_a_larger_limit(tmp_path: Path) -> None:
    folder, served = kept(tmp_path, 40)
    assert served.expired > 3
    again = made(RULES, folder=folder, max_open=1000)
    assert list(again.book.open) == list(served.book.open) and again.book.state()["status"].tolist() == (
        served.book.state()["status"].tolist()
    )
    assert dict(again.learner.certificate()) == dict(served.learner.certificate())
    assert all(one["learnt"] for one in again.learn([Told(number, 1) for number in served.book.open])["labels"])


@pytest.mark.parametrize("name", ["rows.journal", "checkpoint", "answered", "settings.json"])
def test_damaged_files_are_refused_or_change_nothing(tmp_path: Path, name: str) -> None:
    folder, served = kept(tmp_path)
    whole, rng = (folder / name).read_bytes(), random.Random(len(name))
    numbers, refusals = dict(served.learner.certificate()), 0
    for place in range(30):
        content = bytearray(whole)
        at_byte = rng.randrange(len(content))
        if place % 3 == 0:
            content[at_byte] ^= 1 << rng.randrange(8)
        elif place % 3 == 1:
            del content[at_byte:]
        else:
            content[at_byte:at_byte] = content[at_byte : at_byte + rng.randrange(1, 200)]
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        (copy / name).write_bytes(bytes(content))
        try:
            again = made(RULES, folder=copy)
        except (AdeptreeError, StateError) as error:
            assert len(str(error)) > 20
            refusals += 1
        else:
            assert dict(again.learner.certificate()) == numbers and list(again.book.keys) == list(served.book.keys)
    assert refusals > 15


def test_a_journal_with_another_p_or_an_impossible_row_is_refused(tmp_path: Path) -> None:
    """Also with right checksums: a service must continue with the answers that it gave."""
    from adeptree.runner.run_folder import JOURNAL

    folder, served = kept(tmp_path)
    blocks = JOURNAL.read(folder / "rows.journal").rows
    rows = [row for block in blocks for row in block["rows"]]
    first = next(place for place, row in enumerate(rows) if row[0] == "row")
    label = next(place for place, row in enumerate(rows) if row[0] == "label" and row[2][4])

    def forged(place: int, cell: int, text: str) -> None:
        writer, changed = JOURNAL.writer(), json.loads(json.dumps(rows))
        if place >= 0:
            changed[place][2][cell] = text
        block = writer.row({"from": blocks[0]["from"], "rows": changed})
        (folder / "rows.journal").write_text(f"{writer.header}{block}")

    for place, cell, text in [
        (first, 2, "0.25"),
        (first, 3, "999"),
        (first, 0, "much"),
        (label, 3, "999"),
        (label, 3, "1"),
        (label, 4, "2"),
        (label, 5, "-1"),
        (label, 5, "nan"),
    ]:
        forged(place, cell, text)
        with pytest.raises(DamagedFile, match="that cannot have been taken"):
            made(RULES, folder=folder)
    forged(-1, 0, "")
    assert dict(made(RULES, folder=folder).learner.certificate()) == dict(served.learner.certificate())


def test_a_checkpoint_whose_tickets_are_not_the_learners_is_refused(tmp_path: Path) -> None:
    folder, served = kept(tmp_path, 30)
    served.checkpoint()
    numbers = dict(served.learner.certificate())

    def forged(change: Any) -> None:
        state = files.load(folder / "checkpoint")
        change(state["run"])
        files.save(tmp_path / "forged", state)
        whole = (folder / "checkpoint").read_bytes()
        shutil.copy(tmp_path / "forged", folder / "checkpoint")
        with pytest.raises(DamagedFile, match="does not say where its run was"):
            made(RULES, folder=folder)
        (folder / "checkpoint").write_bytes(whole)

    status = served.book.state()["status"]
    first = {kind: int((status == kind).argmax()) for kind in range(4)}
    for kind, other in [(0, 1), (0, 3), (1, 0), (1, 3), (3, 0), (3, 2), (1, 9)]:
        altered = status.copy()
        altered[first[kind]] = other
        forged(lambda run, altered=altered: run["book"].update(status=altered))
    forged(lambda run: run["book"]["open"].pop())
    forged(lambda run: run["book"]["open"][0].__setitem__(1, ["1", "2"]))
    forged(lambda run: run["book"]["open"][0].__setitem__(2, run["book"]["open"][1][2]))
    forged(lambda run: run["position"].update(taken=run["position"]["taken"] + 1))
    assert dict(made(RULES, folder=folder).learner.certificate()) == numbers


def test_a_checkpoint_is_written_in_a_quiet_moment_or_after_very_many_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, served = kept(tmp_path)
    assert served.folder is not None and not served.due(quiet=False)
    served.folder._due = 0.0
    assert served.due(quiet=True) and not served.due(quiet=False)
    monkeypatch.setattr(served_learner, "LONG_JOURNAL", 5)
    assert served.due(quiet=False)
    served.checkpoint()
    assert not served.due(quiet=True) and len((folder / "rows.journal").read_bytes().splitlines()) == 1
