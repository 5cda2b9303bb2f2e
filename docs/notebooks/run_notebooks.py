"""Run the notebooks of the docs again and keep their outputs: python docs/notebooks/run_notebooks.py   (extra docs)"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOM = Path(__file__).resolve().parent


def run(path: Path) -> Any:
    """Return the notebook, run from its first cell to its last in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    ours = os.pathsep.join([str(ROOM.parents[1] / "src"), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=60, resources=place, record_timing=False, coalesce_streams=True)
        client.execute(env={**os.environ, "PYTHONPATH": ours})
    notebook.metadata.language_info = {"name": "python"}  # not the version of the Python that happened to run it
    return notebook


if __name__ == "__main__":
    for path in sorted(ROOM.glob("*.ipynb")):
        nbformat.write(run(path), path)
