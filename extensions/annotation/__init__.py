"""Data sets of annotated clips, in the format of PACS, from raw videos."""
