"""`python tests/humantrials/site_content.py [SLUG=JSON …]`: a pack with real clips and open trials on it, in DATA_DIR.

For browser tests and screenshots; SLUG=JSON names a trial and its settings.
"""

import json
import os
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FPS, SECONDS, SIZE = 25, 1.2, (320, 240)

clips: dict[tuple[Any, ...], bytes] = {}  # files of this process, by what they show


def write_clip(
    path: Path,
    *,
    number: int = 0,
    seconds: float = SECONDS,
    fps: int | Fraction = FPS,
    size: tuple[int, int] = SIZE,
    ground: tuple[int, int, int] = (214, 205, 190),
) -> None:
    """Write a clip of a ball that crosses the picture, in H.264 for browsers; each different one is encoded once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = (number, seconds, fps, size, ground)
    if drawn in clips:
        path.write_bytes(clips[drawn])
    else:
        _encode(path, *drawn)
        clips[drawn] = path.read_bytes()


def _encode(
    path: Path, number: int, seconds: float, fps: int | Fraction, size: tuple[int, int], ground: tuple[int, int, int]
) -> None:
    import av
    import numpy as np

    rows, columns = np.mgrid[0 : size[1], 0 : size[0]]
    empty = np.full((size[1], size[0], 3), ground, np.uint8)
    empty[150:160] = (120, 90, 70)
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as file:
        stream = file.add_stream("libx264", rate=fps, options={"crf": "28", "g": "12", "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for index in range(int(seconds * fps)):
            picture = empty.copy()
            middle = 30 + index * 8
            near = np.s_[110:151, middle - 20 : middle + 21]
            ball = (columns[near] - middle) ** 2 + (rows[near] - 130) ** 2 < 400
            picture[near][ball] = (40 + number * 23 % 200, 90, 160)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))


def write_files(pack, seconds: float = SECONDS) -> None:
    """Store one real file for every rendition of the pack without one."""
    from PIL import Image

    from benchmarks.models import Clip, Rendition, RenditionKind
    from benchmarks.storage.access import path_of

    Clip.objects.filter(pack=pack).update(seconds=seconds)  # as long as the files: who is faster has not seen them
    for number, rendition in enumerate(Rendition.objects.filter(clip__pack=pack).order_by("pk")):
        if path_of(rendition).is_file():
            continue
        if rendition.kind == RenditionKind.POSTER:
            path_of(rendition).parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", SIZE, (214, 205, 40 + number * 23 % 200)).save(path_of(rendition), "JPEG")
        else:
            write_clip(path_of(rendition), number=number, seconds=seconds)


def physics():
    """GRASP: three tests of Level 2 with a clip of each half, and statements about four clips of Level 1."""
    from tests.factories import make_clip, make_item
    from tests.humantrials.fixtures import physics_item, physics_pack

    pack = physics_pack(tests=3, clips=1, name="stage", title="Stage clips")
    physics_item(pack, "Gravity", is_plausible=False, split=("all",))
    for test in ("Movement", "Movement", "ColorRed", "ColorBlue"):
        make_item(pack, clip=make_clip(pack), facets={"test": (test,), "split": ("all",), "polarity": ("true",)})
    return pack


def twins(name: str):
    """GRASP: two pairs of each of two tests, whose impossible clips break in the middle."""
    from tests.humantrials.fixtures import twin_pack

    return twin_pack(2, 2, seconds=SECONDS, breaks=(0.4, 0.6), name=name, title="Stage twins")


def pairs():
    """PACS: three pairs without shared clips, two for a trial and one for practice."""
    from tests.factories import make_clip, make_item, make_pack

    pack = make_pack(benchmark="pacs", name="stage", title="Stage pairs")
    for number in range(3):
        item = make_item(
            pack,
            key=f"pair{number}",
            kind="pair",
            text="Which of the two objects would make a duller sound if it fell from a table onto a wooden floor?",
            answer_kind="label",
            options=["object 1", "object 2"],
            expected="object 1",
            facets={"test": ("pacs",), "split": ("val",)},
        )
        for place in range(2):
            facts = {"box": [96, 90, 480, 390], "box_in": [640, 480]}
            clip = make_clip(pack, key=f"pair{number}/{place}", facts=facts)
            add_poster(clip)
            item.media.create(clip=clip, role="object", position=place)
    return pack


def add_poster(clip) -> None:
    from benchmarks.models import Rendition, RenditionKind

    name = f"opaque-{clip.pk}.jpg"
    Rendition.objects.create(clip=clip, kind=RenditionKind.POSTER, name=name, sha256=f"{clip.pk:064x}", size=4096)


def parts():
    """CRAFT: two questions per part, a count and a true-or-false one, and one for practice."""
    from benchmarks.definitions.papers.craft import OPTIONS, prompt
    from tests.factories import make_clip, make_item, make_pack

    pack = make_pack(benchmark="craft", name="stage", title="Stage questions")
    kinds = {"Count": "How many objects fall to the ground?", "Boolean": "Does the tiny red circle enter the basket?"}
    clips = [make_clip(pack, key=f"sid_1/{number}") for number in range(2)]
    for kind, question in kinds.items():
        for number in range(6 if kind == "Count" else 5):
            make_item(
                pack,
                clip=clips[number % 2],
                key=f"{kind}/{number}",
                kind="question",
                text=prompt(question, kind),
                answer_kind="label",
                options=list(OPTIONS[kind]),
                expected=OPTIONS[kind][1],
                facets={"test": ("Descriptive" if kind == "Count" else "Cause",), "split": ("all",)},
            )
    return pack


def patterns():
    """Giraffe: two generated patterns, each with four pictures to choose from."""
    import tempfile

    from benchmarks.definitions.registry import BENCHMARKS
    from benchmarks.packs.import_release import import_release
    from tests.benchmarks.definitions.importers.test_giraffe import make_release

    with tempfile.TemporaryDirectory() as folder:
        made = make_release(Path(folder), only=("clock", "snake"), size=(256, 256))
        return import_release(BENCHMARKS["giraffe"], made, pack_name="stage").pack


def predictions():
    """Giraffe: a prediction to be rated, with every dimension of its rubric."""
    from evaluation.models import Briefing
    from evaluation.studies.human_ratings import make_ratings
    from tests.factories import make_answer, make_item, make_model, make_pack, make_run

    pack = make_pack(benchmark="giraffe", name="told", title="Stage predictions")
    item = make_item(
        pack,
        kind="told",
        answer_kind="free",
        options=[],
        expected=None,
        text="What next?",
        facets={"level": ("1",), "test": ("automated",), "polarity": ()},
    )
    Briefing.objects.create(
        item=item,
        facts={
            "pattern": "Each of these four images shows a clock. From image to image, ten minutes pass.",
            "pred": "In the next image, the clock will show 7:40.",
        },
    )
    run = make_run(pack, model=make_model(), strategy="patterns-images", parser="enumerated")
    make_answer(run, item, "The clock goes on by ten minutes from image to image. The next one shows 7:40.")
    return make_ratings(runs=[run], count=1, seed=1, name="ratings")


# By benchmark, or by protocol if a benchmark's protocols ask about different things.
STAGED: dict[str, Callable[[], Any]] = {
    "grasp": physics,
    "grasp-twins": partial(twins, "twins"),
    "grasp-moment": partial(twins, "moments"),
    "grasp-frames": partial(twins, "stills"),
    "pacs": pairs,
    "craft": parts,
    "giraffe-choice": patterns,
    "giraffe-rating": predictions,
}


def main(trials: dict[str, dict]) -> None:
    from humantrials.protocols import find_protocol
    from humantrials.running.lifecycle import create_trial, open_trial

    packs: dict[str, Any] = {}
    for slug, settings in trials.items():
        protocol = settings.pop("protocol", "grasp-plausibility")
        name = protocol if protocol in STAGED else find_protocol(protocol).pool.benchmark
        if name not in packs:
            packs[name] = STAGED[name]()
            write_files(packs[name])
        trial = create_trial(slug=slug, protocol=protocol, pack=packs[name], seed=1, settings=settings)
        open_trial(trial=trial)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django
    from django.core.management import call_command

    django.setup()
    Path(os.environ["DATA_DIR"], "var").mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    main({name: json.loads(text) for name, text in (pair.split("=", 1) for pair in sys.argv[1:])})
