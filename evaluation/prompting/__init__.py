"""Prompting strategies, presets, and the request built for one cell."""
