"""Curves against rounds as SVG, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from adeptree.pages.skeleton import Figure, words

WIDTH, HEIGHT = 400, 236
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 26, 62
"""Size of a figure, in units of about one pixel on a phone, so that 12-point text stays legible."""
COLOURS = ("var(--one)", "var(--cut)", "currentColor", "var(--soft)")
"""Colours of the page, for light and dark mode; bounds have the colour of the text, dashed."""
PROVEN, CONSTANT = 2, 3


class Curve(NamedTuple):
    """A line of a figure: its name in the legend, its values, and its colour."""

    label: str
    ys: Sequence[float]
    colour: int


def curves(name: str, ylabel: str, rounds: Sequence[int], drawn: Sequence[Curve], between: bool = False) -> Figure:
    """Return a figure whose words are in ``run_figures.toml``; zero is always in view, an infinite value is left out.

    >>> figure = curves("run-regret", "regret", [1, 2], [Curve("ours", [0.5, 0.2], 0), Curve("proven", [1, 9], PROVEN)])
    >>> figure.name, figure.svg.count("<path"), figure.svg.count("stroke-dasharray")
    ('regret', 2, 2)
    """
    told = words("run_figures.toml")[name]
    finite = [y for curve in drawn for y in curve.ys if math.isfinite(y)]
    ticks = _ticks(min(0.0, *finite, 0.0), max(0.0, *finite, 0.0))
    low, high, last = ticks[0], ticks[-1], max(rounds)

    def x_of(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * value / last

    def y_of(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    parts = [_text(4, 14, ylabel)]
    for tick in ticks:
        at = y_of(tick)
        parts.append(_line((LEFT, at, WIDTH - RIGHT, at), 'stroke="currentColor"', 0.7 if tick == 0 else 0.15))
        parts.append(_text(LEFT - 6, at + 4, _number(tick, ticks[1] - ticks[0]), "end"))
    for tick in (tick for tick in _ticks(0, last, 4) if tick <= last):
        at = x_of(tick)
        anchor = "end" if at > WIDTH - 24 else "middle"  # keeps long numbers from being cut off
        parts.append(_text(WIDTH if anchor == "end" else at, HEIGHT - BOTTOM + 16, _number(tick, 1), anchor))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 32, "row", "middle"))
    if between:
        both = [row for row in zip(rounds, drawn[0].ys, drawn[1].ys, strict=True) if math.isfinite(row[2])]
        edge = [(x, y) for x, y, _ in both] + [(x, y) for x, _, y in reversed(both)]
        corners = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in edge)
        parts.append(f'<polygon points="{corners}" fill="currentColor" fill-opacity="0.12"/>')
    for place, curve in enumerate(drawn):
        style = _style(curve.colour)
        for run in _runs(rounds, curve.ys):
            points = [f"{x_of(x):.1f} {y_of(y):.1f}" for x, y in run]
            # a line of length 0 with round ends is a dot
            parts.append(f'<path d="M{" L".join([*points, points[-1]])}" {style} fill="none"/>')
        begin, at = LEFT + place * (WIDTH - LEFT - RIGHT) / len(drawn), HEIGHT - 10
        parts += [_line((begin, at - 4, begin + 24, at - 4), style), _text(begin + 30, at, curve.label)]
    alt = told["alt"].format(rounds=last)
    svg = (
        f'<svg role="img" aria-labelledby="{told["name"]}-alt" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12">'
        f'<title id="{told["name"]}-alt">{escape(alt, quote=False)}</title>{"".join(parts)}</svg>'
    )
    return Figure(told["name"], told["title"], told["caption"].format(rounds=last), svg, wide=True)


def _style(colour: int) -> str:
    dashed = ' stroke-dasharray="6 4"' if colour == PROVEN else ' stroke-linecap="round"'
    width = 1.5 if colour == PROVEN else 2
    return f'style="stroke:{COLOURS[colour]}" stroke-width="{width}" stroke-linejoin="round"{dashed}'


def _line(ends: tuple[float, float, float, float], style: str, opacity: float = 1) -> str:
    x1, y1, x2, y2 = ends
    faint = "" if opacity == 1 else f' stroke-opacity="{opacity}"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}{faint}/>'


def _text(x: float, y: float, said: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(said)}</text>'


def _ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return about this many round numbers from below ``low`` to above ``high``.

    >>> _ticks(0, 87), _ticks(-0.3, 1), _ticks(0, 0), _ticks(0, 2000, 4)
    ([0, 20, 40, 60, 80, 100], [-0.5, 0.0, 0.5, 1.0], [0, 1], [0, 500, 1000, 1500, 2000])
    """
    span = high - low
    if span <= 0:
        return [0, 1]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * times for times in (1, 2, 5, 10) if power * times * most >= span * 0.999)
    step = int(step) if step >= 1 else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * i for i in range(first, last + 1)]


def _number(value: float, step: float) -> str:
    """Format the number of a tick.

    >>> _number(1000, 500), _number(0.30000000000000004, 0.1), _number(-2, 1), _number(0.0, 0.5)
    ('1,000', '0.3', '\N{MINUS SIGN}2', '0')
    """
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if value else 0
    return f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def _runs(xs: Sequence[float], ys: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    """Yield the stretches of points in which all values are finite."""
    run: list[tuple[float, float]] = []
    for x, y in [*zip(xs, ys, strict=True), (0.0, math.inf)]:
        if math.isfinite(y):
            run.append((x, y))
        elif run:
            yield run
            run = []
