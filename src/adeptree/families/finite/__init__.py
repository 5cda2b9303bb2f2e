"""Classes given as a table, and all others that can be listed."""
