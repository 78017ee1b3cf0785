"""Writes Giraffe-Bench items from the annotation files of public data sets: `python -m tools.giraffe_prepare`."""
