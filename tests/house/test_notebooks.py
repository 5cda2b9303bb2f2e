"""The notebooks of the docs show what today's code shows, and draw where they drew."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebooks need the extra docs")
pytest.importorskip("nbclient", reason="the notebooks need the extra docs")
pytest.importorskip("ipykernel", reason="the notebooks need the extra docs")
pytest.importorskip("matplotlib", reason="the notebooks need the extra plot")
pytest.importorskip("pandas", reason="the notebooks need the extra frame")

ROOM = Path(__file__).parents[2] / "docs/notebooks"


def seen(notebook: Any) -> list[Any]:
    """Return what a reader sees below each cell; of a picture only that it is there, as its bytes are matplotlib's."""
    shown = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            found = {"text": output.text} if output.output_type == "stream" else dict(output.data)
            found = {kind: "a picture" if kind.startswith("image/") else text for kind, text in found.items()}
            shown.append((cell.source, output.output_type, found))
    return shown


@pytest.mark.parametrize("name", ["own-frame", "teaching"])
def test_a_notebook_shows_what_it_shows_when_it_is_run(name: str) -> None:
    kept = nbformat.read(ROOM / f"{name}.ipynb", as_version=4)
    run = run_path(str(ROOM / "run_notebooks.py"))["run"]
    told = seen(kept)
    assert len(told) >= 8 and sum("image/png" in found for _, _, found in told) >= 2
    assert seen(run(ROOM / f"{name}.ipynb")) == told


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in ROOM.glob("*.ipynb")} == {"own-frame", "teaching"}
