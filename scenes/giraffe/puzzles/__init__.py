"""The ten scenarios and the hand-made patterns."""
