"""Rules that combine: on a named column, unions, and models as rules."""
