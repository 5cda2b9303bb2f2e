"""Classes given as a table, and all other classes that can be listed."""
