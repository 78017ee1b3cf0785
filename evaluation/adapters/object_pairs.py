"""Splits a request about two or more objects into the objects shown and the question."""

from itertools import takewhile

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.errors import ModelMisused

UNDECIDED = "undecided"  # a tie is no answer: PACS counts it as wrong


def objects_of(request: Request) -> tuple[list[Turn], str]:
    """The objects in the order of the options, and the question; raises ModelMisused for other requests."""
    turns = [turn for turn in request.turns if isinstance(turn, Turn)]
    objects = [turn for turn in turns if turn.frames or turn.audio]
    after = takewhile(lambda turn: not (turn.frames or turn.audio), reversed(turns))  # turns before name the objects
    question = "\n".join(reversed([turn.text for turn in after if turn.text.strip()]))
    if len(objects) < 2 or len(objects) != len(request.options) or request.turns.count(REPLY) != 1 or not question:
        raise ModelMisused(
            "this model chooses between objects that are shown one a turn, by a question in a turn of its own; here are"
            f" {len(objects)} shown turns for {len(request.options)} possible answers"
        )
    return objects, question
