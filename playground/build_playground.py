"""Join the playground's sources into one page:  python playground/build_playground.py

The page is ``src/adeptree/pages/playground.html``: one file that needs no network, opened by ``adeptree play`` and by
the home page of the docs. Run this after any change in this folder or in ``src/adeptree/pages/page.css``, and commit
the page; a test compares it with the sources.
"""

from __future__ import annotations

from pathlib import Path

SOURCES = Path(__file__).resolve().parent
PAGES = SOURCES.parent / "src" / "adeptree" / "pages"
BUILT = PAGES / "playground.html"
MATHEMATICS = ("classes", "bases", "bounds", "priors", "mixture", "learners", "game", "players")
"""Scripts that compute what the library computes. A test compares every number with the library's."""
DRAWING = ("dom", "words", "tree", "panels", "chart", "reset", "lessons", "walking", "main")


def mathematics() -> str:
    """Return the scripts that compute, without the scripts that draw."""
    return "\n".join(['"use strict";', *map(_script, MATHEMATICS)])


def built_page() -> str:
    """Return the whole page as HTML."""
    style = _read(PAGES / "page.css") + _read(SOURCES / "playground.css")
    code = "\n".join([mathematics(), *map(_script, DRAWING)])
    return _read(SOURCES / "page.html").replace("{style}", style).replace("{script}", code)


def _script(name: str) -> str:
    return _read(SOURCES / f"{name}.js")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    BUILT.write_text(built_page(), encoding="utf-8", newline="\n")
