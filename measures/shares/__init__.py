"""Shares with their intervals: of clusters, of people and items, of votes."""
