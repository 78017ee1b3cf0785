"""The items behind a cell, and one item with its media, replies and votes."""
