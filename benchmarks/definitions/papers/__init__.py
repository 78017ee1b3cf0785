"""What the four papers print that no file can hold: prompts, keys, tests and presets."""
