"""Abstract patterns as in Giraffe-Bench: three to five pictures that follow a rule, and the next picture."""
