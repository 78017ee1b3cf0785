"""Production settings for everything that serves: pages, websockets, workers and the clock (decision 0019)."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from benchsite.serving import data_folder

WRONG = 2  # exit code
# gunicorn ends only if a worker exits with this code; after any other code it restarts the worker forever.
WRONG_UNDER_GUNICORN = 3
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def require() -> None:
    """Load the settings with DEBUG=0 as the default; exit with one sentence if they are incomplete or wrong.

    Settings that a command or a test loaded earlier stay as they are.
    """
    if settings.configured:
        return
    os.environ.setdefault("DEBUG", "0")
    try:
        settings.DEBUG  # noqa: B018  (loads them)
    except ImproperlyConfigured as error:
        print(f"A setting is wrong: {error}", file=sys.stderr, flush=True)
        sys.exit(WRONG_UNDER_GUNICORN if "gunicorn" in sys.modules else WRONG)
    data_folder.close(settings.VAR_DIR)
    data_folder.keep_new_files_private()


def why_not_serve(host: str, *, debug: bool, secret_key: str) -> str:
    """Why the site may not listen on this host with these settings; '' if it may."""
    if debug and host not in LOOPBACK:
        return f"DEBUG=1 shows tracebacks to every visitor: listen on 127.0.0.1 instead of {host}, or set DEBUG=0"
    if not debug and secret_key == settings.DEVELOPMENT_KEY:
        return "SECRET_KEY is the one printed in the source: production needs a secret of its own"
    return ""


def require_for(host: str) -> None:
    """Load the settings as `require` does; exit with one sentence if the site may not listen on this host."""
    require()
    if why := why_not_serve(host, debug=settings.DEBUG, secret_key=settings.SECRET_KEY):
        print(why, file=sys.stderr, flush=True)
        sys.exit(WRONG)
