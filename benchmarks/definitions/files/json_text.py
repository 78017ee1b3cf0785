"""JSON as Python reads it, with every mistake in words."""

import json
from typing import Any


def parsed(text: str) -> Any:
    """Parse the text; raises ValueError with a reason that fits into a sentence."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # Python reads no more than 4,300 digits
        raise ValueError("a number is too long") from None
