"""Reads result files of the benchmarks' own tools, one module each; `evaluation.runs.official` writes them."""
