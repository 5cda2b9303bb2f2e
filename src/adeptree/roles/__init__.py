"""The interfaces between the rooms, and nothing else."""
