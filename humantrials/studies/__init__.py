"""An author's study: its life cycle, item pool, settings, exclusion rules, monitoring and payments."""
