"""Boards of generators, and the pages of their judges."""
