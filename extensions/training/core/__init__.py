"""Shared by all trainings: the loop, checkpoints, learning rates and curves."""
