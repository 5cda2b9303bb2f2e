"""The families of rules: one folder each, with everything about it."""
