"""The definitions of benchmarks as data, with the importers of their releases."""
