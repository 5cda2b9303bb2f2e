"""Agnostic online learning with provable regret, through a consistency oracle alone.

>>> import adeptree as at
>>> learner = at.Adept(at.Thresholds(256), horizon=1000)
>>> 0.0 <= learner.predict_proba(17) <= 1.0
True
"""

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
        raise AttributeError(f"module 'adeptree' has no attribute {name!r}") from None
    globals()[name] = found  # the next look finds it at once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *import_module("adeptree.api").__all__})
