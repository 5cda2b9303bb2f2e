"""Pages in the tests: read as tags, and opened in a real browser where there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --enable-logging=stderr"
).split()

VOID = {"meta", "link", "br", "hr", "img", "input"}


SVG_LEAVES = {"path", "use", "rect", "line", "circle"}


class Reader(HTMLParser):
    """Collects what the tests look for, and whether tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.tags: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.links: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._seen(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def _seen(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            if name == "id":
                self.ids[value or ""] += 1
            if name in ("src", "href", "srcset", "data", "action"):
                self.links.append((name, value or ""))


MEASURE = """
<script>
const svgs = [...document.querySelectorAll("figure svg")];
const type = svgs.flatMap(svg => [...svg.querySelectorAll("text")].map(
  text => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)));
const result = {
  wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth,
  figures: svgs.map(svg => ({id: svg.closest("figure").id, width: svg.getBoundingClientRect().width,
    height: svg.getBoundingClientRect().height})),
  smallest: Math.min(...type),
};
const out = document.createElement("pre");
out.id = "measured";
out.textContent = JSON.stringify(result);
document.body.append(out);
</script>
"""


NARROWEST = 500
"""Chromium opens no narrower window, so pages for phones are shown in a frame."""
IN_A_FRAME = """<body style="margin: 0"><iframe src="{}" style="border: 0; width: {}px; height: 900px"></iframe><script>
setTimeout(() => {{
  document.documentElement.innerHTML = document.querySelector("iframe").contentDocument.documentElement.innerHTML;
}}, 2500);
</script></body>"""


def browse(tmp_path: Path, html: str, width: int, *options: str) -> tuple[str, str]:
    """Open the page in headless Chromium with this width in pixels; return its DOM (or nothing) and its log."""
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    command = [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900"]
    if width < NARROWEST:
        outer = tmp_path / "outer.html"
        outer.write_text(IN_A_FRAME.format(file.as_uri(), width), encoding="utf-8")
        file, command = outer, [*command, "--allow-file-access-from-files"]
    command += ["--virtual-time-budget=3000", *options, file.as_uri()]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=100, check=True)
    return done.stdout, done.stderr


def measured(dom: str) -> Any:
    """Return what a script of a page has written, as JSON, into ``<pre id="measured">``."""
    found = re.search(r'<pre id="measured"[^>]*>(.+?)</pre>', dom, flags=re.DOTALL)
    assert found, "the script did not run"
    return json.loads(unescape(found[1]))
