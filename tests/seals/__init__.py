"""Attacks a site to learn sealed answers, with nothing but HTTP and the public source code."""
