"""Agnostic online learning with provable regret, through a consistency oracle alone.

>>> import adeptree as at
>>> learner = at.Adept(at.Thresholds(256), horizon=1000)
>>> 0.0 <= learner.predict_proba(17) <= 1.0
True
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adeptree.api import *
    from adeptree.api import __version__ as __version__


def __getattr__(name: str) -> Any:
    """Load the library at the first use of one of its names, so that ``adeptree --help`` need not wait for it."""
    if not name.startswith("_") and find_spec(f"adeptree.{name}") is not None:
        return import_module(f"adeptree.{name}")
    try:
        found = getattr(import_module("adeptree.api"), name)
    except AttributeError:
        new = import_module("adeptree.core.renamed").RENAMED.get(name)
        why = f"; use {new} (docs/reference/renamed.md)" if new else ""
        # "from adeptree import name" drops the message of an AttributeError, and asks through this function.
        asked_by_import = new and sys._getframe(1).f_code.co_name == "_handle_fromlist"
        error = ImportError if asked_by_import else AttributeError
        raise error(f"module 'adeptree' has no attribute {name!r}{why}") from None
    globals()[name] = found  # the next look finds it at once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("adeptree.api").__all__})
