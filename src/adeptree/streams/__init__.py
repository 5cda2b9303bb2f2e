"""Streams of labelled rows for the command line: CSV, NDJSON or Parquet, never held as a whole."""

from adeptree.streams.layout import Example, Layout, layout_of
from adeptree.streams.rows import Row, Stream
from adeptree.streams.rules import Competition, competition
from adeptree.streams.sources import BUNDLED, FORMATS, open_stream

__all__ = [
    "BUNDLED",
    "FORMATS",
    "Competition",
    "Example",
    "Layout",
    "Row",
    "Stream",
    "competition",
    "layout_of",
    "open_stream",
]
