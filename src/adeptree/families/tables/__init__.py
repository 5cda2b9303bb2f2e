"""Rules on one column of a table with numbers, texts and missing values."""
