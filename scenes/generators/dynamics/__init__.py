"""The tests of gravity, inertia and collision."""
