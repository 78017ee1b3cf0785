"""Ceilings of runs: limits of money and tokens on a run's card, before which the run stops."""

import math
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from evaluation.adapters.openai.limits import SpendingLimit
from evaluation.errors import RunMisused
from evaluation.models import Model, Run
from evaluation.queue.leases import CEILING

COST, TOKENS = "cost", "tokens"
KIND = "openai"


def checked_ceiling(model: Model, *, cost: float | None, tokens: int | None) -> dict[str, float]:
    """The ceiling as stored on the card; {} for none. Raises RunMisused if it could not be enforced."""
    found: dict[str, float] = {name: value for name, value in ((COST, cost), (TOKENS, tokens)) if value is not None}
    if not found:
        return {}
    if model.kind != KIND:
        raise RunMisused(f"a ceiling is held for models behind a server (kind {KIND}); {model.slug} is {model.kind}")
    for name, value in found.items():
        if not math.isfinite(value) or value <= 0:
            raise RunMisused(f"the most {name} is {value:g}: a number above 0")
    if COST in found and not any(model.options.get(name) for name in ("price_in", "price_out")):
        raise RunMisused(f"{model.slug} has no prices (options price_in, price_out): the cost can't be counted")
    return found


@transaction.atomic
def set_ceiling(*, run: Run, cost: float | None, tokens: int | None) -> None:
    """Replace the run's ceilings by these; None leaves one unchanged."""
    found = Run.objects.select_for_update(of=("self",)).select_related("model").get(pk=run.pk)
    new = checked_ceiling(found.model, cost=cost, tokens=tokens)
    if new:
        found.card[CEILING] = found.card.get(CEILING, {}) | new
        found.save(update_fields=["card"])
        run.refresh_from_db()


def allowance_of(run: Run) -> SpendingLimit | None:
    """What the run may still spend, by the counts now on its card; None without a ceiling."""
    card = Run.objects.values_list("card", flat=True).get(pk=run.pk)
    ceiling: Mapping[str, Any] = card.get(CEILING) or {}
    if not ceiling:
        return None
    used, options = card.get("usage", {}), run.model.options
    spent = used.get("tokens_in", 0) + used.get("tokens_out", 0)
    return SpendingLimit(
        tokens=ceiling.get(TOKENS, math.inf) - spent,
        cost=ceiling.get(COST, math.inf) - used.get(COST, 0.0),
        price_in=options.get("price_in") or 0.0,
        price_out=options.get("price_out") or 0.0,
    )
