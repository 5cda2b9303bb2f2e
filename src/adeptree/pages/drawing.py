"""Style of the figures, and matplotlib figures as SVG that lives inside a page."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adeptree.core.errors import MissingExtra

INK = "#010203"
"""Stands for the colour of the page's text: replaced by ``currentColor``, so that dark pages work too."""
GREY = "#808080"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
"""Okabe and Ito's palette: told apart by colour-blind readers, on white and on black."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
WIDTH, HEIGHT = 5.2, 3.9
"""Inches. At 360 pixels a point of type is about one pixel, so that 10 points stay legible on a phone."""

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.labelsize": 10.5,
    "legend.fontsize": 9.5,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    # Text stays text: it can be searched, selected and read aloud, and the file is small.
    "svg.fonttype": "none",
    "path.simplify": True,
}


@dataclass(frozen=True)
class Figure:
    """A figure of the page: ``caption`` says in words what is bound and what is measured."""

    name: str
    title: str
    caption: str
    svg: str
    wide: bool = False


def plotting(folder: Path | None = None) -> Any:
    """Return matplotlib, or say which extra is missing; ``folder`` is where the page will be."""
    try:
        with _undisturbed(folder):
            import matplotlib
            import matplotlib.backends.backend_svg
            import matplotlib.figure
    except ImportError:
        raise MissingExtra("figures need matplotlib; install it with: pip install 'adeptree[plot]'") from None
    return matplotlib


@contextmanager
def _undisturbed(folder: Path | None) -> Iterator[None]:
    """Let matplotlib be imported also where it has no home for its list of fonts, and without a word about that."""
    if "matplotlib.font_manager" in sys.modules:
        yield
        return
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        if folder is None or "MPLCONFIGDIR" in os.environ or _has_temporary_folder():
            yield
        else:
            with _lent(folder):
                yield
    finally:
        log.setLevel(level)


def _has_temporary_folder() -> bool:
    try:
        tempfile.gettempdir()
    except OSError:
        return False
    return True


@contextmanager
def _lent(folder: Path) -> Iterator[None]:
    """Lend matplotlib a folder beside the page; after the import it needs none."""
    with tempfile.TemporaryDirectory(prefix="matplotlib-", dir=folder) as place:
        os.environ["MPLCONFIGDIR"] = place
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def canvas(panels: int = 1, height: float = HEIGHT) -> tuple[Any, Any]:
    """Return a figure and its axes (a list if there are several panels, one above the other)."""
    plotting()
    # Not through pyplot: that would choose a backend for the whole process, and keep the figures.
    from matplotlib.figure import Figure as Drawing

    figure = Drawing(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(panels, 1, sharex=panels > 1)


def legend_below(figure: Any, source: Any, columns: int = 2) -> None:
    """Put the legend under the axes, where it covers no data."""
    handles, labels = source.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handlelength=1.8, columnspacing=1.2)


def to_svg(figure: Any, name: str, alt: str) -> str:
    """Return the figure as SVG to be put inside a page, fluid, with a text for those who cannot see it."""
    buffer = io.StringIO()
    # The salt makes the ids of every figure its own, and the same in every run.
    with plotting().rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return inline(buffer.getvalue(), name, alt)


def inline(svg: str, name: str, alt: str) -> str:
    """Strip what only a file needs, make ids the figure's own, and let the page's width and colour rule."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    # Inside HTML a plain href is enough; the prefix is gone with its namespace.
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", svg, count=1)
    label = f'role="img" aria-labelledby="{name}-alt"'
    svg = svg.replace("<svg", f"<svg {label}", 1)
    return re.sub(r"(<svg[^>]*>)", rf'\1<title id="{name}-alt">{_escaped(alt)}</title>', svg, count=1)


def _escaped(text: str) -> str:
    # A backslash would be read as a group reference by re.sub.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\\", "\\\\")
