"""The playground computes what the library computes: many games, played by the page's own code and by Python."""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import CHROMIUM, browse, measured
from build_playground import mathematics
from long_form import times

import adeptree as at
from adeptree.learners.shared_paths import SharedPaths
from adeptree.theory.decide import review_rate
from adeptree.theory.mixture import log_sum, log_weights
from adeptree.theory.sharing import Drift

NODE = shutil.which("node")
CLOSE = 1e-9
LISTED = 20_000

PLAY = """
function account(learner) {
  const {expectedLoss, bestLoss, regret, bound, inAdvance, width, asked} = learner;
  const changes = learner.drift ? [0, 1, 3].map(m => [learner.sequenceLoss(m), learner.sequenceBound(m)]) : null;
  return {expectedLoss, bestLoss, regret, bound, inAdvance, width, asked, changes};
}
function played(text) {
  const whole = gameFromText(text), game = new Game(whole.settings), rounds = [];
  for (const {x, y, kept} of whole.moves) {
    game.choose(x);
    const {adept, bpss} = game.looked, eta = game.adept.at(-1).eta, guess = game.guess;
    game.answer(y, kept);
    const learner = game.adept.at(-1);
    rounds.push({
      adept: {p: adept.p, eta, guess, acts: adept.acts ? [adept.acts.one, adept.acts.review] : null,
        ...account(learner), rule: game.conceptClass.rows[learner.bestRule].join("")},
      shares: adept.children.map(u => u.share), labels: adept.children.map(u => u.labels.join("")),
      mistakes: adept.children.map(u => u.mistakes), losses: learner.paths.map(v => v.loss),
      refused: adept.splits.flatMap(s => [0, 1].filter(b => !s.can[b]).map(b => [...s.v.labels, b].join(""))),
      bpss: bpss ? {p: bpss.p, ...account(game.bpss.at(-1))} : null,
    });
  }
  const {littlestoneDimension, vcDimension, size} = game.conceptClass;
  return {text: gameToText(whole), littlestoneDimension, vcDimension, size, realised: game.realisedLoss, rounds};
}
"""


def random_game(rng: random.Random, lazy: bool = False) -> dict[str, Any]:
    """Draw settings and rounds: few points, so that many come again, and labels of a rule, at random or both."""
    kind = rng.choice(["thresholds", "intervals", "table"])
    n = rng.randint(1, {"thresholds": 16, "intervals": 8, "table": 6}[kind])
    rows = ["".join(rng.choice("01") for _ in range(n)) for _ in range(rng.randint(1, 12))]
    T = rng.choice([rng.randint(1, 10), rng.randint(11, 40)] if rng.random() < 0.3 else [rng.randint(1, 10)])
    settings: dict[str, Any] = {
        "c": f"{kind}-{'-'.join(rows) if kind == 'table' else n}",
        "T": T,
        "M": rng.choice([None, None, 0, 1, 2, 3, 4]),
        "rate": rng.choice(["paper", "first-order", 0.05, 0.7, 3.0, 9.5, 20.0]),
        "prior": "paper" if lazy else rng.choice(["paper", "paper", "kt", "mixed"]),
        "K": rng.randint(1, T) if lazy else None,
    }
    points = [rng.randrange(n) for _ in range(rng.randint(1, 6))]
    target = rng.choice(rows) if kind == "table" else "0" * (n // 2) + "1" * (n - n // 2)
    noise, kept = rng.choice([0.0, 0.2, 0.5]), sorted(rng.sample(range(T), settings["K"] or T))
    moves = []
    for t in range(T if lazy else rng.randint(0, T)):
        x = rng.choice(points) if rng.random() < 0.5 else rng.randrange(n)
        moves.append((x, int(target[x]) ^ (rng.random() < noise), t in kept))
    return {**settings, "moves": moves}


def deciding_game(rng: random.Random) -> dict[str, Any]:
    """Draw a game with reviews, with drift or with both: labels of a rule that changes, some of them wrong."""
    game = random_game(rng)
    kind = rng.choice(["review", "drift", "both"])
    game |= {"M": None, "prior": rng.choice(["kt", "mixed"]), "drift": kind != "review"}
    game |= {"review": None, "rate": rng.choice([0.05, 0.7, 3.0, 9.5])} if kind == "drift" else {"rate": None}
    if kind != "drift":
        game["review"] = rng.choice([0.05, 0.1, 0.25, 0.4, 0.45])
    return game


def hopeless_game(rng: random.Random, lazy: bool) -> dict[str, Any]:
    """Draw a game of many rounds and few rules that all lose often: a first-order rate falls only then."""
    T = rng.randint(30, 40)
    K = rng.randint(25, T) if lazy else None
    kept = rng.sample(range(T), K or T)
    c = rng.choice(["thresholds-2", "thresholds-3", "table-01-10", "table-001-010-111"])
    moves = [(rng.randint(0, 1), rng.randint(0, 1), t in kept) for t in range(T)]
    prior = "paper" if lazy else rng.choice(["paper", "paper", "kt", "mixed"])
    return {"c": c, "T": T, "M": None, "rate": "first-order", "prior": prior, "K": K, "moves": moves}


def text_of(game: dict[str, Any]) -> str:
    """Return the game as the page's own link has it."""
    rate = game["rate"] if isinstance(game["rate"], str) else f"{game['rate'] or 0:g}"
    rounds = ",".join(f"{x}.{y}{'' if kept else 'r'}" for x, y, kept in game["moves"])
    M, K = ([f"{name}={game[name]}"] if game[name] is not None else [] for name in "MK")
    review, drift = game.get("review"), game.get("drift")
    order = [f"c={game['c']}", f"T={game['T']}", *M, *[f"rate={rate}"] * (review is None), f"prior={game['prior']}"]
    order += [*[f"review={review}"] * (review is not None), *["drift=1"] * bool(drift), *K]
    return "&".join([*order, f"g={rounds}"])


def class_of(game: dict[str, Any]) -> at.ConceptClass:
    kind, _, rest = game["c"].partition("-")
    if kind == "table":
        return at.FiniteClass(rest.split("-"))
    return at.Thresholds(int(rest)) if kind == "thresholds" else at.Intervals(int(rest))


class Scripted:
    """Stands for the sampler of a lazy learner: the rounds that are kept are known."""

    def __init__(self, kept: list[bool]) -> None:
        self.kept = iter(kept)

    def random(self) -> float:
        return 0.0 if next(self.kept) else 1.0


def account(learner: Any) -> dict[str, Any]:
    return {
        "expectedLoss": learner.expected_loss,
        "bestLoss": learner.best_loss,
        "regret": learner.regret,
        "bound": None if learner.bound == np.inf else learner.bound,
        "inAdvance": learner.in_advance,
        "width": learner.width,
        "asked": learner.queries.asked,
        "changes": [[learner.sequence_loss(m), learner.sequence_bound(m)] for m in (0, 1, 3)]
        if drifts(learner)
        else None,
    }


def drifts(learner: Any) -> bool:
    return getattr(learner, "drift_of", None) is not None


def python_plays(game: dict[str, Any]) -> dict[str, Any]:
    """Play with the library, and write down what the page writes down."""
    c, T, M, rate = class_of(game), game["T"], game["M"], game["rate"]
    excess: dict[str, Any] = {"mistake_bound": M, "on_excess": "prune"}
    outer: Any
    if "review" in game:
        decides = {"review": game["review"]} if game["review"] else {"rate": rate}
        drift = "sharing" if game["drift"] else False
        outer = adept = at.Adept(c, T, prior=game["prior"], engine="paths", drift=drift, **decides)
    elif game["K"] is None:
        outer = adept = at.Adept(c, T, rate=rate, prior=game["prior"], engine="paths", **excess)
    else:
        outer = at.LazyAdept(c, T, commits=game["K"], rate=rate, **excess)
        outer._sampler, adept = Scripted([kept for _, _, kept in game["moves"]]), outer.inner
    # Beyond this number of experts the page does not run BPSS.
    N = at.bounds.experts(T, adept.mistake_bound or 0)
    listed = game["prior"] == "paper" and game["K"] is None and N <= LISTED
    bpss = at.Bpss(c, T, rate=rate, mistake_bound=M) if listed else None
    rounds, nodes = [], [""]
    for x, y, kept in game["moves"]:
        p, eta, acts = outer.predict_proba(x), adept.learning_rate, None
        if game.get("review"):
            ticket = copy.deepcopy(outer).answer(x)
            acts, guess = [ticket.p, ticket.r], 2 if ticket.guess is None else int(ticket.guess)
        else:
            guess = outer.predict(x)
        looked = adept.paths.looked
        assert looked is not None
        parent, label = looked.extension.children.parent, looked.extension.children.label.astype(int)
        weight = log_weights(looked.log_mass, adept.paths.losses[parent], adept.paths.best_loss, eta)
        if isinstance(adept.paths, SharedPaths):
            weight = looked.log_mass + np.log(adept.paths.g[0][parent])
        children = [f"{nodes[v]}{b}" for v, b in zip(parent, label, strict=True)]
        split = looked.extension.split
        refused = [f"{nodes[v]}{b}" for v in range(len(nodes)) for b in (0, 1) if not (split.can0, split.can1)[b][v]]
        outer.learn(x, y)
        played = {"p": p, "eta": eta, "guess": guess, "acts": acts, **account(outer)}
        rule = adept.best_rule()  # (of the committed rounds)
        entry = {
            "adept": {**played, "rule": "".join(str(int(rule(i))) for i in c.instances())},  # type: ignore[attr-defined]
            "shares": np.exp(weight - log_sum(weight)).tolist(),
            "labels": children,
            "mistakes": looked.extension.mistakes.tolist(),
            "losses": adept.paths.losses.tolist(),
            "refused": refused,
            "bpss": None,
        }
        nodes = children if kept else nodes
        if bpss is not None:
            q = bpss.predict_proba(x)
            bpss.learn(x, y)
            too_small = M is not None and M < (c.littlestone_dimension or 0)
            entry["bpss"] = {"p": q, **account(bpss)} | ({"inAdvance": None} if too_small else {})
        rounds.append(entry)
    dimensions = {"littlestoneDimension": c.littlestone_dimension, "vcDimension": c.vc_dimension, "size": c.size}  # type: ignore[attr-defined]
    return {"text": text_of(game), **dimensions, "realised": outer.realised_loss, "rounds": rounds}


def assert_close(here: Any, there: Any, where: str) -> None:
    """Compare two trees of numbers, lists and names."""
    if isinstance(there, dict):
        given = here or {}
        assert given.keys() == there.keys(), where
        for name in there:
            assert_close(given[name], there[name], f"{where} {name}")
    elif isinstance(there, list):
        assert len(here) == len(there), f"{where}: {here} against {there}"
        for i, (one, other) in enumerate(zip(here, there, strict=True)):
            assert_close(one, other, f"{where} [{i}]")
    elif isinstance(there, float) and isinstance(here, (int, float)):
        assert abs(here - there) <= CLOSE, f"{where}: the page says {here}, the library {there}"
    else:
        assert here == there, f"{where}: the page says {here}, the library {there}"


COUNT = times(60, 120)


def games(count: int, seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    drawn = [random_game(rng, lazy=i % 5 == 0) for i in range(count)]
    drawn += [hopeless_game(rng, lazy=i % 3 == 0) for i in range(count // 10)]
    return drawn + [deciding_game(rng) for _ in range(count // 3)]


def compare(said: dict[str, Any], drawn: list[dict[str, Any]]) -> None:
    for name, (formula, cases) in FORMULAS.items():
        assert_close(said["formulas"][name], [float(formula(*case)) for case in cases], name)
    assert len(said["games"]) == len(drawn)
    for here, game in zip(said["games"], drawn, strict=True):
        assert_close(here, python_plays(game), text_of(game))


def test_the_games_are_of_all_kinds() -> None:
    """The comparison covers classes, priors, rates, mistake bounds that cut, repeated points and rollbacks."""
    drawn = games(COUNT, seed=1)
    assert {game["c"].split("-")[0] for game in drawn} == {"thresholds", "intervals", "table"}
    assert {game["prior"] for game in drawn} == {"paper", "kt", "mixed"}
    assert {type(game["rate"]) for game in drawn if "review" not in game} == {str, float}
    kinds = {(game["review"] is not None, game["drift"]) for game in drawn if "review" in game}
    assert kinds == {(True, False), (False, True), (True, True)}
    points = [[x for x, _, _ in game["moves"]] for game in drawn]
    assert sum(len(set(xs)) < len(xs) for xs in points) > COUNT // 4
    assert sum(not kept for game in drawn for _, _, kept in game["moves"]) > COUNT // 4
    cut = [game for game in drawn if game["M"] is not None and game["M"] < (class_of(game).littlestone_dimension or 0)]
    assert len(cut) > COUNT // 12


FORMULAS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "tunedRate": (at.bounds.tuned_rate, [(T, K) for T in (1, 7, 40) for K in (0.5, 3.7, 11.0)]),
    "paperRate": (at.bounds.paper_rate, [(T, M) for T in (1, 7, 40) for M in (0, 1, 4, 6)]),
    "regretAtRate": (at.bounds.regret_at_rate, [(T, 3.7, eta) for T in (1, 40) for eta in (0.05, 0.5, 9.0)]),
    "firstOrderRegret": (at.bounds.first_order_regret, [(L, K) for L in (0, 3, 30) for K in (0.7, 3.7)]),
    "firstOrderRegretInAdvance": (
        at.bounds.first_order_regret_in_advance,
        [(T, K) for T in range(1, 41) for K in (0.0, 0.1, 0.7, 1.4, 2.1, 3.7)],
    ),
    "ktCost": (at.bounds.kt_cost, [(T, M) for T in (0, 1, 2, 7, 40) for M in (0, 1, 4)]),
    "reviewRate": (lambda c: review_rate(1, 1, c), [(c / 100,) for c in range(5, 46, 5)]),
    "sequencePrice": (
        Drift(followers=False, one_lane=True).price,
        [(price, t, m) for price in (0.7, 3.0) for t in (0, 1, 2, 40) for m in (0, 1, 3)],
    ),
    "queryLowerBound": (
        at.bounds.query_lower_bound,
        [(T, Q, d) for T in (60, 100) for Q in (0, 3, 20) for d in (1, 2)],
    ),
}


def page_says(drawn: list[dict[str, Any]]) -> str:
    """Return a script whose last value is what the page says of formulas and games."""
    formulas = ", ".join(f"{name}: {json.dumps(cases)}.map(a => {name}(...a))" for name, (_, cases) in FORMULAS.items())
    texts = json.dumps([text_of(game) for game in drawn])
    return f"{mathematics()}\n{PLAY}\nconst out = {{formulas: {{{formulas}}}, games: {texts}.map(played)}};"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)")
def test_the_page_in_a_browser_gives_the_numbers_of_the_library(tmp_path: Path) -> None:
    drawn = games(COUNT, seed=1)
    html = f'<pre id="measured"></pre><script>{page_says(drawn)}\nmeasured.textContent = JSON.stringify(out);</script>'
    dom, log = browse(tmp_path, html, 390, "--dump-dom")
    assert "CONSOLE" not in log, log
    compare(measured(dom), drawn)


@pytest.mark.skipif(NODE is None, reason="no node is installed, which plays more games in less time")
def test_more_games_without_a_browser(tmp_path: Path) -> None:
    drawn = games(times(80, 250), seed=2)
    (tmp_path / "games.js").write_text(f"{page_says(drawn)}\nconsole.log(JSON.stringify(out));", encoding="utf-8")
    command = [str(NODE), str(tmp_path / "games.js")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    compare(json.loads(done.stdout), drawn)
