"""How CRAFT's questions are named: by video and question, the primary key of all files of the release.

An importer gives every item the key of `item_key`, an empty variant, and its place in both settings as splits.
"""

TRAIN, VALIDATION, TEST = "train", "validation", "test"

# Split here -> (setting in the release's file names, split as its tables write it); "all" goes by the easy setting.
OFFICIAL_SPLITS = {
    "easy-train": ("random", TRAIN),
    "easy-validation": ("random", VALIDATION),
    "easy-test": ("random", TEST),
    "hard-train": ("hard", TRAIN),
    "hard-validation": ("hard", VALIDATION),
    "hard-test": ("hard", TEST),
}


def item_key(video_index: int, question_index: int) -> str:
    """`006512/9`: the video's six digits as in its file name, then the question's index within the video."""
    return f"{video_index:06}/{question_index}"


def indices_of(key: str) -> tuple[int, int]:
    """Video and question index of an item's key."""
    video, _, question = key.partition("/")
    return int(video), int(question)
