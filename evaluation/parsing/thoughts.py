"""The markers with which reasoning models set thoughts apart within a text; only evaluation.replies uses them."""

import re
from typing import NamedTuple

_TAG = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)"
# Qwen, DeepSeek, GLM and many more; Seed-OSS; Kimi; Magistral; Command A; OpenThinker; Apertus; Gemma; gpt-oss.
_OPENINGS = (
    rf"<{_TAG}>",
    r"◁think▷",
    r"\[THINK\]",
    r"<\|START_THINKING\|>",
    r"<\|begin_of_thought\|>",
    r"<\|inner_prefix\|>",
    r"<\|channel>thought\b",
    r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)<\|message\|>",
)
_CLOSINGS = (
    rf"</{_TAG}>",
    r"◁/think▷",
    r"\[/THINK\]",
    r"<\|END_THINKING\|>",
    r"<\|end_of_thought\|>",
    r"<\|inner_suffix\|>",
    r"<channel\|>",
    r"(?:<\|end\|>)?<\|start\|>assistant<\|channel\|>final<\|message\|>",
    r"<\|channel\|>final<\|message\|>",
)
OPENING = re.compile("|".join(_OPENINGS), re.IGNORECASE)
# All markers begin with one of three characters; looking for these first is seven times as fast in a long reply.
MARKER = re.compile(rf"(?=[<\[◁])(?:(?P<open>{'|'.join(_OPENINGS)})|(?P<close>{'|'.join(_CLOSINGS)}))", re.IGNORECASE)
OPENED_AT_END = re.compile(rf"(?:{'|'.join(_OPENINGS)})\s*\Z", re.IGNORECASE)
# Tokens around the answer that follows the thoughts.
AROUND = re.compile(r"<\|(?:START|END)_RESPONSE\|>|<\|(?:return|end)\|>", re.IGNORECASE)
# Thoughts marked only by words: gpt-oss behind a server that drops its special tokens, and Granite 3.2.
_IN_WORDS = (
    re.compile(r"\A\s*analysis(?P<thoughts>.*?)assistantfinal(?P<answer>.*)\Z", re.DOTALL),
    re.compile(
        r"\A\s*Here(?:'s| is) my thought process:(?P<thoughts>.*?)Here(?:'s| is) my response:(?P<answer>.*)\Z",
        re.DOTALL,
    ),
)


class SplitText(NamedTuple):
    """A text without its thoughts, and these; `is_open` if the thoughts never ended."""

    answer: str
    thoughts: str = ""
    is_open: bool = False


def split(raw: str, *, is_opened: bool = False) -> SplitText:
    """Split a text into answer and thoughts; `is_opened` if the prompt had already opened the thoughts.

    A lone closing marker ends thoughts that a prompt opened. A text without any marker comes back as it is.
    """
    if found := next((match for pattern in _IN_WORDS if (match := pattern.match(raw))), None):
        return SplitText(found["answer"].strip(), found["thoughts"].strip())
    if not is_opened and not MARKER.search(raw):
        return SplitText(raw)
    answer: list[str] = []
    thoughts: list[str] = []
    place, is_open = 0, is_opened
    for marker in MARKER.finditer(raw):
        (thoughts if is_open else answer).append(raw[place : marker.start()])
        if marker["close"] and not is_open:  # all text up to here is thoughts
            thoughts += answer
            answer = []
        place, is_open = marker.end(), bool(marker["open"])
    (thoughts if is_open else answer).append(raw[place:])
    return SplitText(AROUND.sub("", "\n".join(answer)).strip(), "\n".join(thoughts).strip(), is_open)


def opens_thoughts(prompt: str) -> bool:
    """Whether the prompt ends with an opening marker, so that the reply begins inside thoughts."""
    return bool(OPENED_AT_END.search(prompt))
