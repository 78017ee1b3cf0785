"""Benchmarks of generating, auditing and drawing clips."""
