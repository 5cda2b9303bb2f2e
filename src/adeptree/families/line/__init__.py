"""Thresholds and intervals on a line: of a grid, and of floats."""
