"""The families of this package that people choose from."""

from __future__ import annotations

from adeptree.families.registry import families
from adeptree.roles.family import Family


def shipped() -> list[Family]:
    """Return the families with a line about them, without those of other packages or tests."""
    return [family for family in families() if family.line and family.kind.__module__.startswith("adeptree.")]
