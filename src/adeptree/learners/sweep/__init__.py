"""The paths engine, compiled."""
