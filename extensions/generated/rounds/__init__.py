"""Rounds: clip sets that are rated together, as a benchmark of the core whose questions name no generator."""
