"""What this site writes on the cards of its own models, in English, and how pages tell it in the reader's language."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from django.utils.translation import get_language, gettext

from evaluation.models import Model
from evaluation.runs.builtin_models import GUESSING, HEURISTICS, KNOWS_THE_SCENES

HERE = "this site"
FAMILIES = ("heuristic", "late fusion", "similarity", "2-D convolutions", "3-D convolutions", "LSTM and CNN")

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
CONTROL = "a control, no model"
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
LISTED = ("; ", ", ")  # between the parts of a list
CHOICES = (("weights", "open"), ("weights", "closed"))  # from which senders choose

SENTENCES = (  # a description is one or more of them
    *(what for _name, what in HEURISTICS.values()),
    *(VIDEO_LANGUAGE, PLAUSIBILITY, *PREDICTOR.values(), FUSION, CRAFT, IN_SETTING, RANDOM_WEIGHTS, PRETRAINED),
    *(PACS, *RULES.values(), BLIND),
)
PHRASES = (  # in the order in which they are looked for
    *(HERE, *FAMILIES, SMALL, *SEEN.values(), USES, MISLED, UNUSED, *KINDS, *CHANNELS.values(), CONTROL, NOTHING, NONE),
    *(BUILT, DRAWN_WEIGHTS, *KNOWS_THE_SCENES.values(), VERDICT, WITHOUT_SOUND, ALL_TESTS, SOME_TESTS, ON_TESTS),
    *(ON_CLIPS, ON_POSSIBLE_CLIPS, ON_OBJECTS, ON_PAIRS, ON_SPLIT, OF_PACK, TRAINED_ON_SETTING, TRAINED, PARAMETERS),
    *(ENCODER, NARROW, READ_WEIGHTS, ACCURACY_ON, SHARE_ON, ENUMERATED),
)
FIELDS = (
    *("organisation", "parameters", "released", "licence", "link", "paper", "weights", "family", "trained on"),
    *("contamination", "training", "size", "seed", "comparable", "asked with", "encoder", "citation"),
)
FIELD = re.compile(r"\{(\w+)[^}]*\}")
# What a field may hold: words that are texts themselves, else one word.
WORDY = frozenset(
    (
        *("tests", "title", "size", "seen", "result", "verdict", "given", "kind", "benchmark", "fitted"),
        *("training", "device", "encoder", "first", "second"),
    )
)


def translated(text: str) -> str:
    """A text of a card of this site in the reader's language; what no sentence of this site made stays as it is."""
    return _translated(text, get_language() or "")


@lru_cache(4096)
def _translated(text: str, _language: str) -> str:
    sentences, phrases = _shapes()
    for shape, template in (*sentences, *(phrases if LISTED[0] not in text else ())):
        if found := shape.fullmatch(text):
            return _in_language(template, found.groupdict())
    mark = next((one for one in LISTED if one in text), "")
    return gettext(mark).join(map(translated, text.split(mark))) if mark else text


def _in_language(template: str, values: dict[str, str | None]) -> str:
    rest = values.pop("rest", None)
    words = gettext(template).format(**{name: translated(value or "") for name, value in values.items()})
    return f"{words} {translated(rest)}" if rest else words


@cache
def _shapes() -> tuple[list[tuple[re.Pattern[str], str]], list[tuple[re.Pattern[str], str]]]:
    """Sentences, after which others may follow, and phrases: each as a pattern, and as catalogues have it."""
    sentences = [(re.compile(f"{_pattern(text)}(?: (?P<rest>.+))?"), catalogued(text)) for text in SENTENCES]
    return sentences, [(re.compile(_pattern(text)), catalogued(text)) for text in PHRASES]


def _pattern(text: str) -> str:
    parts = FIELD.split(text)  # words and names of fields in turn
    return "".join(_field(part) if place % 2 else re.escape(part) for place, part in enumerate(parts))


def _field(name: str) -> str:
    """What the field may hold; the size of a network may be left out."""
    return f"(?P<{name}>.*?)" if name == "size" else f"(?P<{name}>.+?)" if name in WORDY else rf"(?P<{name}>[^\s,]+)"


def catalogued(text: str) -> str:
    """The text as catalogues have it: fields without their formats."""
    return FIELD.sub(r"{\1}", text)


def is_ours(model: Model) -> bool:
    """Whether this site wrote the model's card."""
    return model.made_here or model.kind in GUESSING or model.card.get("what") == CONTROL


def description_of(model: Model) -> str:
    """What the model is, in the reader's language if this site says it; '' if its card does not say."""
    what = str(model.card.get("what") or "")
    return translated(what) if is_ours(model) else what


def card_of(model: Model) -> dict[str, Any]:
    """The model's card with this site's texts in the reader's language; others' texts stay, but for their choices."""
    card: Mapping[str, Any] = model.card
    if is_ours(model):
        return {name: translated(value) if isinstance(value, str) else value for name, value in card.items()}
    return {name: gettext(value) if (name, value) in CHOICES else value for name, value in card.items()}
