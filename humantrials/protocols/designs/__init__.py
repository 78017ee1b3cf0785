"""Designs as pure functions: which items, conditions and replicates each sheet holds."""
