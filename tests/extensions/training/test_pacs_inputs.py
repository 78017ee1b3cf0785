"""Inputs of PACS' baselines: the marked square, the film without a box, sound augmented as in the paper."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from evaluation.adapters.base import Audio, Frames
from extensions.training.pacs.backbones import EDGE, small, small_tokenizer
from extensions.training.pacs.frames import CLIP_JITTER, MIDDLE, Crop, Look, altered, cut_out, film_of, relit, square_of
from extensions.training.pacs.inputs import (
    MASKED_BANDS,
    MASKED_MOMENTS,
    ClipTransform,
    Crops,
    Lacking,
    MelPower,
    Spectrogram,
    Square,
    middle,
)
from extensions.training.pacs.recipes import CLAP, SOUND
from tests.extensions.training.pacs_objects import BOX, audio_of, frames_of

LOOK = Look(64, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


def red(pixels) -> int:
    return int((pixels == (255, 0, 0)).all(-1).sum())


def test_the_square_is_the_box_grown_by_a_quarter_with_the_box_or_without():
    """The box is 16 x 16 pixels, with a square of 20 around it; two rows of 16 of the box's lines are drawn."""
    frames = frames_of(True)
    drawn, plain = (square_of(frames, with_box=with_box) for with_box in (True, False))
    assert drawn.shape == plain.shape == (1, 20, 20, 3)
    assert (red(drawn), red(plain)) == (2 * 16, 0)
    left, top, right, bottom = BOX
    assert np.array_equal(plain[0, 2:18, 2:18], frames.mark.plain[top:bottom, left:right])


def test_without_a_mark_the_middle_one_of_the_frames_is_taken_whole():
    frames = replace(frames_of(True), mark=None)
    assert np.array_equal(square_of(frames, with_box=True)[0], frames.pixels[1])


@pytest.mark.parametrize(("is_extra", "five"), [(True, [0, 1, 3, 3, 4]), (False, [0, 1, 2, 3, 4])])
def test_the_film_has_no_box_and_no_frame_that_stands_there_for_the_box_alone(is_extra, five):
    pixels = np.zeros((5, 36, 64, 3), np.uint8) + np.arange(5, dtype=np.uint8)[:, None, None, None]
    mark = replace(frames_of(True).mark, place=2, plain=pixels[2].copy(), is_extra=is_extra)
    pixels = pixels.copy()
    pixels[2] = (255, 0, 0)
    shown = Frames(pixels, tuple(range(5)), tuple(map(float, range(5))), "x", 5.0, 1.0, mark)
    assert film_of(shown, 4)[:, 0, 0, 0].tolist() == [0, 1, 3, 4]
    assert film_of(shown, 5)[:, 0, 0, 0].tolist() == five


def test_pictures_are_kept_with_room_to_be_cut_nearer():
    kept = LOOK.prepared(np.zeros((2, 90, 160, 3), np.uint8))
    assert (kept.shape, kept.dtype) == ((2, 3, 75, 133), torch.uint8)
    assert altered(kept, LOOK, CLIP_JITTER, random.Random(0)).shape == (2, 3, 64, 64)


def test_a_cut_is_where_it_says_and_colours_are_normal():
    """A picture that brightens to the right, one step a pixel: the left cut begins at 0, the middle one at 18."""
    ramp = torch.arange(100, dtype=torch.uint8).expand(1, 3, 64, 100)
    assert torch.equal(cut_out(ramp, Crop(1.0, 0.0, 0.0), 64)[0, 0, 0] * 255, torch.arange(64.0))
    assert float(cut_out(ramp, MIDDLE, 64)[0, 0, 0, 0] * 255) == pytest.approx(18)
    assert LOOK.normal(torch.tensor([0.0, 0.5, 1.0]).view(3, 1, 1)).flatten().tolist() == [-1.0, 0.0, 1.0]


def test_light_is_turned_no_further_than_it_may():
    grey = torch.full((1, 3, 4, 4), 0.5)
    lights = [float(relit(grey, CLIP_JITTER, random.Random(seed)).mean()) for seed in range(30)]
    assert 0.5 * 0.85 <= min(lights) < 0.48
    assert 0.52 < max(lights) <= 0.5 * 1.15


def test_shapes_of_what_is_given():
    frames = frames_of(True)
    for reader, plain, changed in (
        (Square(LOOK), (3, 64, 64), (3, 64, 64)),
        (ClipTransform(LOOK, 8), (8, 3, 64, 64), (8, 3, 64, 64)),
        (Crops(LOOK, is_whole_alone=False), (6, 3, 64, 64), (1, 3, 64, 64)),
        (Crops(LOOK, is_whole_alone=True), (1, 3, 64, 64), (1, 3, 64, 64)),
    ):
        kept = reader.prepared(frames, None)
        assert (reader.plain(kept).shape, reader.altered(kept, random.Random(0)).shape) == (plain, changed)
    assert LOOK.edge == EDGE


# --- sound ---


@pytest.fixture(scope="module")
def spectrogram() -> Spectrogram:
    return Spectrogram(small(SOUND, small_tokenizer([]))[1])


@pytest.fixture(scope="module")
def power() -> MelPower:
    return MelPower(small(CLAP, small_tokenizer([]))[1])


def test_ast_hears_what_its_own_extractor_makes(spectrogram):
    audio = audio_of(True, seconds=3.0)
    own = spectrogram.reader(audio.samples, sampling_rate=16_000, return_tensors="pt")["input_values"][0]
    assert torch.equal(spectrogram.prepared(None, audio), own)
    assert own.shape == (304, 64)


def test_masks_are_no_wider_than_the_paper_says_and_noise_is_small(spectrogram):
    kept = torch.full((304, 64), 5.0)
    for seed in range(20):
        changed = spectrogram.altered(kept, random.Random(seed))
        masked = changed < 1
        assert masked.all(0).sum() <= round(MASKED_BANDS * 64) == 24
        assert masked.all(1).sum() <= round(MASKED_MOMENTS * 304) == 43
        assert 0 <= float((changed[~masked] - 5).max()) <= 0.1


def test_a_long_sound_is_cut_to_its_middle():
    assert middle(np.arange(10), 4).tolist() == [3, 4, 5, 6]
    assert middle(np.arange(3), 4).tolist() == [0, 1, 2]


def test_clap_hears_five_seconds_a_shorter_sound_in_the_middle_of_silence(power):
    assert (power.window_moments, power.moments) == (250, 251)
    short = torch.ones(50, 16)
    short[0] = -80
    given = power.plain(short)[0]
    assert given.shape == (251, 16)
    loud = (given > 0).any(1).nonzero().flatten()
    assert (int(loud[0]), int(loud[-1])) == (101, 149)
    assert float(given.min()) == -80  # the floor of the spectrogram, not digital silence
    kept = power.prepared(None, Audio(np.zeros(16_000, np.float32), 16_000))
    assert kept.shape == (51, 16)


def test_sound_is_turned_around_half_the_time_and_noise_only_adds(power):
    ramp = torch.arange(251.0)[:, None].expand(251, 16) / 10
    changed = [power.altered(ramp, random.Random(seed))[0] for seed in range(40)]
    plain = power.plain(ramp)[0]
    turned = [bool(one[5, 0] > one[-5, 0]) for one in changed]
    assert 10 <= sum(turned) <= 30
    for one, is_turned in zip(changed, turned, strict=True):
        known = plain.flip(0) if is_turned else plain
        assert bool((one >= known - 0.2).all())  # the last moment is the first again
    same = sum(torch.equal(one, plain) or torch.equal(one, plain.flip(0)) for one in changed)
    assert 2 <= same <= 16  # a fifth is left without noise


def test_what_an_object_lacks_is_said(power):
    with pytest.raises(Lacking, match="shown without sound"):
        power.prepared(frames_of(True), None)
    with pytest.raises(Lacking, match="played without frames"):
        Square(LOOK).prepared(None, audio_of(True))
