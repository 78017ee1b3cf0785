"""Kinds of a round's questions, and the names of the studies and of the judges' prompts that ask them."""

CLIP, PAIR, BREAK, TRIPLE = KINDS = ("clip", "pair", "break", "triple")
STUDIES = {CLIP: "rate", PAIR: "pairs", BREAK: "break", TRIPLE: "triples"}


def study_name(slug: str, kind: str) -> str:
    """The protocol by which people are asked questions of this kind about a pack's clips."""
    return f"{slug}-{STUDIES[kind]}"


def rating_prompt(slug: str, dimension: str) -> str:
    """The strategy by which judges are asked about this dimension."""
    return f"{slug}-rate-{dimension}"


def pair_prompt(slug: str) -> str:
    """The strategy by which judges are asked for the better of two clips."""
    return f"{slug}-pair"
