"""What an annotation study asks: its stages, their words, pairs and invariants."""
