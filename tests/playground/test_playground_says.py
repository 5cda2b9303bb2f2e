"""The texts of the playground: scopes of bounds, lines drawn, rounds not shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_tab import PHONE, Tab
from playground_tab import Playground, needs_browser

import adeptree as at
from adeptree.app.play_command import play_page

LEGEND = "[...document.querySelectorAll('#legend span')].map(entry => entry.textContent)"
COLOUR = "getComputedStyle(document.querySelector('{}')).color"


@needs_browser
def test_what_is_proven_of_the_rules_left_is_grey_and_says_so(page: Playground) -> None:
    rounds = "g=4.0,2.1,1.0,3.1"
    tab = page.open(f"c=thresholds-8&T=8&M=1&{rounds}")
    learner = at.Adept(at.Thresholds(8), 8, mistake_bound=1, on_excess="prune")
    learner.learn_many([4, 2, 1, 3], [0, 1, 0, 1])
    assert float(page.account("now")[0]) == pytest.approx(learner.bound, abs=1.1e-3)
    assert page.account("advance")[0] == "–" and "against the rules left" in tab.text("#account .now")
    assert tab.value(COLOUR.format("#account .now td")) == tab.value(COLOUR.format("#promise"))
    assert tab.value(LEGEND) == ["regret", "proven, against the rules left"] and "rules left" in tab.text("#say")
    tab = page.open(f"c=thresholds-8&T=8&{rounds}")
    assert tab.value(COLOUR.format("#account .now td")) != tab.value(COLOUR.format("#promise"))
    assert tab.value(LEGEND) == ["regret", "proven now", "in advance"] and "rules left" not in tab.text("main")


@needs_browser
def test_the_chart_names_the_lines_it_has(page: Playground) -> None:
    tab = page.open("lesson=lazy.3")
    assert tab.value(LEGEND) == ["regret"] and tab.text("#which") == "Algorithm 2, lazy"
    tab = page.open("c=thresholds-8&T=8&g=6.0,7.0")
    assert tab.text("#which") == "Algorithm 2: ADEPT" and "now: x ≥ 8 (always 0)" in tab.text("#account")


@needs_browser
@pytest.mark.parametrize("wide", [320, 390])
def test_the_legend_is_whole_on_a_phone(tmp_path: Path, wide: int) -> None:
    file = tmp_path / "playground.html"
    file.write_text(play_page(), encoding="utf-8")
    with Tab(tmp_path, (wide, 844)) as tab:
        for more in ("", "&M=1"):
            tab.open(f"{file.as_uri()}#c=thresholds-8&T=8{more}&g=4.0,2.1,1.0,3.1")
            inside = (
                "(box => [...box.children].map(e => e.getBoundingClientRect()).every((r, i, all) => r.right <= box."
                "getBoundingClientRect().right && (!i || r.top > all[i - 1].top || r.left >= all[i - 1].right + 10)))"
            )
            assert tab.value(f"{inside}(byId('legend'))"), more


@needs_browser
def test_a_long_game_on_a_phone_says_which_rounds_are_not_seen(tmp_path: Path) -> None:
    file = tmp_path / "playground.html"
    file.write_text(play_page(), encoding="utf-8")
    with Tab(tmp_path, PHONE) as tab:
        tab.open(f"{file.as_uri()}#c=intervals-8&T=40&g={','.join(['3.1', '5.0'] * 20)}")
        out = (
            "(() => { const edge = byId('tree').parentElement.getBoundingClientRect().left; return [...document."
            "querySelectorAll('#tree [data-key^=hx]:not([data-key=hx])')].filter(e => { const r = e."
            "getBoundingClientRect(); return (r.left + r.right) / 2 <= edge; }).length; })()"
        )
        hidden = tab.value(out)
        assert hidden > 20 and tab.text("#earlier").startswith(f"… {hidden} earlier rounds")
        tab.value("byId('tree').parentElement.scrollLeft = 0")
        tab.value("new Promise(done => setTimeout(done, 100))")
        assert tab.value(out) == 0 and tab.text("#earlier") == ""
