"""adeptree inside other libraries: :mod:`adeptree.compat.river` and :mod:`adeptree.compat.sklearn` (extras)."""
