"""Keys of PACS' datapoints, which have no id: the pair of objects and the question.

An importer gives every item the key of `item_key`, the kind `pair` or `material`, an empty variant and its official
split. It stores datapoints in the order of the release's files, because UNITER's result files refer to them by number.
"""

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
