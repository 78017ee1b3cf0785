"""Answers become stored rows: tallies, cells, paired differences and gaps to people, recomputed when answers change."""
