"""The playground in a real browser: clicked, typed, undone, linked, on a phone and on a desk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import Reader
from browser_tab import DESK, PHONE, Tab
from playground_tab import LESSONS, Playground, needs_browser

import adeptree as at
from adeptree.app.play_command import play_page


def test_the_page_is_whole_and_on_its_own() -> None:
    html = play_page()
    reader = Reader()
    reader.feed(html)
    assert not reader.wrong and not reader.open
    assert not reader.links and "://" not in html and "@import" not in html and "url(" not in html
    assert [i for i, n in reader.ids.items() if n > 1] == []
    assert reader.tags["script"] == reader.tags["style"] == 1


@needs_browser
def test_a_round_is_three_steps_beside_the_algorithm(page: Playground) -> None:
    tab = page.open("c=thresholds-8&T=8&g=3.1")
    lines = "[...document.querySelectorAll('#algorithm .on b')].map(line => line.textContent)"
    assert tab.value(lines) == ["4"]
    tab.click('#points [data-x="5"]')
    assert tab.value(lines) == ["1", "2", "2a", "2b", "ii", "iii"]
    assert tab.text("#refused") == "10 refused: no rule says 1 at 3 and 0 at 5"
    assert "2 paths, 4 questions" in tab.text("#say") and "refuses 1; 3 paths remain" in tab.text("#say")
    assert tab.text("#live").startswith(tab.text("#say")) and "no rule says 1 at 3" in tab.text("#live")
    assert tab.value("document.querySelectorAll('#tree .mark:not(.old)').length") == 1
    assert tab.text("#tree .guess") == "A: 0"  # of the path 0, between 4 and 8
    tab.click("#go-on")
    assert tab.value(lines) == ["iv", "v", "3"]
    learner = at.Adept(at.Thresholds(8), 8)
    learner.learn(3, 1)
    p = learner.predict_proba(5)
    assert f"P(1) = {p:.3f}" in tab.text("#say") and f"P(1): {p:.3f}" in tab.text("#scale")
    tab.click("#say-0")
    learner.learn(5, 0)
    assert tab.value(lines) == ["4"] and page.link.endswith("g=3.1,5.0")
    assert page.account("regret")[0] == f"{learner.regret:.3f}"
    assert float(page.account("now")[0]) == pytest.approx(learner.bound, abs=1.1e-3)
    assert float(page.account("now")[0]) >= learner.bound


@needs_browser
def test_the_page_begins_in_the_first_lesson_and_says_where_to_click(page: Playground, tmp_path: Path) -> None:
    tab = page.open()
    assert page.link == "lesson=randomise.1" and not tab.value("byId('lesson').hidden")
    assert "Choose a column" in tab.text("#tree") and tab.value("byId('points').classList.contains('awaits')")
    tab.click('#points [data-x="5"]')
    assert "Choose a column" not in tab.text("#tree") and page.link.endswith("g=5")
    other = tmp_path / "other.html"
    other.write_text(play_page("c=intervals-6&T=12&rate=paper&prior=kt&g="), encoding="utf-8")
    tab.open(other.as_uri())
    assert tab.value("byId('lesson').hidden") and tab.text("#prompt").startswith("Round 1 of 12")


@needs_browser
def test_reviews_and_drift_are_settings(page: Playground) -> None:
    tab = page.open("c=thresholds-8&T=8&g=3.1,5.0,4.1")
    tab.click(".settings summary")
    tab.write("#review", "0.25")
    assert "prior=mixed&review=0.25&g=3.1,5.0,4.1" in page.link and tab.value("byId('M').disabled")
    learner = at.Adept(at.Thresholds(8), 8, prior="mixed", review=0.25, engine="paths")
    learner.learn_many([3, 5, 4], [1, 0, 1])
    assert page.account("loss") == [f"{learner.expected_loss:.3f}"]
    tab.click('#points [data-x="2"]')
    tab.click("#go-on")
    r = learner.answer(2).r
    assert f"review: {r:.3f}" in tab.text("#scale") and f"asks a person with chance {r:.3f}" in tab.text("#prompt")
    tab.click("#drift")
    assert "review=0.25&drift=1" in page.link and "best sequence" in tab.text("#account")
    tab.write("#review", "0.5")
    assert "never pays off" in tab.text("#settings-note")
    tab.write("#review", "")
    assert "rate=1&drift=1" in page.link.replace("prior=mixed&", "") and "with one change" in tab.text("#account")


@needs_browser
def test_undo_takes_back_step_by_step(page: Playground) -> None:
    tab = page.open()
    assert tab.value("document.querySelector('#undo').disabled")
    page.round(4, 1)
    before = page.account("loss")
    page.round(2, 0)
    tab.click('#points [data-x="6"]')
    assert page.link.endswith("g=4.1,2.0,6")
    tab.click("#undo")
    assert page.link.endswith("g=4.1,2.0")
    tab.click("#undo")
    assert page.link.endswith("g=4.1") and page.account("loss") == before
    tab.click("#undo")
    assert page.link.endswith("g=") and page.account("loss") == ["0.000", "0.000"]


@needs_browser
def test_a_link_holds_the_whole_game(page: Playground) -> None:
    link = "c=table-0011-0101-1110&T=6&M=1&rate=0.7&prior=mixed&g=1.0,3.1,2"
    tab = page.open(link)
    assert page.link == link
    seen = [tab.text("#account"), tab.text("#tree"), tab.text("#prompt")]
    tab.open(tab.value("location.href"))
    assert [tab.text("#account"), tab.text("#tree"), tab.text("#prompt")] == seen
    tab.value("location.hash = 'c=thresholds-4&T=3&rate=paper&prior=kt&g=1.1'")  # as when a link is pasted
    tab.value("new Promise(done => setTimeout(done, 50))")
    assert tab.text("#prompt") == "Round 2 of 3: choose the next x."
    assert tab.value("document.querySelector('#prior').value") == "kt"


@needs_browser
@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("c=squares-8&T=8", "c must be thresholds, intervals or table"),
        ("c=thresholds-99&T=8", "n must be 1 to 16"),
        ("c=thresholds-8&T=0", "T must be 1 to 40"),
        ("c=thresholds-8&T=2&g=1.1,1.1,1.1", "cannot be"),
        ("c=thresholds-8&T=2&g=9.1", "cannot be"),
        ("c=table-01-1&T=4", "equally long"),
        ("c=table-02&T=4", "0 and 1 only"),
        ("c=thresholds-8&T=4&rate=-1", "the rate must be"),
        ("c=thresholds-8&T=4&prior=flat", "prior must be"),
        ("c=thresholds-8&T=4&K=2&g=1.1,1.1,1.1", "out of turn"),
        ("c=thresholds-8&T=4&K=2&g=1.1r,1.1r,1.1r", "out of turn"),
        ("c=thresholds-8&T=4&g=1.1r", "out of turn"),
        ("c=thresholds-8&T=4&K=2&prior=kt", "paper's prior"),
        ("%E0%A4%A", "could not be read"),
        ("lesson=nowhere", "neither a game nor a lesson"),
        ("c=thresholds-8&T=4&prior=mixed&review=0.5", "from 0.5 on it never pays off"),
        ("c=thresholds-8&T=4&prior=paper&review=0.1", "prior=kt or mixed"),
        ("c=thresholds-8&T=4&prior=kt&drift=1", "a number as rate"),
        ("foo", "could not be read (it names neither a game nor a lesson)"),
    ],
)
def test_a_broken_link_gets_a_sentence(page: Playground, link: str, says: str) -> None:
    tab = page.open(link)
    tab.value("dispatchEvent(new Event('resize'))")  # phones send one at once
    assert says in tab.text("#link-note") and "new game" in tab.text("#link-note")
    assert tab.text("#prompt") == "Round 1 of 8: choose an x, by its column."
    tab.click("#anew")
    assert tab.text("#link-note") == ""


@needs_browser
def test_keys_alone_play_a_game(page: Playground) -> None:
    tab = page.open()
    tab.value("document.querySelector('#points [tabindex=\"0\"]').focus()")
    tab.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Enter")
    assert page.link.endswith("g=2") and tab.value("document.activeElement.id") == "go-on"
    tab.press("1")  # not yet: the paths were not weighed
    assert page.link.endswith("g=2")
    tab.press("Enter")
    tab.press("1")
    assert page.link.endswith("g=2.1") and tab.value("document.activeElement.dataset.x") == "2"
    tab.press("End", "Enter", "Enter", "0")
    assert page.link.endswith("g=2.1,7.0")
    tab.press("g", "c", "u")
    assert tab.text("#prompt") == "Round 4 of 8: choose the next x."
    tab.press("n")
    assert page.link.endswith("g=")


@needs_browser
def test_settings_are_typed_and_the_stream_stays(page: Playground) -> None:
    tab = page.open("c=thresholds-8&T=8&g=3.1,5.0,4.1")
    tab.click(".settings summary")
    tab.choose("#prior", "kt")
    assert "prior=kt" in page.link and page.link.endswith("g=3.1,5.0,4.1")
    learner = at.Adept(at.Thresholds(8), 8, prior="kt", rate="paper", engine="paths")
    learner.learn_many([3, 5, 4], [1, 0, 1])
    assert page.account("regret") == [f"{learner.regret:.3f}"]
    tab.choose("#prior", "paper")
    tab.choose("#rate", "number")
    tab.write("#eta", "0.5")
    assert "rate=0.5" in page.link
    tab.write("#M", "1")
    assert "M=1" in page.link and "nothing is proven" in tab.text("#promise")
    tab.write("#M", "")
    tab.click("#prune")
    assert "prune=0" in page.link and tab.value("document.querySelectorAll('#algorithm .skipped').length") == 2
    tab.write("#T", "99")
    assert tab.text("#settings-note") == "Not possible: T must be 1 to 40."
    tab.write("#T", "8")
    tab.write("#n", "99")
    assert tab.text("#settings-note") == "Not possible: n must be 1 to 16." and page.link.startswith("c=thresholds-8&")
    tab.write("#n", "12")
    tab.choose("#kind", "intervals")
    assert page.link.startswith("c=intervals-8&") and tab.text("#settings-note") == ""
    tab.choose("#kind", "thresholds")
    tab.write("#T", "2")
    assert page.link.endswith("g=3.1,5.0") and tab.text("#settings-note") == ""
    tab.choose("#kind", "table")
    tab.write("#rows", "000111\n010101\n000000")
    assert page.link.startswith("c=table-000111-010101-000000&") and page.link.endswith("g=3.1,5.0")
    tab.write("#rows", "000111\n0102")
    assert "0 and 1 only" in tab.text("#settings-note")


@needs_browser
@pytest.mark.parametrize("who", ["greedy", "chance"])
def test_others_play_to_the_end(page: Playground, who: str) -> None:
    tab = page.open("c=intervals-6&T=12&g=")
    tab.click(f"#{who}")
    assert tab.text("#prompt") == "Round 2 of 12: choose the next x."
    tab.click("#to-end")
    tab.click(f"#{who}")
    assert tab.text("#prompt").startswith("All 12 rounds are played.") and tab.value(f"byId('{who}').disabled")
    regret = [float(text.replace("−", "-")) for text in page.account("regret")]
    assert all(r <= float(bound) for r, bound in zip(regret, page.account("now"), strict=True))
    if who == "greedy":  # it always says the less likely label
        assert "it would have erred 12 times" in tab.text("#coins")


@needs_browser
def test_lazy_rollback_keeps_as_many_rounds_as_were_said(page: Playground) -> None:
    tab = page.open("c=thresholds-8&T=10&g=3.1,5.0,4.1,1.1,2.0")
    tab.click(".settings summary")
    tab.write("#K", "4")
    assert page.link.endswith("K=4&g=")  # five rounds that were all kept do not fit a game of four
    tab.click("#to-end")
    for _ in range(5):
        tab.click("#chance")
        moves = page.link.split("g=")[1].split(",")
        assert len(moves) == 10 and sum(not move.endswith("r") for move in moves) == 4
        tab.click("#anew")
    tab.click("#chance")
    tab.write("#K", "")
    assert page.link.endswith("prior=paper&g=")


@needs_browser
def test_the_tree_has_every_path_and_every_cut(page: Playground) -> None:
    tab = page.open("c=thresholds-8&T=8&M=1&g=3.1,5.0,1.1,6.0,2")
    drawn = "document.querySelectorAll('#tree {}').length"
    kept, refused, beyond = tab.value(
        "(() => { const looks = [...game.moves.map(move => move.look), game.look]; const count = f => looks.reduce("
        "(n, l) => n + f(l), 0); return [count(l => l.children.length), count(l => l.asked), "
        "count(l => l.beyond.length)]; })()"
    )
    assert tab.value(drawn.format(".digit")) == kept
    assert tab.value(drawn.format(".mark.beyond")) == beyond > 0
    assert tab.value(drawn.format(".mark:not(.beyond)")) == refused - kept - beyond
    tab.open(tab.value("location.href.replace('&M=1', '&prune=0')"))
    assert tab.value(drawn.format(".mark")) == 0 and tab.value(drawn.format("circle.ghost")) > 0


# --- For everybody -------------------------------------------------------------------------------------

MEASURE = """(() => {
  const seen = e => e.checkVisibility() && !e.closest(".unseen");
  const size = e => parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM ? e.getScreenCTM().a : 1);
  const named = e => (e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent).trim();
  const controls = [...document.querySelectorAll("button, input, select, textarea, summary")].filter(seen);
  const texts = [...document.querySelectorAll("p, td, th, li, small, svg text, label, summary")].filter(seen);
  return {wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth,
    nameless: controls.filter(e => !named(e)).map(e => e.id), images: [...document.querySelectorAll("svg")].filter(seen)
      .filter(e => !e.getAttribute("aria-label")).map(e => e.id), smallest: Math.min(...texts.map(size)),
    torn: [...document.querySelectorAll("#account td, .scroll :is(th, td)")].filter(seen).filter(e => {
      const text = document.createRange(); text.selectNodeContents(e);
      return new Set([...text.getClientRects()].map(r => Math.round(r.top))).size > 1; }).map(e => e.textContent),
    thin: controls.filter(e => e.type !== "checkbox" && e.getBoundingClientRect().height < 24).map(e => e.id)};
})()"""


def contrast(colours: list[str]) -> float:
    """Return how much two colours differ, as WCAG measures it."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        lights = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), lights, strict=True))

    low, high = sorted(light(colour) for colour in colours)
    return (high + 0.05) / (low + 0.05)


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_it_fits_phones_and_desks_by_day_and_by_night(tmp_path: Path, size: tuple[int, int], dark: bool) -> None:
    file = tmp_path / "playground.html"
    file.write_text(play_page(), encoding="utf-8")
    with Tab(tmp_path, size, dark=dark) as tab:
        links = ("", "c=intervals-8&T=12&g=1.0,5.1,3.1,7.0,2.1,6.0,4", "c=thresholds-16&T=40&g=3.1", *LESSONS)
        for link in links[:2] if dark else links:  # (at night only the colours differ)
            tab.open(f"{file.as_uri()}#{f'lesson={link}' if link in LESSONS else link}")
            tab.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            seen = tab.value(MEASURE)
            assert seen["wide"] <= seen["room"], link
            faults = [seen[fault] for fault in ("nameless", "images", "thin", "torn")]
            assert seen["smallest"] >= 11.5 and not any(faults), seen
        tab.open(file.as_uri())
        for selector in ("p", ".hint", "#account .now td", "#account .regret td", "button.main", "button.label.one"):
            colours = tab.value(
                f"(() => {{ const e = document.querySelector('{selector}'), s = getComputedStyle(e); const none = "
                "'rgba(0, 0, 0, 0)'; return [s.color, s.backgroundColor === none ? getComputedStyle(document.body)"
                ".backgroundColor : s.backgroundColor]; })()"
            )
            assert contrast(colours) >= 4.5, (selector, colours)
        assert tab.complaints == []
