"""``adeptree show``: a small game drawn round by round, in the terminal and as an HTML page."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import typer

from adeptree.app.terminal import show, told, unwritable
from adeptree.core.errors import InvalidArgument, StateError

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.pages.show_game import Shown
    from adeptree.roles.concept_class import ConceptClass

# Modules that need numpy are imported inside functions, so that --help is fast.

COLOURS: dict[str, dict[str, Any]] = {"cut": {"fg": "red"}, "one": {"fg": "blue"}, "zero": {}, "title": {"bold": True}}
OPPONENTS = {
    "greedy": "an adversary that reads P and answers the less likely label",
    "stochastic": "labels of one rule, a tenth of them flipped",
}


def show_command(
    rules: str = "thresholds(n=8)",
    stream: str | None = None,
    features: str | None = None,
    label: str | None = None,
    adversary: Literal["greedy", "stochastic"] = "greedy",
    rounds: int = 5,
    horizon: int | None = None,
    prior: Literal["paper", "kt", "mixed"] | None = None,
    mistake_bound: int | None = None,
    seed: int = 0,
    html: str | None = None,
) -> None:
    """Draw a small game, round by round.

    It shows the tree of paths, what is pruned and why, the weights and P(1).

    Examples:
      adeptree show                                     against an adversary
      adeptree show --stream data.csv --rules stumps    the first rows of a file
    """
    with told():
        if html is not None and (why := unwritable(html)):
            raise StateError(f"--html: {html} could not be written: {why}")
        from adeptree.pages.show_game import MOST_ROUNDS, shown

        if not 1 <= rounds <= MOST_ROUNDS:
            raise InvalidArgument(f"--rounds: a tree that can be read has 1 to {MOST_ROUNDS} rounds; got {rounds}")
        if stream is not None:
            concept_class, enemy, named = _read(stream, rules, features, label, rounds)
            rounds, opponent = len(enemy), f"the first rows of {stream}"
        elif features is not None or label is not None:
            raise InvalidArgument("--features and --label name columns of --stream; give one, or leave them out")
        else:
            concept_class, enemy = _made(rules, adversary)
            named, opponent = repr(concept_class), OPPONENTS[adversary]
        learner = _learner(concept_class, rounds, horizon, prior, mistake_bound, seed)
        _show(html, shown(learner, enemy, rounds, seed, opponent=opponent, rules=named))


def _show(html: str | None, game: Shown) -> None:
    from adeptree.app.show_text import show_text
    from adeptree.pages.show_page import show_page
    from adeptree.pages.skeleton import write_page

    if html is None:
        text = show_text(game, ascii=not _fine(), paint=lambda text, role: typer.style(text, **COLOURS[role]))
        show(text, painted=True)  # names and values in it are escaped already
    else:
        write_page(html, show_page(game))
        show(f"Written: {html}")


def _fine() -> bool:
    """Return True if the terminal can show the strokes of the tree."""
    try:
        "●─┬│└✗█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _made(rules: str, adversary: str) -> tuple[ConceptClass, Any]:
    from adeptree import Greedy, Stochastic, parse

    concept_class = parse(rules)
    return concept_class, Greedy(concept_class) if adversary == "greedy" else Stochastic(concept_class)


def _learner(c: ConceptClass, rounds: int, horizon: int | None, prior: str | None, M: int | None, seed: int) -> Adept:
    """Return a learner that lists its paths; by default with the paper's prior, if it exists."""
    from adeptree import Adept

    if prior is None:
        prior = "mixed" if M is None and c.littlestone_dimension is None else "paper"
    if prior == "paper" and horizon is None:
        horizon = rounds
    excess = "raise" if M is None else "prune"
    return Adept(c, horizon, prior=prior, engine="paths", seed=seed, mistake_bound=M, on_excess=excess)


def _read(
    path: str, rules: str, features: str | None, label: str | None, rounds: int
) -> tuple[ConceptClass, list[tuple[Any, int]], str]:
    """Return the class, the first rows as pairs, and the name of the rules."""
    from adeptree.app.run.layout import layout_of
    from adeptree.app.run.stream_sources import open_stream

    pairs: list[tuple[Any, Any]] = []
    with open_stream(path) as stream:
        layout = layout_of(stream, rules, features, label)
        for row in islice(stream, rounds):
            try:
                example = layout.example(row, labelled=True)
            except InvalidArgument as error:
                raise InvalidArgument(f"{stream.where(row)}, {error}") from None
            pairs.append((example.x, example.y))
    if not pairs:
        raise InvalidArgument(f"{path} has no rows")
    return layout.concept_class, pairs, layout.shown
