"""A small game, drawn: the tree of realizable labellings round by round, as text and as an HTML page."""

from adeptree.show.game import Shown, Step, shown
from adeptree.show.page import show_page, write_show_page
from adeptree.show.text import show_text

__all__ = ["Shown", "Step", "show_page", "show_text", "shown", "write_show_page"]
