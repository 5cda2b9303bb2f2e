"""Which form of the kernels runs: machine code where it was built with the package, else their source, interpreted.

Both give the same bits. ADEPTREE_ENGINE=python asks for the source, ADEPTREE_ENGINE=compiled insists on machine code.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from typing import Any

ASKED = os.environ.get("ADEPTREE_ENGINE", "")


COMPILED = ASKED == "compiled" or (ASKED != "python" and find_spec("adeptree._compiled.ledger_kernel") is not None)
"""True if compiled kernels are in use. A broken build raises instead of silently falling back."""


def of_kernel(source: str, function: str, *arguments: Any) -> Any:
    """Call a function of a kernel: what copies and pickles of its objects are made with, whichever form runs there."""
    return getattr(kernel(source), function)(*arguments)


def kernel(source: str) -> Any:
    """Return a kernel's module, by the name of its source: all of them compiled, or none.

    >>> kernel("adeptree.theory.ledger_kernel").Ledger().rounds
    0
    """
    return import_module(f"adeptree._compiled.{source.rpartition('.')[2]}" if COMPILED else source)
