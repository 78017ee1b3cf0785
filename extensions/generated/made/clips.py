"""Makes all clips of a prompt from two renderings. Plain Python: the processes that do so start without Django."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from extensions.generated.made.generators import GENERATORS, digest, lead_of
from extensions.generated.made.latent import ClipTruth
from extensions.generated.made.pictures import EDITS, of_length, write, write_still
from extensions.generated.made.twin_scenes import TESTS, TwinScene

REFERENCES, FIRST_FRAMES = "references", "first-frames"  # folders of the prompt pack


@dataclass(frozen=True)
class MadeOrder:
    """What to make: prompts are the tests in the order of `TESTS`, then again with other draws."""

    prompts: int = 24
    takes: int = 2
    seed: int = 2024
    size: tuple[int, int] = (640, 480)  # of the scenes
    width: int = 320  # of the clips
    fps: int = 10

    def scenes(self, root: Path) -> list[TwinScene]:
        numbers = (divmod(number, len(TESTS)) for number in range(self.prompts))
        return [TwinScene(root, tuple(TESTS)[test], draw, self.fps) for draw, test in numbers]


@dataclass(frozen=True)
class PromptOrder:
    """All clips of one prompt; `broken` has the generators and takes that break."""

    scene: TwinScene
    order: MadeOrder
    length: int  # pictures of every clip
    broken: frozenset[tuple[str, int]]
    out: Path


@dataclass(frozen=True)
class MadeClip:
    """One clip of a set: its prompt, its take, and what is known of it."""

    generator: str
    prompt: str
    take: int
    truth: ClipTruth

    @property
    def file(self) -> str:
        return f"clips/{self.prompt}-{self.take}.mp4"


def make_prompt(job: PromptOrder) -> list[MadeClip]:
    """Write every generator's clips of a prompt, and its first frame and reference."""
    scene, width, fps, pack = job.scene, job.order.width, job.order.fps, job.out / "prompts"
    possible, impossible = (scene.pictures(twin, width) for twin in ("P", "IP"))
    right, broken, subtle = (possible, ClipTruth()), (impossible, scene.broken), scene.subtle(possible, width)
    write(of_length(possible, job.length), pack / REFERENCES / f"{scene.key}.mp4", fps)
    write_still(possible[0], pack / FIRST_FRAMES / f"{scene.key}.png")
    clips = []
    for made, take in ((made, take) for made in GENERATORS for take in range(1, job.order.takes + 1)):
        fault = subtle if made.clips.severities == (1,) else broken
        pictures, truth = fault if (made.slug, take) in job.broken else right
        lead, rng = lead_of(made, take), np.random.default_rng(digest(job.order.seed, made.slug, scene.key, take))
        pictures = of_length(pictures, job.length, lead=lead)
        clip = MadeClip(made.slug, scene.key, take, scene.truth_of_edit(made.edit, truth, pictures, lead))
        if made.edit:
            pictures = EDITS[made.edit](pictures, rng, lead)
        write(pictures, job.out / "sets" / made.slug / clip.file, fps)
        clips.append(clip)
    return clips
