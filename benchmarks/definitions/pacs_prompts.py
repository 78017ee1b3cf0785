"""How PACS is asked. The paper's models were trained and saw no prompt, so the words are ours; version 1."""

OPTIONS = ("object 1", "object 2")  # label 0 is the first object of the pair, label 1 the second
OBJECTS = ("Object 1", "Object 2")  # what is said along with each clip
# The object in question is the one that a red box marks on the middle frame of its clip.
WANTED = "Answer with Object 1 or Object 2."


def prompt(question: str) -> str:
    """The datapoint's own question, then which answers are possible."""
    return f"{question}\n{WANTED}"
