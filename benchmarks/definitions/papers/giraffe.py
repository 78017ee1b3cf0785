"""The queries of Giraffe-Bench as printed in its paper (appendix, dialogues), one per data set and kind of query.

Two queries are ours. For RoboSet's video query the paper prints CLEVRER's, so ours is built from RoboSet's image query
by the paper's own rule. The text query is called "similar" in the paper, but not printed.
"""

import json
import tomllib
from dataclasses import dataclass

from benchmarks.definitions.papers import DATA
from benchmarks.definitions.published_data import fields_of

QUERIES: dict[str, dict[str, str]] = json.loads((DATA / "giraffe" / "prompts.json").read_text(encoding="utf-8"))
SLOT = "{}"  # replaced by the number of images
OURS = (("roboset", "video"),)

# Ours, version 1: the sentence before the descriptions in a text query.
TOLD = "These are descriptions of an ordered sequence of individual images, in chronological order:\n{told}\n"
TASKS = {
    "activitynet": "Your task is to predict and clarify the actions that people in the upcoming images may take.",
    "charades": "Your only task is to predict and clarify the actions that people in the upcoming images may take.",
}
ENUMERATED = (
    "You can give multiple possible results. For each answer, please provide a clear sentence describing the expected"
    " action. Your responses should follow an enumerated format, for example: '1. [First possible answer]',"
    " '2. [Second possible answer]', and so on."
)


def image_query(dataset: str, images: int) -> str:
    """The query for a sequence of `images` pictures; the number is filled in if the paper has a slot for it."""
    return QUERIES[dataset]["images"].replace(SLOT, str(images))


def video_query(dataset: str) -> str:
    return QUERIES[dataset]["video"]


def text_query(dataset: str, descriptions: tuple[str, ...]) -> str:
    """The descriptions of the pictures, one per line, and the task; only for human activity, as in the paper."""
    listing = "\n".join(f"{number}. {description}" for number, description in enumerate(descriptions, start=1))
    return f"{TOLD.format(told=listing)}{TASKS[dataset]} {ENUMERATED}"


# Ours, version 1: the question with four pictures to choose from.
CHOICES = ("a", "b", "c", "d")
CHOICE_QUERY = (
    "You have seen an ordered sequence of {images} individual images. There is a pattern in these images. Then you have"
    " seen four pictures, A, B, C and D. Which of the four is the next image of the sequence? Answer with A, B, C or D."
)


def choice_query(images: int) -> str:
    return CHOICE_QUERY.format(images=images)


SCENARIOS = ("clock", "snake", "quantity", "number", "rotation", "trajectory", "tetris", "shadow", "colour", "size")
CHANGES = ("spatial-movement", "rotation", "quantity", "property")  # the paper's four dimensions of patterns


@dataclass(frozen=True)
class Preset:
    """The settings of one family of models, as printed (section 4, appendix, Table 8)."""

    name: str
    title: str
    query: str  # "images" or "video": the kind of question
    temperature: float
    template: str
    system: str = ""
    max_new_tokens: int = 512
    rows: tuple[str, ...] = ()  # names in the paper's tables
    note: str = ""


_PRESETS = tomllib.loads((DATA / "giraffe" / "presets.toml").read_text(encoding="utf-8"))["presets"]
PRESETS = {record["name"]: Preset(**fields_of(record, *record)) for record in _PRESETS}
