"""Clips that generators made: people, judge models and truth about the same clips, on one board."""
