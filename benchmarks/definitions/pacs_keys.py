"""How PACS' datapoints are named: they have no id of their own but a pair of objects and a question.

An importer gives every item the key of `item_key`, the kind `pair` or `material`, an empty variant, its official split,
and stores the datapoints in the order of the release's files: UNITER's result file counts them.
"""

SPLITS = ("train", "val", "test")
MATERIAL = "material"  # the kind whose files end in _mat


def item_key(pair: str, question: str) -> str:
    """`object0118_object0119/question0301`; the pair as the release orders it: label 0 is its first object."""
    return f"{pair}/{question}"


def parts_of(key: str) -> tuple[str, str]:
    """Pair and question of an item's key."""
    pair, _, question = key.partition("/")
    return pair, question


def data_file(split: str, kind: str) -> str:
    """`test_data` or `test_data_mat`: the stem of the release's file, which its tools put into their own names."""
    return f"{split}_data_mat" if kind == MATERIAL else f"{split}_data"
