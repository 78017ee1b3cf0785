"""A query string becomes an assembled board: columns, rows, ranks, the look of each cell, controls and caches."""
