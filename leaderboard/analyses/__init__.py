"""Extra measures, one module each with a line in registry.py; nothing below imports them, nor they each other."""
