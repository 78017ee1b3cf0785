"""Validation of referees, the temperature study, and cost estimates."""
