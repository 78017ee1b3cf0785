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
