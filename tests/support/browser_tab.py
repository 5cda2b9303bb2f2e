"""A tab of a headless Chromium that tests click and type in, through the browser's own protocol over two pipes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from browser import CHROMIUM, QUIET

PHONE, DESK = (390, 844), (1280, 900)
KEYS = {"Enter": "\r", "Tab": "", "ArrowRight": "", "ArrowLeft": "", "Home": "", "End": ""}
CODES = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35}


class Tab:
    """One page; its warnings, errors and exceptions are in ``complaints``."""

    def __init__(self, folder: Path, size: tuple[int, int] = DESK, *, dark: bool = False, still: bool = True) -> None:
        import fcntl  # (not everywhere: elsewhere the tests of a tab are skipped, as no browser is found)

        self.complaints: list[str] = []
        self._sent, self._loaded, self._buffer = 0, False, b""
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # (above 4, so that neither is overwritten before it is copied)
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]

        def as_three_and_four() -> None:
            for number, end in zip((3, 4), ends, strict=True):
                os.dup2(end, number)

        command = [
            str(CHROMIUM),
            *QUIET,
            f"--user-data-dir={folder / 'profile'}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            command, preexec_fn=as_three_and_four, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._session = ""
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        self.size = wide, high = size
        self._call(
            "Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=size == PHONE
        )
        media = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "",
        }
        self._call("Emulation.setEmulatedMedia", features=[{"name": n, "value": v} for n, v in media.items()])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):
            self._send("Browser.close")
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    # --- The protocol: messages of JSON, each ended by a zero byte ---

    def _send(self, method: str, **params: Any) -> int:
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": params}
        if self._session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return self._sent

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            more = os.read(self._in, 1 << 16)
            if not more:
                raise RuntimeError("the browser is gone")
            self._buffer += more
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]

    def _heard(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params", {})
        self._loaded = self._loaded or method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("warning", "error"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("warning", "error", "assert"):
            self.complaints.append(json.dumps(params["args"]))

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        number = self._send(method, **params)
        while (message := self._next()).get("id") != number:
            self._heard(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]  # type: ignore[no-any-return]

    # --- What a person does ---

    def open(self, address: str) -> None:
        """Load a page, also if only the part after the # differs."""
        self._call("Page.navigate", url="about:blank")
        self._loaded = False
        self._call("Page.navigate", url=address)
        while not self._loaded or self.value("location.href === 'about:blank' || document.readyState !== 'complete'"):
            if not self._loaded:
                self._heard(self._next())

    def value(self, expression: str) -> Any:
        """Return what JavaScript says of the page."""
        done = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise AssertionError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.value(f"document.querySelector({json.dumps(selector)}).textContent"))

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element that can be seen."""
        place = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center', "
            "inline: 'center'}); const {left, top, width, height} = e.getBoundingClientRect(); const at = [left + "
            "width / 2, top + height / 2]; const hit = document.elementFromPoint(...at); "
            "return e.contains(hit) ? at : null; })()"
        )
        assert place, f"{selector} cannot be clicked: it is hidden, or something lies over it"
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, *keys: str) -> None:
        """Press keys, by name or as the sign they write."""
        for key in keys:
            text = KEYS.get(key, key)
            code = CODES.get(key, ord(key.upper()) if len(key) == 1 else 0)
            self._call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
            self._call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def write(self, selector: str, text: str) -> None:
        """Replace what is in a field, and leave it."""
        field = f"document.querySelector({json.dumps(selector)})"
        self.click(selector)
        self.value(f"{field}.focus(); {field}.select()")
        self._call("Input.insertText", text=text) if text else self.value("document.execCommand('delete')")
        self.value(f"{field}.blur()")

    def choose(self, selector: str, option: str) -> None:
        """Choose from a list. (The list itself is drawn by the system, outside of the page.)"""
        field = f"document.querySelector({json.dumps(selector)})"
        self.value(
            f"{field}.value = {json.dumps(option)}; {field}.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )

    def picture(self, file: Path) -> None:
        """Save what is seen of the whole page."""
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self._call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(shot["data"]))
