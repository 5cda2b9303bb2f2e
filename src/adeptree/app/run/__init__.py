"""``adeptree run``: streams, the run, its files and its summary."""
