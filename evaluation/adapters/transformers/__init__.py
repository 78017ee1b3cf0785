"""Models of the transformers library, which run on this machine in batches."""
