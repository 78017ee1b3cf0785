#!/usr/bin/env python
"""The command line in a checkout; `benchsite` is the same after an install."""

from benchsite.cli import main

if __name__ == "__main__":
    main()
