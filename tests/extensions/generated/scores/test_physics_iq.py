"""Physics-IQ's measures on worked values."""

import av
import numpy as np
import pytest

from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.storage.store import store
from extensions.generated.models import GeneratedClip
from extensions.generated.scores.physics_iq import (
    FACT,
    Motion,
    MotionMeasures,
    lines_of,
    measure_set,
    measures,
    motion_of,
    original_score,
    unmeasured,
    verified_score,
)
from tests.extensions.generated.scores.rounds import made_pack, made_set


def clip(*masks, grey=0.5, rate=10.0):
    shown = np.array(masks, bool)
    return Motion(np.full((*shown.shape, 3), grey), shown, rate)


def test_measures_of_two_clips_by_hand():
    first = clip([[0, 0]], [[1, 0]], [[1, 1]], grey=0.5)
    second = clip([[0, 0]], [[0, 1]], [[1, 1]], grey=0.7)
    found = measures(first, second)
    assert found.spatial == 1.0  # both move everywhere at some time
    assert found.spatiotemporal == pytest.approx((1 + 0 + 1) / 3)  # two still pictures are alike
    assert found.weighted == pytest.approx((1 + 1) / (2 + 2))  # thirds of the time: 2, 1 against 1, 2
    assert found.mse == pytest.approx(0.04)


def test_longer_clip_is_compared_as_far_as_both_go():
    assert measures(clip([[1]], [[1]]), clip([[1]], [[1]], [[0]])).spatiotemporal == 1.0


@pytest.mark.parametrize("other", [clip([[1, 1]], [[1, 1]]), clip([[1]], [[1]], rate=12.0)])
def test_clips_of_other_size_or_rate_are_not_compared(other):
    with pytest.raises(UnreadableMedia, match="another size or rate"):
        measures(clip([[1]], [[1]]), other)


def test_original_score_is_of_means_over_clips():
    """(0.2/0.8 + 0.3/0.6 + 0.1/0.5) / 3 - (0.05 - 0.01) = 0.27667."""
    found = [MotionMeasures(0.4, 0.1, 0.2, 0.06), MotionMeasures(0.2, 0.3, 0.0, 0.04)]
    known = [MotionMeasures(0.5, 0.9, 0.6, 0.01), MotionMeasures(0.7, 0.7, 0.4, 0.01)]
    assert original_score(found, known) == pytest.approx(100 * ((0.2 / 0.8 + 0.3 / 0.6 + 0.1 / 0.5) / 3 - 0.04))


def test_verified_score_is_of_ratios_of_each_clip_at_most_one():
    found = [MotionMeasures(0.4, 0.9, 0.3, 0.02), MotionMeasures(0.4, 0.4, 0.4, 0.0)]
    known = [MotionMeasures(0.8, 0.6, 0.6, 0.01), MotionMeasures(0.4, 0.4, 0.4, 0.01)]
    assert verified_score(found, known) == pytest.approx(100 * (0.5 + 1 + 0.5 + 0.5 + 4) / 8, abs=1e-4)


def test_second_take_has_the_whole_score():
    takes = [MotionMeasures(0.6, 0.5, 0.4, 0.01)]
    assert [original_score(takes, takes), verified_score(takes, takes)] == pytest.approx([100, 100], abs=1e-4)


def pictures(at, count=6, size=64):
    """A bright square that goes right by 8 pixels a picture, in rows from `at`."""
    for number in range(count):
        picture = np.zeros((size, size, 3), np.uint8)
        picture[at : at + 16, 8 * number : 8 * number + 16] = 255
        yield picture


def stored(name, at):
    """A clip of `pictures` under this name."""
    path = store().local(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for picture in pictures(at):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode(None))


def test_motion_is_where_something_moves():
    stored("clip.mp4", 16)
    motion = motion_of(store().local("clip.mp4"))
    assert motion.masks.shape == (6, 16, 16)
    assert not motion.masks[0].any()
    rows, columns = np.nonzero(motion.masks[1:].max(axis=0))
    assert (rows.min(), rows.max()) == (3, 8)  # the square with what the blur adds
    assert (columns.min(), columns.max()) == (0, 14)
    assert motion.rate == pytest.approx(10)


@pytest.mark.django_db
def test_sets_of_prompts_with_a_reference_are_measured():
    pack = made_pack(prompts=2)
    pack.prompts.filter(key="prompt-0").update(reference="prompts/real.mp4")
    sets = [made_set(pack, "right"), made_set(pack, "wrong"), made_set(pack, "again", role="ceiling")]
    stored("prompts/real.mp4", 16)
    for one, at in zip(sets, (16, 40, 20), strict=True):
        stored(GeneratedClip.objects.get(clip_set=one, prompt__key="prompt-0").stored, at)
    assert unmeasured() == [one.pk for one in sets]
    assert [measure_set(one) for one in sets] == [1, 1, 1]
    lines = {line["title"]: line for line in lines_of(sets)}
    assert unmeasured() == []
    assert [lines[title]["verified"] for title in ("Right", "Again")] == pytest.approx([100, 100], abs=0.1)
    assert lines["Wrong"]["spatial"] == 0.0
    assert lines["Wrong"]["verified"] < 30
    assert (lines["Right"]["n"], lines["Right"]["missing"]) == (1, 1)


@pytest.mark.django_db
def test_prompt_without_a_second_take_is_named():
    pack = made_pack(prompts=1)
    pack.prompts.update(reference="prompts/real.mp4")
    one = made_set(pack, "one")
    assert (unmeasured(), measure_set(one)) == ([], 0)
    assert one.clips.get().facts[FACT] == {"problem": "there is no second take"}


@pytest.mark.django_db
def test_clip_that_cant_be_compared_says_why():
    pack = made_pack(prompts=1)
    pack.prompts.update(reference="prompts/real.mp4")
    one, _ = made_set(pack, "one"), made_set(pack, "again", role="ceiling")
    for name in ("prompts/real.mp4", *GeneratedClip.objects.values_list("pk", flat=True)):
        stored(name if isinstance(name, str) else GeneratedClip.objects.get(pk=name).stored, 16)
    store().local(one.clips.get().stored).write_bytes(b"no clip")
    assert measure_set(one) == 0
    assert one.clips.get().facts[FACT]["problem"]
    assert list(lines_of([one])) == []
