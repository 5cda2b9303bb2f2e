"""One self-contained HTML page: the rounds of a small game under a slider."""

from __future__ import annotations

from adeptree.pages.show_game import Path, Shown, Step, account, growth, heading, promise, reason, verdict
from adeptree.pages.show_tree import Places, tree_svg
from adeptree.pages.skeleton import document, fill, opening, text


def show_page(game: Shown) -> str:
    """Return the page as HTML; it needs no network, and without its script it shows all rounds at once."""
    places, title = Places(game), "ADEPT, round by round"
    slider = fill("slider", rounds=len(game.steps))
    rounds = [_round(places, step) for step in game.steps]
    parts = [opening(title, text(heading(game))), slider, *rounds, _legend(game)]
    return document(title, parts, kind="game", script="rounds.js")


def _round(places: Places, step: Step) -> str:
    return fill(
        "round",
        t=step.t,
        x=text(step.x),
        growth=text(growth(step)),
        tree=tree_svg(places, step),
        scale=_scale(step),
        verdict=text(verdict(step)),
        account=text(account(step)),
        pruned=_pruned(places.game, step),
        table=_table(places.game, step),
    )


def _scale(step: Step) -> str:
    """Draw P(0) and P(1) as one bar; a part too narrow for its number has none."""
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
    reasons = "\n".join(f"<li>{', '.join(words)}: {text(why)}</li>" for why, words in cut.items())
    return fill("pruned", reasons=reasons) + "\n"


def _table(game: Shown, step: Step) -> str:
    mass = "W" if game.prior == "paper" else "mass"
    names = ["path", "k", mass, "L before", "weight", "L after"]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = "\n".join(f"<tr>{_cells(path)}</tr>" for path in step.paths)
    return fill("paths", head=head, rows=rows)


def _cells(path: Path) -> str:
    mass = f"{path.mass:.4f}" if path.capacity is None else str(path.capacity)
    cells = [str(path.mistakes), mass, str(path.loss_before), f"{path.share:.1%}", str(path.loss)]
    return f'<th scope="row">{_word(path.labels)}</th>' + "".join(f"<td>{cell}</td>" for cell in cells)


def _word(labels: tuple[int, ...]) -> str:
    return "".join(map(str, labels))


def _legend(game: Shown) -> str:
    paper = game.prior == "paper"
    means = "the capacity: how many schedules of mistakes are still open to it" if paper else "its prior mass"
    return fill("legend", mass="W" if paper else "mass", means=means, promise=text(promise(game)))
