"""Strings from papers and releases, unchanged."""

from pathlib import Path

DATA = Path(__file__).parent
