"""Models that rate clips, and what shows whether they may rank generators."""
