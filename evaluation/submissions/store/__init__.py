"""Stores checked files as runs, in chunks, with a queue for large files."""
