"""`python tests/humantrials/stage.py [SLUG=JSON …]`: a pack with real clips and open trials on it, in DATA_DIR.

What browser tests and pictures need; SLUG=JSON names a trial and its settings.
"""

import json
import os
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FPS, SECONDS, SIZE = 25, 1.2, (320, 240)


def write_clip(path: Path, *, number: int = 0, seconds: float = SECONDS) -> None:
    """A ball that crosses the picture, as H.264 that browsers play."""
    import av
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as file:
        stream = file.add_stream("libx264", rate=FPS, options={"crf": "28", "g": "12", "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for index in range(int(seconds * FPS)):
            picture = np.full((SIZE[1], SIZE[0], 3), (214, 205, 190), np.uint8)
            picture[150:160] = (120, 90, 70)
            middle = 30 + index * 8
            picture[(columns - middle) ** 2 + (rows - 130) ** 2 < 400] = (40 + number * 23 % 200, 90, 160)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = index, Fraction(1, FPS)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))


def write_files(pack) -> None:
    """One real file behind every rendition of the pack."""
    from benchmarks.media import path_of
    from benchmarks.models import Rendition

    for number, rendition in enumerate(Rendition.objects.filter(clip__pack=pack).order_by("pk")):
        write_clip(path_of(rendition), number=number)


def main(trials: dict[str, dict]) -> None:
    from tests.factories import make_clip, make_item
    from tests.humantrials.scenery import physics_item, physics_pack, running_trial

    pack = physics_pack(tests=3, clips=1, name="stage", title="Stage clips")
    physics_item(pack, "Gravity", is_plausible=False, split=("all",))
    make_item(pack, clip=make_clip(pack), facets={"test": ("Movement",)})
    write_files(pack)
    for slug, settings in trials.items():
        running_trial(pack, slug=slug, **settings)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django
    from django.core.management import call_command

    django.setup()
    Path(os.environ["DATA_DIR"], "var").mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    main({name: json.loads(text) for name, text in (pair.split("=", 1) for pair in sys.argv[1:])})
