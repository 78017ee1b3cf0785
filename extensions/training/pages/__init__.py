"""The page of trainings, and parts of the pages of boards and models."""
