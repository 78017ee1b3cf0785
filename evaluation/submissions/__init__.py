"""Uploads of answers: reads and lints a file, stores it as a run of kind `uploaded`, and lets staff list it."""
