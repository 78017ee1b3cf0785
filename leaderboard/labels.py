"""Display labels for the names that URLs and exports use."""

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
FIGURES = {
    "accuracy": "accuracy",
    "halves": "by correct answer",
    "yes": "yes rate",
    "sensitivity": "d′",
    "repeats": "repeats the example",
    "guessing": "test against chance",
}
DIMENSIONS = {
    "": "all together",
    "accuracy": "accuracy",
    "logical-consistency": "logical consistency",
    "specificity": "specificity",
    "plausibility": "plausibility",
    "diversity": "diversity",
}
ROW_KINDS = {
    "human": "people",
    "simulated": "simulated people",
    "run": "evaluated here",
    "uploaded": "uploaded",
    "published": "published",
}
CAUTION = {"in": "in", "out": "left out"}
UNITS = {"question": "each question", "group": "groups of questions"}
TIERS = {
    "reported": "reported",
    "uploaded": "uploaded",
    "rescored": "uploaded, re-scored here",
    "run": "evaluated here",
    "repeated": "evaluated here twice, equal",
}
TIERS_MEAN = {
    "reported": "A paper prints this figure; nobody here has seen the answers.",
    "uploaded": "The senders read the answers in their own replies; they were compared with our key.",
    "rescored": "The senders uploaded whole replies, which this site parsed and scored.",
    "run": "This site ran the model itself and stores every reply.",
    "repeated": "Two runs of this site asked the same model the same way and got the same answer to every question.",
}
FORMATS = {"csv": "CSV", "latex": "LaTeX", "xlsx": "XLSX", "json": "JSON", "md": "Markdown", "bib": "BibTeX"}
PICTURES = {"svg": "SVG", "pdf": "PDF", "png": "PNG"}
EXTENSIONS = {"csv": "csv", "latex": "tex", "xlsx": "xlsx", "json": "json", "md": "md", "bib": "bib"}
CHARTS = {
    "gaps": "gap to people",
    "profile": "profile",
    "slopes": "by prompt",
    "bias": "yes bias",
    "people": "compared with people",
}


def place_of_condition(name: str) -> int:
    """Position of a condition in lists on pages: the order above, unknown conditions last."""
    return list(CONDITIONS).index(name) if name in CONDITIONS else len(CONDITIONS)
