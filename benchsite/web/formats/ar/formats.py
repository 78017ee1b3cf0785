"""Figures read as in the papers, in exports and in the geometry of drawings, in every language."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
