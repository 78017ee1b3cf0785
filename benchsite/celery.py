"""The worker entry point: `celery -A benchsite worker -Q gpu` or `-Q cpu,default`."""

import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
TRANSPORT_ALIASES["filesystem"] = "benchsite.filesystem_broker:Transport"
# It warns root of pickled messages, which this site neither sends nor accepts (CELERY_ACCEPT_CONTENT).
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("benchsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["benchmarks", "evaluation", "humantrials", "leaderboard"])
