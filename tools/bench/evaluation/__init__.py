"""Benchmarks of runs, training and referees."""
