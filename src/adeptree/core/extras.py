"""Optional dependencies: imported at first use, with an error message if they are missing."""

from __future__ import annotations

import importlib.util
from typing import Any

from adeptree.core.errors import MissingExtra


class Extra:
    """A proxy for a module that may be missing.

    >>> numpy, nothing = Extra("numpy", "a test", "core"), Extra("no_such_module", "this class", "none")
    >>> numpy.int64(3) + 1
    np.int64(4)
    >>> nothing.anything
    Traceback (most recent call last):
        ...
    adeptree.core.errors.MissingExtra: this class needs no_such_module; run in a clone: pip install '.[none]'
    """

    def __init__(self, module: str, who: str, extra: str) -> None:
        self._module, self._package = module, module.partition(".")[0]
        self._missing = f"{who} needs {self._package}; run in a clone: pip install '.[{extra}]'"

    def require(self) -> None:
        """Raise MissingExtra if the module is missing; nothing is imported."""
        if importlib.util.find_spec(self._package) is None:
            raise MissingExtra(self._missing)

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(importlib.import_module(self._module), name)
        except ImportError:
            raise MissingExtra(self._missing) from None
