"""Load tests with readers, participants and submitters, and fault injection."""
