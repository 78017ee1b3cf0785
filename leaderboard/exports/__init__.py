"""A board or table as CSV, JSON, Markdown, LaTeX, XLSX or BibTeX, with its provenance."""
