"""Showing text on the terminal."""

from __future__ import annotations

import os
import sys

import typer


def show(text: str) -> None:
    """Print, and make sure that a failure is told only once."""
    try:
        typer.echo(text)
    except OSError:
        # What is left in the buffer would fail once more, with a traceback, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise
