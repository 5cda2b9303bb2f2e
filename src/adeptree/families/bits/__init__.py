"""Rules on n bits: conjunctions, disjunctions, parities."""
