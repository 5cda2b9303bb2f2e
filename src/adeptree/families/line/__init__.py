"""Thresholds and intervals on a line, for a grid and for floats."""
