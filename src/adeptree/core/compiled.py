"""Which form of the kernels runs: machine code where it was built with the package, else their source, interpreted.

Both give the same bits. ADEPTREE_ENGINE=python asks for the source, ADEPTREE_ENGINE=compiled insists on machine code.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

ASKED = os.environ.get("ADEPTREE_ENGINE", "")


def _found() -> bool:
    """Whether there is machine code, and it is wanted; what is there and broken is an error, not slowness."""
    if ASKED == "python":
        return False
    try:
        import_module("adeptree._compiled.ledger_kernel")
    except ModuleNotFoundError as error:
        if ASKED == "compiled" or error.name != "adeptree._compiled.ledger_kernel":
            raise
        return False
    return True


COMPILED = _found()
"""Whether machine code runs."""


def kernel(source: str) -> Any:
    """Return a kernel's module, by the name of its source: all of them compiled, or none.

    >>> kernel("adeptree.theory.ledger_kernel").Ledger().rounds
    0
    """
    return import_module(f"adeptree._compiled.{source.rpartition('.')[2]}" if COMPILED else source)
