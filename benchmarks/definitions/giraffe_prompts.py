"""The queries of Giraffe-Bench as its paper prints them (appendix, dialogues), one a data set and way of asking.

Ours are two: RoboSet's video query, built from its image query by the paper's own rule, since the paper prints
CLEVRER's in its place; and the text query, which the paper calls "similar" and does not print.
"""

import json

from benchmarks.published import DATA

QUERIES: dict[str, dict[str, str]] = json.loads((DATA / "giraffe" / "prompts.json").read_text(encoding="utf-8"))
SLOT = "{}"  # how many images there are
OURS = (("roboset", "video"),)

# Ours, version 1: what stands before the descriptions where the pictures are told in words.
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
    """The query for `images` pictures in a row, its number filled in where the paper has a slot for it."""
    return QUERIES[dataset]["images"].replace(SLOT, str(images))


def video_query(dataset: str) -> str:
    return QUERIES[dataset]["video"]


def text_query(dataset: str, descriptions: tuple[str, ...]) -> str:
    """The pictures told in words, one a line, and the task; for human activities alone, as in the paper."""
    told = "\n".join(f"{number}. {description}" for number, description in enumerate(descriptions, start=1))
    return f"{TOLD.format(told=told)}{TASKS[dataset]} {ENUMERATED}"


# Ours, version 1: the question with four pictures to choose from; each of them is announced by its letter.
CHOICES = ("a", "b", "c", "d")
CHOICE = "Picture {letter}:"
CHOICE_QUERY = (
    "You have seen an ordered sequence of {images} individual images. There is a pattern in these images. Then you have"
    " seen four pictures, A, B, C and D. Which of the four is the next image of the sequence? Answer with A, B, C or D."
)


def choice_query(images: int) -> str:
    return CHOICE_QUERY.format(images=images)
