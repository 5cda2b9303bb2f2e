"""Adapters for other libraries: :mod:`adeptree.compat.river` and :mod:`adeptree.compat.sklearn` (extras)."""
