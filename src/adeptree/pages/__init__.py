"""Self-contained HTML pages, their figures and texts."""
