"""test_crash.py runs this in separate processes: creates questions, and reports the answers."""

import io
import json
import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from benchmarks.models import Item, Pack  # noqa: E402
from evaluation.models import Cell, ModelResponse, Run, Score  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.workers.loop import sweep  # noqa: E402
from tests import factories  # noqa: E402
from tests.factories import make_item, make_model, make_pack  # noqa: E402

SEEDS = (0, 1, 2, 3)


def seed(options: str, temperature: str, name: str = "") -> dict:
    """Create a pack of 30 questions and two models that differ only in speed; the slow one's run has two shards."""
    factories.counter.last = 10 * Item.objects.count()  # in this database another process may have made items
    pack = make_pack(name=f"crash{name}")
    Pack.objects.filter(pk=pack.pk).update(
        created_at="2000-01-01T00:00:00Z"
    )  # on a shared site, other tests use the newest pack
    for number in range(30):
        make_item(pack, expected="yes" if number % 3 else "no")
    slow = make_model(slug=f"slow{name}", kind="scripted", options={"seconds": 0.04} | json.loads(options))
    make_model(slug=f"quick{name}", kind="scripted", options=json.loads(options) | {"seconds": 0})
    run = start_run(
        model=slow,
        pack=pack,
        strategy="binary",
        condition="question-only",
        sampling={"temperature": float(temperature)},
        seeds=SEEDS,
    )
    return {"run": run.pk, "cells": run.cells.count()}


def facts(pk: str) -> dict:
    """State and every answer of a run."""
    run = Run.objects.get(pk=pk)
    responses = ModelResponse.objects.filter(cell__run=run)
    rows = responses.values_list("cell__item__public_id", "cell__seed", "raw", "readings__answer")
    return {
        "state": run.state,
        "reason": run.reason,
        "answers": sorted(map(list, rows)),
        "scores": sum(Score.objects.of_run(run).values_list("value", flat=True)),
        "open": Cell.objects.filter(run=run, state="open").count(),
        "attempts": list(run.shards.values_list("attempts", flat=True)),
        "prompts": run.card.get("prompts"),
    }


def beside_undisturbed(*pks: str) -> list[list[dict]]:
    """Of each run its facts, and those of an undisturbed run of the quick model with the same questions."""
    return [[facts(pk), facts(asked_quickly(Run.objects.select_related("model", "pack").get(pk=pk)))] for pk in pks]


def asked_quickly(run: Run) -> str:
    out = io.StringIO()
    call_command(
        "start_run", model=run.model.slug.replace("slow", "quick"), benchmark="grasp", pack=run.pack.name, wait=True,
        strategy="binary", condition="question-only", temperature=run.sampling["temperature"],
        seeds=",".join(map(str, SEEDS)), as_json=True, stdout=out,
    )  # fmt: skip
    return str(json.loads(out.getvalue())["run"])


def wake() -> dict:
    return {"woken": sweep()}


def wake_until_over(pk: str) -> dict:
    """Sweep like the scheduler, but every second, until the run has ended."""
    while Run.objects.filter(pk=pk, state="running").exists():
        sweep()
        time.sleep(1)
    return facts(pk)


if __name__ == "__main__":
    acts: dict[str, Callable[..., dict | list]] = {
        act.__name__: act for act in (seed, facts, beside_undisturbed, wake, wake_until_over)
    }
    print(json.dumps(acts[sys.argv[1]](*sys.argv[2:])))
