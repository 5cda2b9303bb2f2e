"""Columns that look like numbers or dates and are read as texts: how to have their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import brief, is_missing, is_number
from adeptree.families.tables.detecting import SAMPLED

DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d).*")
KINDS = {
    re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"): (
        "if these are numbers, remove the separators of thousands, or add --decimal , if the comma begins the fraction"
    ),
    re.compile(r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?"): "if these are numbers, add --decimal ,",
    re.compile(r"[-+]?\d{1,3}(['’ \u00a0\u202f]\d{3})+([.,]\d+)?"): (
        "if these are numbers, remove the separators of thousands"
    ),
    DATE: "if these are dates, write them in ISO 8601, as ",
}
"""Texts that are not read as numbers or times, and what to do about them."""


def hints(stream: Stream) -> Iterator[str]:
    """Yield what to do about columns of such texts, by the first rows."""
    rows = stream.there()[:SAMPLED]
    for place, name in enumerate(stream.columns):
        texts = [text for row in rows if not is_missing(text := row.cells[place].strip())]
        odd = [text for text in texts if not is_number(text)]
        if hint := hint_for(odd, len(texts)):
            if "--decimal" in hint and not stream.form.startswith("CSV"):
                hint = "if these are numbers, write them as JSON does, such as 1234.5"
            yield f'{stream.name}: column "{brief(name)}" holds texts such as {brief(odd[0])}; {hint}'


def hint_for(odd: list[str], count: int) -> str:
    """Return what to do, if nine of ten texts of a column are numbers or of one kind; ``odd`` are no numbers.

    >>> hint_for(["1.234,5"], 10), hint_for(["31.12.2025"] * 9, 10), hint_for(["12 a"], 1)
    ('if these are numbers, add --decimal ,', 'if these are dates, write them in ISO 8601, as 2025-12-31', '')
    """
    for kind, hint in KINDS.items():
        found = [match for match in map(kind.fullmatch, odd) if match]
        if found and 10 * (len(odd) - len(found)) <= count:
            return hint + (_iso([date.groups() for date in found]) if kind is DATE else "")
    return ""


def _iso(dates: list[tuple[str, ...]]) -> str:
    """Return the first date in ISO 8601; the day comes first, unless a second number is too large for a month."""
    first, _, second, year = dates[0]
    month, day = (first, second) if any(int(date[2]) > 12 for date in dates) else (second, first)
    return f"{year}-{month:>02}-{day:>02}"
