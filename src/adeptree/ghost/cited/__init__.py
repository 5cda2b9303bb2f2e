"""Base learners of the literature, to which Ghost is compared: nothing chooses them by itself."""
