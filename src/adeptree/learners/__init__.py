"""Online learners: Algorithm 2, Algorithm 1 and the baselines."""
