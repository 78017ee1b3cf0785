"""Twelve "generators" with known faults: what their clips are like, and which of these break."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from extensions.generated.made.latent import MadeClips

CEILING, FLOOR = "ceiling", "floor"
RIGHT, SUBTLE = MadeClips(), MadeClips(0.6, kinds=("look",), severities=(1,))
LEADS = 4  # pictures by which takes begin later at most


@dataclass(frozen=True)
class MadeGenerator:
    """One generator: its clips as raters see them, and the edit of all of their pictures, if any."""

    slug: str
    title: str
    clips: MadeClips = RIGHT
    role: str = "generator"
    edit: str = ""

    @property
    def name(self) -> str:
        """On cards, and so on every page."""
        return f"{self.title} (simulated)"


GENERATORS = (
    MadeGenerator("perfect", "Perfect"),
    MadeGenerator("faults-in-10", "Faults in 10 %", MadeClips(0.1)),
    MadeGenerator("faults-in-30", "Faults in 30 %", MadeClips(0.3)),
    MadeGenerator("faults-in-60", "Faults in 60 %", MadeClips(0.6)),
    MadeGenerator("late-and-subtle", "Late and subtle", SUBTLE),
    MadeGenerator("pretty-but-wrong", "Pretty but wrong", MadeClips(0.6, look=2.0), edit="graded"),
    MadeGenerator("ugly-but-right", "Ugly but right", MadeClips(look=-2.5), edit="noisy"),
    MadeGenerator("nothing-moves", "Nothing moves", MadeClips(follows=-2.5), FLOOR, "still"),
    MadeGenerator("end-at-once", "End at once", MadeClips(follows=-1.5), FLOOR, "jump"),
    MadeGenerator("backwards", "Backwards", MadeClips(follows=-1.5), FLOOR, "backwards"),
    MadeGenerator("shuffled", "Shuffled frames", MadeClips(follows=-2.0), FLOOR, "shuffled"),
    MadeGenerator("reference-again", "Reference again", role=CEILING),
)


def clips_of(name: str) -> MadeClips:
    """What the clips of the generator with this name are like."""
    return next((made.clips for made in GENERATORS if made.name == name), RIGHT)


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
