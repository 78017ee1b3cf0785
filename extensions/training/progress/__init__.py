"""The progress of running trainings, and the curves of finished ones."""
