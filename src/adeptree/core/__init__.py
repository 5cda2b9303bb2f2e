"""What every room needs and that knows nothing of learning: errors, types, arguments, files."""
