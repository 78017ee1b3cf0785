"""Votes between two clips of one prompt: files of them, and the board of strengths that they support."""
