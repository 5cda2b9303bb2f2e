"""The skeleton that all pages share: one document, one style, and nothing that a text could break."""

from __future__ import annotations

import re
from importlib import resources

from browser import Reader

import adeptree as at
from adeptree.pages import skeleton
from adeptree.pages.show_game import shown
from adeptree.pages.show_page import show_page


def test_a_page_is_whole_and_says_who_wrote_it() -> None:
    html = skeleton.document("a <b>", ["<p>inside</p>"])
    reader = Reader()
    reader.feed(html)
    assert not reader.wrong and not reader.open
    assert "<title>a &lt;b&gt;</title>" in html and f"adeptree {at.__version__}" in html
    assert reader.tags["script"] == 0 and "prefers-color-scheme: dark" in html and "@media print" in html


def test_every_text_of_a_part_is_escaped() -> None:
    evil = "<i>\x1b"
    parts = [
        skeleton.opening(evil, "", contents={"a": evil}),
        skeleton.section("a", evil),
        skeleton.facts({evil: evil}),
        skeleton.table([(evil, "left")], skeleton.line(evil, {evil: evil})),
    ]
    assert "<i>" not in "".join(parts) and "\x1b" not in "".join(parts)
    assert "".join(parts).count("&lt;i&gt;") == 9


def test_the_style_names_every_class_that_a_game_draws() -> None:
    """A class without a rule is a part of the drawing that lost its colour or its place."""
    css = resources.files("adeptree.pages").joinpath("page.css").read_text(encoding="utf-8")
    c = at.Thresholds(8)
    html = show_page(shown(at.Adept(c, 5, engine="paths", mistake_bound=1, on_excess="prune"), at.Greedy(c), 5))
    drawn = {name for names in re.findall(r'class="([^"]+)"', html) for name in names.split()} - {"round", "is-zero"}
    assert drawn <= set(re.findall(r"\.([a-z][a-z-]*)", css))
    assert len(drawn) > 12
