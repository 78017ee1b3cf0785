"""Generates clips with processes and workers."""
