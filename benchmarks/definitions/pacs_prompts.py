"""How PACS is asked. The paper's models were trained and saw no prompt, so the words are ours; version 2."""

OPTIONS = ("object 1", "object 2")  # label 0 is the first object of the pair, label 1 the second
# What is said along with each clip. The box is drawn on the middle frame, which is among those shown.
OBJECTS = tuple(f"Object {number}: a red box marks it on the middle frame of its clip." for number in (1, 2))
WANTED = "Answer with Object 1 or Object 2."


def prompt(question: str) -> str:
    """The datapoint's own question, then which answers are possible."""
    return f"{question}\n{WANTED}"
