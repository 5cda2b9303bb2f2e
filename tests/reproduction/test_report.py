"""The page of the report: complete, self-contained, and rendered by a real browser without complaint."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, MEASURE, Reader, browse

from reproduction.claims import EXPERIMENTS
from reproduction.experiment import Verdict
from reproduction.report.report_page import page, write_report
from reproduction.reproduce import Reproduction

pytest.importorskip("matplotlib", reason="the figures need the extra plot")

FIGURES = (
    "regret width queries first-order realizable calls tradeoff lower-bound reset frontier anytime".split()
)  # in the order of the page


@pytest.fixture(scope="module")
def html(tiny: Reproduction) -> str:
    return page(tiny)


@pytest.fixture(scope="module")
def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


def test_every_figure_is_there_with_words(html: str) -> None:
    for name in FIGURES:
        found = re.search(rf'<figure id="figure-{name}".*?</figure>', html, flags=re.DOTALL)
        assert found, name
        figure = found[0]
        assert re.search(r"<h3>.+</h3>", figure)
        assert re.search(rf'<svg role="img" aria-labelledby="{name}-alt"', figure)
        assert re.search(rf'<title id="{name}-alt">.{{30,}}?</title>', figure)
        assert re.search(r"<figcaption>.{80,}?</figcaption>", figure, flags=re.DOTALL)
    assert html.count("<figure ") == len(FIGURES)


def test_every_verdict_is_in_the_table(html: str, tiny: Reproduction) -> None:
    for name, verdicts in tiny.verdicts.items():
        body = re.search(rf'<tbody id="claim-{name}">.*?</tbody>', html, flags=re.DOTALL)
        assert body, name
        assert body[0].count('scope="row"') == len(verdicts)
        assert body[0].count("✓ held") == sum(v.outcome == "held" for v in verdicts)


def test_sections_and_origin(html: str, tiny: Reproduction) -> None:
    for anchor in ("verdicts", "figures", "findings", "origin"):
        assert f'id="{anchor}"' in html
        assert f'href="#{anchor}"' in html
    for version in tiny.manifest["versions"].values():
        assert version in html
    assert html.count("<strong>Measured:</strong>") == 8


def test_nothing_comes_from_elsewhere(html: str, read: Reader) -> None:
    assert all(value.startswith("#") for _, value in read.links)
    assert "://" not in html
    assert not re.search(r"@import|url\((?!#)", html)
    for tag in ("script", "link", "iframe", "img", "object", "base"):
        assert read.tags[tag] == 0


def test_tags_close_and_ids_are_unique_and_referenced_ids_exist(html: str, read: Reader) -> None:
    assert not read.wrong and not read.open
    assert [name for name, count in read.ids.items() if count > 1] == []
    wanted = {value[1:] for _, value in read.links} | set(re.findall(r"url\(#([^)]+)\)", html))
    assert wanted <= set(read.ids)


def test_it_fits_phones_paper_and_dark_rooms(html: str) -> None:
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in html
    for rule in ("@media print", "@media (max-width: 640px)", "prefers-color-scheme: dark", "currentColor"):
        assert rule in html
    assert "#010203" not in html


def test_curves_are_thin_enough(html: str) -> None:
    lengths = [path.count("L ") for path in re.findall(r'<path d="([^"]*)"', html)]
    assert max(lengths) <= 1000


def test_the_same_rows_give_the_same_page(html: str, tiny: Reproduction) -> None:
    assert page(tiny) == html


def test_only_what_was_run_is_shown(tiny: Reproduction, tmp_path: Path) -> None:
    part = Reproduction({"width": tiny.rows["width"]}, {"width": tiny.verdicts["width"]}, tiny.manifest, tmp_path)
    html = write_report(part).read_text(encoding="utf-8")
    assert re.findall(r'<figure id="figure-([\w-]+)"', html) == ["width"]
    assert 'href="#findings"' not in html


def test_a_failure_is_said_and_text_is_escaped(tiny: Reproduction) -> None:
    bad = Verdict("<b>2 < 1</b>", "<=", 1.0, 2.0, 2.0, 0.0, 1, False, "a & b")
    failed = Reproduction({}, {"width": [bad]}, tiny.manifest, tiny.out)
    html = page(failed)
    assert "1 check did not hold" in html
    assert "&lt;b&gt;2 &lt; 1&lt;/b&gt;" in html and "a &amp; b" in html
    assert "✗ FAILED" in html


def test_every_experiment_has_a_figure_or_a_reason() -> None:
    # These are numbers only: their table lines say all there is.
    numbers = {"algorithms", "formulas", "transfer", "oracle-efficiency", "soa-memory", "cited", "dimension-bound"}
    numbers |= {"adversaries", "neighbours", "decide", "deferred", "weak-queries", "quantities", "half-planes"}
    assert set(EXPERIMENTS) - numbers <= set(FIGURES)


# --- A real browser -----------------------------------------------------------------------------------


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_renders_every_figure(tmp_path: Path, html: str, width: int) -> None:
    dom, log = browse(tmp_path, html.replace("</body>", MEASURE + "</body>"), width, "--dump-dom")
    assert "CONSOLE" not in log, log
    found = re.search(r'<pre id="measured">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, "the measuring script did not run"
    seen: dict[str, Any] = json.loads(found[1])
    assert [figure["id"] for figure in seen["figures"]] == [f"figure-{name}" for name in FIGURES]
    assert seen["wide"] <= seen["room"]
    for figure in seen["figures"]:
        assert figure["width"] > 300 and figure["height"] > 200
    assert seen["smallest"] > 9


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
def test_a_browser_paints_it(tmp_path: Path, html: str) -> None:
    from matplotlib.image import imread

    browse(tmp_path, html, 800, f"--screenshot={tmp_path / 'shot.png'}")
    pixels = imread(tmp_path / "shot.png")
    assert pixels.shape[1] == 800
    assert pixels[..., :3].std() > 0.02
