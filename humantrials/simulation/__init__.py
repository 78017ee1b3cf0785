"""Simulated people: requests over HTTP, the pages that everybody sees, and a mark that stays on the trial for ever."""
