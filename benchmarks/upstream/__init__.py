"""Giraffe-Bench items from the annotation files of public data sets, one module per data set."""
