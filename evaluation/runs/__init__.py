"""A run's lifecycle and pages: specification, start, results, completion and export."""
