"""Display labels for the names that URLs and exports use; benchmarks/words.py has what every app shows."""

FIGURES = {
    "accuracy": "accuracy",
    "halves": "by correct answer",
    "yes": "yes rate",
    "sensitivity": "d′",
    "repeats": "repeats the example",
    "guessing": "test against chance",
}
CAUTION = {"in": "in", "out": "left out"}
UNITS = {"question": "each question", "group": "groups of questions"}
TIERS = {
    "reported": "reported",
    "uploaded": "uploaded",
    "rescored": "answers re-scored by this site",
    "run": "evaluated here",
    "repeated": "reproduced",
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
