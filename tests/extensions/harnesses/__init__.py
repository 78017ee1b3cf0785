"""Packs as tasks of other tools, and their result files on the way back."""
