"""Clips are prefetched, and withdrawn ones are dropped."""

import time

import pytest

from benchmarks.models import Clip
from benchmarks.storage.access import withdraw
from evaluation.errors import ClipUnreadable
from evaluation.inputs import frames
from evaluation.inputs.frames import frames_of, place_of
from evaluation.inputs.prefetch import DecodeAhead
from evaluation.models import Run
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.factories import make_model

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("M10")
def test_the_clips_of_the_next_shard_are_decoded_while_the_model_answers(pack, make_filmed):
    items = make_filmed(20)
    run = start_run(model=make_model(), pack=pack, strategy="binary", sampler="uniform-2")
    work_on(run.pk)
    run.refresh_from_db()
    assert run.shards.count() == 2
    assert all(place_of(item.clip, "uniform-2").exists() for item in items)
    assert 0 <= run.card["busy"] <= 1


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

    def slow(clip, wanted):
        calls.append(clip.pk)
        time.sleep(0.05)
        return real(clip, wanted)

    monkeypatch.setattr(frames, "decoded", slow)
    with DecodeAhead("uniform-4") as ahead:
        ahead.start(clips)
        ahead.start(clips)
        assert len(frames_of(clips[0], "uniform-4")) == 4
    assert len(calls) == 1


def test_a_clip_withdrawn_while_it_is_decoded_is_not_kept(make_filmed, monkeypatch, django_capture_on_commit_callbacks):
    clip, real = make_filmed(1)[0].clip, frames.decoded
    place = place_of(clip, "uniform-4")

    def decoded_too_late(clip, wanted):
        taken = real(clip, wanted)
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
