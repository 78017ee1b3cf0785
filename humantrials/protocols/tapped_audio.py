"""The study of `pacs-audio` on clips of our own: the same sheets and conditions, open to everybody."""

from dataclasses import replace

from humantrials.protocols.pacs_audio import PACS_AUDIO

TAPPED_AUDIO = replace(
    PACS_AUDIO,
    name="tapped-audio",
    title="Which of the two? Struck objects, with sound and without",
    benchmark="tapped",
    split="all",
    qualified=False,
    items=24,
)
