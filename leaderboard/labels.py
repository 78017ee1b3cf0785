"""Display labels for the names that URLs and exports use."""

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

CONDITIONS = {
    "video": _("video"),
    "text": _("a description"),
    "first-frame": _("first frame"),
    "last-frame": _("last frame"),
    "middle-frame": _("middle frame"),
    "shuffled-frames": _("shuffled frames"),
    "question-only": _("nothing"),
    "audio": _("video with sound"),
    "no-audio": _("video without sound"),
    "silent-one": _("one clip silent"),
    "flipped-audio": _("sounds swapped"),
    "audio-only": _("sound alone"),
}
FIGURES = {
    "accuracy": _("accuracy"),
    "halves": _("by correct answer"),
    "yes": _("yes rate"),
    "sensitivity": _("d′"),
    "repeats": _("repeats the example"),
    "guessing": _("test against chance"),
}
DIMENSIONS = {
    "": _("all together"),
    "accuracy": _("accuracy"),
    "logical-consistency": _("logical consistency"),
    "specificity": _("specificity"),
    "plausibility": _("plausibility"),
    "diversity": _("diversity"),
}
BLOCKS = {"": _("nothing"), "strategy": _("prompting strategies"), "condition": _("what was shown")}
ROW_KINDS = {
    "human": _("people"),
    "simulated": _("simulated people"),
    "run": _("evaluated here"),
    "uploaded": _("uploaded"),
    "published": _("published"),
}
CAUTION = {"in": _("in"), "out": _("left out")}
RANKS = {"simultaneous": _("simultaneous"), "pairwise": _("pairwise")}
UNITS = {"question": _("each question"), "group": _("groups of questions")}
WEIGHTS = {"": _("all"), "open": _("open")}
SIZES = {"": _("all"), "small": _("under 1B"), "medium": _("1B to 10B"), "large": _("10B and more")}
TIERS = {
    "reported": _("reported"),
    "uploaded": _("uploaded"),
    "rescored": _("uploaded, re-scored here"),
    "run": _("evaluated here"),
    "repeated": _("evaluated here twice, equal"),
}
LEAST_EVIDENCE = {
    "": _("all"),
    "uploaded": _("uploaded or better"),
    "rescored": _("re-scored here or better"),
    "run": _("evaluated here"),
    "repeated": _("evaluated here twice, equal"),
}
TIERS_MEAN = {
    "reported": _("A paper prints this figure; nobody here has seen the answers."),
    "uploaded": _("The senders read the answers in their own replies; they were compared with our key."),
    "rescored": _("The senders uploaded whole replies, which this site parsed and scored."),
    "run": _("This site ran the model itself and stores every reply."),
    "repeated": _("Two runs of this site asked the same model the same way and got the same answer to every question."),
}
CELLS = {"heat": _("heat map"), "forest": _("forest plots")}
PARTS = {"out": _("together"), "in": _("separately")}
FORMATS = {"csv": "CSV", "latex": "LaTeX", "xlsx": "XLSX", "json": "JSON", "md": "Markdown", "bib": "BibTeX"}
PICTURES = {"svg": "SVG", "pdf": "PDF", "png": "PNG"}
EXTENSIONS = {"csv": "csv", "latex": "tex", "xlsx": "xlsx", "json": "json", "md": "md", "bib": "bib"}
CHARTS = {
    "gaps": _("gap to people"),
    "profile": _("profile"),
    "slopes": _("by prompt"),
    "bias": _("yes bias"),
    "people": _("compared with people"),
}


def place_of_condition(name: str) -> int:
    """Position of a condition in lists on pages: the order above, unknown conditions last."""
    return list(CONDITIONS).index(name) if name in CONDITIONS else len(CONDITIONS)


def within_sentence(title: str) -> str:
    """A title within a sentence: in small letters in English, as it is in languages whose nouns keep their capitals."""
    return title.lower() if (get_language() or "en").startswith("en") else title
