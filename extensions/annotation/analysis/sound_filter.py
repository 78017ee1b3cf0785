"""The sound filter of PACS (fact sheet, section 6.1): shares of talking, silence and music in a clip."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from extensions.annotation.analysis.loudness import RATE, Flags, Samples, musical, silent, windows_of

MOST = 0.2  # maximum share of talking, of silence or of music
LEAST_OTHER = 0.7  # minimum share of windows with none of the three
REASONS = {"talking": "talking", "silence": "silence", "music": "music", "other": "too little else"}


@dataclass(frozen=True)
class SoundShares:
    """Shares of a clip's windows, from 0 to 1; windows can have several kinds, so the sum need not be 1."""

    talking: float
    silence: float
    music: float
    other: float

    def reasons(self) -> Iterator[str]:
        """Yield the reasons to drop the clip, by the paper's thresholds; nothing if it is kept."""
        yield from (name for name in ("talking", "silence", "music") if getattr(self, name) > MOST)
        if self.other < LEAST_OTHER:
            yield "other"


def sound_shares(samples: Samples, talking: Callable[[Samples], Flags]) -> SoundShares:
    """The shares in a mono 16 kHz sound of at least half a second; `talking` returns its windows with speech."""
    windows = windows_of(samples)
    if not len(windows):
        raise ValueError(f"{len(samples) / RATE:.2f} s of sound are too few to judge")
    flags = {"talking": talking(samples), "silence": silent(windows), "music": musical(windows)}
    is_other = ~(flags["talking"] | flags["silence"] | flags["music"])
    return SoundShares(other=float(is_other.mean()), **{name: float(flag.mean()) for name, flag in flags.items()})
