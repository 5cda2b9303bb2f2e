"""Draw the map of the rooms from the imports as they are: ``python docs/develop/draw_map.py`` writes rooms.svg.

Every room stands above all that it imports. An arrow is an import; one that a chain of arrows implies is not drawn
again, but named in the box.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

HOUSE = Path(__file__).parents[2] / "src" / "adeptree"
DRAWN = Path(__file__).with_name("rooms.svg")

ABOUT = {
    "app": "the command line",
    "checks": "the contract of each role",
    "compat": "River, scikit-learn",
    "core": "errors, types, files, seeds",
    "families": "rules, one folder per family",
    "games": "play, adversaries, transcripts",
    "ghost": "a base learner from the oracle alone",
    "learners": "Algorithm 2 and the learners around it",
    "oracles": "oracles and their layers",
    "pages": "figures and HTML",
    "research": "points known in advance",
    "roles": "the interfaces",
    "runner": "journal, late labels, resume",
    "solvers": "families through SAT, LP, SMT",
    "structures": "the weights of many paths at once",
    "theory": "every formula",
}

WIDTH, MARGIN, GAP = 400, 6, 34
"""Narrow, so that its type of 13 pixels is still 11 high on a phone."""
MAIN, SIDE = 216, 130
"""Widths of the column that others import from, and of the one for rooms without importers."""
LINE, LETTER, EDGE = 15, 6.6, 8

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #4a5560 }
  .name { font-size: 15px; font-weight: 600; fill: #10222f }
  .ground { fill: #ffffff } .room { fill: #eef5fa; stroke: #5b8fb0 } .leaf { fill: #f6f3ec; stroke: #a8946a }
  .arrow { fill: none; stroke: #5b8fb0; stroke-width: 1.6 } .head { fill: #5b8fb0 }
  @media (prefers-color-scheme: dark) {
    text { fill: #aab6c0 } .name { fill: #eef4f8 }
    .ground { fill: #131416 } .room { fill: #1b2a35; stroke: #5e93b5 } .leaf { fill: #2b271e; stroke: #9c8a60 }
    .arrow { stroke: #7fb2d3 } .head { fill: #7fb2d3 }
  }
"""

Graph = dict[str, set[str]]


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports when it runs, also inside functions; imports for type checkers do not count."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "at":
            yield f"adeptree.{node.attr}"  # (of "import adeptree as at")
        else:
            yield from imported(node)


def imports(house: Path = HOUSE) -> Graph:
    """Return for every room the rooms that it imports."""
    rooms: Graph = {path.parent.name: set() for path in sorted(house.glob("[!_]*/__init__.py"))}
    # "from adeptree import Adept" is an import of the room that api.py has it from.
    public = {
        name.split(".")[-1]: name.split(".")[1] for name in imported(_parsed(house / "api.py")) if "adeptree." in name
    }
    for path in sorted(house.glob("*/**/*.py")):
        room = path.relative_to(house).parts[0]
        for name in imported(_parsed(path)):
            first, _, rest = name.partition(".")
            other = rest.split(".")[0]
            other = public.get(other, other)
            if first == "adeptree" and other in rooms and other != room:
                rooms[room].add(other)
    return rooms


def _parsed(path: Path) -> ast.AST:
    return ast.parse(path.read_text(encoding="utf-8"))


def levels(rooms: Graph) -> dict[str, int]:
    """Return how high each room stands: one above the highest that it imports.

    >>> levels({"core": set(), "roles": {"core"}, "app": {"core", "roles"}})
    {'core': 0, 'roles': 1, 'app': 2}
    """

    def level(room: str, above: tuple[str, ...] = ()) -> int:
        if room in above:
            raise SystemExit(f"rooms import each other in a circle: {' -> '.join((*above, room))}")
        return max((level(other, (*above, room)) + 1 for other in rooms[room]), default=0)

    return {room: level(room) for room in rooms}


def reached(rooms: Graph, room: str) -> set[str]:
    """Return all rooms that a room needs, directly or not."""
    return rooms[room].union(*(reached(rooms, other) for other in rooms[room])) if rooms[room] else set()


def arrows(rooms: Graph) -> Graph:
    """Return the imports that no chain of others implies.

    >>> arrows({"core": set(), "roles": {"core"}, "app": {"core", "roles"}})
    {'core': set(), 'roles': {'core'}, 'app': {'roles'}}
    """
    implied = {room: set().union(*(reached(rooms, other) for other in rooms[room])) for room in rooms}
    return {room: rooms[room] - implied[room] for room in rooms}


def drawing(rooms: Graph) -> str:
    """Return the SVG."""
    high = levels(rooms)
    top = max(high.values())
    leaves = {room for room in rooms if not any(room in others for others in rooms.values()) and high[room] < top}
    drawn, lines, rects = arrows(rooms), [], []
    more = {room: sorted(rooms[room] - drawn[room], key=lambda other: (-high[other], other)) for room in rooms}
    places: dict[str, tuple[float, int, float]] = {}  # (left edge, level, width)
    for level in range(top + 1):
        main = sorted(room for room in rooms if high[room] == level and room not in leaves)
        wide = (MAIN - GAP / 2 * (len(main) - 1)) / max(1, len(main))
        places |= {room: (MARGIN + i * (wide + GAP / 2), level, wide) for i, room in enumerate(main)}
    row = -1
    for room in sorted(leaves, key=lambda room: (high[room], room)):  # (each in another row)
        row = max(high[room], row + 1)
        places[room] = WIDTH - MARGIN - SIDE, row, SIDE
    texts = {room: _lines(room, wide, more[room]) for room, (_, _, wide) in places.items()}
    needed = [(row, 44 + LINE * len(texts[room])) for room, (_, row, _) in places.items()]
    heights = [max(need for at, need in needed if at == row) for row in range(top + 1)]
    below = {row: MARGIN + sum(heights[row + 1 :]) + GAP * (top - row) for row in range(top + 1)}
    boxes = {room: (x, below[row], wide, heights[row]) for room, (x, row, wide) in places.items()}
    tall = 2 * MARGIN + sum(heights) + GAP * top
    # A room that does not stand right above its imports goes round the others, each in another lane.
    around = [room for room in rooms if room in leaves or any(high[room] > high[other] + 1 for other in drawn[room])]
    lanes = {room: MARGIN + MAIN + 36 - 10 * i for i, room in enumerate(sorted(around, key=lambda room: high[room]))}
    for room, box in boxes.items():
        for other in sorted(drawn[room]):
            lane = lanes.get(room) if room in leaves or high[room] > high[other] + 1 else None
            lines.append(_arrow(boxes[room], boxes[other], lane))
        rects.append(_box(room, box, "leaf" if room in leaves else "room", texts[room]))
    parts = [*lines, *rects]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" width="{WIDTH}" height="{tall}" '
        f'role="img" aria-label="The rooms of adeptree and their imports, from core at the bottom to app at the top">\n'
        f"<style>{STYLE}</style>\n"
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="head" d="M0 0 8 4 0 8z"/></marker>\n'
        f'<rect class="ground" width="{WIDTH}" height="{tall}" rx="8"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


Box = tuple[float, float, float, float]
"""Left and upper edge, width and height."""


def _lines(room: str, wide: float, more: list[str]) -> list[str]:
    texts = [ABOUT.get(room, ""), f"also {', '.join(more)}" if more else ""]
    return [line for text in texts for line in wrap(text, int((wide - 2 * EDGE) / LETTER))]


def _box(room: str, box: Box, kind: str, lines: list[str]) -> str:
    x, y, wide, tall = box
    text = "".join(f'<text x="{x + EDGE:g}" y="{y + 38 + i * LINE:g}">{line}</text>' for i, line in enumerate(lines))
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="6"/>'
        f'<text class="name" x="{x + EDGE:g}" y="{y + 21:g}">{room}</text>{text}'
    )


def _arrow(start: Box, end: Box, lane: float | None) -> str:
    """Go straight down; or down a lane, and in from the right."""
    (x0, y0, w0, tall), (x1, y1, w1, low) = start, end
    if lane is not None:
        way = f"M{x0 if lane < x0 else x0 + w0:g} {y0 + 18:g}H{lane:g}V{y1 + low - 16:g}H{x1 + w1 + 2:g}"
    else:
        narrow = min(start, end, key=lambda box: box[2])
        way = f"M{narrow[0] + narrow[2] / 2:g} {y0 + tall:g}V{y1 - 2:g}"
    return f'<path class="arrow" marker-end="url(#head)" d="{way}"/>'


if __name__ == "__main__":
    DRAWN.write_text(drawing(imports()), encoding="utf-8")
