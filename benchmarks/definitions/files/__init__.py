"""Benchmarks that are a file: the schema of benchmark.toml, its reader, and the layouts of its questions."""
