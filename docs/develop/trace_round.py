"""Write down which files and functions a round passes: ``python docs/develop/trace_round.py`` renews walk.md.

Real learners play a short stream under ``sys.settrace``; listed is what any of its rounds entered, in the order of the
first time.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOUSE = Path(__file__).parents[2] / "src" / "adeptree"
PAGE = Path(__file__).with_name("walk.md")
sys.path.insert(0, str(HOUSE.parent))

Walk = dict[str, dict[str, None]]
"""The functions of each file, in order; the values say nothing."""


def entered(walk: Walk, do: Callable[..., Any], *arguments: Any) -> None:
    """Do something, and note which functions of adeptree were entered."""

    def note(frame: Any, event: str, value: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(HOUSE):
            name = frame.f_code.co_qualname.split(".<locals>")[0]  # what is inside a function belongs to it
            walk.setdefault(path.relative_to(HOUSE).as_posix(), {})[name] = None

    before = sys.gettrace()
    sys.settrace(note)
    try:
        do(*arguments)
    finally:
        sys.settrace(before)


def walks() -> dict[str, Walk]:
    """Play both learners of the page, and return what ``predict_proba`` and ``learn`` entered."""
    import adeptree as at

    def find(sample: Any) -> Any:
        """One value, and no other, has label 1."""
        ones = {x for x, y in sample if y}
        zeros = {x for x, y in sample if not y}
        if len(ones) > 1 or ones & zeros:
            return None
        return lambda x: int(x in ones)

    own = at.OracleClass(find=find, littlestone_dimension=1, name="one value")
    found: dict[str, Walk] = {}
    for name, concept_class in (("thresholds", at.Thresholds(256)), ("own-oracle", own)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner = at.Adept(concept_class)
        looks, commits = found.setdefault(f"{name}-predict", {}), found.setdefault(f"{name}-learn", {})
        for t in range(20):
            x = t * 37 % 11
            entered(looks, learner.predict_proba, x)
            entered(commits, learner.learn, x, int(x == 5) ^ (t % 7 == 6))
    return found


def renewed(page: str, found: dict[str, Walk]) -> str:
    """Return the page with its lists as of now: each stands between ``<!-- name -->`` and ``<!-- end -->``."""
    for name, walk in found.items():
        rows = [f"| {i} | `{file}` | {', '.join(f'`{f}`' for f in walk[file])} |" for i, file in enumerate(walk, 1)]
        table = "\n".join(["| | file | functions |", "|---|---|---|", *rows])
        page, times = re.subn(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)",
            lambda match, table=table: f"{match[1]}\n{table}\n{match[2]}",
            page,
            flags=re.DOTALL,
        )
        if times != 1:
            raise SystemExit(f"walk.md must have one place for {name}; it has {times}")
    return page


if __name__ == "__main__":
    if any(word.startswith("-") for word in sys.argv[1:]):
        raise SystemExit(__doc__)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    target.write_text(renewed(PAGE.read_text(encoding="utf-8"), walks()), encoding="utf-8")
