"""Sealed rounds: fresh clips of a seed that was committed to beforehand, and what models lose on them."""
