"""Makes cells of exported tables safe for spreadsheets."""

import re
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # refused by spreadsheets


def defused(value: Any) -> Any:
    """The value with text changed so that it can't run as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    text = CONTROLS.sub(" ", value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
