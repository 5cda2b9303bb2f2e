"""Families that are decided by a real solver (extras)."""
