"""The entry point for pages."""

import os
import sys

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
application = get_wsgi_application()
# A thread gives the interpreter up with every database statement; by default it waits up to 5 ms to get it back, and
# while it holds SQLite's write lock all others wait with it: 152 instead of 193 people a minute on plain pages.
sys.setswitchinterval(0.0005)
