"""Reads uploaded files into rows: archives, tables, JSON lines, headers and native formats."""
