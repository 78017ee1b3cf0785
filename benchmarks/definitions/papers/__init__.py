"""What the four papers print that no file can hold: prompts, keys, tests and presets.

`data/` has their strings unchanged.
"""

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
