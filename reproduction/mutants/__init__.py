"""Mutation testing: deliberate defects, and the check of the report that catches each of them."""
