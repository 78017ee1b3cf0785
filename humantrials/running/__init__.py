"""A study from draft to archive: opened, watched, paid, verified."""
