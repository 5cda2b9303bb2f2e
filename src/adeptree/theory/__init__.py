"""The formulas: bounds, priors, mixtures, and dimensions of tables."""
