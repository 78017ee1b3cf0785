"""Clips are prefetched, and withdrawn ones are dropped."""

import os
import sys
import threading
import time

import pytest

from benchmarks.models import Clip
from benchmarks.storage.access import withdraw
from evaluation.adapters.heuristics import ScriptedModel
from evaluation.errors import ClipUnreadable
from evaluation.inputs import frames
from evaluation.inputs.frames import DecodeAhead, frames_of, place_of
from evaluation.models import Run
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.factories import make_model

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("M10")
def test_the_clips_of_the_next_shard_are_decoded_while_the_model_answers(pack, make_filmed, monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", 32)
    items = make_filmed(20)
    run = start_run(model=make_model(), pack=pack, strategy="binary", sampler="uniform-2")
    work_on(run.pk)
    run.refresh_from_db()
    assert run.shards.count() == 2
    assert all(place_of(item.clip, "uniform-2").exists() for item in items)
    assert 0 <= run.card["busy"] <= 1


def test_the_model_begins_before_the_last_clip_of_its_shard_is_decoded(pack, make_filmed, monkeypatch):
    make_filmed(4)
    run = start_run(model=make_model(kind="scripted", options={"batch": 2}), pack=pack, strategy="binary")
    last, has_begun = run.cells.latest("pk").item.clip, threading.Event()
    decoded, reply = frames.decoded, ScriptedModel._reply

    def waiting_for_the_model(clip, wanted, threads):
        if clip == last and not has_begun.wait(10):
            raise ClipUnreadable("the model waited for every clip")
        return decoded(clip, wanted, threads)

    def beginning(self, request):
        has_begun.set()
        return reply(self, request)

    monkeypatch.setattr(frames, "decoded", waiting_for_the_model)
    monkeypatch.setattr(ScriptedModel, "_reply", beginning)
    work_on(run.pk)
    assert list(run.cells.values_list("state", "reason").distinct()) == [("answered", "")]


def test_waiting_for_a_clip_is_no_time_of_the_model(pack, make_filmed, monkeypatch):
    make_filmed(1)
    run, decoded = start_run(model=make_model(), pack=pack, strategy="binary"), frames.decoded

    def slow(clip, wanted, threads):
        time.sleep(1.0)
        return decoded(clip, wanted, threads)

    monkeypatch.setattr(frames, "decoded", slow)
    work_on(run.pk)
    run.refresh_from_db()
    assert run.card["seconds"]["decode"] >= 0.9
    assert run.card["seconds"]["model"] < 0.9 > run.cells.earliest("pk").response.seconds


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a thread its own priority")
def test_decoding_ahead_steps_back_behind_the_model(monkeypatch):
    found: list[int] = []
    monkeypatch.setattr(
        "evaluation.inputs.frames.frames_of",
        lambda *clip, threads: found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id())),
    )
    with DecodeAhead("uniform-4") as ahead:
        ahead.start([Clip(sha256="a")])
        ahead.wait()
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert found == [min(19, own + 10)]


def test_decoding_ahead_fills_the_cache_and_keeps_bad_clips_for_later(make_filmed, settings):
    good, bad = (item.clip for item in make_filmed(2)[::2])
    (settings.MEDIA_ROOT / "clips" / bad.renditions.get().name).write_bytes(b"no video")
    clips = type(good).objects.prefetch_related("renditions").in_bulk([good.pk, bad.pk])
    with DecodeAhead("uniform-4") as ahead:
        ahead.start([clips[bad.pk], clips[good.pk]])
        ahead.wait()
    assert place_of(good, "uniform-4").exists()
    assert not place_of(bad, "uniform-4").exists()


def test_a_clip_that_several_want_at_once_is_decoded_once(make_filmed, monkeypatch, settings):
    settings.DECODE_THREADS = 4
    clips = list(Clip.objects.prefetch_related("renditions").filter(pk=make_filmed(1)[0].clip.pk)) * 6
    calls, real = [], frames.decoded

    def slow(clip, wanted, threads):
        calls.append(clip.pk)
        time.sleep(0.05)
        return real(clip, wanted, threads)

    monkeypatch.setattr(frames, "decoded", slow)
    with DecodeAhead("uniform-4") as ahead:
        ahead.start(clips)
        ahead.start(clips)
        assert len(frames_of(clips[0], "uniform-4")) == 4
    assert len(calls) == 1


def test_a_clip_withdrawn_while_it_is_decoded_is_not_kept(make_filmed, monkeypatch, django_capture_on_commit_callbacks):
    clip, real = make_filmed(1)[0].clip, frames.decoded
    place = place_of(clip, "uniform-4")

    def decoded_too_late(clip, wanted, threads):
        taken = real(clip, wanted, threads)
        with django_capture_on_commit_callbacks(execute=True):
            withdraw(clip=Clip.objects.get(pk=clip.pk), why="asked for by its author")
        return taken

    monkeypatch.setattr(frames, "decoded", decoded_too_late)
    stale = Clip.objects.prefetch_related("renditions").get(pk=clip.pk)
    with pytest.raises(ClipUnreadable, match="withdrawn"):
        frames_of(stale, "uniform-4")
    assert not place.exists()


def test_a_withdrawn_clip_leaves_the_cache_and_its_runs_are_counted_anew(
    pack, make_filmed, django_capture_on_commit_callbacks
):
    clip = make_filmed(1)[0].clip
    run = start_run(model=make_model(), pack=pack, strategy="binary")
    work_on(run.pk)
    assert place_of(clip, "uniform-8").exists()
    before = Run.objects.get(pk=run.pk).answers_version
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(clip=clip, why="asked for by its author")
    assert not place_of(clip, "uniform-8").exists()
    assert Run.objects.get(pk=run.pk).answers_version == before + 1
    with pytest.raises(ClipUnreadable, match="withdrawn"):
        frames_of(clip)
