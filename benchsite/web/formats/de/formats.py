"""Numbers have the papers' format in every language, as in exports and in the geometry of charts."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
