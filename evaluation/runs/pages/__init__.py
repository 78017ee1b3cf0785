"""Pages of runs and models."""
