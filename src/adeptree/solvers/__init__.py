"""Families with a solver as their oracle (extras)."""
