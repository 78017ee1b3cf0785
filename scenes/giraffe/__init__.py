"""Abstract patterns of Giraffe-Bench: three to five pictures that follow a rule, and the picture that comes next."""
