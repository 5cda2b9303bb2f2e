"""Errors, types, argument checks and files: code that every other package uses and that is not about learning."""
