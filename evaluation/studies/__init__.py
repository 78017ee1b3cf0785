"""Validation of referees and cost estimates."""
