"""The box of an object is drawn only on the middle one of the model's frames, at its place in time."""

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item
from benchmarks.packs.import_release import import_release
from evaluation.adapters.base import Turn
from evaluation.models import Cell
from evaluation.prompting.requests import Asking
from tests.benchmarks.audio_clips import greys, tone, write_heard
from tests.benchmarks.pacs_releases import small
from tests.factories import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def item(tmp_path):
    root = small(tmp_path)
    for number in (1, 2):
        write_heard(root / "videos" / f"object000{number}.mp4", tone(400, 1.0), shown=greys(10))
    import_release(BENCHMARKS["pacs"], root)
    return Item.objects.get(key="object0002_object0001/question0001")


def seen(item, condition, sampler):
    run = make_run(item.pack, strategy="pair", condition=condition, sampler=sampler)
    question = Asking(run).question(Cell(run=run, item=item, seed=0))
    return [turn for turn in question.request.turns if isinstance(turn, Turn) and turn.frames]


def red(frames):
    """The indices of frames with red, and the extent of red in the first of them: top, left, bottom, right."""
    pixels = frames.pixels.astype(int)
    is_red = (pixels[..., 0] > 200) & (pixels[..., 1] < 60)
    marked = [number for number, one in enumerate(is_red) if one.any()]
    places = np.argwhere(is_red[marked[0]]) if marked else np.zeros((1, 2), int)
    return marked, (*places.min(0).tolist(), *places.max(0).tolist())


@pytest.mark.parametrize("condition", ["video", "audio", "no-audio", "flipped-audio"])
def test_the_middle_frame_is_among_those_shown_and_carries_the_box(item, condition):
    turns = seen(item, condition, "uniform-4")
    assert len(turns) == 2
    for turn in turns:
        assert turn.text == "", "the object's name stands above, in a turn of its own"
        assert turn.frames.indices == (0, 3, 5, 6, 9)
        assert list(turn.frames.times) == sorted(turn.frames.times)
        assert red(turn.frames) == ([2], (9, 16, 26, 47))


def test_another_single_frame_is_shown_without_a_box_and_shuffled_ones_end_with_the_marked_one(item):
    for condition, sampler in (("first-frame", "first"), ("last-frame", "last")):
        frames = seen(item, condition, sampler)[0].frames
        assert (len(frames), red(frames)[0]) == (1, [])
    frames = seen(item, "shuffled-frames", "uniform-4")[0].frames
    assert (sorted(frames.indices), red(frames)[0]) == ([0, 3, 5, 6, 9], [4])


def test_a_middle_frame_that_is_shown_anyway_is_not_shown_twice(item):
    frames = seen(item, "video", "uniform-3")[0].frames
    assert (frames.indices, red(frames)[0]) == ((0, 4, 5, 9), [2])
    assert seen(item, "middle-frame", "middle")[0].frames.indices == (5,)
    assert red(seen(item, "middle-frame", "middle")[0].frames)[0] == [0]


def test_the_kept_frames_of_the_clip_stay_without_a_box(item):
    first = seen(item, "video", "uniform-4")[0].frames
    again = seen(item, "video", "uniform-4")[0].frames
    assert (first.digest, red(first)) == (again.digest, red(again))
    clip = item.media.first().clip
    clip.facts = {}
    clip.save()
    plain = seen(Item.objects.get(pk=item.pk), "video", "uniform-4")[0].frames
    assert (plain.indices, red(plain)[0]) == ((0, 3, 6, 9), [])
