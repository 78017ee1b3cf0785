"""The attacks; each returns guesses for as many items as it can."""
