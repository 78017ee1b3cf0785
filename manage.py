#!/usr/bin/env python
"""The command line of the site."""

import os
import sys


def main() -> None:
    """Run one management command; with the embedded database, make it first where it is missing."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from benchsite.supervisor.embedded_database import make_database

    try:
        make_database(sys.argv)
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        print(f"A setting is wrong: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
