"""Registers a trained folder of weights as a model of the site, and what is written on its card."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.models import Model
from extensions.training.core.checkpoints import Trained
from extensions.training.core.trainer import title_of
from extensions.training.progress import CURVE

HERE = "this site"

VIDEO_LANGUAGE = (
    "A very small video-language model that was trained here, from weights drawn at random, for {seconds:.0f} seconds"
    " on {clips} clips made with other seeds (seed {seed}), and only on the Level-1 questions about {tests}. It shows"
    " that the site asks real models through the real path. It is no model of the world: on everything else, and on"
    " all of Level 2, its answers are chance."
)
PLAUSIBILITY = (
    "A very small network of convolutions over time and picture. It was trained here, from weights drawn at random, for"
    " {seconds:.0f} seconds on {clips} clips made with other seeds (seed {seed}) of the very scenes that it is asked"
    " about: {tests}. Its figures therefore don't compare with those of models that never saw such"
    " clips; it counts as a baseline and is never the best model. It looks at {frames} frames and reads no question."
)
ALL_TESTS, SOME_TESTS = "the {count} tests of Level 2", "{tests} of Level 2, and no clip of the other tests"
PREDICTOR = {
    "small": "A very small network that predicts the next frame from the {context} before it. It was trained here, from"
    " weights drawn at random, for {seconds:.0f} seconds on {clips} possible clips of Level 2's scenes, made with other"
    " seeds (seed {seed}); it counts as a baseline. Its surprise is a thousand times the mean squared error of a"
    " frame.",
    "untrained": "The same network as the next-frame predictor of this site with the weights as they were drawn: what"
    " its figures are without any learning.",
}
FUSION = (
    "A very small late-fusion model that sees and hears. It was trained here, from weights drawn at random, on the"
    " sounds and a few frames of {objects} made objects that no pack holds (seed {seed}): with both, and now and then"
    " with one alone. It knows the questions of Tapped and their objects, and nothing else of the world."
)
CRAFT = (
    "{title} of the CRAFT paper, built after its description and trained here on generated scenes: {clips} videos of"
    " the pack {pack}, seed {seed}{size}. It sees {seen}. Asked about either setting it answers with the network that"
    " learnt that setting's training split."
)
SMALL = ", in a small size of ours (the paper's needs a GPU)"
SEEN = {"": "the question alone", "first": "the first frame", "last": "the last frame", "video": "the video"}
IN_SETTING = "In the {setting} setting it {result}."
VERDICT = (
    "{verdict} ({difference} points with the right videos over those of other questions, 95 % interval {low} to {high},"
    " {n} held-out questions)"
)
USES, MISLED, UNUSED = "uses the picture", "is misled by the picture", "did not learn to use the picture"
PACS = "{kind} as the paper of PACS trained it, trained here on the questions of {benchmark}: it is given {given}."
KINDS = ("Late fusion", "Similarity")
CHANNELS = {"question": "the question", "image": "the marked picture", "sound": "the sound", "video": "the film"}
WITHOUT_SOUND = "without sound, {given}"
RANDOM_WEIGHTS = (
    "Its weights were built from configuration, small, and all of them trained here: it knows nothing of the world."
)
PRETRAINED = "Its backbones have the weights named below and were not trained; what joins them was."
RULES = {
    "random": "Draws among all answers that are right somewhere in the training split.",
    "at-random": "Is told the answer type and draws among its answers.",
    "mfa": "Always says the answer that is right most often in the training split.",
    "at-mfa": "Is told the answer type and says its most frequent answer.",
    "template-mfa": (
        "Ours: is told the kind of question, one of 48, and says the answer that is right most often there."
    ),
    "scene-mfa": "Ours: is told scene and answer type and says the answer that is right most often there.",
    "scene-template-mfa": (
        "Ours: is told scene and kind of question and says the answer that is right most often there."
    ),
}
BLIND = (
    "It sees neither the question's words nor the clip. Asked about either setting it goes by that setting's training"
    " split: {fitted}, of the pack {pack}. An answer that a question cannot have counts as unparsed, and wrong as in"
    " the paper."
)
# Entries beside the description.
TRAINED = "{steps} steps in {seconds:.0f} seconds on {device}"
TRAINED_ON_SETTING = "{setting}: {training}, best on validation at step {step} ({best} %)"
ON_CLIPS = "{clips} clips of {tests}, made for training"
ON_TESTS = "{clips} clips of {count} tests of Level 2, made for training"
ON_POSSIBLE_CLIPS = "{clips} possible clips of Level 2's scenes"
ON_OBJECTS = "{objects} objects made for training"
ON_SPLIT, OF_PACK = "{questions} questions of {split}", "{fitted}, pack {pack}"
ON_PAIRS = "{questions} questions of pack {pack}, and {checked_on} to check with, about {clips} objects"
NOTHING, NONE = "nothing", "none"
BUILT = "built from configuration"
PARAMETERS = "{trained} trained, {frozen} as they were"
ENCODER, NARROW = "{encoder}, {first}, trained on with the rest", "{encoder} of width {width} in place of 64"
READ_WEIGHTS, DRAWN_WEIGHTS = "pretrained weights {file}", "first weights drawn here"
ACCURACY_ON, SHARE_ON = "accuracy on {split}", "share of right answers to the {count} questions of {split}"  # of checks
ENUMERATED = "{first} and {second}"


def enumeration(names: list[str]) -> str:
    return ENUMERATED.format(first=", ".join(names[:-1]), second=names[-1]) if len(names) > 1 else names[-1]


def register(trained: Trained, slug: str, *, title: str, options: Mapping[str, Any] = {}, **columns: Any) -> Model:
    """Create or update the site's model; runs with older weights keep their revision.

    `options` are those beside the path, `columns` its kind, its card, and a role that is not a model's.
    """
    own = {
        "name": title_of(title, trained.facts["seed"]),
        "options": {"path": movable(trained.path), **options},
        "revision": trained.facts["weights"],
        "made_here": True,
    }
    return Model.objects.update_or_create(slug=slug, defaults=own | columns)[0]


def card_of(
    trained: Trained, *, what: str, family: str, trained_on: str, weights: str = "", training: str = "", **more: Any
) -> dict[str, Any]:
    """What the cards of all these models say; `more` follows the training, or replaces an entry."""
    facts = trained.facts
    return {
        "what": what,
        "organisation": HERE,
        "family": family,
        "parameters": millions(facts["parameters"]),
        **({"weights": weights} if weights else {}),
        "trained_on": trained_on,
        "training": training or training_of(facts),
        **more,
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }


def training_of(facts: Mapping[str, Any]) -> str:
    """Its steps, its seconds and its device in words."""
    return TRAINED.format(**{key: facts[key] for key in ("steps", "seconds", "device")})


def millions(count: int) -> str:
    return f"{count / 1e6:.2f}M"


def movable(path: Path) -> str:
    """The path relative to the site's state if it lies inside, so that the state can be moved as a whole."""
    try:
        return str(path.resolve().relative_to(Path(settings.VAR_DIR).resolve()))
    except ValueError:
        return str(path.resolve())
