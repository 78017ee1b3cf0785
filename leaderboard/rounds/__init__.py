"""Sealed rounds: fresh clips from a seed that was committed to beforehand, and the drop of models' scores on them."""
