"""The page of one run: complete, from this run, self-contained, and fine in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, MEASURE, Reader, browse
from running import call, good, small, write

import adeptree as at
from adeptree.pages.course import LIMIT, Course

pytest.importorskip("matplotlib", reason="the figures need the extra plot")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def page(*options: str) -> str:
    good("run", *options, "--report", "out.html", "--quiet")
    return Path("out.html").read_text(encoding="utf-8")


def test_the_page_tells_of_this_run() -> None:
    html = page()
    learner = at.Adept(at.Thresholds(1024))
    for line in (Path(at.__file__).parent / "data/machine_alarms.csv").read_text().splitlines()[1:]:
        x, y = line.split(",")
        learner.learn(int(x), int(y))
    assert "<h1>machine-alarms</h1>" in html and "2,000 rounds against thresholds(n=1024)" in html
    for value in (f"{learner.expected_loss:,.1f}", f"{learner.regret:,.1f}", f"{learner.bound:,.1f}"):
        assert value in html
    assert "vibration &gt;= 640" in html
    assert "Proven now, from what was seen" in html
    for anchor in ("numbers", "figures", "rules", "certificate"):
        assert f'id="{anchor}"' in html and f'href="#{anchor}"' in html


@pytest.mark.parametrize("options", [[], ["--horizon", "40"], ["--rules", "stumps"]])
def test_the_page_is_whole_and_needs_nothing_from_elsewhere(options: list[str]) -> None:
    html = page(small(), *(["--rules", "thresholds(n=16)"] if "--rules" not in options else []), *options)
    reader = Reader()
    reader.feed(html)
    assert not reader.wrong and not reader.open
    assert [name for name, count in reader.ids.items() if count > 1] == []
    assert all(value.startswith("#") and value[1:] in reader.ids for _, value in reader.links)
    assert "://" not in html and not any(reader.tags[tag] for tag in ("script", "link", "img", "iframe"))


def test_names_from_the_stream_are_escaped() -> None:
    write("<b>&.csv", "<i>x</i>,y", "1,0", "5,1", "2,0", "6,1")
    html = page("<b>&.csv", "--rules", "stumps")
    assert "<b>" not in html and "<i>" not in html and "&lt;i&gt;x&lt;/i&gt;" in html


def test_nothing_learnt_writes_no_page() -> None:
    write("f.csv", "score,y", "x,0")
    assert call("run", "f.csv", "--rules", "thresholds(n=16)", "--report", "out.html").exit_code == 2
    assert not Path("out.html").exists()


def test_a_course_stays_short_and_goes_on_after_a_stop() -> None:
    learner, course = at.Adept(at.Thresholds(4)), Course()
    for i in range(3000):
        learner.learn(i % 4, int(i % 4 > 1))
        course.note(learner, lambda: "rule")
        if i == 1234:
            state, course = json.loads(json.dumps(course.state())), Course()
            course.restore(state, learner.rounds)
    rounds = [moment.round for moment in course.moments]
    assert LIMIT // 2 <= len(rounds) <= LIMIT
    assert rounds == list(range(course.step, 3001, course.step))


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_renders_it(tmp_path: Path, width: int) -> None:
    html = page()
    dom, log = browse(tmp_path, html.replace("</body>", MEASURE + "</body>"), width, "--dump-dom")
    assert "CONSOLE" not in log, log
    found = re.search(r'<pre id="measured">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, "the measuring script did not run"
    seen: dict[str, Any] = json.loads(found[1])
    assert [figure["id"] for figure in seen["figures"]] == ["figure-regret", "figure-error"]
    assert seen["wide"] <= seen["room"] and seen["smallest"] > 7
    assert all(figure["width"] > 300 and figure["height"] > 200 for figure in seen["figures"])
