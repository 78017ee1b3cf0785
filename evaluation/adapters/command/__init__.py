"""Models that run as separate programs and exchange JSON lines."""
