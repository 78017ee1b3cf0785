"""Ends a run: its state, the reason for it, and the card with everything that its numbers depend on."""

import contextlib
import hashlib
import json
import platform
import resource
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from benchmarks.disclosure import PUBLIC, Fact, open_to
from evaluation.inputs.audio import PLAYING
from evaluation.inputs.frames import versioned
from evaluation.models import CellState, ModelResponse, Run, RunCode, RunKind, RunState
from evaluation.queue.leases import UNFINISHED, release
from evaluation.referees.rubric_selection import rubrics_for
from evaluation.referees.scoring_runs import adopt, extend, open_stage, stage_of
from evaluation.runs.results import store_results

LIBRARIES = ("django", "numpy", "av", "pillow", "torch", "torchvision", "transformers", "tokenizers", "safetensors")
TIMES = ("decode", "wait", "model", "write")
ON_DEVICE = ("device", "dtype", "threads", "batch", "weights", "shown")


@transaction.atomic
def note_work(*, run_id: int, description: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    """Add one shard's work to the card: the model's description, the time by stage, and the device."""
    run = Run.objects.select_for_update(of=("self",)).select_related("model").get(pk=run_id)
    spent, described = run.card.get("seconds", {}), dict(description)
    if used := described.pop("usage", None):  # requests, tokens and cost of this shard
        run.card["usage"] = added(run.card.get("usage", {}), used)
    run.card |= {
        "model": described
        | {"slug": run.model.slug, "revision": run.revision, "options": options_hash(run.model.options)},
        "devices": with_device(run.card.get("devices", []), description),
        "seconds": {what: round(spent.get(what, 0.0) + seconds.get(what, 0.0), 3) for what in TIMES},
        "memory_mb": max(run.card.get("memory_mb", 0), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024),
        "libraries": libraries(),
        "site": site(),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    run.card["busy"] = computing_share(run.card["seconds"])
    run.save(update_fields=["card"])


@transaction.atomic
def note_usage(*, run_id: int, usage: Mapping[str, float]) -> None:
    """Add to the card the requests, tokens and cost of a shard that ended in an error."""
    run = Run.objects.select_for_update(of=("self",)).get(pk=run_id)
    run.card["usage"] = added(run.card.get("usage", {}), usage)
    run.save(update_fields=["card"])


def added(before: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """The sums of both, name by name."""
    return {name: round(before.get(name, 0) + more.get(name, 0), 6) for name in {**before, **more}}


def with_device(devices: Iterable[Mapping[str, Any]], description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Count one more shard for this device, dtype, threads and batch, since numbers may differ in the last bit."""
    here = {name: description[name] for name in ON_DEVICE if description.get(name) not in (None, "")}
    found = [dict(device) for device in devices]
    same = next((device for device in found if device | {"shards": 0} == here | {"shards": 0}), None)
    if same is None:
        return [*found, here | {"shards": 1}]
    same["shards"] += 1
    return found


def options_hash(options: Mapping[str, Any]) -> str:
    """A hash over all options of the model, keyed by this site: options may name places that must stay secret."""
    return salted_hmac("model options", json.dumps(options, sort_keys=True), algorithm="sha256").hexdigest()


@cache
def site() -> dict[str, str]:
    """Version and commit of this site; `-dirty` after the commit means that the checkout was changed."""
    return {"version": settings.VERSION, "commit": settings.COMMIT or _described()}


def _described() -> str:
    """The checkout's `git describe`; '' without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(
            command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
    return ""


@cache
def libraries() -> dict[str, str]:
    """Versions of the libraries that may affect a number, read once and without importing them."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def settle(run_id: int) -> bool:
    """Finish the run if nothing is left to do; True if this call did so. A judged run ends with its referee."""
    run = _settled(run_id)
    if run is None:
        return False
    store_results(run)
    if run.judged_id:
        adopt(run)
        settle(run.judged_id)
    return True


@transaction.atomic
def _settled(run_id: int) -> Run | None:
    run = Run.objects.select_for_update(of=("self",)).select_related("pack", "model").get(pk=run_id)
    if run.is_over or run.shards.filter(UNFINISHED).exists():
        return None
    run.code, run.reason = ending_of(run)
    if not run.code and run.referee and run.kind == RunKind.RUN:
        stage = stage_of(run) or open_stage(run)
        if stage.state == RunState.FINISHED:
            extend(stage)  # for answers added after the refereeing had ended
        if not stage.is_over:
            return None
        run.code, run.reason = ending_of_stage(stage)
    run.state = RunState.FAILED if run.code else RunState.FINISHED
    run.finished_at, run.busy_since, run.rest_until = Now(), None, None
    run.save(update_fields=["code", "reason", "state", "finished_at", "busy_since", "rest_until"])
    run.refresh_from_db()
    run.card |= card_of(run)
    run.answers_version = F("answers_version") + 1
    run.save(update_fields=["card", "answers_version"])
    run.refresh_from_db()
    return run


def fail_run(*, run_id: int, code: str, reason: str) -> None:
    """Stop a run that can't continue until a person changes something."""
    with transaction.atomic():
        going = Run.objects.unfinished().filter(pk=run_id)
        failed = going.move_to(RunState.FAILED, code=code, reason=reason, finished_at=Now())
        release(run_id=run_id)
    judged = Run.objects.filter(pk=run_id, judged__isnull=False).values_list("judged", flat=True).first()
    if failed and judged:
        settle(judged)


def ending_of(run: Run) -> tuple[str, str]:
    """Code and reason why this run can't appear on a board; both '' if every question was answered."""
    missing = run.cells.exclude(state=CellState.ANSWERED)
    count, total = missing.count(), run.cells.count()
    if not count:
        return "", ""
    words = f"{count} of {total} questions could not be asked"
    offered = missing.filter(open_to(PUBLIC, Fact.EXISTENCE, "item"))  # an item hidden by a study is not named
    first = offered.select_related("item").order_by("item__public_id", "seed").first()
    return RunCode.UNANSWERED, f"{words}; the first is {first.item}: {first.reason}" if first else words


def ending_of_stage(stage: Run) -> tuple[str, str]:
    """Code and reason that the judged run gets from the end of its refereeing."""
    if stage.state == RunState.FINISHED:
        return "", ""
    why = stage.reason or "it was cancelled"
    return RunCode.UNSCORED, f"all questions are answered, but the referee {stage.model.slug} {stage.state}: {why}"


def card_of(run: Run) -> dict[str, Any]:
    """The card's facts at the end of a run: hashes over all prompts, frames and sounds, and the pace."""
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__draw_key", "cell__seed")
    rows = responses.values_list("turns", "frames_hash")
    prompts, frames, sounds = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    count = 0
    for turns, frames_hash in rows.iterator(chunk_size=2000):
        _add(prompts, (turn["text"] for turn in turns if turn["role"] == "user"))
        _add(frames, (frames_hash,))
        _add(sounds, (turn["sound"]["hash"] for turn in turns if "sound" in turn))
        count += 1
    return {
        "pack": {"name": run.pack.name, "manifest": run.pack.manifest_hash, "definition": run.pack.definition_version},
        "asked": {"strategy": run.strategy, "condition": run.condition, "split": run.split, "seeds": run.seeds}
        | ({"only": run.only} if run.only else {})
        | ({"limit": run.limit} if run.limit else {})
        | ({"rubric": run.rubric} if run.rubric else {}),
        "sampler": versioned(run.sampler),
        "sampling": run.sampling,
        "parser": f"{run.parser} {run.parser_version}",
        "prompts": prompts.hexdigest(),
        "frames": frames.hexdigest(),
        **({"sound": sounds.hexdigest()} if run.condition in PLAYING else {}),
        "items_a_minute": pace(run, count),
        **({"referee": referee_card(stage)} if (stage := stage_of(run)) else {}),
        **({"rubrics": rubric_card(run)} if run.kind == RunKind.REFEREE else {}),
    }


def referee_card(stage: Run) -> dict[str, Any]:
    """The card's facts on the referee and its rubrics; everything else is on the card of the refereeing."""
    return {
        "run": stage.pk,
        "model": stage.model.slug,
        "revision": stage.revision,
        "sampling": stage.sampling,
        "rubrics": stage.card.get("rubrics", {}),
        "prompts": stage.card.get("prompts"),
    }


def rubric_card(stage: Run) -> dict[str, Any]:
    """Version and prompt hash of each rubric that a refereeing may use."""
    used = rubrics_for(stage.pack.benchmark, stage.rubric)
    return {rubric.name: {"version": rubric.version, "sha256": rubric.sha256} for rubric in used}


def pace(run: Run, answered: int) -> float | None:
    """Questions answered per minute, from the first lease to the end."""
    if not (run.started_at and run.finished_at and run.finished_at > run.started_at):
        return None
    return round(60 * answered / (run.finished_at - run.started_at).total_seconds(), 1)


def computing_share(seconds: Mapping[str, float]) -> float | None:
    """The share of the workers' time spent computing in the model."""
    total = sum(seconds.values())
    return round(seconds["model"] / total, 3) if total else None


def _add(digest: "hashlib._Hash", texts: Iterable[str]) -> None:
    for text in texts:
        digest.update(text.encode() + b"\x00")
