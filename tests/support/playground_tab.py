"""The playground in a tab of a browser; the fixture ``page`` opens it."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import CHROMIUM
from browser_tab import Tab

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium is installed (Debian: apt-get install chromium)"
)
LESSONS = {"randomise": 4, "pruning": 5, "littlestone": 5, "lazy": 5, "lower-bound": 4, "review": 5, "drift": 6}
"""Number of steps of each."""


class Playground:
    """The page in a tab."""

    def __init__(self, tab: Tab, page: Path) -> None:
        self.tab, self.page = tab, page

    def open(self, link: str = "") -> Tab:
        self.tab.complaints.clear()
        self.tab.open(f"{self.page.as_uri()}#{link}")
        return self.tab

    def round(self, x: int, y: int) -> None:
        self.tab.click(f'#points [data-x="{x}"]')
        self.tab.click("#go-on")
        self.tab.click(f"#say-{y}")

    @property
    def link(self) -> str:
        return str(self.tab.value("location.hash.slice(1)"))

    def account(self, name: str) -> list[str]:
        cells = f"[...document.querySelectorAll('#account [data-value={name}]')].map(cell => cell.textContent)"
        return list(self.tab.value(cells))
