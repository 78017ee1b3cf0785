"""Lints an upload: its problems by line and item, its coverage and a dry-run score."""
