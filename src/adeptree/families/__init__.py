"""The families of rules: one folder each, with everything about it. Importing this room makes them known."""

from adeptree.families import bits, blocks, finite, line, stumps, templates
from adeptree.families.registry import register

for _folder in (line, stumps, blocks, bits, finite, templates):
    for _family in _folder.FAMILIES:
        register(_family)
