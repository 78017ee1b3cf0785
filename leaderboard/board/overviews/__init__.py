"""Boards in short: levels, concepts, models, heat maps."""
