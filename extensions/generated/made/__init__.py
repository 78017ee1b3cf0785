"""Clips with known faults, and simulated raters and judges with known habits."""
