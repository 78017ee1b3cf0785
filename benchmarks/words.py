"""Words for what addresses and files name: conditions, kinds of rows, dimensions of a referee's scores."""

CONDITIONS = {
    "video": "video",
    "text": "a description",
    "first-frame": "first frame",
    "last-frame": "last frame",
    "middle-frame": "middle frame",
    "shuffled-frames": "shuffled frames",
    "question-only": "no video",
    "audio": "video with sound",
    "no-audio": "video without sound",
    "silent-one": "one clip silent",
    "flipped-audio": "sounds swapped",
    "audio-only": "sound alone",
}
# What the answerer sees and hears; people and models share these names.
CONDITIONS_IN_FULL = {
    "video": "the clip",
    "text": "words alone: what is to be seen is told",
    "first-frame": "the first frame of the clip",
    "last-frame": "the last frame of the clip",
    "middle-frame": "the middle frame of the clip",
    "shuffled-frames": "frames of the clip in a drawn order",
    "question-only": "the question without the clip",
    "audio": "the clip with its sound",
    "no-audio": "the clip without its sound",
    "silent-one": "the clips, the sound of one of the two replaced by silence",
    "flipped-audio": "the clips, their sounds exchanged",
    "audio-only": "the sound of the clip without its pictures",
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
