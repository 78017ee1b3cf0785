"""The pages of benchmarks and their items."""
