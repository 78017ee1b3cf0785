"""Readers, participants and submitters at once, and what happens to them when something breaks."""
