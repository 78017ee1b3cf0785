"""Benchmarks of boards: pages, new rows, and millions of responses."""
