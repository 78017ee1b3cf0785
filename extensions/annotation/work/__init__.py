"""Annotation studies: people make a data set in PACS' format, in four stages on ordinary sheets and pages."""
