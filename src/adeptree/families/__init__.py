"""The families of rules: one folder each, with everything about it. Importing this room makes them known."""

from importlib import import_module
from pkgutil import iter_modules

from adeptree.families.registry import register

FIRST = ("line", "stumps", "blocks", "bits")
"""The folders whose families are listed first, for people; all others follow by name."""

_found = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
for _folder in sorted(_found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST)):
    for _family in import_module(f"{__name__}.{_folder}").FAMILIES:
        register(_family)
