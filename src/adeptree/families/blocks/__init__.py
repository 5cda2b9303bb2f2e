"""Unions of at most d blocks: blocklists."""
