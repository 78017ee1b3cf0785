"""What the programs share: a line of JSON for each result, and the site on an empty database."""

import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# As a server runs: in development Django logs every query, which costs SQLite another one.
AS_SERVED = {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,testserver"}


def say(is_ok: bool = True, **facts: Any) -> bool:
    """Print the facts and whether the target is met as a line of JSON; return the latter."""
    print(json.dumps(facts | {"load": round(os.getloadavg()[0], 1), "ok": is_ok}), flush=True)
    return is_ok


def set_up(folder: Path | str) -> None:
    """Set up Django on an empty SQLite database in this folder."""
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    os.environ.pop("DATABASE_URL", None)
    start_django()


def start_django() -> None:
    """Set up Django on the database that the environment names, and make its tables."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command

    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    django.setup()
    call_command("migrate", verbosity=0)
