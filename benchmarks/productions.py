"""The row that tells pages how far a pack in the making is: written anew with an order, kept up to date, ended."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.utils import timezone

from benchmarks.models import Production, ProductionState

Progress = Callable[[int, int], None]  # how many are done, of how many

SHOW_EVERY = 0.5  # seconds between two updates of what pages show
SILENT_AFTER = timedelta(minutes=2)  # a production that says nothing for so long may have been killed


def ordered(benchmark: str, *, pack_name: str, order: Mapping[str, Any], clips: int = 0) -> Production:
    """Write down what is to be made or imported, in place of what this pack's production was before."""
    waiting = {"order": order, "state": ProductionState.WAITING, "note": "", "clips_done": 0, "clips_total": clips}
    production, _ = Production.objects.update_or_create(benchmark=benchmark, pack_name=pack_name, defaults=waiting)
    production.batches.all().delete()
    return production


def show_production(production: Production, **values: Any) -> None:
    """Change what pages show of a production, and when."""
    Production.objects.filter(pk=production.pk).update(updated_at=timezone.now(), **values)


def watched(production: Production) -> Progress:
    """Write how far it is, but not more often than anybody looks."""
    shown = 0.0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if done == total or time.monotonic() - shown > SHOW_EVERY:
            shown = time.monotonic()
            show_production(production, clips_done=done, clips_total=total)

    return show


@contextmanager
def failures_shown(production: Production, *, comes_again: bool) -> Iterator[None]:
    """What goes wrong ends the production with a note, and is raised again.

    Being stopped is no failure of queued work, whose message `comes_again`; of other work it is.
    """
    try:
        yield
    except Exception as error:  # whatever it is: else pages would say for ever that it is being made
        show_production(production, state=ProductionState.FAILED, note=(str(error) or type(error).__name__)[:200])
        raise
    except (KeyboardInterrupt, SystemExit):
        if not comes_again:
            show_production(production, state=ProductionState.FAILED, note="stopped")
        raise


def is_silent(production: Production) -> bool:
    """Whether it should be at work and has not been heard of for a while: its worker may have been killed."""
    return production.is_open and timezone.now() - production.updated_at > SILENT_AFTER
