"""Style of the figures, and conversion of matplotlib figures to inline SVG."""

from __future__ import annotations

import io
import logging
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

from adeptree.core.errors import MissingExtra
from adeptree.pages.skeleton import Figure

INK = "#010203"
"""Stands for the colour of the page's text: replaced by ``currentColor``, so that dark pages work too."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
"""Okabe and Ito's palette: told apart by colour-blind readers, on white and on black."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
Values = Sequence[float]
WIDTH, HEIGHT = 4.5, 3.7
"""Inches. At 360 pixels a point of type is about one pixel, so that 10 points stay legible on a phone."""

WORDS = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))


def plotting(folder: Path | None = None) -> Any:
    """Return matplotlib, or say which extra is missing; ``folder`` is where the page will be."""
    try:
        with _undisturbed(folder):
            import matplotlib
            import matplotlib.backends.backend_svg
            import matplotlib.figure
    except ImportError:
        raise MissingExtra("figures need matplotlib; run in a clone: pip install '.[plot]'") from None
    return matplotlib


@contextmanager
def _undisturbed(folder: Path | None) -> Iterator[None]:
    """Let matplotlib be imported also where it has no home for its list of fonts, and without a word about that."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with _home(folder):
            yield
    finally:
        log.setLevel(level)


@contextmanager
def _home(folder: Path | None) -> Iterator[None]:
    """Give matplotlib a folder next to the page, if it has none; after the import it needs none."""
    try:
        known = folder is None or "MPLCONFIGDIR" in os.environ or bool(tempfile.gettempdir())
    except OSError:
        known = False
    if known:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="matplotlib-", dir=folder) as place:
        os.environ["MPLCONFIGDIR"] = place
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def styled() -> Any:
    """Return a context in which figures have the style of the pages."""
    return plotting().rc_context(fname=Path(__file__).with_name("figures.mplstyle"))


class Plot:
    """A figure that is being drawn: in colours what was measured, dashed in the colour of the text what is proven.

    ``axes`` is matplotlib's, where it is drawn now: the first of the ``panels``, which stand one above the other.
    """

    def __init__(self, height: float = HEIGHT, panels: int = 1) -> None:
        plotting()
        # Not through pyplot: that would choose a backend for the whole process, and keep the figures.
        from matplotlib.figure import Figure as Drawing

        self._figure = Drawing(figsize=(WIDTH, height), layout="constrained")
        self.panels: list[Any] = self._figure.subplots(panels, 1, sharex=panels > 1, squeeze=False)[:, 0].tolist()
        self.axes = self.panels[0]

    def line(self, xs: Values, ys: Values, colour: int, label: str | None, **style: Any) -> None:
        """Draw what was measured, in one of the colours."""
        self.axes.plot(xs, ys, color=COLOURS[colour], label=label, **style)

    def dots(self, at: tuple[Values, Values], colour: str, label: str | None, marker: str, size: float = 6) -> None:
        """Draw single points."""
        self.axes.plot(*at, color=colour, label=label, marker=marker, markersize=size, linestyle="none")

    def bound(self, xs: Values, ys: Values, label: str | None, **style: Any) -> None:
        """Draw what is proven."""
        self.axes.plot(xs, ys, **{"color": INK, "linestyle": "--", "label": label, **style})

    def set(self, xlabel: str, ylabel: str, ticks: Sequence[int] = (), log: str = "", **more: Any) -> None:
        """Name the axes; those named in ``log`` are logarithmic, and ``ticks`` are values to be named on the x axis."""
        scales = {f"{axis}scale": "log" for axis in log}
        self.axes.set(xlabel=xlabel, ylabel=ylabel, **scales, **more)
        if ticks:
            # But for those that would run into the next.
            after = [*ticks[1:], ticks[-1] * 9]
            self.tick([value for value, later in zip(ticks, after, strict=True) if later >= 1.8 * value])

    def tick(self, values: Sequence[int]) -> None:
        """Name these values on the x axis, and no others."""
        self.axes.set_xticks(values, [str(value) for value in values])
        self.axes.minorticks_off()

    def figure(self, words: str, **values: Any) -> Figure:
        """Return it for the page, its legend below the axes, where it covers no data; values fill in its words."""
        told = {"name": words, "columns": 2, "wide": False, **WORDS[words]}
        handles, labels = self.panels[0].get_legend_handles_labels()
        spaced = {"ncols": values.pop("columns", told["columns"]), "handlelength": 1.8, "columnspacing": 1.2}
        self._figure.legend(handles, labels, loc="outside lower center", **spaced)
        svg = to_svg(self._figure, told["name"], told["alt"].format(**values))
        return Figure(told["name"], told["title"], told["caption"].format(**values), svg, told["wide"])


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
    opening, rest = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    opening = opening.replace("<svg", f'<svg role="img" aria-labelledby="{name}-alt"')
    return f'{opening}><title id="{name}-alt">{escape(alt, quote=False)}</title>{rest}'
