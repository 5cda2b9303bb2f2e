"""The live page in a real browser: it renews itself, asks for the token, and complains of nothing."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Reader
from browser_tab import DESK, PHONE, Tab
from running import POSIX
from serving import Inside, Server, patiently

from adeptree.app.serve.live_endpoint import live_page

BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
GOOD = {False: "rgb(0, 105, 76)", True: "rgb(63, 199, 154)"}
HOSTILE = "<img src=x onerror=alert(1)>"


def play(server: Server, rounds: int, seed: int = 1, **headers: str) -> None:
    rng = random.Random(seed)
    xs: list[dict[str, Any]] = [
        {"age": rng.randrange(90), "city": rng.choice(["Bern", HOSTILE, None])} for _ in range(rounds)
    ]
    answers = server.ask("/answer", {"xs": xs}, **headers).body["answers"]
    labels = [{"ticket": a["ticket"], "y": int(x["age"] > 40)} for a, x in zip(answers, xs, strict=True)]
    assert server.ask("/learn", {"labels": labels[1:]}, **headers).status == 200


@POSIX
@BROWSER
@pytest.mark.parametrize(("size", "dark"), [(PHONE, False), (PHONE, True), (DESK, False)])
def test_the_page_renews_itself(tmp_path: Path, size: tuple[int, int], dark: bool) -> None:
    with Server("--rules", "stumps(age, city)") as server, Tab(tmp_path, size, dark=dark) as tab:
        tab.open(f"http://127.0.0.1:{server.port}/")
        assert patiently(10, lambda: "No label has come yet." in tab.text("#head"))
        tab.value("window.opened = 'once'")
        play(server, 50)
        assert server.ask("/answer", {"x": [HOSTILE]}).status == 400
        assert server.ask(f"/{HOSTILE.replace(' ', '%20')}").status == 404
        assert patiently(10, lambda: "49 rows, rules: stumps(age, city)" in tab.text("#head"))
        assert tab.value("window.opened") == "once"  # (not loaded again)
        assert "behind the best rule" in tab.text("#head") and "2 of them bad" in tab.text("#numbers")
        assert tab.value("document.querySelectorAll('#curves svg path').length") >= 4
        dot = "getComputedStyle(document.getElementById('state'), '::before')"
        assert "●" in tab.value(f"{dot}.content") and tab.value(f"{dot}.color") == GOOD[dark]
        beside = "document.getElementById('{}').getBoundingClientRect().top"
        assert (tab.value(f"{beside.format('recent')} === {beside.format('curves')}")) == (size == DESK)
        assert "age >= " in tab.text("#rules") and "waits" not in tab.text("#recent")
        assert HOSTILE in tab.text("#bad") and "x must have 2 values" in tab.text("#bad")
        assert tab.value("document.querySelectorAll('img').length") == 0
        assert tab.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        ground = tab.value("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(255, 255, 255)") != dark
        assert tab.complaints == []


@POSIX
@BROWSER
def test_the_page_asks_for_the_token_and_says_when_nobody_answers(tmp_path: Path) -> None:
    token = "a-token-of-this-test-0123"
    with Server("--rules", "stumps(age, city)", "--token", token) as server, Tab(tmp_path) as tab:
        tab.open(f"http://127.0.0.1:{server.port}/")
        assert tab.text("#state") == "This service asks for its token." and tab.text("#head") == ""
        tab.write("#token", token)
        tab.click("#enter")
        assert patiently(10, lambda: "No label has come yet." in tab.text("#head"))
        assert tab.value("document.getElementById('asks').hidden") and tab.complaints == []
        play(server, 5, Authorization=f"Bearer {token}")
        assert patiently(10, lambda: "4 rows" in tab.text("#head"))
        tab.open(f"http://127.0.0.1:{server.port}/")  # the tab knows it for as long as it is open
        assert patiently(10, lambda: "4 rows" in tab.text("#head"))
        server.end()
        assert patiently(10, lambda: "does not answer" in tab.text("#state"))
        assert "4 rows" in tab.text("#head")


def test_the_page_is_one_file_that_fits_its_policy() -> None:
    with Inside() as inside:
        found = inside.ask("/")
        reader = Reader()
        reader.feed(found.body)
        assert not reader.wrong and not reader.links and max(reader.ids.values()) == 1
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'sha256-" in policy
    assert 'data-token="needed"' in live_page(token=True)


def test_the_parts_are_drawn_once_in_a_second_however_many_look() -> None:
    with Inside(main="thresholds(v)", b="steps(v)") as inside:
        first = inside.ask("/live").body
        inside.ask("/answer", {"x": 3})
        assert inside.ask("/live").body == first
        assert 'href="l/b/"' in first["head"]
        inside.ask("/l/b/learn", {"ticket": inside.ask("/l/b/answer", {"x": 3}).body["ticket"], "y": 1})
        parts = inside.ask("/l/b/live").body
        assert 'href="../../l/main/"' in parts["head"] and "Best rule" in parts["rules"]
        for part in parts.values():
            reader = Reader()
            reader.feed(part)
            assert not reader.wrong and not reader.open


def test_recent_rounds_are_listed_by_ticket_under_the_name_of_the_learner() -> None:
    with Inside(main="thresholds(v)") as inside:
        inside.ask("/answer", {"xs": [31, 32, 33]})
        inside.ask("/learn", {"ticket": 1, "y": 1})
        parts = inside.ask("/live").body
        assert "<h1>adeptree: main</h1>" in parts["head"]
        places = [parts["recent"].index(f">{x}<") for x in (33, 32, 31)]
        assert places == sorted(places) and len(re.findall(r">[01]\.\d{3}<", parts["recent"])) == 3
