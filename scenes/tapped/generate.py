"""Makes the clips and then the label files, in PACS' layout; finished clips are kept.

```text
OUT/videos/objectNNNN.mp4            the clip with its sound
OUT/trajectories/objectNNNN.npz      its motion (see `scenes.trajectory`)
OUT/trajectories/objectNNNN.json     the thing and its blows; written last: it marks a finished clip
OUT/json/*.json                      the files of a PACS release, with `channel` beside each label, and tapped.json
```
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scenes.audit.geometry import corners_of, in_picture
from scenes.scene import LOOK, STEP, Look
from scenes.tapped.composing import PART
from scenes.tapped.planning import pairs_of, things_of
from scenes.tapped.questions import BANK, material_bank, material_questions, questions_about
from scenes.tapped.staging import scene_of
from scenes.tapped.things import TappedObject
from scenes.trajectory import Trajectory
from scenes.whole_files import facts_made_with, write_json

SIZE, FPS = (640, 360), 50
BOX_IN = (1280, 720)  # pixels: the frame of PACS' boxes
MARGIN = 6  # of these pixels, around the thing
CLIPS, MATERIALS_ASKED = 3, 4  # first numbers of the seeds of clips and of the material subset


def make_thing(
    seed: int, pairs: int, key: str, out: Path, *, size: tuple[int, int] = SIZE, fps: int = FPS, look: Look = LOOK
) -> bool:
    """Make the clip of this object; True if it existed already."""
    from scenes.rendering.video import states_a_frame

    states_a_frame(size, fps)
    video, motion = out / "videos" / f"{key}.mp4", out / "trajectories" / f"{key}.npz"
    thing = next(thing for thing in things_of(seed, pairs) if thing.key == key)
    thing_as_json = json.loads(json.dumps(asdict(thing)))
    wanted = {"seed": seed, "size": list(size), "fps": fps, "thing": thing_as_json, "look": look}
    facts = motion.with_suffix(".json")
    if video.is_file() and motion.is_file() and facts_made_with(facts, wanted):
        return True
    for path in (video, motion):
        path.parent.mkdir(parents=True, exist_ok=True)
    facts.unlink(missing_ok=True)
    rng = np.random.default_rng([seed, CLIPS, int(key.removeprefix("object"))])
    made = _tapped(thing, rng, video, motion, size=size, fps=fps, look=look)
    write_json(facts, wanted | made, indent=1, default=float)
    return False


def _tapped(
    thing: TappedObject,
    rng: np.random.Generator,
    video: Path,
    motion: Path,
    *,
    size: tuple[int, int],
    fps: int,
    look: Look,
) -> dict[str, Any]:
    """Write the clip and its motion; returns what is known of them."""
    from scenes.tapped.sounds.muxing import write_clip
    from scenes.tapped.sounds.sound import clip_sound_of
    from scenes.tapped.touching import simulate_touches

    scene = scene_of(thing, rng)
    trajectory, touches = simulate_touches(scene, thing)
    sound = clip_sound_of(thing, touches, scene.seconds, rng)
    trajectory.save(motion)
    write_clip(trajectory, sound, video, size=size, fps=fps, look=look)
    return {
        "mass": thing.mass,
        "dimensions": thing.size,
        "parameters": scene.parameters,
        "blows": [asdict(blow) for blow in touches.blows],
        "box": box_of(trajectory, fps),
        "digest": trajectory.digest(),
    }


def box_of(trajectory: Trajectory, fps: int) -> list[int]:
    """The thing's box on the clip's middle frame, in the pixels of PACS' boxes."""
    frames = -(-len(trajectory) // round(1 / STEP / fps))
    state = min(frames // 2 * round(1 / STEP / fps), len(trajectory) - 1)
    corners = np.concatenate([corners_of(trajectory, column, state) for column in trajectory.with_role(PART)])
    seen = in_picture(trajectory.description.camera, corners)
    width, height = BOX_IN
    across = width / 2 + seen[:, 0] * height / 2
    down = height / 2 - seen[:, 1] * height / 2
    left, right = np.clip((across.min() - MARGIN, across.max() + MARGIN), 0, width)
    top, bottom = np.clip((down.min() - MARGIN, down.max() + MARGIN), 0, height)
    return [int(left), int(top), int(right), int(bottom)]


def write_labels(seed: int, pairs: int, out: Path) -> int:
    """Write the release's files for the finished clips; returns the number of datapoints."""
    things = {thing.key: thing for thing in things_of(seed, pairs)}
    met = pairs_of(seed, pairs)
    facts = {key: json.loads((out / "trajectories" / f"{key}.json").read_text(encoding="utf-8")) for key in things}
    (out / "json").mkdir(parents=True, exist_ok=True)
    files: dict[str, Any] = {
        "objects": {key: _object(thing, facts[key]) for key, thing in things.items()},
        "questions": {
            one.key: {"properties": list(one.properties), "question": one.text, "statement": one.statement}
            for one in BANK
        },
        "mat_questions": material_bank(),
        "youtube_info": {"tapped": {key: [0, 2 * _middle(one), _middle(one)] for key, one in facts.items()}},
        "tapped": {"seed": seed, "pairs": pairs, "objects": {key: asdict(thing) for key, thing in things.items()}},
    }
    count = 0
    for split in ("train", "val", "test"):
        here = [(first, second) for first, second in met if things[first].split == split]
        datapoints = _datapoints(here, lambda pair: questions_about(things[pair[0]], things[pair[1]]))
        of_material = _datapoints(
            here, lambda pair: material_questions(things[pair[0]], things[pair[1]], _chance(seed, pair))
        )
        files |= {f"{split}_data": datapoints, f"{split}_data_mat": of_material}
        count += sum(map(len, (*datapoints.values(), *of_material.values())))
    for name, content in files.items():
        write_json(out / "json" / f"{name}.json", content, indent=1, default=float)
    return count


def _chance(seed: int, pair: tuple[str, str]) -> np.random.Generator:
    return np.random.default_rng([seed, MATERIALS_ASKED, *(int(key.removeprefix("object")) for key in pair)])


def _datapoints(pairs: Iterable[tuple[str, str]], questions_of: Any) -> dict[str, dict[str, Any]]:
    found = {
        "_".join(pair): {
            one.question: {"label": one.label, "text": one.text, "channel": one.channel} for one in questions_of(pair)
        }
        for pair in pairs
    }
    return {pair: questions for pair, questions in found.items() if questions}


def _object(thing: TappedObject, facts: dict[str, Any]) -> dict[str, Any]:
    frames = 2 * _middle(facts)
    return {
        "duration": frames / facts["fps"],
        "bounding_box": facts["box"],
        "materials": [thing.material],
        "fps": facts["fps"],
        "look": facts["look"],
    }


def _middle(facts: dict[str, Any]) -> int:
    from scenes.tapped.staging import SECONDS

    return round(SECONDS * facts["fps"]) // 2
