"""Temporary failures make a run wait, permanent ones fail it with one sentence; other runs always continue."""

import errno
import html
import os
import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from evaluation.adapters.heuristics import ScriptedModel
from evaluation.errors import ModelMisused, ModelOverloaded, OutOfMemory
from evaluation.models import Model, ModelResponse, Run
from evaluation.prompting.requests import Asking
from evaluation.queue.leases import claim
from evaluation.runs.lifecycle import resume_run, start_run
from evaluation.workers.failures import back_off, code_of
from evaluation.workers.loop import _warm, answer_or_say_why, holder_name, note_used, work, work_on
from evaluation.workers.stopwatch import Stopwatch
from tests.evaluation.tiny_model import make_untrained
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db


class OutOfMemoryError(RuntimeError):
    """Named like torch's."""


def start(pack, **options) -> Run:
    if not pack.items.exists():
        make_item(pack), make_item(pack)
    model = options.pop("model", None) or make_model(kind="scripted", options=options)
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only")


def worked(*runs: Run) -> tuple[Run, ...]:
    """These runs, after the work on all that waits."""
    work()
    for run in runs:
        run.refresh_from_db()
    return runs


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk-full"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "disk-full"),
        (OperationalError("database or disk is full"), "disk-full"),
        (OperationalError('could not extend file "base/1": No space left on device'), "disk-full"),
        (MemoryError(), "out-of-memory"),
        (OutOfMemoryError("CUDA out of memory"), "out-of-memory"),
        (caused(ModelMisused("a single question does not fit"), OutOfMemoryError("CUDA")), "out-of-memory"),
        (OutOfMemory("a single question does not fit into the memory of cuda:0"), "out-of-memory"),
        (ModelOverloaded("429"), "model-busy"),
        (OperationalError("database is locked"), ""),
        (RuntimeError("out of ideas"), ""),
    ],
)
def test_troubles_are_told_apart(error, code):
    assert code_of(error) == code


@pytest.mark.requirement("M3")
@pytest.mark.parametrize(
    ("error", "state", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "running", "disk-full", "no room left on the disk"),
        (OperationalError("database or disk is full"), "running", "disk-full", "database or disk is full"),
        (ModelOverloaded("429 Too Many Requests"), "running", "model-busy", "the model asks to wait: 429"),
        (MemoryError("16 GiB wanted"), "failed", "out-of-memory", "a smaller batch or a larger machine is needed"),
        (ModelMisused("the key is wrong"), "failed", "model-unusable", "the key is wrong"),
    ],
)
def test_a_run_in_trouble_says_why_and_the_others_go_on(pack, monkeypatch, error, state, code, words):
    broken, other = start(pack, default="broken"), start(pack)
    answer = ScriptedModel.answer

    def answered(self, requests):
        if self.default == "broken":
            raise error
        yield from answer(self, requests)

    monkeypatch.setattr(ScriptedModel, "answer", answered)
    worked(broken, other)
    assert (broken.state, broken.code, other.state) == (state, code, "finished")
    assert words in broken.reason
    assert broken.shards.get().attempts == 0

    monkeypatch.undo()
    monkeypatch.setattr("celery.current_app.send_task", lambda *args, **options: None)
    Run.objects.filter(pk=broken.pk).update(rest_until=None)
    resume_run(run=broken)
    worked(broken)
    assert (broken.state, broken.code, broken.reason, broken.busy_since) == ("finished", "", "", None)
    assert len(_warm) == 1  # of two models


def test_each_rest_is_as_long_as_the_waiting_so_far_and_ends_in_failure(pack, settings):
    run = start(pack)
    for waited, rest in ((0, 5), (20, 20), (200, 200), (1000, 300)):
        Run.objects.update(busy_since=timezone.now() - timedelta(seconds=waited))
        assert back_off(run_id=run.pk, code="model-busy", reason="429")
        run.refresh_from_db()
        assert (run.rest_until - timezone.now()).total_seconds() == pytest.approx(rest, abs=2)
    Run.objects.update(busy_since=timezone.now() - timedelta(seconds=settings.EVALUATION_BUSY_SECONDS + 1))
    assert not back_off(run_id=run.pk, code="model-busy", reason="429")
    run.refresh_from_db()
    assert (run.state, run.code, run.reason) == ("failed", "model-busy", "for 30 minutes: 429")
    run = start(pack)
    assert back_off(run_id=run.pk, code="model-busy", reason="429")
    answer_or_say_why(claim(run=run, holder="worker"), Asking(run), ScriptedModel(), Stopwatch())
    run.refresh_from_db()
    assert (run.state, run.code, run.busy_since) == ("running", "", None)  # its next shard need not wait


def test_a_holder_is_named_by_machine_process_and_chance(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "h" * 64)
    assert re.fullmatch(rf"h{{40}}:{os.getpid()}:[0-9a-f]{{8}}", holder_name())


def test_a_model_that_can_not_be_opened_fails_its_run_alone(pack):
    bad = (
        ("transformers", {"path": "/nowhere/model"}, "/nowhere/model: no saved model here"),
        ("scripted", {"unknown": 1}, "unexpected keyword argument 'unknown'"),
        ("scripted", {"path": "/nowhere/replies.json"}, "No such file"),
        ("psychic", {}, "no adapter of kind 'psychic'"),
    )
    broken = [start(pack) for _ in bad]
    for run, (kind, options, _) in zip(broken, bad, strict=True):
        Model.objects.filter(pk=run.model_id).update(kind=kind, options=options)
    *broken, other = worked(*broken, start(pack))
    assert other.state == "finished"
    for run, (*_, words) in zip(broken, bad, strict=True):
        assert (run.state, run.code) == ("failed", "model-unusable")
        assert words in run.reason


@pytest.mark.requirement("M3")
def test_the_first_question_that_failed_is_named_by_the_run(pack, staff):
    make_item(pack, public_id="aaaafirst000"), make_item(pack, public_id="zzzzlast0000")
    run = start(pack, errors={"aaaafirst000": "the prompt is too long", "zzzzlast0000": "the prompt is too long"})
    worked(run)
    assert (run.state, run.code) == ("failed", "unanswered")
    said = "2 of 2 questions could not be asked; the first is aaaafirst000: the prompt is too long"
    assert run.reason == said
    page = staff.get(run.get_absolute_url()).content.decode()
    for words in (said, "<code>unanswered</code>", 'href="/benchmarks/grasp/items/aaaafirst000/"'):
        assert words in page
    facts = staff.get(f"{run.get_absolute_url()}card.json").json()
    assert facts["first_failure"] == {"item": "aaaafirst000", "seed": 0, "reason": "the prompt is too long"}
    assert not ModelResponse.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.embedded(alone=True)  # fills SQLite's own file
def test_a_database_that_is_really_full_lets_the_run_rest_and_goes_on_when_there_is_room(pack):
    run = start(pack, default="x" * 5000)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # else the answers would fit into pages freed by earlier tests
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages + 1}")
        work()
        cursor.execute("PRAGMA max_page_count = 1073741823")
    run.refresh_from_db()
    assert (run.state, run.code) == ("running", "disk-full")
    assert "database or disk is full" in run.reason
    assert ModelResponse.objects.count() < 2
    Run.objects.update(rest_until=None)
    worked(run)
    assert (run.state, run.code, ModelResponse.objects.count()) == ("finished", "", 2)


@pytest.mark.requirement("M3")
def test_a_model_too_large_for_even_one_question_fails_its_run_and_leaves_the_memory(pack, tmp_path, monkeypatch):
    folder = make_untrained(tmp_path / "tiny")
    large = make_model(kind="transformers", options={"path": str(folder), "device": "cpu"})
    broken, other = start(pack, model=large), start(pack)

    def full(self, talks):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    monkeypatch.setattr("evaluation.adapters.transformers.adapter.TransformersModel._reply_to", full)
    work_on(broken.pk)
    assert not _warm
    worked(broken, other)
    assert (broken.state, broken.code, other.state) == ("failed", "out-of-memory", "finished")
    assert "a single question does not fit into the memory of cpu" in broken.reason


def test_a_run_kept_from_a_version_that_knew_more_says_so_and_the_others_go_on(pack, staff):
    """As after a restore into an older version; `start_run` refuses such a run and lists the known names."""
    unknown = {field: f"this site knows no {field} 'telepathy'" for field in ("strategy", "parser", "condition")}
    unknown["sampler"] = "unknown sampler 'telepathy': there are uniform-N"
    old = [start(pack) for _ in unknown]
    for run, field in zip(old, unknown, strict=True):
        Run.objects.filter(pk=run.pk).update(**{field: "telepathy"})
    *old, other = worked(*old, start(pack))
    assert other.state == "finished"
    for run, words in zip(old, unknown.values(), strict=True):
        assert (run.state, run.code) == ("failed", "model-unusable")
        assert words in run.reason
        assert "\n" not in run.reason
        assert words in html.unescape(staff.get(run.get_absolute_url()).content.decode())


def test_what_a_failed_shard_used_is_added_once(pack):
    run = start(pack)
    lease, counted, known = run.shards.get(), {"requests": 3}, {"requests": 5}
    for usage, before in ((counted, None), (known, known), (None, known)):
        note_used(lease, SimpleNamespace(description={"usage": usage}), before=before)
    run.refresh_from_db()
    assert run.card["usage"] == counted
