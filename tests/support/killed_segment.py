"""Rules that kill the process in which a learner first meets a row with the fatal value, once."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adeptree as at


@dataclass(frozen=True, repr=False, init=False)
class FatalStumps(at.TableStumps):
    marker: str = ""
    home: int = 0

    def __init__(self, features: Any, marker: str, home: int) -> None:
        super().__init__(features)
        object.__setattr__(self, "marker", marker)
        object.__setattr__(self, "home", home)

    def instances_of(self, xs: Any) -> Any:
        if any(x.get("score") == 0.25 for x in xs) and os.getpid() != self.home:
            try:
                Path(self.marker).touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().instances_of(xs)
