"""The playground in a real browser: clicked, typed, undone, linked, walked through, on a phone and on a desk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from browser import CHROMIUM, Reader
from browser_tab import DESK, PHONE, Tab
from typer.testing import CliRunner

import adeptree as at
from adeptree.app import play_command
from adeptree.app.show_command import show_command
from adeptree.pages.play_page import play_page

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)"
)
app = typer.Typer(pretty_exceptions_enable=False)
app.command()(show_command)
LESSONS = {"randomise": 4, "pruning": 5, "littlestone": 5, "lazy": 5, "lower-bound": 4}


class Playground:
    """The page in a tab."""

    def __init__(self, tab: Tab, page: Path) -> None:
        self.tab, self.page = tab, page

    def open(self, link: str = "") -> Tab:
        self.tab.complaints.clear()
        self.tab.open(f"{self.page.as_uri()}#{link}")
        return self.tab

    def round(self, x: int, y: int) -> None:
        self.tab.click(f'#points [data-x="{x}"]')
        self.tab.click("#go-on")
        self.tab.click(f"#say-{y}")

    @property
    def link(self) -> str:
        return str(self.tab.value("location.hash.slice(1)"))

    def account(self, name: str) -> list[str]:
        cells = f"[...document.querySelectorAll('#account [data-value={name}]')].map(cell => cell.textContent)"
        return list(self.tab.value(cells))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    folder = tmp_path_factory.mktemp("playground")
    file = folder / "playground.html"
    file.write_text(play_page(), encoding="utf-8")
    with Tab(folder, DESK) as tab:
        yield Playground(tab, file)


@pytest.fixture(autouse=True)
def nothing_to_complain_about(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "page" in request.fixturenames:
        assert request.getfixturevalue("page").tab.complaints == []


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
        ("lesson=nowhere", "could not be read"),
    ],
)
def test_a_broken_link_gets_a_sentence(page: Playground, link: str, says: str) -> None:
    tab = page.open(link)
    assert says in tab.text("#told") and "new game" in tab.text("#told")
    assert tab.text("#prompt") == "Round 1 of 8: choose an x, by its column."


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
    tab = page.open("c=thresholds-8&T=10&g=")
    tab.click(".settings summary")
    tab.write("#K", "4")
    tab.click("#to-end")
    for _ in range(5):
        tab.click("#chance")
        moves = page.link.split("g=")[1].split(",")
        assert len(moves) == 10 and sum(not move.endswith("r") for move in moves) == 4
        tab.click("#anew")


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


# --- Lessons -------------------------------------------------------------------------------------------


def walk(page: Playground, lesson: str) -> list[str]:
    """Walk through a lesson by its buttons, and return what it says."""
    tab = page.open()
    tab.click(f'[data-lesson="{lesson}"]')
    told = [tab.text("#lesson-text")]
    while not tab.value("byId('lesson-next').disabled"):
        tab.click("#lesson-next")
        told.append(tab.text("#lesson-text"))
        assert page.link == f"lesson={lesson}.{len(told)}"
    return told


@needs_browser
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_walked_through(page: Playground, lesson: str) -> None:
    told = walk(page, lesson)
    assert len(told) == LESSONS[lesson] == len(set(told))
    assert not re.search("undefined|NaN|Infinity|null", " ".join(told) + page.tab.text("main"))
    assert all(15 < len(text.split()) < 75 for text in told)
    page.tab.click("#lesson-back")
    assert page.tab.text("#lesson-text") == told[-2]
    page.open(f"lesson={lesson}.2")
    assert page.tab.text("#lesson-text") == told[1]
    page.tab.click("#lesson-close")
    assert page.tab.value("byId('lesson').hidden && !byId('board').hidden")
    page.round(0, 1) if "choose" in page.tab.text("#prompt") else page.tab.click("#undo")


def replayed(link: str, **settings: Any) -> at.Adept:
    """Play a link of the page in Python."""
    given = dict(part.split("=") for part in link.split("&"))
    kind, size = given["c"].split("-", 1)
    c = at.FiniteClass(size.split("-")) if kind == "table" else at.Thresholds(int(size))
    learner = at.Adept(c, int(given["T"]), engine="paths", **settings)
    for move in filter(None, given["g"].split(",")):
        if "." in move:
            x, y = move.rstrip("r").split(".")
            learner.learn(int(x), int(y))
    return learner


@needs_browser
def test_what_the_lessons_say_is_true(page: Playground) -> None:
    """Their numbers are computed from their games; what their words claim is checked here, with the library."""
    told, links, states = {}, {}, {}
    for lesson, steps in LESSONS.items():
        for step in range(1, steps + 1):
            tab = page.open(f"lesson={lesson}.{step}")
            told[lesson, step] = tab.text("#lesson-text")
            links[lesson, step] = tab.value("gameToText(game)")
            states[lesson, step] = tab.text("#promise")
    greedy = replayed(links["randomise", 3])
    assert "have erred 8 times in 8 rounds" in told["randomise", 3]
    assert f"expects {greedy.expected_loss:.3f} mistakes" in told["randomise", 3]
    assert f"errs {greedy.best_loss} times" in told["randomise", 4] and f"{greedy.regret:.3f}" in told["randomise", 4]
    adept = replayed(links["pruning", 4])
    bpss = at.Bpss(at.Thresholds(8), 8)
    for x, y in [(3, 1), (5, 1), (1, 0), (6, 1), (2, 0), (4, 1)]:
        bpss.learn(x, y)
    histories = {tuple(h) for h in bpss.histories}
    none = sum(not at.Thresholds(8).realizable(list(zip(bpss.points, h, strict=True))) for h in histories)
    assert f"carries {len(histories)} labellings for its {bpss.width} experts. {none} of" in told["pruning", 3]
    assert f"keeps {adept.width}" in told["pruning", 4] and adept.width == 7
    assert f"asked {adept.queries.asked} q" in told["pruning", 4] and str(bpss.queries.asked) in told["pruning", 4]
    p, q = adept.predict_proba(7), bpss.predict_proba(7)
    assert f"ADEPT says {p:.3f}, BPSS {q:.3f}" in told["pruning", 5] and abs(p - q) > 0.001
    for step, (n, d) in enumerate([(3, 2), (7, 3), (15, 4)], 1):
        learner = replayed(links["littlestone", step])
        c = learner.concept_class
        assert (c.vc_dimension, c.littlestone_dimension, learner.rounds, learner.best_loss) == (1, d, d, 0)
        assert (
            learner.regret >= d / 2 and f"{learner.regret:.3f}" in told["littlestone", step] and c == at.Thresholds(n)
        )
        assert f"VC dimension 1, Littlestone dimension {d}" in states["littlestone", step]
    singles = replayed(links["littlestone", 4])
    assert (singles.concept_class.vc_dimension, singles.concept_class.littlestone_dimension) == (1, 1)
    assert singles.best_loss == 0 and f"{singles.regret:.3f}" in told["littlestone", 4]
    whole = replayed(links["lazy", 5])
    numbers = f"{whole.width} paths, {whole.queries.asked} questions, regret {whole.regret:.3f}"
    assert numbers in told["lazy", 5]
    fewer = re.search(r"The end: (\d+) paths, (\d+) questions, regret (\d+\.\d+)", told["lazy", 5])
    assert fewer and int(fewer[1]) < whole.width and int(fewer[2]) < whole.queries.asked
    assert float(fewer[3]) > whole.regret
    assert f"at least {at.bounds.query_lower_bound(60, 1, 1):.1f};" in told["lower-bound", 4]


@needs_browser
def test_the_figure_of_the_lower_bound_is_the_game_of_the_theorem(page: Playground) -> None:
    tab = page.open("lesson=lower-bound")
    for Q in range(10):
        game = tab.value(f"(({{asks, ...rest}}) => ({{...rest, asks: [...asks]}}))(resetGame({Q}, RESET_ROUNDS))")
        coins = tab.value("[...Array(RESET_ROUNDS).keys()].map(t => resetCoin(t + 1))")
        assert game["bound"] == at.bounds.query_lower_bound(60, Q, 1)
        assert game["learner"] == (60 - Q) / 2 and len(game["asks"]) == Q and len(game["phases"]) == Q + 1
        ends = [0, *game["asks"], 60]
        ones = [sum(coins[a:b]) for a, b in pairwise(ends)]
        assert [phase["ones"] for phase in game["phases"]] == ones
        assert game["bestLoss"] == sum(coins) - max(ones) and ones[game["best"]] == max(ones)
        assert ones[game["best"]] >= sum(coins) / (Q + 1)
    assert tab.value("byId('reset-time').value") == "60"  # who wants no motion sees the end at once


@needs_browser
def test_the_figure_moves_for_those_who_like_motion(tmp_path: Path) -> None:
    file = tmp_path / "playground.html"
    file.write_text(play_page(), encoding="utf-8")
    with Tab(tmp_path, still=False) as tab:
        tab.open(f"{file.as_uri()}#lesson=lower-bound.2")
        tab.value("new Promise(done => setTimeout(done, 400))")
        assert 0 < int(tab.value("byId('reset-time').value")) < 60 and tab.text("#reset-play") == "Pause"
        tab.click("#reset-play")
        now = tab.value("byId('reset-time').value")
        tab.value("new Promise(done => setTimeout(done, 300))")
        assert tab.value("byId('reset-time').value") == now and tab.text("#reset-play") == "Play"
        assert tab.complaints == []


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
        for link in ("", "c=intervals-8&T=12&g=1.0,5.1,3.1,7.0,2.1,6.0,4", "c=thresholds-16&T=40&g=3.1", *LESSONS):
            tab.open(f"{file.as_uri()}#{f'lesson={link}' if link in LESSONS else link}")
            tab.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            seen = tab.value(MEASURE)
            assert seen["wide"] <= seen["room"], link
            assert seen["smallest"] >= 11.5 and not (seen["nameless"] or seen["images"] or seen["thin"]), seen
        tab.open(file.as_uri())
        for selector in ("p", ".hint", "#account .now td", "#account .regret td", "button.main", "button.label.one"):
            colours = tab.value(
                f"(() => {{ const e = document.querySelector('{selector}'), s = getComputedStyle(e); const none = "
                "'rgba(0, 0, 0, 0)'; return [s.color, s.backgroundColor === none ? getComputedStyle(document.body)"
                ".backgroundColor : s.backgroundColor]; })()"
            )
            assert contrast(colours) >= 4.5, (selector, colours)
        assert tab.complaints == []


# --- The command ---------------------------------------------------------------------------------------


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["--play", *arguments])
    return result.exit_code, result.output


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    file = tmp_path / "play.html"
    options = ["--rules", "finite(table=['0011', '0101'])", "--horizon", "12", "--prior", "kt", "--mistake-bound", "2"]
    code, text = call("--html", str(file), *options)
    assert code == 0 and text == f"Written: {file}\n"
    start = "c=table-0011-0101&T=12&M=2&rate=paper&prior=kt&g="
    assert file.read_text(encoding="utf-8") == play_page(start) and f'START = "{start}"' in play_page(start)


@pytest.mark.parametrize("opens", [True, False])
def test_the_command_opens_the_page(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def open_it(address: str) -> bool:
        asked.append(address)
        return opens

    monkeypatch.setattr("webbrowser.open", open_it)
    code, text = call()
    path = Path(text.split(": ", 1)[1].strip())
    assert code == 0 and text.startswith("Opened" if opens else "Open it in a browser")
    assert asked == [path.as_uri()] and path.read_text(encoding="utf-8") == play_page()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "thresholds(n=17)"], "thresholds(n) with n up to 16"),
        (["--rules", "parities(n=3)"], "the playground takes"),
        (["--rules", "finite(table=['0', '1'], points=['a'])"], "the playground takes"),
        (["--rounds", "0"], "1 to 40 rounds; got 0"),
        (["--horizon", "41"], "1 to 40 rounds; got 41"),
        (["--mistake-bound", "7"], "M is at most 6"),
        (["--stream", "some.csv"], "you are the adversary"),
        (["--adversary", "stochastic"], "you are the adversary"),
        (["--html", "no/such/folder.html"], "could not be written"),
    ],
)
def test_wrong_input_gets_a_sentence(arguments: list[str], says: str) -> None:
    code, text = call(*arguments)
    assert code in (1, 2) and says in text and "Traceback" not in text


@needs_browser
def test_the_limits_of_the_command_are_those_of_the_page(page: Playground) -> None:
    limits = page.open().value("LIMITS")
    assert {name: limits[name] for name in play_command.MOST} == play_command.MOST
    here = [play_command.MOST_ROWS, play_command.MOST_COLUMNS, play_command.MOST_ROUNDS, play_command.LARGEST_M]
    assert [limits[name] for name in ("rows", "columns", "T", "M")] == here
