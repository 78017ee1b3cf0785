"""A production's row with the progress of a pack for pages: created by an order, updated, ended."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from benchmarks.errors import StoreAway
from benchmarks.models import Production, ProductionState

Progress = Callable[[int, int], None]  # (done, total)

SHOW_EVERY = 0.5  # seconds between two updates of the row
SILENT_AFTER = timedelta(minutes=2)  # without updates for this long, the production's worker may have been killed


def ordered(benchmark: str, *, pack_name: str, order: Mapping[str, Any], clips: int = 0) -> Production:
    """Store an order to make or import a pack, replacing an earlier production of this pack."""
    waiting = {"order": order, "state": ProductionState.WAITING, "note": "", "clips_done": 0, "clips_total": clips}
    production, _ = Production.objects.update_or_create(benchmark=benchmark, pack_name=pack_name, defaults=waiting)
    show_production(production)
    production.batches.all().delete()
    return production


def show_production(production: Production, **values: Any) -> None:
    """Update the production's row and its time, by the database's clock."""
    Production.objects.filter(pk=production.pk).update(updated_at=Now(), **values)


def watched(production: Production) -> Progress:
    """A progress callback that updates the row at most every `SHOW_EVERY` seconds, and at the end."""
    last_report = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last_report
        if done == total or time.monotonic() - last_report > SHOW_EVERY:
            last_report = time.monotonic()
            show_production(production, clips_done=done, clips_total=total)

    return show


@contextmanager
def failures_recorded(production: Production, *, comes_again: bool) -> Iterator[None]:
    """On an exception, mark the production as failed with a note, and re-raise.

    Interruption and an absent store count as failures unless the work `comes_again`: its message is sent again.
    """
    try:
        yield
    except StoreAway as error:
        if not comes_again:
            show_production(production, state=ProductionState.FAILED, note=str(error)[:200])
        raise
    except Exception as error:  # any error; otherwise pages would show the pack as being made forever
        show_production(production, state=ProductionState.FAILED, note=(str(error) or type(error).__name__)[:200])
        raise
    except (KeyboardInterrupt, SystemExit):
        if not comes_again:
            show_production(production, state=ProductionState.FAILED, note="stopped")
        raise


def is_silent(production: Production) -> bool:
    """Whether it is open but had no update for `SILENT_AFTER`; its worker may have been killed.

    No lease: many workers make its batches at once, and each part is safe to make twice.
    """
    return production.is_open and silent_ones().filter(pk=production.pk).exists()


def silent_ones() -> QuerySet[Production]:
    """Open productions of which nothing is heard."""
    unheard = Production.objects.filter(updated_at__lt=Now() - SILENT_AFTER)
    return unheard.exclude(state__in=Production.ENDED).order_by("pk")
