"""The tests of Level 1."""
