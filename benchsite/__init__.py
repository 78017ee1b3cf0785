import gc

# Loading makes objects that stay. Searching them for garbage takes an eighth of the start; `apps.py` turns it on again.
gc.disable()

from benchsite.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
