"""Display objects: one line in a terminal, a small card in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from adeptree.core.cell_text import brief
from adeptree.core.escaping import rounded_up, visible, visible_lines

# Colours are inherited from the notebook, so that a card fits light and dark themes.
CARD = "display:inline-block;max-width:48em;padding:.5em .9em;border:1px solid rgba(128,128,128,.45);border-radius:6px"
TABLE = "border:none;color:inherit;font:inherit"
NAME = "font-weight:normal;opacity:.7;white-space:nowrap"
CELL = "text-align:left;vertical-align:top;padding:.1em .8em .1em 0;background:none;border:none"


def pictures(name: str) -> Any:
    """Import a drawing module at first use, because it lies above the objects that it draws."""
    return import_module(f"adeptree.pages.{name}")


def text(value: object) -> str:
    """Escape a text for HTML, because names in it may come from untrusted files.

    >>> text("a<b\\x1b")
    'a&lt;b\\\\x1b'
    """
    from html import escape  # not needed in a terminal

    return escape(visible_lines(str(value)))


def card(title: str, facts: Mapping[str, object]) -> str:
    """Return a small HTML table about an object; all values are escaped.

    >>> "&lt;b&gt;" in card("Adept", {"best rule": "<b>"})
    True
    """
    rows = "".join(
        f'<tr style="background:none"><th scope="row" style="{CELL};{NAME}">{text(name)}</th>'
        f'<td style="{CELL};overflow-wrap:anywhere">{text(shortened(value))}</td></tr>'
        for name, value in facts.items()
    )
    return f'<div style="{CARD}"><strong>{text(title)}</strong><table style="{TABLE}">{rows}</table></div>'


def line(kind: str, facts: Mapping[str, object]) -> str:
    """Return the one-line representation of an object.

    >>> line("Adept", {"class": "thresholds(n=16)", "regret": "0.50"})
    '<Adept: class thresholds(n=16), regret 0.50>'
    """
    return f"<{kind}: {', '.join(f'{name} {visible(shortened(value))}' for name, value in facts.items())}>"


def shortened(value: object) -> str:
    """Format a number for people, or shorten a long text."""
    return (
        f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else brief(str(value))
    )


def standing(
    rounds: int, loss: float, rule: str | None, best_loss: float | None, bound: float, horizon: int | None = None
) -> dict[str, object]:
    """Summarise a learner: rounds, its loss, the best rule's loss, and the regret with its bound."""
    of_all = "" if horizon is None else f" of {horizon:,}"
    facts: dict[str, object] = {"rounds": f"{rounds:,}{of_all}", "expected loss": float(loss)}
    if best_loss is not None:
        facts |= {} if rule is None else {"best rule": rule}
        facts["best loss"] = f"{best_loss:,.10g}"
        facts["regret"] = float(loss - best_loss)
        if bound < math.inf:
            facts["proven at most"] = rounded_up(bound)
    return facts
