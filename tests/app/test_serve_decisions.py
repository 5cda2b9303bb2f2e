"""Decisions over HTTP are the library's, and a label that the learner did not ask for is stored and not learnt."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from serving import Inside, Server, made, sent

import adeptree as at
from adeptree.app.serve.requests import Limits
from adeptree.app.serve.served_learner import Asked, ServedLearner, Told
from adeptree.core import files
from adeptree.core.errors import DamagedFile
from adeptree.runner.ticket_book import EXPIRED

MODES: dict[str, dict[str, Any]] = {
    "all": {},
    "review": {"review": 0.2},
    "review late": {"review": at.Review(0.3, delay=4, at_most=30)},
    "reviewed": {"review": 0.15, "feedback": "reviewed", "horizon": 3000},
    "asked": {"feedback": "asked", "max_labels": 40},
    "drift": {"drift": True},
    "drift and review": {"drift": "sharing", "review": 0.2},
}
PARTIAL = ["reviewed", "asked"]
RULES = "thresholds(v)"


def x_of(rng: random.Random) -> float:
    return rng.randrange(80) / 2


def y_of(x: float, rng: random.Random) -> int:
    return int(x > 20) ^ int(rng.random() < 0.1)


@pytest.mark.parametrize("mode", MODES)
def test_decisions_are_the_librarys_and_only_wanted_labels_are_learnt(mode: str) -> None:
    rng, seen, stored = random.Random(mode), set[tuple[str, bool]](), 0
    with Inside(decisions=MODES[mode]) as inside:
        learner = at.Adept(inside.served["main"].learner.concept_class, **MODES[mode])
        for t in range(150):
            x = x_of(rng)
            ticket = learner.answer({"v": x})
            many = t % 3 == 0
            found = inside.ask("/answer", {"xs": [x]} if many else {"x": x}).body
            assert (found["answers"][0] if many else found) == sent(ticket)
            seen.add((str(ticket.action), ticket.ask))
            label = {"ticket": ticket.id, "y": y_of(x, rng)}
            if ticket.ask:
                learner.learn(ticket, label["y"])
            elif rng.random() < 0.5:
                continue
            stored += not ticket.ask
            told = {"ticket": ticket.id, "learnt": ticket.ask, "repeated": False}
            found = inside.ask("/learn", {"labels": [label]} if many else label).body
            rounds = {"rounds": learner.rounds}
            assert found == ({"labels": [told]} if many else told) | rounds
        certificate = inside.ask("/certificate").body
        assert {name: certificate[name] for name in ("rounds", "reviews", "regret", "stored_labels")} == {
            "rounds": learner.rounds,
            "reviews": learner.certificate().reviews,
            "regret": learner.regret,
            "stored_labels": stored,
        }
        assert f'adeptree_stored_labels{{learner="main"}} {stored}.0' in inside.ask("/metrics").body
    partial = mode in PARTIAL
    assert ("review" in {action for action, _ in seen}) == ("review" in mode)
    assert {ask for _, ask in seen} == {True, *([False] if partial else [])} and (stored > 9) == partial


SCORES: dict[str, Any] = {
    "thresholds(score)": at.TableThresholds(["score"]),
    "experts(lr, ht, at=0.6)": at.Experts("lr", "ht", at=0.6),
    "thresholds(score) | experts(lr, ht)": at.TableThresholds(["score"]) | at.Experts("lr", "ht"),
    "stumps(score, tenant) | thresholds(lr)": at.TableStumps(["score", "tenant"]) | at.TableThresholds(["lr"]),
}


@pytest.mark.parametrize(
    "options", [[], ["--review", "0.2"], ["--by", "tenant", "--review", "0.2"], ["--by", "tenant"]]
)
@pytest.mark.parametrize("rules", SCORES)
def test_the_options_of_decisions_take_rows_with_named_columns(rules: str, options: list[str]) -> None:
    by, review = "tenant" if "--by" in options else None, 0.2 if "--review" in options else None
    named = at.RealThresholds().on("score") if by and rules == "thresholds(score)" else SCORES[rules]
    learner = at.Adept(named, by=by, review=review)
    rng = random.Random(rules)
    with Server("--rules", rules, *options) as server:
        for _ in range(40):
            x: dict[str, Any] = {name: rng.randrange(9) / 8 for name in ("score", "lr", "ht")}
            x |= {"tenant": rng.choice(["a", "b", None])}
            ticket, y = learner.answer(x), int(x["score"] > 0.4)
            assert server.ask("/answer", {"x": x | {"more": "not read"}}).body == sent(ticket)
            learner.learn(ticket, y)
            assert server.ask("/learn", {"ticket": ticket.id, "y": y}).body["learnt"] is True
        found = server.ask("/certificate").body
        assert (found["regret"], found["bound"], found["segments"]) == (
            learner.regret,
            learner.bound,
            learner.certificate().segments,
        )
        assert server.ask("/live").status == server.ask("/metrics").status == 200


def test_segments_over_http_are_those_of_their_values() -> None:
    with Inside(decisions={"by": "tenant"}, main="thresholds(score)") as inside:
        values = ["a", " a ", 1, 1.0, "1", "1.0", True, None, "", "NA", 1e300, 0.5, "007", "<b>", "x" * 1000, -0.0]
        for value in values:
            answer = inside.ask("/answer", {"x": {"score": 0.5, "tenant": value}}).body
            assert inside.ask("/learn", {"ticket": answer["ticket"], "y": 1}).status == 200
        names = ["a", "1", "1.0", "true", "", str(int(1e300)), "0.5", "007", "<b>", "x" * 1000, "0"]
        learner = inside.served["main"].learner
        assert [name for name, _, _ in learner.by_segment()] == names
        for value, why in [
            ([1], "got a list"),
            ({"a": 1}, "got an object"),
            ("x" * 1001, "at most 1000 letters"),
            (10**301, "a number up to 1e+300"),
        ]:
            refused = inside.ask("/answer", {"x": {"score": 0.5, "tenant": value}})
            assert refused.status == 400 and why in refused.why
        assert 'x has no "tenant"' in inside.ask("/answer", {"x": {"score": 0.5}}).why
        assert "score" in inside.ask("/answer", {"x": {"score": None, "tenant": "a"}}).why
        assert learner.answered == len(values)


OPTIONS = ["--review", "0.15", "--feedback", "reviewed", "--horizon", "300"]


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        (["--review", "0.2", *OPTIONS[2:]], "review: saved 0.15 / given 0.2"),
        (["--review", "0.15", "--horizon", "300"], "feedback: saved reviewed / given all"),
        (["--feedback", "asked"], "feedback: saved reviewed / given asked"),
        ([*OPTIONS, "--by", "t"], "by: saved nothing / given t"),
        ([*OPTIONS, "--drift"], "drift: saved False / given True"),
        (["--review", "0.15", "--max-reviews", "9"], "max_reviews: saved nothing / given 9"),
    ],
)
def test_a_restart_with_other_options_is_refused_with_the_difference(
    tmp_path_factory: pytest.TempPathFactory, options: list[str], difference: str
) -> None:
    place = tmp_path_factory.getbasetemp() / "with other options"
    kept = ["--rules", RULES, "--save", str(place)]
    if not place.exists():
        with Server(*kept, *OPTIONS) as server:
            assert server.ask("/answer", {"x": 3}).status == 200
            assert server.end() == 0
    server = Server(*kept, *options)
    assert server.wait() == 2 and difference in " ".join(server.said)
    server.__exit__()


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_label_that_was_not_asked_for_is_kept_and_not_contradicted(mode: str) -> None:
    with Inside(decisions=MODES[mode]) as inside:
        answers = inside.ask("/answer", {"xs": [x_of(random.Random(1))] * 100}).body["answers"]
        number = next(one["ticket"] for one in answers if not one["ask"])
        page = inside.ask("/live").body["recent"]
        assert "not asked for" in page and ("review" in page) == (mode == "reviewed")
        learner = inside.served["main"].learner
        before = dict(learner.certificate())
        label = {"ticket": number, "y": 1}
        assert inside.ask("/learn", label).body == {"ticket": number, "learnt": False, "repeated": False, "rounds": 0}
        assert inside.ask("/learn", label).body == {"ticket": number, "learnt": False, "repeated": True, "rounds": 0}
        other = inside.ask("/learn", {"labels": [{"ticket": number, "y": 0}]})
        assert (other.status, other.why) == (409, f"ticket {number} has the label 1 already; got 0")
        assert dict(learner.certificate()) == before and learner.rounds == 0
        assert inside.ask("/certificate").body["stored_labels"] == 1


@pytest.mark.parametrize("mode", ["reviewed", "asked", "drift"])
def test_a_weight_that_the_learner_refuses_leaves_the_batch_undone(mode: str) -> None:
    with Inside(decisions=MODES[mode]) as inside:
        answers = inside.ask("/answer", {"xs": [3.5] * 100}).body["answers"]
        good, bad = [{"ticket": one["ticket"], "y": 1} for one in answers if one["ask"]][:2]
        found = inside.ask("/learn", {"labels": [good, bad | {"weight": 5}]})
        assert found.status == 400 and "more than the 1 announced by max_weight" in found.why
        assert inside.served["main"].learner.rounds == 0
        assert inside.ask("/learn", {"labels": [good, bad | {"weight": 0.5}]}).body["rounds"] == 2


def test_reviews_without_a_label_are_counted_while_they_wait_and_when_they_expire() -> None:
    with Inside(Limits(open=20, batch=20), MODES["reviewed"]) as inside:
        reviews = list[int]()
        for t in range(200):
            answer = inside.ask("/answer", {"x": t % 7}).body
            reviews += [answer["ticket"]] if answer["action"] == "review" else []
        assert len(reviews) > 25
        inside.ask("/learn", {"labels": [{"ticket": number, "y": 1} for number in reviews[-5:]]})
        found = inside.ask("/certificate").body
        assert (found["reviews"], found["open_reviews"], found["expired_reviews"]) == (
            len(reviews),
            15,
            len(reviews) - 20,
        )
        metrics = inside.ask("/metrics").body
        assert 'adeptree_open_reviews{learner="main"} 15.0' in metrics
        assert f'adeptree_expired_reviews{{learner="main"}} {len(reviews) - 20}.0' in metrics
        assert inside.ask("/learn", {"ticket": reviews[0], "y": 1}).status == 410
        assert "wanted did not come" in found["text"]


# --- Keys ---------------------------------------------------------------------------------------------------


def unasked(served: ServedLearner, key: str = "a") -> dict[str, Any]:
    """Ask until the learner does not want the label; return that answer."""
    for t in range(100):
        answer = served.answer([Asked(["3"], {"v": 3.0}, f"{key}{t}")])[0]
        if not answer["ask"]:
            return answer | {"key": f"{key}{t}"}
    raise AssertionError


@pytest.mark.parametrize("mode", PARTIAL)
def test_a_key_gets_the_same_answer_also_if_no_label_is_wanted(mode: str) -> None:
    served = made(RULES, max_open=50, **MODES[mode])
    answer = unasked(served)
    asked = Asked(["3"], {"v": 3.0}, answer.pop("key"))
    number, said = served.learner.answered, served.answer([asked])
    assert said == [answer] and served.learner.answered == number
    for t in range(answer["ticket"] + 49 - number):
        served.answer([Asked(["3"], {"v": 3.0}, f"b{t}" if t % 2 else "")])
    assert served.answer([asked]) == said
    served.answer([Asked(["3"], {"v": 3.0})])
    assert served.answer([asked])[0]["ticket"] == served.learner.answered > answer["ticket"]  # free again
    assert len(served.book.unasked) <= 50 and set(served.book.keys.values()) == {
        number for book in (served.book.open, served.book.unasked) for number, one in book.items() if one.key
    }
    again = unasked(served, "c")
    served.learn([Told(again["ticket"], 1)])
    assert again["key"] not in served.book.keys
    assert served.learn([Told(answer["ticket"], 0)])["labels"][0]["learnt"] is False


def test_keys_are_free_once_their_tickets_have_a_label_or_expire() -> None:
    served = made(RULES, max_open=3)
    for t in range(9):
        served.answer([Asked(["3"], {"v": 3.0}, f"key {t}")])
        if t % 2:
            served.learn([Told(t + 1, 1)])
        assert served.book.keys == {one.key: number for number, one in served.book.open.items()}
    assert served.expired and len(served.book.keys) <= 3


# --- On disk ------------------------------------------------------------------------------------------------


def played(served: ServedLearner, rounds: int, seed: int = 1) -> list[Any]:
    """Answer and learn, with keys now and then, labels late and some never; return all replies."""
    rng, said, waiting = random.Random(seed), list[Any](), set[int]()
    for _ in range(rounds):
        kind = rng.randrange(14)
        answer = served.answer([Asked([repr(kind * 3.0)], {"v": kind * 3.0}, f"key {kind}" if kind % 2 else "")])[0]
        waiting.add(answer["ticket"])
        waiting = {number for number in waiting if served.book.status(number) != EXPIRED}
        due = [number for number in waiting if rng.random() < 0.1]
        said += [answer, served.learn([Told(number, int(number % 5 > 1)) for number in due])]
        waiting.difference_update(due)
        served.commit()
    return said


@pytest.mark.parametrize("kept_at", [0, 40, 90])
@pytest.mark.parametrize("mode", MODES)
def test_after_a_restart_all_is_as_it_was(tmp_path: Path, mode: str, kept_at: int) -> None:
    named = {"max_open": 12, **MODES[mode]}
    served, plain = made(RULES, folder=tmp_path / "s", **named), made(RULES, **named)
    first = played(served, kept_at)
    served.checkpoint()
    assert [first, played(served, 60, 2)] == [played(plain, kept_at), played(plain, 60, 2)]
    again = made(RULES, folder=tmp_path / "s", **named)
    for one in (served, again):
        assert json.dumps(one.certificate()) == json.dumps(plain.certificate())
        assert one.book.state()["status"].tolist() == plain.book.state()["status"].tolist()
        assert (one.book.keys, list(one.book.unasked)) == (plain.book.keys, list(plain.book.unasked))
    assert played(again, 30, 3) == played(plain, 30, 3)
    larger = made(RULES, folder=tmp_path / "s", **(named | {"max_open": 1000}))
    assert json.dumps(larger.certificate()) == json.dumps(plain.certificate())


def test_a_forged_book_of_unwanted_tickets_is_refused(tmp_path: Path) -> None:
    folder, served = tmp_path / "s", made(RULES, folder=tmp_path / "s", **MODES["reviewed"])
    played(served, 60)
    served.checkpoint()
    whole = (folder / "checkpoint").read_bytes()
    state = files.load(folder / "checkpoint")["run"]["book"]
    place = next(place for place, one in enumerate(state["open"]) if len(one) > 5)
    asks = next(place for place, one in enumerate(state["open"]) if len(one) == 5)
    status = state["status"]

    def forged(change: Any) -> None:
        found = files.load(folder / "checkpoint")
        change(found["run"]["book"])
        files.save(tmp_path / "forged", found)
        (folder / "checkpoint").write_bytes((tmp_path / "forged").read_bytes())
        with pytest.raises(DamagedFile, match="does not say where its run was"):
            made(RULES, folder=folder, **MODES["reviewed"])
        (folder / "checkpoint").write_bytes(whole)

    for kind, other in [(5, 0), (5, 1), (5, 10), (5, 6), (6, 4), (6, 1), (6, 3), (0, 4), (1, 7)]:
        altered = status.copy()
        assert kind in status
        altered[int((status == kind).argmax())] = other
        forged(lambda book, altered=altered: book.update(status=altered))
    for part, value in [(0, 10**6), (0, 0), (0, state["open"][asks][0]), (1, ["1", "2"]), (2, ""), (5, 1.5), (5, None)]:
        forged(lambda book, part=part, value=value: book["open"][place].__setitem__(part, value))
    forged(lambda book: book["open"][place].append(1))
    forged(lambda book: book["open"].append(book["open"][place]))
    made(RULES, folder=folder, **MODES["reviewed"])
