"""Makes videos with their questions one at a time, then the files of the release; finished videos are kept.

```text
OUT/videos/sid_14/006512.mp4                           the clip
OUT/intermediates/sid_14/006512.json                   the run and its variations, as in annotations.json
OUT/intermediates/sid_14/questions/qa_006512.json      its questions; written last: it marks a finished video
```
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenes.craft.places import PER_SCENE, VideoPlace
from scenes.craft.questions.asking import GeneratedQuestion, ask, cleaned, sieved
from scenes.craft.records import case_record
from scenes.craft.world.run import Case
from scenes.craft.world.staging import CORNERS, LAYOUTS, stage
from scenes.scene import Profile
from scenes.whole_files import write_json

COMPACT = (",", ":")
SIZE, FPS = (256, 256), 60
TIMES_SHAKEN = 3
WORDS, SHAKING = 2, 3  # last numbers of a video's seeds, after those of `staging`


def keys_of(count: int, only: Sequence[str] = ()) -> list[str]:
    """Names of the wanted videos, `count` of each scene; scenes may be chosen as `14`, `sid_14` or `scene-14`."""
    if not 1 <= count <= PER_SCENE:
        raise ValueError(f"count {count}: 1 to {PER_SCENE} videos a scene, as many as the release has")
    scenes = {f"{form}{number}": number for number in LAYOUTS for form in ("", "sid_", "scene-")}
    for name in only:
        if name not in scenes:
            raise ValueError(f"no scene {name!r}: there is sid_1 to sid_{len(LAYOUTS)}")
    chosen = {scenes[name] for name in only} or LAYOUTS.keys()
    # All scenes for each number, so that a set that is stopped early has all of them.
    return [VideoPlace.of(scene, number).key for number in range(count) for scene in LAYOUTS if scene in chosen]


def refuse_format(size: tuple[int, int], fps: int) -> None:
    from scenes.craft.filming import refuse_format as refuse

    refuse(size, fps)


def refuse_profile(profile: Profile) -> None:
    """Raise TooManyCorners if this machine's Box2D can't make it."""
    from scenes.craft.world.physics import refuse_corners

    if profile == "polygons":
        refuse_corners(CORNERS)


def make(
    key: str, seed: int, out: Path, *, profile: Profile = "corrected", size: tuple[int, int] = SIZE, fps: int = FPS
) -> bool:
    """Make this video and its questions; True if they existed already."""
    from scenes.craft.filming import film
    from scenes.craft.world.physics import case_of

    place = VideoPlace(key)
    wanted = {"seed": seed, "profile": profile, "size": list(size), "fps": fps}
    if place.is_finished(out, wanted):
        return True
    video, record, questions = place.video(out), place.record(out), place.questions(out)
    for path in (video, record, questions):
        path.parent.mkdir(parents=True, exist_ok=True)
    questions.unlink(missing_ok=True)
    things = stage(place.scene, seed, place.number, profile=profile)
    case = case_of(things, keeps_poses=True)
    film(case.original, video, edge=size[0], fps=fps)
    write_json(record, case_record(case, place.official), separators=COMPACT)
    found = _questions(case, [seed, place.scene, place.number], profile)
    write_json(questions, wanted | {"questions": [_question_facts(question) for question in found]}, separators=COMPACT)
    return False


def _questions(case: Case, seeds: list[int], profile: Profile) -> list[GeneratedQuestion]:
    from scenes.craft.world.physics import perturbed_case

    questions = cleaned(ask(case, np.random.default_rng([*seeds, WORDS])), case)
    rng = np.random.default_rng([*seeds, SHAKING])
    shaken = [perturbed_case(case.original.start, rng, profile) for _ in range(TIMES_SHAKEN)]
    return sieved(questions, case, shaken, profile)


def _question_facts(question: GeneratedQuestion) -> dict[str, Any]:
    return {
        "number": question.number,
        "template": question.template.name,
        "values": dict(question.values),
        "question": question.text,
        "answer": question.answer,
    }


def write_labels(seed: int, out: Path, *, profile: Profile = "corrected", shares: str = "") -> int:
    """Write the release's files for all finished videos of this seed and profile; returns the number of questions."""
    from scenes.craft.release import write_release

    return write_release(out, {"seed": seed, "profile": profile}, shares=shares)
