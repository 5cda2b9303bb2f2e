"""The common parts of all pages: the document, its style, and shared components.

A page is one file that needs no network: the style sheet next to this module is embedded.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from adeptree import __version__
from adeptree.core.display import text as text
from adeptree.core.files import write_atomically


@dataclass(frozen=True)
class Figure:
    """A figure of a page; ``caption`` explains bounds and measurements."""

    name: str
    title: str
    caption: str
    svg: str
    wide: bool = False


def write_page(path: str | os.PathLike[str], html: str) -> None:
    """Write a page, all or nothing."""
    write_atomically(Path(path), html.encode("utf-8", "backslashreplace"))


def document(title: str, parts: Iterable[str], *, kind: str = "", script: str = "") -> str:
    """Return a whole page; ``kind`` is the class of its main part, ``script`` the file of its script."""
    html = fill(
        "document",
        title=text(title),
        style=beside("page.css"),
        kind=f' class="{kind}"' if kind else "",
        parts="\n".join(parts),
        version=__version__,
        script=f"<script>\n{beside(script)}</script>\n" if script else "",
    )
    return f"{html}\n"


def fill(part: str, **values: object) -> str:
    """Fill a part of ``parts.html`` with values, which are HTML."""
    return PARTS[part].format(**values)


def parts_in(html: str) -> dict[str, str]:
    """Split a text into parts by the name in the comment above each."""
    return dict(re.findall(r"(?s)<!-- (\w+) -->\n(.*?)\n\n", html + "\n"))


def words(name: str) -> dict[str, Any]:
    """Return the texts of a TOML file next to this module."""
    return tomllib.loads(beside(name))


def beside(name: str) -> str:
    """Return the content of a file next to this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def opening(heading: str, lead: str, told: str = "", contents: Mapping[str, str] | None = None) -> str:
    """Return the head of a page: topic (HTML), result (HTML), and links to its sections."""
    links = "".join(f'<a href="#{anchor}">{text(name)}</a>' for anchor, name in (contents or {}).items())
    nav = f'<nav aria-label="Contents">{links}</nav>\n' if links else ""
    return fill("opening", heading=text(heading), lead=lead, told=told, nav=nav)


def section(anchor: str, heading: str, *content: str) -> str:
    """Return a section (content is HTML) with an anchor."""
    return fill("section", anchor=anchor, heading=text(heading), content="\n".join(content))


def folded(anchor: str, heading: str, *content: str) -> str:
    """Return a collapsible part (content is HTML)."""
    return fill("folded", anchor=anchor, heading=text(heading), content="\n".join(content))


def tiles(values: Mapping[str, object]) -> str:
    """Return the main numbers in large type, side by side."""
    shown = "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in values.items())
    return f'<dl class="tiles">{shown}</dl>\n'


def facts(values: Mapping[str, object]) -> str:
    """Return named values, one below the other."""
    listed = "\n".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in values.items())
    return f'<dl class="facts">\n{listed}\n</dl>'


def table(columns: Iterable[tuple[str, str]], bodies: str) -> str:
    """Return a wide table from column names with alignment, and bodies (HTML)."""
    head = "".join(f'<th scope="col" class="{side}">{text(name)}</th>' for name, side in columns)
    return f'<div class="scroll"><table class="wide">\n<thead><tr>{head}</tr></thead>\n{bodies}</table></div>'


def line(name: str, values: Mapping[str, str], more: str = "", last: str = "") -> str:
    """Return a row of a wide table: name with details (HTML), numbers by column, and a last cell (HTML)."""
    cells = "".join(f'<td class="right" data-label="{text(at)}">{text(value)}</td>' for at, value in values.items())
    return f'<tr><th scope="row">{text(name)}{more}</th>{cells}{last}</tr>\n'


def drawn(figure: Figure) -> str:
    """Return a figure with its title above it and its caption below."""
    wide, title, caption = " class=wide" if figure.wide else "", text(figure.title), text(figure.caption)
    return fill("figure", of=figure, wide=wide, title=title, caption=caption)


PARTS = parts_in(beside("parts.html"))
