"""CRAFT's prompts. The paper's models were trained and saw no prompt, so the wording is ours; version 1."""

COLORS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")
SHAPES = ("cube", "triangle", "circle")
COUNTS = tuple(str(number) for number in range(11))  # counts above 10 do not occur
TRUTH = ("true", "false")

# Answer type in the release -> possible answers; lower case, as compared by CRAFT's scorer.
OPTIONS = {"Boolean": TRUTH, "Shape": SHAPES, "Color": COLORS, "Count": COUNTS}

WANTED = {
    "Boolean": "Answer with one word: true or false.",
    "Shape": f"Answer with one word: {', '.join(SHAPES[:-1])} or {SHAPES[-1]}.",
    "Color": f"Answer with one word: {', '.join(COLORS[:-1])} or {COLORS[-1]}.",
    "Count": "Answer with one whole number in digits.",
}


def prompt(question: str, answer_type: str) -> str:
    """The question as released, followed by the possible answers."""
    return f"{question}\n{WANTED[answer_type]}"


TRAIN, VALIDATION, TEST = "train", "validation", "test"

# Our split -> (setting in the release's file names, split in its tables); "all" uses the easy setting.
OFFICIAL_SPLITS = {
    "easy-train": ("random", TRAIN),
    "easy-validation": ("random", VALIDATION),
    "easy-test": ("random", TEST),
    "hard-train": ("hard", TRAIN),
    "hard-validation": ("hard", VALIDATION),
    "hard-test": ("hard", TEST),
}


def item_key(video_index: int, question_index: int) -> str:
    """`006512/9`: six digits of the video as in its file name, then the question's index within the video."""
    return f"{video_index:06}/{question_index}"


def indices_of(key: str) -> tuple[int, int]:
    """Video and question index of an item's key."""
    video, _, question = key.partition("/")
    return int(video), int(question)
