"""``adeptree serve``: learners behind HTTP, kept as a run is kept."""
