"""Simulated participants: they use the ordinary pages over HTTP, and mark the trial as simulated for ever."""
