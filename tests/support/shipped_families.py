"""The families of this package that people choose from."""

from __future__ import annotations

from adeptree.families.registry import FAMILIES
from adeptree.roles.family import Family


def shipped() -> list[Family]:
    """Return the families with a line about them, without those of other packages or tests."""
    return [family for family in FAMILIES.values() if family.line and family.kind.__module__.startswith("adeptree.")]
