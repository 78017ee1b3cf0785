"""Computes stored rows from answers: tallies, cells, paired differences and gaps to people, after every change."""
