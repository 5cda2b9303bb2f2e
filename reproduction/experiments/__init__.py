"""Experiments: one file per claim, with the games that measure it and a check that can fail."""
