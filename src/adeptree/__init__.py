"""Agnostic online learning with provable regret, through a consistency oracle alone.

>>> import adeptree as at
>>> learner = at.Adept(at.Thresholds(256), horizon=1000)
>>> 0.0 <= learner.predict_proba(17) <= 1.0
True
"""

import os
import re
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adeptree.api import *

__version__ = "1.0.0rc2"


@cache
def _homes() -> dict[str, str]:
    """Return the module of each public name, read from the text of ``api.py`` without running its imports."""
    with open(os.path.join(os.path.dirname(__file__), "api.py"), encoding="utf-8") as file:  # pathlib is slow to import
        text = file.read()
    return {name: home for home, name in re.findall(r"^from (adeptree[\w.]*) import (\w+) as", text, re.MULTILINE)}


def __getattr__(name: str) -> Any:
    """Load a module at the first use of one of its public names: most programs need a few of them."""
    if not name.startswith("_") and find_spec(f"adeptree.{name}") is not None:
        return import_module(f"adeptree.{name}")
    if name == "__all__":
        found: Any = [*_homes(), "__version__"]
    elif name in _homes():
        home = import_module(_homes()[name])
        found = vars(home).get(name) or import_module(f"{home.__name__}.{name}")
    else:
        new = import_module("adeptree.core.renamed").RENAMED.get(name)
        why = f"; use {new} (docs/reference/renamed.md)" if new else ""
        # "from adeptree import name" drops the message of an AttributeError, so the message is raised from here.
        asked_by_import = new and sys._getframe(1).f_code.co_name == "_handle_fromlist"
        error = ImportError if asked_by_import else AttributeError
        raise error(f"module 'adeptree' has no attribute {name!r}{why}")
    globals()[name] = found  # later accesses do not call this function
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes()})
