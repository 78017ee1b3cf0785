"""A small pack in CRAFT's form with grey clips; questions are about the random brightness at beginning and end."""

import io
import random
from functools import cache

import av
import numpy as np
from django.conf import settings

from benchmarks.definitions.papers.craft import OPTIONS, prompt
from benchmarks.models import Pack
from tests.factories import make_clip, make_item, make_pack

FRAMES, FPS, EDGE = 20, 10, 32
SPLITS = {"train": 12, "validation": 4, "test": 8}  # videos; more of each to learn from
END, KIND = "Is it bright at the end?", "Is it a question?"


@cache
def film(begins: int, ends: int) -> bytes:
    """Frames of one brightness in the first half, of another in the second."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "1", "g": "5"})
        stream.width, stream.height, stream.pix_fmt = EDGE, EDGE, "yuv420p"
        for number in range(FRAMES):
            picture = np.full((EDGE, EDGE, 3), begins if number < FRAMES // 2 else ends, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


def put_films(pack: Pack) -> None:
    """Write the files of its clips, whose beginning and end are independent."""
    chance = random.Random(4)
    for number, clip in enumerate(pack.clips.order_by("pk").prefetch_related("renditions")):
        is_bright, began_bright = divmod(number % 4, 2)
        path = settings.MEDIA_ROOT / "clips" / clip.renditions.all()[0].name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(film(*(20 + 200 * bright + chance.randrange(20) for bright in (began_bright, is_bright))))


def craft_pack(times: int = 1) -> Pack:
    """Write the rows, with so many times the videos: both settings have the same videos in other splits."""
    pack = make_pack(benchmark="craft", name="grey")
    parts = [part for part, count in SPLITS.items() for _ in range(times * count)]
    for number, part in enumerate(parts):
        is_bright = number % 4 > 1
        other = parts[len(parts) - 1 - number]
        clip = make_clip(
            pack, key=f"{number:06}", frames=FRAMES, fps=FPS, seconds=FRAMES / FPS, width=EDGE, height=EDGE
        )
        for place, (text, answer, test) in enumerate(
            ((END, "true" if is_bright else "false", "Descriptive"), (KIND, "true", "Cause"))
        ):
            facets = {
                "test": (test,),
                "answer": ("Boolean",),
                "scene": ("scene-1",),
                "template": ("cause_0",),
                "split": (f"easy-{part}", f"hard-{other}", "all"),
                "polarity": (),
            }
            make_item(
                pack,
                clip=clip,
                key=f"{number:06}/{place}",
                kind="question",
                text=prompt(text, "Boolean"),
                variant="",
                options=list(OPTIONS["Boolean"]),
                expected=answer,
                facets=facets,
            )
    return pack
