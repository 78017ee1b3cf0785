"""CRAFT's scenes: bodies, layouts, physics and what happens."""
