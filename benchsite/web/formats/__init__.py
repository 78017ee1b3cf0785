"""How numbers are written in languages beside English."""
