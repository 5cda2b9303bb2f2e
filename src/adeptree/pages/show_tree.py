"""The tree of one round as SVG. A node has the same position in every round, so that the tree visibly grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

from adeptree.pages.show_game import Labels, Path, Pruned, Shown, Step, reason
from adeptree.pages.skeleton import fill

LEFT, TOP, ROW, RADIUS = 20, 58, 30, 10
STUB = (21, 11)
"""Size of the stub of a cut branch, to the right and vertically."""
LONGEST_BAR = 40


@dataclass(frozen=True)
class Places:
    """The positions of nodes: rounds from left to right, the last round's paths from top to bottom."""

    game: Shown

    @property
    def column(self) -> int:
        """Distance between rounds, smaller if there are many, for small screens."""
        return 54 if len(self.game.steps) <= 5 else 42

    @cached_property
    def heights(self) -> dict[Labels, float]:
        """y of every node: the middle of those that continue it."""
        last = self.game.steps[-1].paths
        found = {path.labels: TOP + ROW * (i + 0.5) for i, path in enumerate(last)}
        for step in reversed(self.game.steps[:-1]):
            for path in step.paths:
                found[path.labels] = _middle(found, path.labels)
        return {**found, (): _middle(found, ())}

    def at(self, node: Labels) -> tuple[float, float]:
        """Return x and y of a node."""
        return LEFT + self.column * len(node), self.heights[node]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the drawing."""
        wide = LEFT + self.column * len(self.game.steps) + RADIUS + 60 + LONGEST_BAR
        return wide, TOP + ROW * len(self.game.steps[-1].paths) + 8


def _middle(heights: dict[Labels, float], node: Labels) -> float:
    children = [heights[child] for b in (0, 1) if (child := (*node, b)) in heights]
    return sum(children) / len(children)


def tree_svg(places: Places, step: Step) -> str:
    """Return the tree after this round as an SVG."""
    wide, high = places.size
    parts = [*_heads(places, step), *_edges(places, step), *_stubs(places, step), *_nodes(places, step)]
    parts += [line for path in step.paths for line in _share(places, path)]
    alt = f"Tree of round {step.t}: {len(step.paths)} paths, {len(step.pruned)} pruned, P(1) = {step.p:.3f}"
    return fill("tree", wide=wide, high=high, alt=escape(alt), parts="\n".join(parts))


def _heads(places: Places, step: Step) -> Iterator[str]:
    """Name x and y above the rounds."""
    for one in places.game.steps[: step.t]:
        x = LEFT + places.column * one.t
        name = f"x={one.x}" if 8 * len(f"x={one.x}") <= places.column else f"t={one.t}"
        yield f'<text class="head" x="{x}" y="16">{escape(name)}</text>'
        yield f'<text class="head" x="{x}" y="34">y={one.y}</text>'


def _edges(places: Places, step: Step) -> Iterator[str]:
    """Draw the branches, with width by weight; dashed if the base learner predicted the other label."""
    for earlier in places.game.steps[: step.t]:
        for path in earlier.paths:
            (x0, y0), (x1, y1) = places.at(path.labels[:-1]), places.at(path.labels)
            carried = sum(p.share for p in step.paths if p.labels[: earlier.t] == path.labels)
            kind = "edge against" if path.wrong_guess else "edge"
            bend = f"M{x0:g} {y0:g}C{x0 + 24:g} {y0:g} {x1 - 28:g} {y1:g} {x1:g} {y1:g}"
            yield f'<path class="{kind}" d="{bend}" stroke-width="{1 + 5 * carried:.2f}"/>'


def _stubs(places: Places, step: Step) -> Iterator[str]:
    for earlier in places.game.steps[: step.t]:
        for cut in earlier.pruned:
            yield _stub(places, cut, old=earlier.t < step.t)


def _stub(places: Places, cut: Pruned, old: bool) -> str:
    """Draw the stub of a cut branch: a cross, or an M if it was cut for its mistakes."""
    x, y = places.at(cut.labels[:-1])
    right, away = STUB
    down = away if cut.labels[-1] else -away
    more = f"{' beyond' if cut.beyond else ''}{' old' if old else ''}"
    mark = "M" if cut.beyond else "×"
    why = escape(f"{cut.labels[-1]}: {reason(cut, places.game.mistake_bound)}")
    line = {"x0": x, "y0": y, "x1": x + right - 4, "y1": y + down}
    return fill("cut", why=why, more=more, mark=mark, x2=x + right + 1, y2=y + down + 5, **line)


def _nodes(places: Places, step: Step) -> Iterator[str]:
    x, y = places.at(())
    yield f'<circle class="zero" cx="{x:g}" cy="{y:g}" r="4"/>'
    for earlier in places.game.steps[: step.t]:
        for path in earlier.paths:
            (x, y), label = places.at(path.labels), path.labels[-1]
            mass = f"mass = {path.mass:.4f}" if path.capacity is None else f"W = {path.capacity}"
            told = f"path {''.join(map(str, path.labels))}: k = {path.mistakes}, {mass}, L = {path.loss}"
            yield fill("node", told=told, kind="one" if label else "zero", x=x, y=y, low=y + 4.5, label=label)


def _share(places: Places, path: Path) -> list[str]:
    """Write the path's share of the weight next to its last node."""
    x, y = places.at(path.labels)
    kind = "share is-one" if path.labels[-1] else "share"
    bar = max(1.0, LONGEST_BAR * path.share)
    return [
        f'<text x="{x + RADIUS + 5:g}" y="{y + 4.5:g}">{path.share:.1%}</text>',
        f'<rect class="{kind}" x="{x + RADIUS + 54:g}" y="{y - 5:g}" width="{bar:.1f}" height="10" rx="2"/>',
    ]
