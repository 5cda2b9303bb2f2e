"""Base learners of the literature that Ghost is compared with: nothing chooses them by itself."""
