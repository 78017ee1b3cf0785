"""The end of a run: its state in words and its card, on which everything stands that its numbers hang on."""

import hashlib
import platform
import resource
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from evaluation.leasing import UNFINISHED, release
from evaluation.models import CellState, ModelResponse, Run, RunCode, RunKind, RunState
from evaluation.outcomes import keep_results
from evaluation.refereeing.choosing import rubrics_for
from evaluation.refereeing.stage import adopt, extend, open_stage, stage_of
from evaluation.sound import PLAYING

LIBRARIES = ("django", "numpy", "av", "pillow", "torch", "torchvision", "transformers", "tokenizers", "safetensors")
TIMES = ("decode", "wait", "model", "write")
ON_DEVICE = ("device", "dtype", "threads", "batch", "weights")


@transaction.atomic
def note_work(*, run_id: int, description: Mapping[str, Any], seconds: Mapping[str, float]) -> None:
    """Add one shard's work to the card: what answered, where the time went, and on which devices."""
    run = Run.objects.select_for_update(of=("self",)).select_related("model").get(pk=run_id)
    spent, told = run.card.get("seconds", {}), dict(description)
    if used := told.pop("usage", None):  # requests, tokens, cost: what this shard took
        run.card["usage"] = added(run.card.get("usage", {}), used)
    run.card |= {
        "model": told | {"slug": run.model.slug, "revision": run.revision},
        "devices": with_device(run.card.get("devices", []), description),
        "seconds": {what: round(spent.get(what, 0.0) + seconds.get(what, 0.0), 3) for what in TIMES},
        "memory_mb": max(run.card.get("memory_mb", 0), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024),
        "libraries": libraries(),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    run.card["busy"] = busy_share(run.card["seconds"])
    run.save(update_fields=["card"])


def added(before: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Both together, name by name."""
    return {name: round(before.get(name, 0) + more.get(name, 0), 6) for name in {**before, **more}}


def with_device(devices: Iterable[Mapping[str, Any]], description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Shards answered by each setting of device, dtype, threads and batch; more than one may differ in a last bit."""
    here = {name: description[name] for name in ON_DEVICE if description.get(name) not in (None, "")}
    found = [dict(device) for device in devices]
    same = next((device for device in found if device | {"shards": 0} == here | {"shards": 0}), None)
    if same is None:
        return [*found, here | {"shards": 1}]
    same["shards"] += 1
    return found


@cache
def libraries() -> dict[str, str]:
    """The installed versions of what may move a number, read once and without importing any of it."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def settle(run_id: int) -> bool:
    """Finish the run when nothing is left to do; True when this call did it. A judged run ends with its referee."""
    run = _settled(run_id)
    if run is None:
        return False
    keep_results(run)
    if run.judged_id:
        adopt(run)
        settle(run.judged_id)
    return True


@transaction.atomic
def _settled(run_id: int) -> Run | None:
    run = Run.objects.select_for_update(of=("self",)).select_related("pack", "model").get(pk=run_id)
    if run.state not in (RunState.QUEUED, RunState.RUNNING) or run.shards.filter(UNFINISHED).exists():
        return None
    run.code, run.reason = ending_of(run)
    if not run.code and run.referee and run.kind == RunKind.RUN:
        stage = stage_of(run) or open_stage(run)
        if stage.state == RunState.FINISHED:
            extend(stage)  # answers that came after it had ended
        if stage.state in (RunState.QUEUED, RunState.RUNNING):
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
    """Stop a run that can't go on; a person must change something first."""
    with transaction.atomic():
        failed = Run.objects.unfinished().filter(pk=run_id).update(
            state=RunState.FAILED, code=code, reason=reason, finished_at=Now(), busy_since=None, rest_until=None,
            answers_version=F("answers_version") + 1,
        )  # fmt: skip
        release(run_id=run_id)
    judged = Run.objects.filter(pk=run_id, judged__isnull=False).values_list("judged", flat=True).first()
    if failed and judged:
        settle(judged)


def ending_of(run: Run) -> tuple[str, str]:
    """Code and words for why this run can't be on a board; both '' when every question was answered."""
    missing = run.cells.exclude(state=CellState.ANSWERED)
    count, total = missing.count(), run.cells.count()
    first = missing.select_related("item").order_by("item__public_id", "seed").first()
    if first is None:
        return "", ""
    words = f"{count} of {total} questions could not be asked; the first is {first.item}: {first.reason}"
    return RunCode.UNANSWERED, words


def ending_of_stage(stage: Run) -> tuple[str, str]:
    """What the end of its refereeing means for the judged run."""
    if stage.state == RunState.FINISHED:
        return "", ""
    why = stage.reason or "it was cancelled"
    return RunCode.UNSCORED, f"all questions are answered, but the referee {stage.model.slug} {stage.state}: {why}"


def card_of(run: Run) -> dict[str, Any]:
    """What can be said at the end: hashes over everything said and shown, and the pace."""
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id", "cell__seed")
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
        "asked": {"strategy": run.strategy, "condition": run.condition, "split": run.split, "seeds": run.seeds},
        "sampler": run.sampler,
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
    """Who scored it and by which wording; all else stands on the card of that run."""
    return {
        "run": stage.pk,
        "model": stage.model.slug,
        "revision": stage.revision,
        "sampling": stage.sampling,
        "rubrics": stage.card.get("rubrics", {}),
        "prompts": stage.card.get("prompts"),
    }


def rubric_card(stage: Run) -> dict[str, Any]:
    """Version and prompt hash of every rubric that a refereeing may have used."""
    used = rubrics_for(stage.pack.benchmark, stage.rubric)
    return {rubric.name: {"version": rubric.version, "sha256": rubric.sha256} for rubric in used}


def pace(run: Run, answered: int) -> float | None:
    """Questions answered a minute, from the first lease to the end."""
    if not (run.started_at and run.finished_at and run.finished_at > run.started_at):
        return None
    return round(60 * answered / (run.finished_at - run.started_at).total_seconds(), 1)


def busy_share(seconds: Mapping[str, float]) -> float | None:
    """The part of the workers' time in which the model was at work."""
    total = sum(seconds.values())
    return round(seconds["model"] / total, 3) if total else None


def _add(digest: "hashlib._Hash", texts: Iterable[str]) -> None:
    for text in texts:
        digest.update(text.encode() + b"\x00")
