"""The sound filter of PACS (fact sheet, section 6.1): what share of a clip is talking, silence or music."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.analysis.noises import RATE, Flags, Samples, musical, silent, windows_of

MOST = 0.2  # share of a clip that may be talking, silence or music
LEAST_OTHER = 0.7  # share that must be none of the three
REASONS = {"talking": "talking", "silence": "silence", "music": "music", "other": "too little else"}


@dataclass(frozen=True)
class Heard:
    """Shares of a clip's half seconds, from 0 to 1; one may be several things, so they don't add up to 1."""

    talking: float
    silence: float
    music: float
    other: float

    def reasons(self) -> Iterator[str]:
        """Why the clip is dropped, by the paper's thresholds; nothing where it is kept."""
        yield from (name for name in ("talking", "silence", "music") if getattr(self, name) > MOST)
        if self.other < LEAST_OTHER:
            yield "other"


def heard_in(samples: Samples, talking: Callable[[Samples], Flags]) -> Heard:
    """What a mono sound at 16 kHz of at least half a second holds; `talking` tells its windows of speech."""
    windows = windows_of(samples)
    if not len(windows):
        raise ValueError(f"{len(samples) / RATE:.2f} s of sound are too few to judge")
    flags = {"talking": talking(samples), "silence": silent(windows), "music": musical(windows)}
    is_other = ~(flags["talking"] | flags["silence"] | flags["music"])
    return Heard(other=float(is_other.mean()), **{name: float(flag.mean()) for name, flag in flags.items()})
