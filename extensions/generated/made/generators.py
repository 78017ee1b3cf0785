"""Eleven "generators" with known faults. Plain Python, since the processes that make clips start without Django."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from extensions.generated.made import pictures as edits
from extensions.generated.made.latent import ClipTruth, MadeClips
from extensions.generated.made.pictures import Edit, Pictures, of_length, write, write_still
from extensions.generated.made.twin_scenes import TESTS, TwinScene

RIGHT = MadeClips()
CEILING, FLOOR = "ceiling", "floor"
LEADS = 4  # pictures by which takes begin later at most
REFERENCE, FIRST_FRAME = "references", "first-frames"  # folders of the prompt pack


@dataclass(frozen=True)
class MadeGenerator:
    """One generator: its clips as raters see them, and what is done to the pictures of each."""

    slug: str
    title: str
    clips: MadeClips = RIGHT
    role: str = "generator"
    edit: Edit | None = None

    @property
    def name(self) -> str:
        """On cards, and so on every page."""
        return f"{self.title} (simulated)"

    @property
    def is_subtle(self) -> bool:
        return self.clips.severities == (1,)


GENERATORS = (
    MadeGenerator("perfect", "Perfect"),
    MadeGenerator("faults-in-10", "Faults in 10 %", MadeClips(0.1)),
    MadeGenerator("faults-in-30", "Faults in 30 %", MadeClips(0.3)),
    MadeGenerator("faults-in-60", "Faults in 60 %", MadeClips(0.6)),
    MadeGenerator("late-and-subtle", "Late and subtle", MadeClips(0.6, kinds=("look",), severities=(1,))),
    MadeGenerator("pretty-but-wrong", "Pretty but wrong", MadeClips(0.6, look=2.0), edit=edits.graded),
    MadeGenerator("ugly-but-right", "Ugly but right", MadeClips(look=-2.5), edit=edits.noisy),
    MadeGenerator("nothing-moves", "Nothing moves", MadeClips(follows=-2.5), FLOOR, edits.still),
    MadeGenerator("end-at-once", "End at once", MadeClips(follows=-1.5), FLOOR, edits.jump),
    MadeGenerator("backwards", "Backwards", MadeClips(follows=-1.5), FLOOR, edits.backwards),
    MadeGenerator("reference-again", "Reference again", role=CEILING),
)
BY_SLUG = {made.slug: made for made in GENERATORS}
BY_NAME = {made.name: made for made in GENERATORS}


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
class MadeClip:
    """One clip of a set: its prompt, its take, and what is known of it."""

    generator: str
    prompt: str
    take: int
    truth: ClipTruth

    @property
    def file(self) -> str:
        return f"clips/{self.prompt}-{self.take}.mp4"


@dataclass(frozen=True)
class PromptOrder:
    """All clips of one prompt; `broken` has the generators and takes that break."""

    scene: TwinScene
    order: MadeOrder
    length: int  # pictures of every clip
    broken: frozenset[tuple[str, int]]
    out: Path


def broken_clips(made: MadeGenerator, keys: Sequence[str], takes: int, seed: int) -> set[tuple[str, int]]:
    """Prompt and take of the clips that break: exactly the generator's share, chosen by digest."""
    every = [(key, take) for key in keys for take in range(1, takes + 1)]
    ranked = sorted(every, key=lambda clip: digest(seed, made.slug, *clip))
    return set(ranked[: round(made.clips.share * len(ranked))])


def lead_of(made: MadeGenerator, take: int) -> int:
    """Pictures by which a take begins later, so that no two takes are the same file."""
    return 1 + (digest(made.slug) + take) % LEADS


def digest(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8])


def make_prompt(job: PromptOrder) -> list[MadeClip]:
    """Write every generator's clips of a prompt, and its first frame and reference."""
    scene, width, fps = job.scene, job.order.width, job.order.fps
    possible, impossible = (scene.pictures(twin, width) for twin in ("P", "IP"))
    ways: Mapping[str, tuple[Pictures, ClipTruth]] = {
        "": (possible, ClipTruth()),
        "broken": (impossible, scene.broken),
        "subtle": scene.subtle(possible, width),
    }
    write(of_length(possible, job.length), job.out / "prompts" / REFERENCE / f"{scene.key}.mp4", fps)
    write_still(possible[0], job.out / "prompts" / FIRST_FRAME / f"{scene.key}.png")
    clips = []
    for made in GENERATORS:
        for take in range(1, job.order.takes + 1):
            is_broken = (made.slug, take) in job.broken
            pictures, truth = ways[("subtle" if made.is_subtle else "broken") if is_broken else ""]
            lead, rng = lead_of(made, take), np.random.default_rng(digest(job.order.seed, made.slug, scene.key, take))
            truth = scene.truth_of_edit(made.edit, truth, job.length, lead)
            pictures = of_length(pictures, job.length, lead=lead)
            pictures = made.edit(pictures, rng, lead) if made.edit else pictures
            clip = MadeClip(made.slug, scene.key, take, truth)
            write(pictures, job.out / "sets" / made.slug / clip.file, fps)
            clips.append(clip)
    return clips
