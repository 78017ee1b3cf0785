"""The tasks of this folder: inspect eval tasks.py@NAME --model …"""

import sys
from pathlib import Path

from inspect_ai import task  # noqa: F401

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from benchsite_inspect import exported  # noqa: E402, F401
