"""PACS' prompts. The paper's models were trained and saw no prompt, so the wording is ours; version 3."""

OPTIONS = ("object 1", "object 2")  # label 0 means the first object of the pair, label 1 the second
WANTED = "Answer with Object 1 or Object 2."


def prompt(question: str) -> str:
    """The datapoint's own question, followed by the possible answers."""
    return f"{question}\n{WANTED}"
