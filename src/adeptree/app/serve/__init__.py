"""``adeptree serve``: learners behind HTTP, saved like a run."""
