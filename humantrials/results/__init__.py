"""Votes and counted judgments that other apps may read; exports and the methods section."""
