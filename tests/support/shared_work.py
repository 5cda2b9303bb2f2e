"""Work that one worker of the tests does for all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def in_turn(factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """Yield a folder that all workers share, to one worker at a time: the first one fills it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    taken = folder.with_name(f"{name}-is-written")
    while True:
        try:
            taken.mkdir()
        except FileExistsError:
            time.sleep(0.1)
        else:
            break
    try:
        yield folder
    finally:
        taken.rmdir()
