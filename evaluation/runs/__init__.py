"""A run's life and pages: specification, start, results, completion and export."""
