"""The WSGI entry point, which serves pages."""

import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any
from wsgiref.types import StartResponse

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from benchsite.serving import production_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
production_settings.require()
site = get_wsgi_application()
gc.disable()
reverse("home")  # load all views and their imports; otherwise each process's first visitor waits 3 s
import_module("scipy.special")  # otherwise the first interval would load it
gc.freeze()
gc.enable()
# A thread releases the interpreter lock with every database statement, and by default it waits up to 5 ms to get the
# lock back. If it holds SQLite's write lock, all others wait, too: 152 instead of 193 people a minute on plain pages.
sys.setswitchinterval(0.0005)


def application(request: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """Answer as the site does; HEAD has no body, which neither Django nor waitress leaves out."""
    answer = site(request, start_response)
    if request["REQUEST_METHOD"] != "HEAD":
        return answer
    if hasattr(answer, "close"):
        answer.close()
    return []
