"""The service answers and learns with the library's numbers, to the last digit, in whatever order labels come."""

from __future__ import annotations

import json
import math
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from running import POSIX
from serving import Heard, Inside, Server, asked, made, sent

import adeptree as at
from adeptree.app.serve.requests import Limits
from adeptree.app.serve.served_learner import Asked, Told
from adeptree.app.serve.service_columns import ServiceColumns
from adeptree.app.serve.writer import SOON
from adeptree.core.cell_text import as_text

RULES = "stumps(age, sex)"


def people(rng: random.Random) -> dict[str, Any]:
    return {"age": rng.choice([rng.randrange(90), rng.random() * 90, None]), "sex": rng.choice(["f", "m", None, "d"])}


def same_numbers(found: dict[str, Any], learner: at.Adept) -> None:
    """The certificate that was sent is that of a learner, bit by bit."""
    mine = {
        name: None if value in (math.inf, -math.inf) else value for name, value in dict(learner.certificate()).items()
    }
    assert {name: found[name] for name in mine} == json.loads(json.dumps(mine))


def test_rounds_over_http_are_the_librarys_to_the_last_digit() -> None:
    rng, learner = random.Random(1), at.Adept(at.TableStumps(["age", "sex"]))
    waiting: list[tuple[int, at.Ticket, int]] = []
    with Server("--rules", RULES) as server:
        for _ in range(60):
            xs = [people(rng) for _ in range(rng.choice([1, 1, 4]))]
            said = server.ask("/answer", {"x": xs[0]} if len(xs) == 1 else {"xs": xs})
            answers = [said.body] if len(xs) == 1 else said.body["answers"]
            for x, answer in zip(xs, answers, strict=True):
                ticket = learner.answer(x)
                assert answer == sent(ticket)
                waiting.append((answer["ticket"], ticket, int((x["age"] or 0) > 40) ^ int(rng.random() < 0.2)))
            rng.shuffle(waiting)  # labels come in any order, some never
            for number, ticket, y in [waiting.pop() for _ in range(rng.randrange(len(waiting)))]:
                assert server.ask("/learn", {"ticket": number, "y": y}).body["learnt"] is True
                learner.learn(ticket, y)
        labels = [{"ticket": number, "y": bool(y), "weight": 2.5} for number, _, y in waiting[:5]]
        found = server.ask("/learn", {"labels": labels}).body["labels"]
        assert [(one["ticket"], one["learnt"]) for one in found] == [(one["ticket"], True) for one in labels]
        for _, ticket, y in waiting[:5]:
            learner.learn(ticket, y, weight=2.5)
        same_numbers(server.ask("/certificate").body, learner)
        near = learner.rules_within(3.5)
        listed = server.ask("/rules?within=3.5&limit=1000").body
        assert [(one["rule"], one["loss"]) for one in listed["rules"]] == [(str(one.rule), one.loss) for one in near]
        assert listed["best_loss"] == learner.best_loss and not listed["more"] and len(near) > 3
        measured, ledger = server.ask("/metrics").body, learner.ledger
        shown = {"misses": ledger.missed, "false_alarms": ledger.alarmed, "picked": float(ledger.picked)}
        for name, value in {**shown, "constant_loss": float(learner.best_constant().loss)}.items():
            assert f'adeptree_{name}{{learner="main"}} {value!r}' in measured
        parser = pytest.importorskip("prometheus_client.parser")
        told = [line.removeprefix("# main: ") for line in measured.splitlines() if line.startswith("# main: ")]
        assert len(told) == 2 and all(line in " ".join(learner.summary().split()) for line in told)
        assert len(list(parser.text_string_to_metric_families(measured))) > 20  # (comments are not metrics)


@pytest.mark.parametrize(
    ("rules", "x", "instance"),
    [
        ("thresholds(n=16)", 3, 3),
        ("thresholds(n=16)", {"x": 3}, 3),
        ("thresholds(n=16)", [3], 3),
        ("conjunctions(n=3)", [1, 0, True], (1, 0, 1)),
        ("blocklist(sender, d=2)", {"sender": "eve"}, "eve"),
        ("steps(price)", 2.5, {"price": 2.5}),
    ],
)
def test_any_rules_take_objects_lists_and_single_values(rules: str, x: Any, instance: Any) -> None:
    with Inside(main=rules) as inside:
        learner = at.Adept(inside.served["main"].learner.concept_class)
        for y in (1, 0, 1):
            ticket = learner.answer(instance)
            assert inside.ask("/answer", {"x": x}).body == sent(ticket)
            learner.learn(ticket, y)
            assert inside.ask("/learn", {"ticket": ticket.id, "y": y}).status == 200
        same_numbers(inside.ask("/certificate").body, learner)


# --- Tickets and keys -----------------------------------------------------------------------------------


def test_a_label_may_come_again_but_not_another_one() -> None:
    with Inside() as inside:
        number = inside.ask("/answer", {"x": 3}).body["ticket"]
        label = {"ticket": number, "y": 1}
        assert inside.ask("/learn", label).body == {"ticket": 1, "learnt": True, "repeated": False, "rounds": 1}
        assert inside.ask("/learn", label).body == {"ticket": 1, "learnt": True, "repeated": True, "rounds": 1}
        other = inside.ask("/learn", {"ticket": number, "y": 0})
        assert (other.status, other.why) == (409, "ticket 1 has the label 1 already; got 0")
        assert inside.ask("/learn", {"ticket": 2, "y": 0}).status == 404
        assert inside.served["main"].learner.rounds == 1


def test_a_batch_of_labels_is_learnt_whole_or_not_at_all() -> None:
    with Inside() as inside:
        inside.ask("/answer", {"xs": [1, 2, 3]})
        good, bad = {"ticket": 1, "y": 1}, {"ticket": 9, "y": 1}
        assert inside.ask("/learn", {"labels": [good, bad]}).why.startswith("labels[1]: ticket 9 was never given")
        assert inside.ask("/learn", {"labels": [good, {"ticket": 1, "y": 0}]}).status == 409
        assert inside.served["main"].learner.rounds == 0
        found = inside.ask("/learn", {"labels": [good, good, {"ticket": 3, "y": 0}]})
        told = [(one["ticket"], one["learnt"], one["repeated"]) for one in found.body["labels"]]
        assert told == [(1, True, False), (1, True, True), (3, True, False)] and found.body["rounds"] == 2


def test_a_weight_that_only_its_cost_makes_too_large_leaves_the_batch_undone() -> None:
    with Server("--rules", "thresholds(v)", "--cost-miss", "5") as server:
        server.ask("/answer", {"xs": [1, 2]})
        labels = [{"ticket": 1, "y": 1}, {"ticket": 2, "y": 1, "weight": 500_000}]
        found = server.ask("/learn", {"labels": labels})
        assert found.status == 400 and "weight times cost" in found.why
        assert server.ask("/certificate").body["rounds"] == 0


def test_a_batch_of_instances_is_answered_whole_or_not_at_all() -> None:
    with Inside(main="thresholds(n=16)") as inside:
        assert inside.ask("/answer", {"xs": [1, 99]}).why.startswith("xs[1]: column x: ")
        assert inside.served["main"].learner.answered == 0


def test_the_same_key_gets_the_same_answer_while_it_waits() -> None:
    with Inside() as inside:
        first = inside.ask("/answer", {"x": 3, "key": "a"})
        inside.ask("/answer", {"x": 3})
        assert inside.ask("/answer", {"x": 3, "key": "a"}) == first
        assert inside.ask("/answer", {"x": 4, "key": "a"}).status == 409
        assert inside.ask("/answer", {"asked": [{"x": 3, "key": "b"}, {"x": 4, "key": "b"}]}).status == 409
        three = [{"x": 3, "key": "a"}, {"x": 9, "key": "c"}, {"x": 9, "key": "c"}]
        answers = inside.ask("/answer", {"asked": three}).body["answers"]
        assert answers[0] == first.body and answers[1] == answers[2] and answers[1]["ticket"] == 3
        inside.ask("/learn", {"ticket": first.body["ticket"], "y": 1})
        assert inside.ask("/answer", {"x": 4, "key": "a"}).body["ticket"] == 4  # free again


def test_the_oldest_tickets_expire_and_the_others_stay() -> None:
    with Inside(Limits(open=3, batch=3)) as inside:
        inside.ask("/answer", {"xs": [1, 2, 3]})
        inside.ask("/learn", {"ticket": 2, "y": 1})
        inside.ask("/answer", {"x": 4})  # three wait: 1, 3, 4
        inside.ask("/answer", {"x": 5})
        late = inside.ask("/learn", {"ticket": 1, "y": 1})
        assert late.status == 410 and late.why.startswith("ticket 1 has expired: at most 3 answers wait")
        assert inside.ask("/learn", {"labels": [{"ticket": number, "y": 0} for number in (3, 4, 5)]}).status == 200
        learner = inside.served["main"].learner
        assert (learner.rounds, learner.waiting, len(learner.tickets)) == (4, 1, 0)
        assert 'adeptree_expired_tickets{learner="main"} 1.0' in inside.ask("/metrics").body


def test_an_expired_ticket_changes_no_number_but_those_of_waiting() -> None:
    plain, limited = made("thresholds(v)"), made("thresholds(v)", max_open=5)
    rng = random.Random(3)
    for _ in range(100):
        x, y = rng.randrange(30), rng.randrange(2)
        one, other = (served.answer([Asked([str(x)], {"v": float(x)})])[0] for served in (plain, limited))
        assert one == other
        if rng.random() < 0.7:
            for served in (plain, limited):
                served.learn([Told(one["ticket"], y)])
    assert limited.expired > 20 and len(limited.learner.tickets) <= 5
    found, kept = dict(limited.learner.certificate()), dict(plain.learner.certificate())
    assert found.pop("realised_bound") == pytest.approx(kept.pop("realised_bound"))
    assert found == kept


def test_the_horizon_is_kept_also_by_a_batch() -> None:
    with Server("--rules", "thresholds(n=8)", "--horizon", "3", "--quiet", before=LOUD) as server:
        assert server.ask("/answer", {"xs": [1, 2, 3, 4]}).status == 409
        assert server.ask("/answer", {"xs": [1, 2, 3]}).status == 200
        assert "3 of the 3 rounds of --horizon" in server.ask("/answer", {"x": 1}).why


LOUD = "import sys; sys.argv.remove('--quiet')"
"""(The port is in the output that --quiet omits.)"""


# --- Several learners, and what is known of them --------------------------------------------------------


def test_named_learners_are_kept_apart() -> None:
    with Inside(main="thresholds(v)", b="stumps(age, sex)") as inside:
        assert inside.ask("/l/b/answer", {"x": [41, "f"]}).body["ticket"] == 1
        assert inside.ask("/l/main/answer", {"x": 41}).body["ticket"] == 1
        assert inside.ask("/answer", {"x": 42}).body["ticket"] == 2
        assert inside.ask("/l/b/learn", {"ticket": 2, "y": 1}).status == 404
        assert inside.ask("/l/c/learn", {"ticket": 2, "y": 1}).why == (
            'there is no learner "c"; there are /l/main/learn, /l/b/learn'
        )
        moved = inside.ask("/l/b")
        assert (moved.status, moved.headers["location"]) == (308, "b/")
    with Inside(a="thresholds(v)") as inside:
        assert inside.ask("/answer", {"x": 41}).why == "there is no learner at the root; there are /l/a/answer"
        assert inside.ask("/").status == 200
        assert 'href="l/a/"' in inside.ask("/live").body["head"]


def test_health_metrics_and_the_document() -> None:
    with Inside(main="thresholds(v)", b="stumps(age, sex)") as inside:
        inside.ask("/answer", {"x": 3})
        inside.ask("/answer", {"x": {"w": 3}})
        assert inside.ask("/health").body == {"status": "ok"}
        metrics: Heard = inside.ask("/metrics")
        assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")
        lines = metrics.body.splitlines()
        assert 'adeptree_requests_total{route="/answer",status="400"} 1.0' in lines
        assert 'adeptree_answered{learner="main"} 1.0' in lines and 'adeptree_answered{learner="b"} 0.0' in lines
        names = {line.split()[2] for line in lines if line.startswith("# TYPE")}
        assert all(
            line.split("{")[0].split()[0].removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") in names
            for line in lines
            if not line.startswith("#")
        )
        document = inside.ask("/openapi.json").body
        assert document["openapi"] == "3.1.0"
        assert {"/answer", "/learn", "/l/b/answer", "/l/main/rules", "/health", "/metrics"} <= set(document["paths"])


def test_many_threads_get_numbers_of_some_order(tmp_path: Path) -> None:
    """Every answer is in the journal with its p; a service that resumes computes each again, and refuses any other."""
    options = ("--rules", RULES, "--save", str(tmp_path / "s"))
    answers: list[dict[str, Any]] = []

    def play(server: Server, seed: int) -> None:
        rng, link = random.Random(seed), server.link()
        for _ in range(25):
            answer = asked(link, "/answer", {"x": people(rng)}).body
            answers.append(answer)
            if rng.random() < 0.8:
                assert asked(link, "/learn", {"ticket": answer["ticket"], "y": rng.randrange(2)}).body["learnt"] is True
            if rng.random() < 0.2:
                found = asked(link, "/certificate").body
                assert found["regret"] <= found["bound"] + 1e-9
                assert found["regret"] == found["expected_loss"] - found["best_loss"]
        link.close()

    with Server(*options) as server:
        threads = [threading.Thread(target=play, args=(server, seed)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer["ticket"] for answer in answers) == list(range(1, 151))
        before = server.ask("/certificate").body
    with Server(*options) as server:
        assert server.ask("/certificate").body == before


# --- Beginning and ending -------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("by", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_and_all_is_saved(by: str, tmp_path: Path) -> None:
    import signal

    with Server("--rules", RULES, "--learner", "b=thresholds(v)", "--save", str(tmp_path / "s")) as server:
        server.ask("/answer", {"x": [3, "f"]})
        assert server.end(getattr(signal, by)) == 0
        assert f"adeptree: main is saved to {tmp_path / 's' / 'main'}; the same command resumes it" in server.said
        assert "Traceback" not in "\n".join(server.said)
    loaded = at.load(tmp_path / "s" / "main" / "checkpoint")
    assert loaded.answered == 1 and len((tmp_path / "s/main/rows.journal").read_bytes().splitlines()) == 1


@pytest.mark.parametrize("path", ["/certificate", "/rules", "/metrics", "/live"])
def test_every_read_waits_for_the_round_that_is_being_learnt(path: str) -> None:
    with Inside() as inside:
        inside.ask("/answer", {"x": 3})
        done: list[int] = []
        reader = threading.Thread(target=lambda: done.append(inside.ask(path).status))
        with inside.served["main"].lock:
            reader.start()
            reader.join(0.3)
            assert reader.is_alive() and not done
        reader.join(60)
        assert done == [200]


@pytest.mark.parametrize("rules", ["stumps(a, b)", "thresholds(a)", "stumps(a, b, values=2)"])
def test_values_are_the_instances_that_their_texts_are(rules: str) -> None:
    """As ``adeptree run`` reads them from a file, and as the journal of a service gives them back."""
    columns = ServiceColumns(rules)
    values = [
        1.5,
        -0.0,
        7,
        7.0,
        1,
        0,
        True,
        False,
        None,
        "red",
        " Red ",
        "7",
        "7.0",
        "true",
        "TRUE",
        "na",
        "1e3",
        "1_0",
        "",
    ]
    for value in values:
        cells = columns.cells([value, "x"][: len(columns.names)])
        texts = [as_text(cell) for cell in cells]
        row = columns.layout.instance([text.strip() for text in texts])
        for found in (columns.instance(cells), columns.instance(texts)):
            assert columns.layout.concept_class.instance(found) == row, value


def test_a_slow_learner_leaves_the_thread_of_requests_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with Inside() as inside:
        writer, served, threads = inside.service.writers["main"], inside.served["main"], list[str]()
        answer = served.learner.answer

        def slow(x: Any) -> Any:
            threads.append(threading.current_thread().name)
            time.sleep(0.03)
            return answer(x)

        monkeypatch.setattr(served.learner, "answer", slow)
        for x in range(3):
            assert inside.ask("/answer", {"x": x}).status == 200
        own = f"writer of {served.name}"
        assert [name == own for name in threads] == [False, True, True]
        monkeypatch.undo()
        for x in range(2):
            assert inside.ask("/answer", {"x": x}).status == 200
        assert writer._lasted < SOON
