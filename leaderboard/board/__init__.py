"""Turns a query string into an assembled board: columns, rows, ranks, cell display, controls and caches."""
