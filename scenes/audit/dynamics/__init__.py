"""Audits of the tests of gravity, inertia and collision."""
