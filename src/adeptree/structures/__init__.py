"""Structures: sets of weighted paths that a learner predicts with, and how they combine."""
