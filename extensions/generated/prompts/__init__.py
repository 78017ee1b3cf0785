"""Prompt packs: what generators are asked to show, and what raters are asked about it, from a folder."""
