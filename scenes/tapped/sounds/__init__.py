"""Sounds: made, measured and written to clips."""
