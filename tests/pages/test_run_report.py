"""The page of one run: complete, from this run, self-contained, and fine in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import CHROMIUM, MEASURE, Reader, browse
from running import call, good, process, small, write

import adeptree as at
from adeptree.pages.curves import HEIGHT, LEFT, PROVEN, RIGHT, WIDTH, Curve, curves
from adeptree.pages.run_history import LIMIT, Course, Moment
from adeptree.pages.run_page import error_figure, regret_figure


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
    assert "<h1>machine-alarms</h1>" in html and "2,000 rows, rules: thresholds(n=1024)" in html
    for value in (f"{learner.expected_loss:,.1f}", f"{learner.regret:,.1f}", f"{learner.ledger.missed:,.1f}"):
        assert value in html
    assert "vibration &gt;= 640" in html and "<dd></dd>" not in html
    assert "Proven now, from what was seen" in html and "x &gt;= " not in html
    for anchor in ("rules", "certificate"):
        assert f'<details id="{anchor}">' in html
    near = learner.rules_within(20, 100)
    listed = re.findall(r"<li>vibration &gt;= \d+ \((\d+)\)</li>", html)
    assert f"{len(near) - 1} other rules are within 20 mistakes" in html and len(listed) == 10
    assert list(map(int, listed)) == [one.loss for one in near[1:11]]
    tiles = [f"<dd>{value}</dd>" for value in (f"{learner.expected_loss:,.1f}", learner.best_loss, 792, "4.4", "4.4")]
    assert re.findall(r"<dd>[^<]*</dd>", html)[:5] == tiles and "<dd>none</dd>" not in html


@pytest.mark.parametrize("options", [[], ["--horizon", "40"], ["--rules", "stumps"]])
def test_the_page_is_whole_and_needs_nothing_from_elsewhere(options: list[str]) -> None:
    html = page(small(), *(["--rules", "thresholds(n=16)"] if "--rules" not in options else []), *options)
    reader = Reader()
    reader.feed(html)
    assert not reader.wrong and not reader.open
    assert [name for name, count in reader.ids.items() if count > 1] == []
    assert all(value.startswith("#") and value[1:] in reader.ids for _, value in reader.links)
    assert "://" not in html and not any(reader.tags[tag] for tag in ("script", "link", "img", "iframe"))


def test_costs_and_weights_make_losses_and_no_mistakes() -> None:
    rows = [f"{7 * i % 16},{0.1 * (i % 7 + 1):.1f},{int(7 * i % 16 >= 9 or i % 5 == 0)}" for i in range(80)]
    write("weighed.csv", "score,w,y", *rows)
    for options in (["--weight", "w"], ["--cost-miss", "5"]):
        html = page("weighed.csv", "--rules", "thresholds(score)", *options)
        ours, certificate = html.split('id="certificate"')
        assert "mistake" not in ours.lower() and "its cost then" in html
        assert " mistakes (drawn" not in certificate and "in costs (miss" in certificate
        assert "cost so far, per 100 rows" in html and "0000000" not in html
    assert "its mistakes then" in page("weighed.csv", "--rules", "thresholds(score)")


def test_the_chart_has_ours_the_best_rule_and_the_constant() -> None:
    moments = [Moment(t, 0.5 * t, 0.25 * t, 0.75 * t, 1.0, 1, "rule") for t in (10, 20)]
    for unit in ("cost", "mistakes"):
        figure = error_figure(moments, unit)
        assert "80" in re.findall(r">([\d.]+)<", figure.svg) and f"{unit} so far, per 100 rows" in figure.svg
        assert figure.svg.count("<path") == 3 and figure.wide and "<polygon" not in figure.svg


def test_the_area_lies_between_the_regret_and_its_bound() -> None:
    moments = [
        Moment(t, 0.5 * t, 0.25 * t, 0.75 * t, bound, 1, "") for t, bound in ((10, 4.0), (20, 6.0), (30, np.inf))
    ]
    svg = regret_figure(moments).svg
    area = re.findall(r"([\d.]+),([\d.]+)", re.findall(r'points="([^"]*)"', svg)[0])
    regret, bound = (numbers(path) for path in re.findall(r'<path d="([^"]*)"', svg))
    assert [(float(x), float(y)) for x, y in area] == [*regret[:2], bound[1], bound[0]]


def test_weights_beyond_what_was_announced_end_the_promises_and_not_the_run() -> None:
    write("heavy.csv", "score,w,y", *(f"{7 * i % 16},{i % 7},{int(7 * i % 16 >= 9)}" for i in range(80)))
    options = ["heavy.csv", "--rules", "thresholds(score)", "--weight", "w"]
    html = page(*options)
    assert "nothing in advance (" in html and "the promise ended when a round cost" in html
    assert "\nrealised bound: inf\n" in good("run", *options, "--verbose")


def test_names_from_the_stream_are_escaped() -> None:
    write("<b>&.csv", "<i>x</i>,y", "1,0", "5,1", "2,0", "6,1")
    html = page("<b>&.csv", "--rules", "stumps")
    assert "<b>" not in html and "<i>" not in html and "&lt;i&gt;x&lt;/i&gt;" in html


def test_the_plain_install_draws_its_figures(tmp_path: Path) -> None:
    before = "import sys; sys.modules['matplotlib'] = None"
    with process("run", small(), "--rules", "thresholds(n=16)", "--report", "out.html", before=before) as run:
        assert run.wait(timeout=60) == 0
    assert Path("out.html").read_text(encoding="utf-8").count("<svg") == 2


def numbers(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path)]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 37.0, 4e6])
def test_curves_are_where_their_values_are(scale: float) -> None:
    """Every point of a straight line is at the position given by its two ticks, and inside the picture."""
    rounds = list(range(1, 201))
    ys = [scale * (t / 100 - 0.7) for t in rounds]
    ys[50] = float("inf")
    svg = curves("run-regret", "regret", rounds, [Curve("ours", ys, 0), Curve("proven", [scale] * 200, PROVEN)]).svg
    texts = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)"[^>]*>([^<]*)</text>', svg)
    ticks = [
        (float(y) - 4, float(text.replace(",", "").replace("\u2212", "-"))) for _, y, a, text in texts if a == "end"
    ]
    ticks = [tick for tick in ticks if tick[0] < HEIGHT - 55]
    (top, high), (bottom, low) = min(ticks), max(ticks)
    paths = [numbers(path) for path in re.findall(r'<path d="([^"]*)"', svg)]
    assert len(paths) == 3 and len(paths[0]) == 51 and len(paths[1]) == 150  # (cut at the infinite one)
    shown = [*paths[0][:-1], *paths[1][:-1]]
    finite = [(t, y) for t, y in zip(rounds, ys, strict=True) if y < float("inf")]
    for (x, y), (t, value) in zip(shown, finite, strict=True):
        assert abs(low + (bottom - y) / (bottom - top) * (high - low) - value) <= 0.002 * (high - low)
        assert abs((x - LEFT) / (WIDTH - LEFT - RIGHT) - t / 200) < 0.001
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for path in paths for x, y in path)
    assert len(ticks) <= 8 and low <= min(ys) and high >= scale


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
def test_long_names_do_not_widen_it(tmp_path: Path) -> None:
    name = "a_column_whose_name_is_a_very_long_word_that_fits_no_line_of_a_telephone"
    write(f"{name}.csv", f"{name},y", *(f"{i * 7 % 16},{int(i * 7 % 16 >= 9)}" for i in range(40)))
    html = page(f"{name}.csv").replace("</body>", MEASURE + "</body>")
    dom, _ = browse(tmp_path, html, 390, "--dump-dom")
    found = re.search(r'<pre id="measured">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, "the measuring script did not run"
    seen: dict[str, Any] = json.loads(found[1])
    assert seen["wide"] <= seen["room"] == 390


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_renders_it(tmp_path: Path, width: int) -> None:
    html = page()
    dom, log = browse(tmp_path, html.replace("</body>", MEASURE + "</body>"), width, "--dump-dom")
    assert "CONSOLE" not in log, log
    found = re.search(r'<pre id="measured">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, "the measuring script did not run"
    seen: dict[str, Any] = json.loads(found[1])
    assert [figure["id"] for figure in seen["figures"]] == ["figure-error", "figure-regret"]
    assert seen["wide"] <= seen["room"] == width and seen["smallest"] > 7
    assert all(figure["width"] > 300 and figure["height"] > 200 for figure in seen["figures"])
