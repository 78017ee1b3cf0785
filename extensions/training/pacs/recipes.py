"""PACS' trained baselines as data: each one's channels, and its training in each size.

Yu et al. 2022, section 4.3 and appendix 0.B.3 to 0.B.5; values missing there are from the paper's own repository.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

IMAGE, SOUND, VIDEO, QUESTION = "image", "sound", "video", "question"
CLIP, CLAP = "clip", "clap"
FUSION, SIMILARITY = "late fusion", "similarity"

# The paper's models, or the most similar ones in the transformers library. TDN and ESResNe(X)t-fbsp, which the paper
# used for video and for AudioCLIP's sound, are not in it; VideoMAE was trained on the same data as TDN.
NAMES: Mapping[str, str] = {
    IMAGE: "google/vit-base-patch16-224-in21k",
    SOUND: "MIT/ast-finetuned-audioset-10-10-0.4593",
    VIDEO: "MCG-NJU/videomae-base-finetuned-ssv2",
    QUESTION: "microsoft/deberta-v3-large",
    CLIP: "openai/clip-vit-base-patch16",
    CLAP: "laion/clap-htsat-unfused",
}


@dataclass(frozen=True)
class PacsRecipe:
    """Everything that determines a training except seed, pack and backbones."""

    epochs: int
    batch: int  # bundles of questions in each step
    bundle: int  # pairs per bundle, connected by common objects; 0: each question is a bundle
    rate: float
    decay: float  # AdamW's weight decay
    width: int = 768  # of the fusion's embeddings
    dropout: float = 0.2
    drops: tuple[float, ...] = (0.5, 0.75)  # after these fractions the rate drops to a tenth; none: it rises and falls
    check_every: float = 1.0  # epochs between two checks on the validation questions
    patience: int = 0  # checks without improvement after which it ends; 0: never
    frames: int = 8  # of a clip, evenly spaced
    is_drawn: bool = False  # backbones are small, built from their configuration, and trained, too


@dataclass(frozen=True)
class PacsBaseline:
    """A model of the paper; `heads` are its sets of channels, the richest first.

    A model with two heads can run with and without sound; its input decides.
    """

    name: str
    title: str
    kind: str  # FUSION or SIMILARITY
    heads: tuple[tuple[str, ...], ...]
    sizes: Mapping[str, PacsRecipe]

    @property
    def hears(self) -> bool:
        return any(SOUND in head for head in self.heads)

    @property
    def parts(self) -> tuple[str, ...]:
        """The backbones that it needs."""
        used = [part for head in self.heads for part in head]
        if self.kind == SIMILARITY:
            return (CLIP, CLAP) if SOUND in used else (CLIP,)
        return tuple(dict.fromkeys(used))


# Appendix 0.B.3.2: 64 questions in each step, 40 epochs, a tenth of the rate after 20 and after 30.
FUSION_SIZES = {
    "small": PacsRecipe(
        epochs=40, batch=8, bundle=6, rate=2e-3, decay=1e-2, width=96, drops=(), check_every=4, is_drawn=True
    ),
    "full": PacsRecipe(epochs=40, batch=64, bundle=0, rate=5e-4, decay=5e-5, frames=16),
}
# Appendix 0.B.4.2 and 0.B.5.1.
SIMILARITY_SIZES = {
    "small": PacsRecipe(epochs=40, batch=8, bundle=6, rate=2e-3, decay=1e-2, drops=(), check_every=4, is_drawn=True),
    "full": PacsRecipe(epochs=40, batch=64, bundle=0, rate=1e-4, decay=1e-5),
}

BASELINES = {
    baseline.name: baseline
    for baseline in (
        PacsBaseline("fusion-iav", "Fusion (I+A+V)", FUSION, ((IMAGE, SOUND, VIDEO),), FUSION_SIZES),
        PacsBaseline("fusion-qi", "Fusion (Q+I)", FUSION, ((QUESTION, IMAGE),), FUSION_SIZES),
        PacsBaseline("fusion-qv", "Fusion (Q+V)", FUSION, ((QUESTION, VIDEO),), FUSION_SIZES),
        PacsBaseline("fusion-qa", "Fusion (Q+A)", FUSION, ((QUESTION, SOUND),), FUSION_SIZES),
        PacsBaseline(
            "late-fusion",
            "Late fusion",
            FUSION,
            ((QUESTION, IMAGE, SOUND, VIDEO), (QUESTION, IMAGE, VIDEO)),
            FUSION_SIZES,
        ),
        PacsBaseline("clip", "CLIP", SIMILARITY, ((QUESTION, IMAGE),), SIMILARITY_SIZES),
        PacsBaseline("audioclip", "AudioCLIP", SIMILARITY, ((QUESTION, IMAGE, SOUND),), SIMILARITY_SIZES),
    )
}


def name_of(parts: Sequence[str]) -> str:
    """Name of the head with these channels."""
    return "-".join(parts)
