"""Words for what addresses and files name: conditions, kinds of rows, dimensions of a referee's scores."""

CONDITIONS = {
    "video": "video",
    "text": "a description",
    "first-frame": "first frame",
    "last-frame": "last frame",
    "middle-frame": "middle frame",
    "shuffled-frames": "shuffled frames",
    "question-only": "nothing",
    "audio": "video with sound",
    "no-audio": "video without sound",
    "silent-one": "one clip silent",
    "flipped-audio": "sounds swapped",
    "audio-only": "sound alone",
}
ROW_KINDS = {
    "human": "people",
    "simulated": "simulated people",
    "run": "evaluated here",
    "uploaded": "uploaded",
    "published": "reported",
}
DIMENSIONS = {
    "": "all together",
    "accuracy": "accuracy",
    "logical-consistency": "logical consistency",
    "specificity": "specificity",
    "plausibility": "plausibility",
    "diversity": "diversity",
}


def condition_words(name: str) -> str:
    """The condition in words; the name itself if it is unknown."""
    return CONDITIONS.get(name, name)


def place_of_condition(name: str) -> int:
    """Position of a condition in lists on pages: the order above, unknown conditions last."""
    return list(CONDITIONS).index(name) if name in CONDITIONS else len(CONDITIONS)
