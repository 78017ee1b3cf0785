#!/usr/bin/env python
"""The command line of the site."""

import os
import sys


def main() -> None:
    """Run one management command; with the embedded database, make it first where it is missing."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    from django.core.management import execute_from_command_line

    from benchsite.embedded import make_database

    make_database(sys.argv)
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
