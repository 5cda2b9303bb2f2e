"""Load kernels as machine code if it was built with the package, else as interpreted source.

Both give the same bits. ADEPTREE_ENGINE=python selects the source; ADEPTREE_ENGINE=compiled requires machine code.
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
    """Call a kernel's function by name; copies and pickles use this, so they work with either form."""
    return getattr(kernel(source), function)(*arguments)


def kernel(source: str) -> Any:
    """Return a kernel's module by the name of its source. All kernels are compiled, or none.

    >>> kernel("adeptree.theory.ledger_kernel").Ledger().rounds
    0
    """
    return import_module(f"adeptree._compiled.{source.rpartition('.')[2]}" if COMPILED else source)
