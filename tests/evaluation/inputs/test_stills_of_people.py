"""People's stills equal the frames of models to the pixel."""

import io

import numpy as np
from PIL import Image

from evaluation.inputs.frames import decoded
from humantrials.participation.questions import _stills


def test_stills_are_the_frames_of_models_to_the_pixel(make_filmed):
    clip = make_filmed()[0].clip
    for count in (1, 4, 8, 20):
        sent = [frame.picture for frame in decoded(clip, f"uniform-{count}")]
        stills = [np.asarray(Image.open(io.BytesIO(file))) for file in _stills(clip.pk, clip.sha256, count)]
        assert all(np.array_equal(still, picture) for still, picture in zip(stills, sent, strict=True))
