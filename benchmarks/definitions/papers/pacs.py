"""PACS' prompts. The paper's models were trained and saw no prompt, so the wording is ours; version 3."""

OPTIONS = ("object 1", "object 2")  # label 0 means the first object of the pair, label 1 the second
WANTED = "Answer with Object 1 or Object 2."


def prompt(question: str) -> str:
    """The datapoint's own question, followed by the possible answers."""
    return f"{question}\n{WANTED}"


SPLITS = ("train", "val", "test")
MATERIAL = "material"  # the kind whose files end in _mat


def item_key(pair: str, question: str) -> str:
    """`object0118_object0119/question0301`; the pair keeps the release's order, since label 0 is its first object."""
    return f"{pair}/{question}"


def parts_of(key: str) -> tuple[str, str]:
    """Pair and question of an item's key."""
    pair, _, question = key.partition("/")
    return pair, question


def data_file(split: str, kind: str) -> str:
    """`test_data` or `test_data_mat`: the stem of the release's file, also used in the file names of its tools."""
    return f"{split}_data_mat" if kind == MATERIAL else f"{split}_data"
