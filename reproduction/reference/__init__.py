"""Reference implementations: slow transcriptions of pseudocode, shared by experiments and tests."""
