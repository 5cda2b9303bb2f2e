"""Convert a cell of a table to the name of a block."""

from __future__ import annotations

from collections.abc import Sequence

from adeptree.core.cell_text import brief, is_storable
from adeptree.core.errors import InvalidInstance
from adeptree.families.blocks.block_unions import BlockUnions


def block_of_cell(concept_class: BlockUnions, texts: Sequence[str]) -> str:
    """Return the text of a nonempty cell that is valid Unicode, unchanged."""
    text = texts[0]
    if not text:
        raise InvalidInstance("the value is missing")
    if not is_storable(text):
        raise InvalidInstance(f"a value must be text without NUL and half characters; got {brief(text)!r}")
    return text
