"""The families of rules, one folder each."""
