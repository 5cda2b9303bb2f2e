"""The lessons of the playground: walked through in a browser, and what they say checked with the library."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser_tab import Tab
from playground_tab import LESSONS, Playground, needs_browser

import adeptree as at
from adeptree.app.play_command import play_page


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
    """Their numbers are computed from their games; the claims of their texts are checked here, with the library."""
    told, links, states = {}, {}, {}
    for lesson, steps in list(LESSONS.items())[:5]:
        for step in range(1, steps + 1):
            tab = page.open(f"lesson={lesson}.{step}")
            told[lesson, step] = tab.text("#lesson-text")
            links[lesson, step] = tab.value("gameToText(game)")
            states[lesson, step] = tab.text("#promise")
    greedy = replayed(links["randomise", 3])
    assert "have erred 8 times in 8 rounds" in told["randomise", 3]
    assert f"expects {greedy.expected_loss:.3f} mistakes" in told["randomise", 3]
    assert 4 < greedy.expected_loss < 8 and "more than the 4 of guessing by a fair coin" in told["randomise", 3]
    assert f"but {8 - greedy.expected_loss:.3f} fewer than without" in told["randomise", 3]
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
    tab = page.open("lesson=pruning.3")
    assert page.account("asked") == [str(adept.queries.asked), str(bpss.queries.asked)]
    assert "BPSS asks for its base learner's guesses" in tab.text("#account") and "two q" in tab.text("#algorithm")
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
    regrets = {t: replayed(",".join(links["littlestone", 4].split(",")[:t])).regret for t in (1, 3, 8)}
    others = replayed(links["littlestone", 2])
    assert singles.best_loss == 0 and singles.regret == regrets[8] and singles.horizon == others.horizon == 8
    assert f"at once: {regrets[1]:.3f}" in told["littlestone", 4] and others.rounds == 3 and regrets[3] < others.regret
    rest = f"cost {regrets[8] - regrets[1]:.3f} together, {regrets[8]:.3f} in all"
    assert rest in told["littlestone", 4] and f"regret {regrets[3]:.3f} after 3 rounds" in told["littlestone", 4]
    assert f"cost {others.regret:.3f}." in told["littlestone", 4]
    whole = replayed(links["lazy", 5])
    numbers = f"{whole.width} paths, {whole.queries.asked} questions, regret {whole.regret:.3f}"
    assert numbers in told["lazy", 5]
    fewer = re.search(r"The end: (\d+) paths, (\d+) questions, regret (\d+\.\d+)", told["lazy", 5])
    assert fewer and int(fewer[1]) < whole.width and int(fewer[2]) < whole.queries.asked
    assert float(fewer[3]) > whole.regret
    assert f"at least {at.bounds.query_lower_bound(60, 1, 1):.1f};" in told["lower-bound", 4]


def adversary(T: int, **settings: Any) -> at.Adept:
    """Let the adversary of the page play: the x of which the learner is least sure, and the less likely label."""
    learner = at.Adept(at.Thresholds(8), T, prior="mixed", engine="paths", **settings)
    for _ in range(T):
        doubts = [abs(learner.predict_proba(x) - 0.5) for x in range(8)]
        x = next(x for x in range(8) if doubts[x] <= min(doubts) + 1e-9)
        learner.learn(x, int(learner.predict_proba(x) <= 0.5 + 1e-9))
    return learner


@needs_browser
def test_what_the_lesson_on_reviews_says_is_true(page: Playground) -> None:
    told = walk(page, "review")
    first = at.Adept(at.Thresholds(8), 24, prior="mixed", engine="paths", review=0.25)
    p, ticket = first.predict_proba(4), first.answer(4)
    costs = (ticket.p + ticket.r / 4, 1 - ticket.p - ticket.r * 3 / 4)
    assert f"P(1) = {p:.3f}. It asks with chance {ticket.r:.3f}" in told[1]
    assert f"label 1 then costs {costs[1]:.3f}" in told[1] and f"label 0 costs {costs[0]:.3f}" in told[1]
    assert f"add up to {sum(costs):.3f}" in told[1] and sum(costs) < 1
    alone = {T: adversary(T, rate="paper").regret for T in (24, 40)}
    helped = {T: adversary(T, review=0.25) for T in (24, 40)}
    assert f"by {helped[24].regret:.3f}." in told[3] and f"still {helped[40].regret:.3f}" in told[3]
    assert f"regret {alone[24]:.3f}, and after 40 rounds {alone[40]:.3f}" in told[3]
    assert helped[40].regret <= helped[24].regret + 0.001 < alone[24] < alone[40]
    assert f"at most {helped[40].in_advance:.3f}," in told[4] and "3.296, divided by the rate, 1.099" in told[4]
    cheap = at.Adept(at.Thresholds(8), prior="mixed", engine="paths", review=0.1)
    assert f"0.1 it is {cheap.certificate().forever:.3f}" in told[4]


@needs_browser
def test_what_the_lesson_on_drift_says_is_true(page: Playground) -> None:
    told = walk(page, "drift")

    def played(change: int = 20, rounds: int = 40, **settings: Any) -> at.Adept:
        learner = at.Adept(at.Thresholds(8), 40, prior="mixed", engine="paths", **settings)
        for t in range(rounds):
            x = 3 * t % 8
            learner.learn(x, int(x >= (1 if t < change else 7)))
        return learner

    one, many = played(rate=2.0), played(rate=2.0, drift="sharing")
    assert f"errs {one.best_loss} times, and the learner expects {one.expected_loss:.3f}" in told[0]
    assert f"small, {one.regret:.3f}" in told[0] and many.regret < 0
    lost = sum(1 <= 3 * t % 8 < 7 for t in range(20))
    assert f"has lost {lost} times" in told[1]
    weights = [float(re.findall(r"(\de-\d+) of the weight", told[step])[0]) for step in (1, 2)]
    assert weights[0] < 1e-10 < 1e-4 < weights[1]
    assert f"expects {many.expected_loss:.3f} mistakes, and the best single rule has {many.best_loss}" in told[3]
    assert f"errs {many.sequence_loss(1)} times" in told[3]
    assert float(re.findall(r"at most (\d\.\d+)", told[3])[0]) == pytest.approx(many.sequence_bound(1), abs=1e-3)
    still = played(change=40, rate=2.0), played(change=40, rate=2.0, drift="sharing")
    assert f"{still[1].expected_loss:.3f} mistakes with it and {still[0].expected_loss:.3f} without" in told[4]
    assert f"costs {played(review=0.1, drift='sharing').expected_loss:.3f}." in told[5]


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
    tab.value("new Promise(done => setTimeout(done, 250))")  # with reduced motion the end is shown at once
    assert "round 60 of 60" in tab.text("#reset") and tab.text("#reset-play") == "Play"


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
