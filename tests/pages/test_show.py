"""The teaching view: what it draws is what the learner does, in the terminal and in a real browser."""

from __future__ import annotations

import json
import re
from math import comb
from pathlib import Path

import pytest
import typer
from browser import CHROMIUM, Reader, browse
from typer.testing import CliRunner

import adeptree as at
from adeptree.app.show_command import show_command
from adeptree.app.show_text import show_text
from adeptree.core.errors import InvalidArgument
from adeptree.pages.show_game import MOST_PATHS, MOST_ROUNDS, Shown, shown
from adeptree.pages.show_page import show_page

GOLDEN = Path(__file__).parent / "golden_show.txt"
app = typer.Typer(pretty_exceptions_enable=False)
app.command()(show_command)


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def game(spec: str = "thresholds(n=8)", rounds: int = 5, horizon: int | None = 5, **named: object) -> Shown:
    c = at.parse(spec)
    return shown(at.Adept(c, horizon, engine="paths", **named), at.Greedy(c), rounds)  # type: ignore[arg-type]


GAMES = {
    "paper": game(),
    "kt": game("intervals(n=8)", 4, None, prior="kt"),
    "mixed": game("intervals(n=8)", 4, None),
    "floats": game("real_thresholds()", 5, None),
    "parities": game("parities(n=3)", 5, 5),
    "beyond": game(mistake_bound=1, on_excess="prune"),
}


@pytest.mark.parametrize("name", GAMES)
def test_what_is_drawn_is_what_the_learner_does(name: str) -> None:
    for step in GAMES[name].steps:
        assert sum(path.share for path in step.paths) == pytest.approx(1, abs=1e-12)
        assert sum(path.share for path in step.paths if path.labels[-1]) == pytest.approx(step.p, abs=1e-12)
        assert step.best_loss == min(path.loss for path in step.paths)
        assert len(step.paths) + len(step.pruned) == step.asked
    assert sum(abs(step.p - step.y) for step in GAMES[name].steps) == pytest.approx(step.expected_loss)


@pytest.mark.parametrize("name", ["paper", "kt", "mixed", "parities"])
def test_the_paths_are_the_realizable_labellings(name: str) -> None:
    drawn = GAMES[name]
    c = at.parse(drawn.rules)
    xs = [tuple(map(int, step.x)) if name == "parities" else int(step.x) for step in drawn.steps]
    for step in drawn.steps:
        for path in step.paths:
            assert c.realizable(list(zip(xs, path.labels, strict=False)))
        for cut in step.pruned:
            assert not c.realizable(list(zip(xs, cut.labels, strict=False)))
            assert cut.conflict and not cut.beyond


def test_numbers_of_the_paths() -> None:
    drawn = GAMES["paper"]
    T, M = 5, 3
    assert drawn.mistake_bound == M
    for step in drawn.steps:
        for path in step.paths:
            true = drawn.labels[: step.t]
            assert path.loss == sum(a != b for a, b in zip(path.labels, true, strict=True))
            assert path.capacity == sum(comb(T - step.t, j) for j in range(M - path.mistakes + 1))
            assert path.mass == pytest.approx(path.capacity / sum(comb(T, j) for j in range(M + 1)))


def test_a_conflict_is_a_smallest_one() -> None:
    drawn = shown(at.Adept(at.Intervals(8), engine="paths"), [(1, 1), (6, 1), (0, 0), (3, 0)], 4)
    found = {cut.labels: cut.conflict for cut in drawn.steps[3].pruned}
    assert found[(1, 1, 0, 0)] == (("1", 1), ("6", 1), ("3", 0))


def test_both_reasons_are_told_apart() -> None:
    cuts = [cut for step in GAMES["beyond"].steps for cut in step.pruned]
    assert {cut.beyond for cut in cuts} == {True, False}
    text = show_text(GAMES["beyond"])
    assert "beyond M: the base learner would have erred more than 1 times" in text
    assert "nothing is proven against their rules" in text and "proven to be at most" not in text


def test_the_text_is_the_golden_one() -> None:
    code, text = call()
    assert code == 0
    assert text == GOLDEN.read_text(encoding="utf-8"), "if meant: adeptree show > tests/pages/golden_show.txt"


def test_plain_terminals_get_ascii() -> None:
    assert show_text(GAMES["paper"], ascii=True).isascii()
    assert show_text(GAMES["paper"], ascii=True).count("\n") == show_text(GAMES["paper"]).count("\n")


def test_colour_changes_nothing_else() -> None:
    painted = show_text(GAMES["paper"], paint=lambda text, role: f"<{role}>{text}</{role}>")
    assert re.sub(r"</?(cut|one|zero|title)>", "", painted) == show_text(GAMES["paper"])


def test_the_first_rows_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,bmi,ill\n20,30.5,0\n42.3,21,0\n42.8,24.5,1\n60,22.5,1\n")
    code, text = call("--stream", str(file), "--rules", "stumps(age)", "--rounds", "4")
    assert code == 0
    assert "the best rule, age >= 42.5, makes 0" in " ".join(text.split())
    code, text = call("--stream", str(file), "--rules", "stumps(age)")
    assert code == 0 and "4 rounds of ADEPT" in text  # no more rows than that


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rounds", str(MOST_ROUNDS + 1)], "1 to 8 rounds; got 9"),
        (["--rounds", "0"], "1 to 8 rounds; got 0"),
        (["--rules", "parities(n=9)", "--rounds", "8"], "more paths than can be drawn (at most 64)"),
        (["--rules", "treshold(n=8)"], 'did you mean "thresholds"'),
        (["--features", "age"], "name columns of --stream"),
        (["--stream", "nowhere.csv"], "could not be read"),
        (["--html", "no/such/folder.html"], "could not be written"),
    ],
)
def test_wrong_input_gets_a_sentence(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = call(*arguments)
    assert code in (1, 2)
    assert says in text and "Traceback" not in text


def test_a_node_tells_its_numbers_and_the_table_is_folded() -> None:
    html, mixed = show_page(GAMES["paper"]), show_page(GAMES["mixed"])
    for step in GAMES["paper"].steps:
        for path in step.paths:
            word = "".join(map(str, path.labels))
            assert f"<title>path {word}: k = {path.mistakes}, W = {path.capacity}, L = {path.loss}</title>" in html
    assert re.search(r"<title>path 01: k = \d, mass = 0\.\d{4}, L = \d</title>", mixed)
    assert html.count("<details>\n<summary>The paths in numbers") == 5 == html.count('style="width:400px"')


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("x,y\n3,1\n9,0\n")
    code, text = call("--stream", str(file))
    assert code == 2 and "line 3" in text


def test_an_engine_without_paths_is_refused() -> None:
    with pytest.raises(InvalidArgument, match='engine="paths"'):
        shown(at.Adept(at.Thresholds(8), prior="kt", engine="collapsed"), [(3, 1)], 1)


# --- The page ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_page_is_whole_and_on_its_own(name: str) -> None:
    html = show_page(GAMES[name])
    reader = Reader()
    reader.feed(html)
    assert not reader.wrong and not reader.open
    assert not reader.links and "://" not in html
    assert [i for i, n in reader.ids.items() if n > 1] == []
    assert reader.tags["svg"] == len(GAMES[name].steps) == html.count('class="round"')
    for step in GAMES[name].steps:
        assert html.count(f"P(1) = {step.p:.3f}") >= 1


def test_every_path_and_cut_is_drawn() -> None:
    svgs = re.findall(r"<svg.*?</svg>", show_page(GAMES["beyond"]), flags=re.DOTALL)
    steps = GAMES["beyond"].steps
    for t, svg in enumerate(svgs, 1):
        assert svg.count('class="digit"') == sum(len(step.paths) for step in steps[:t])
        assert svg.count(">×<") == sum(not cut.beyond for step in steps[:t] for cut in step.pruned)
        assert svg.count(">M<") == sum(cut.beyond for step in steps[:t] for cut in step.pruned)


def test_texts_are_escaped() -> None:
    c = at.FiniteClass([[0, 1], [1, 0]], points=["<b>", "&"])
    html = show_page(shown(at.Adept(c, engine="paths"), [("<b>", 1), ("&", 0)], 2))
    assert "<b>" not in html.split("How to read it")[0] and "&lt;b&gt;" in html


def test_the_largest_tree_has_room() -> None:
    big = game("parities(n=8)", 6, None)
    assert len(big.steps[-1].paths) <= MOST_PATHS
    assert show_text(big) and show_page(big)


PLAY = """
<script>
const seen = [];
const note = () => seen.push(rounds.filter(r => !r.hidden).map(r => r.id).join());
note(); next.click(); note(); next.click(); note(); back.click(); note();
slider.value = 5; slider.dispatchEvent(new Event("input")); note();
const texts = [...document.querySelectorAll("#round-5 svg text")].map(
  t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a);
const out = document.createElement("pre");
out.id = "measured";
out.textContent = JSON.stringify({seen, smallest: Math.min(...texts), atEnd: next.disabled,
  wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth});
document.body.append(out);
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_plays_the_rounds(tmp_path: Path, width: int) -> None:
    html = show_page(GAMES["paper"]).replace("</body>", PLAY + "</body>")
    dom, log = browse(tmp_path, html, width, "--dump-dom")
    assert "CONSOLE" not in log, log
    found = re.search(r'<pre id="measured">(.*?)</pre>', dom, flags=re.DOTALL)
    assert found, "the script did not run"
    measured = json.loads(found[1])
    assert measured["seen"] == ["round-1", "round-2", "round-3", "round-2", "round-5"]
    assert measured["atEnd"] and measured["wide"] <= measured["room"]
    assert measured["smallest"] > 11
