"""Rules on one column of a table: numbers, texts and gaps."""
