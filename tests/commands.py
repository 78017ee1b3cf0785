"""Calls the site's commands in this process."""

import json
from io import StringIO
from typing import Any

from django.core.management import call_command


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def say(*words: object, **options: Any) -> str:
    """What the command prints."""
    out = StringIO()
    call_command(*map(str, words), **{"stdout": out, "stderr": out} | options)
    return out.getvalue()


def told(*words: object, **options: Any) -> Any:
    """The object that the command prints with --json."""
    return json.loads(say(*words, "--json", **options))
