"""One self-contained HTML page: the rounds of a small game under a slider."""

from __future__ import annotations

import os

from adeptree.pages.show_game import Path, Shown, Step
from adeptree.pages.show_tree import Places, tree_svg
from adeptree.pages.show_words import account, growth, heading, promise, reason, verdict
from adeptree.pages.skeleton import document, opening, text, write_page


def write_show_page(path: str | os.PathLike[str], game: Shown) -> None:
    """Write the page, all or nothing."""
    write_page(path, show_page(game))


def show_page(game: Shown) -> str:
    """Return the page as HTML; it needs no network, and without its script it shows all rounds at once."""
    places, title = Places(game), "ADEPT, round by round"
    rounds = [_round(places, step) for step in game.steps]
    parts = [opening(title, text(heading(game))), _controls(game), *rounds, _legend(game)]
    return document(title, parts, kind="game", script="rounds.js")


def _controls(game: Shown) -> str:
    last = len(game.steps)
    return (
        '<nav aria-label="Rounds" hidden><button type="button" aria-label="Round before">‹</button>'
        f'<input type="range" min="1" max="{last}" value="1" aria-label="Round">'
        '<button type="button" aria-label="Next round">›</button>'
        f"<output>1 of {last}</output></nav>"
    )


def _round(places: Places, step: Step) -> str:
    return (
        f'<section class="round" id="round-{step.t}">\n<h2>Round {step.t}: x = {text(step.x)}</h2>\n'
        f"<p>{text(growth(step))}</p>\n<figure>\n{tree_svg(places, step)}\n</figure>\n{_scale(step)}\n"
        f"<p>{text(verdict(step))}</p>\n<p>{text(account(step))}</p>\n"
        f"{_pruned(places.game, step)}{_table(places.game, step)}\n</section>"
    )


def _scale(step: Step) -> str:
    """Draw P(0) and P(1) as one bar; a part too narrow for its number has none, as the text below says it."""
    parts = [("is-zero", 0, 1 - step.p), ("is-one", 1, step.p)]
    spans = "".join(
        f'<span class="{kind}" style="width:{100 * p:.2f}%">{f"{label}: {p:.3f}" if p > 0.25 else ""}</span>'
        for kind, label, p in parts
    )
    return f'<div class="scale" aria-hidden="true">{spans}</div>'


def _pruned(game: Shown, step: Step) -> str:
    """List the reasons, each with the branches it cut."""
    if not step.pruned:
        return ""
    cut: dict[str, list[str]] = {}
    for one in step.pruned:
        cut.setdefault(reason(one, game.mistake_bound), []).append(_word(one.labels))
    items = "\n".join(f"<li>{', '.join(words)}: {text(why)}</li>" for why, words in cut.items())
    return f"<p>Pruned in this round:</p>\n<ul>\n{items}\n</ul>\n"


def _table(game: Shown, step: Step) -> str:
    mass = "W" if game.prior == "paper" else "mass"
    names = ["path", "k", mass, "L before", "weight", "L after"]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "\n".join(f"<tr>{_cells(path)}</tr>" for path in step.paths)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>"


def _cells(path: Path) -> str:
    mass = f"{path.mass:.4f}" if path.capacity is None else str(path.capacity)
    cells = [str(path.mistakes), mass, str(path.loss_before), f"{path.share:.1%}", str(path.loss)]
    return f'<th scope="row">{_word(path.labels)}</th>' + "".join(f"<td>{cell}</td>" for cell in cells)


def _word(labels: tuple[int, ...]) -> str:
    return "".join(map(str, labels))


def _legend(game: Shown) -> str:
    paper = game.prior == "paper"
    mass = "W" if paper else "mass"
    means = "the capacity: how many schedules of mistakes are still open to it" if paper else "its prior mass"
    return (
        "<h2>How to read it</h2>\n<p>Every path from the left is a labelling of the points so far that some rule has. "
        "A thick branch carries much weight; a dashed one contradicts the base learner; × is a branch that no rule "
        "has, M one beyond the mistake bound. <b>k</b> counts what the base learner got wrong on the path; "
        f"<b>{mass}</b> is {means}; <b>L</b> is its loss. The weight is {mass} exp(−rate · L before), as a "
        f"share of all. {text(promise(game))}</p>"
    )
