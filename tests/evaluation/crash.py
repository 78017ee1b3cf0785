"""test_crash.py runs this in separate processes: creates questions, and reports the answers."""

import json
import os
import sys
from collections.abc import Callable

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from benchmarks.models import Pack  # noqa: E402
from evaluation.models import Cell, ModelResponse, Run, Score  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.workers.loop import sweep  # noqa: E402
from tests.factories import make_item, make_model, make_pack  # noqa: E402


def seed(options: str, temperature: str) -> dict:
    """Create a pack of 30 questions and two models that differ only in speed; the slow one's run is queued."""
    pack = make_pack(name="crash")
    Pack.objects.filter(pk=pack.pk).update(
        created_at="2000-01-01T00:00:00Z"
    )  # on a shared site, other tests use the newest pack
    for number in range(30):
        make_item(pack, expected="yes" if number % 3 else "no")
    slow = make_model(slug="slow", kind="scripted", options=json.loads(options) | {"seconds": 0.08})
    make_model(slug="quick", kind="scripted", options=json.loads(options))
    run = start_run(
        model=slow,
        pack=pack,
        strategy="binary",
        condition="question-only",
        sampling={"temperature": float(temperature)},
        seeds=(0, 1),
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


def wake() -> dict:
    return {"woken": sweep()}


if __name__ == "__main__":
    acts: dict[str, Callable[..., dict]] = {"seed": seed, "facts": facts, "wake": wake}
    print(json.dumps(acts[sys.argv[1]](*sys.argv[2:])))
