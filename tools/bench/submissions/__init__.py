"""Benchmarks of large and concurrent uploads."""
