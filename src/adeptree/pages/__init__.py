"""Self-contained HTML pages, and what they are made of."""
