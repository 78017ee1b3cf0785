"""Importing, looking up, exporting and auditing packs."""
