"""The worker entry point: `celery -A benchsite worker -Q gpu` or `-Q cpu,default`."""

import os
import warnings
from importlib import import_module
from typing import Any

from celery import Celery, bootsteps
from celery.exceptions import SecurityWarning
from kombu.transport import TRANSPORT_ALIASES

from benchsite.serving import production_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
# Celery would run Django's system checks at each start, for which it loads every page: `benchsite check` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
TRANSPORT_ALIASES["filesystem"] = "benchsite.serving.filesystem_broker:Transport"
# Celery warns root about pickled messages, which this site neither sends nor accepts (CELERY_ACCEPT_CONTENT).
warnings.filterwarnings("ignore", category=SecurityWarning)


class Quietly(bootsteps.StartStopStep):
    """Makes a worker started with --quiet stop silently, too; Celery's handler has a switch for this, but no option."""

    def start(self, parent: Any) -> None:
        from celery.apps.worker import install_worker_term_handler

        if parent.quiet:
            install_worker_term_handler(parent, verbose=False)


def require_production_settings(**_: Any) -> None:
    """Load the settings for Celery's own commands; under `manage.py` they are loaded already."""
    production_settings.require()


app = Celery("benchsite")
app.on_configure.connect(require_production_settings)
import_module("benchsite.logs.celery_processes")  # signals for log lines and heartbeats
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()  # of all apps
app.steps["worker"].add(Quietly)
