"""Keys of CRAFT's items: video and question index, the primary key in all files of the release.

An importer gives every item the key of `item_key`, an empty variant, and its splits in both settings.
"""

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
