"""Stores checked files as runs, in chunks, behind a queue."""
