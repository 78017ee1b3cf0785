"""Decides what counts as a reply: every server, program, saved model and file is read here, and so in one way.

A source makes a `RawReply` (`sources.py` makes it from JSON), `reply_of` splits it and says how it ended, and `read`
lets a parser look at its answer. Part of the scorer in a pack's archive: needs only Python 3.11.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evaluation.parsing import Parser
from evaluation.parsing.thoughts import MARKER, OPENING, opens_thoughts, split
from evaluation.replies.server_errors import may_pass, status_in, words_in
from measures.scores import parsed_answers
from measures.scores.parsed_answers import UNREAD, Parsed, ParserContext

__all__ = ["OPENING", "Ending", "RawReply", "SpokenReply", "has_marker", "opens_thoughts", "read", "reply_of"]

LONGEST_WORDS, LONGEST_WORD = 160, 60  # letters


class Ending(StrEnum):
    """How a reply ended. The values from CUT_OFF to EMPTY are also the problem of a reading that found no answer."""

    ANSWERED = ""
    CUT_OFF = parsed_answers.CUT_OFF
    CUT_IN_THOUGHT = parsed_answers.CUT_IN_THOUGHT
    REFUSED = parsed_answers.REFUSED
    EMPTY = parsed_answers.EMPTY  # nothing said, with a normal end: a result
    LATER = "later"  # a failure that waiting may mend: asked again, never an answer
    BROKEN = "broken"  # a failure that stays, never an answer


# The words of OpenAI, vLLM, SGLang, llama.cpp, TGI, Mistral, Anthropic, Gemini, Bedrock, z.AI and inspect; case does
# not matter. A word not listed is a failure behind the server: "error" (OpenRouter), "network_error" (z.AI),
# "insufficient_system_resource" (DeepSeek), "abort" (SGLang), "load" (Ollama), or one of next year.
COMPLETE = (
    *("stop", "stop_sequence", "eos", "eos_token", "end_turn", "complete"),
    *("tool_calls", "tool_use", "function_call"),  # of tools that nobody offered: the model has said what it wanted to
)
TOO_LONG = ("length", "max_tokens", "model_length", "model_context_window_exceeded", "repetition")
FILTERED = (
    *("content_filter", "content_filtered", "guardrail_intervened", "refusal", "sensitive"),
    *("safety", "recitation", "blocklist", "prohibited_content", "spii"),
    *("image_safety", "image_recitation", "image_prohibited_content"),
)
OWN = (Ending.CUT_OFF, Ending.CUT_IN_THOUGHT, Ending.REFUSED, Ending.EMPTY)  # of a reply that is read again
ENDINGS: dict[str, Ending] = (
    dict.fromkeys(COMPLETE, Ending.ANSWERED)
    | dict.fromkeys(TOO_LONG, Ending.CUT_OFF)
    | dict.fromkeys(FILTERED, Ending.REFUSED)
    | {ending.value: ending for ending in OWN}
)

# What stands around an answer. TeX may hold one more pair of braces: \boxed{\text{Yes}}.
FRAME = re.compile(
    r"</?(?:answer|response)>|<\|(?:begin|end)_of_(?:box|solution)\|>"
    r"|^[^\S\n]*+[*_#>]*+[^\S\n]*+(?:the )?final answer(?: is)?[*_]*+:[*_]*+",
    re.IGNORECASE | re.MULTILINE,
)
BOXED = re.compile(r"\$?\\(?:boxed|fbox)\{((?:[^{}]|\{[^{}]*+\})*+)\}\$?")
SET = re.compile(r"\\(?:text|textbf|mathrm)\{([^{}]*+)\}")


@dataclass(frozen=True)
class RawReply:
    """A reply as a server, program, saved model or file gave it.

    `text` is None where there is none. `thoughts` are those that came apart from the text. `finish` is the source's
    word for the end: None if the source has no such words, "" if it should have given one. `error` is what stood in
    place of a reply, as JSON. `tokens` counts those written, None if nobody counted. `is_opened`: the prompt had opened
    the thoughts. `special` are tokens that are no text.
    """

    text: str | None
    thoughts: str = ""
    finish: Any = None
    error: Any = None
    tokens: int | None = None
    is_opened: bool = False
    special: Sequence[str] = ()


@dataclass(frozen=True)
class SpokenReply:
    """The `text` without the `thoughts`, and the `answer` in it, which has no frames; `why` tells of a failure.

    Later turns and stored replies hold the text; parsers (but official ones), referees and raters get the answer.
    """

    text: str
    thoughts: str = ""
    ending: Ending = Ending.ANSWERED
    why: str = ""

    @property
    def answer(self) -> str:
        return without_frames(self.text)

    @property
    def has_failed(self) -> bool:
        return self.ending in (Ending.LATER, Ending.BROKEN)


def reply_of(raw: RawReply) -> SpokenReply:
    """Split the reply into its text and thoughts, and tell how it ended."""
    if raw.error:
        ending = Ending.LATER if may_pass(status_in(raw.error)) else Ending.BROKEN
        return SpokenReply("", "", ending, f"holds an error{after_colon(words_in(raw.error))}")
    if (ended := ending_of(raw.finish)) is None:
        return SpokenReply("", "", Ending.LATER, f"ended with {str(raw.finish)[:LONGEST_WORD]!r} (finish_reason)")
    found = split(readable(raw.text or ""), is_opened=raw.is_opened)
    texts = (found.answer, readable(raw.thoughts), found.thoughts)
    text, *parts = (_without(each, raw.special) for each in texts)
    thoughts = "\n".join(part for each in parts if (part := each.strip()))
    if found.is_open and ended != Ending.REFUSED:
        return SpokenReply(text, thoughts, Ending.CUT_IN_THOUGHT)
    ending = _ending_of_closed(raw, ended, says=bool(without_frames(text).strip()), thinks=bool(thoughts))
    return SpokenReply(text, thoughts, ending, "holds no text, and no token of one" if ending == "later" else "")


def _ending_of_closed(raw: RawReply, ended: Ending, *, says: bool, thinks: bool) -> Ending:
    """How a reply ended whose thoughts, if it has any, are closed."""
    if says or ended in (Ending.REFUSED, Ending.CUT_IN_THOUGHT, Ending.EMPTY):
        return ended
    if thinks:  # thoughts apart, without a word about the end, were most likely cut off
        has_end = bool(raw.finish) or not raw.thoughts.strip()
        return Ending.EMPTY if has_end and ended == Ending.ANSWERED else Ending.CUT_IN_THOUGHT
    if raw.tokens == 0 or raw.finish == "":
        return Ending.LATER
    return Ending.CUT_OFF if ended == Ending.CUT_OFF else Ending.EMPTY


def read(parser: Parser, reply: SpokenReply, context: ParserContext) -> Parsed:
    """The parser's reading of the answer; where it finds none, the way the reply ended is the better reason."""
    answer = reply.text if parser.keeps_frames else reply.answer
    if not answer.strip():
        return Parsed(None, (reply.ending or Ending.EMPTY).value)
    found = parser.read(answer, context)
    return Parsed(None, reply.ending.value) if reply.ending and found.problem == UNREAD else found


def ending_of(finish: Any) -> Ending | None:
    """ANSWERED, CUT_OFF or REFUSED by the source's word; None for a failure. Without a word the text decides."""
    if finish in (None, ""):
        return Ending.ANSWERED
    return ENDINGS.get(finish.partition(":")[0].strip().casefold()) if isinstance(finish, str) else None


def has_marker(text: str) -> bool:
    """Whether the text holds a marker of thoughts."""
    return bool(MARKER.search(text))


def without_frames(text: str) -> str:
    """The answer without the marks that some models put around it; a text without any comes back as it is."""
    bare = FRAME.sub("", BOXED.sub(lambda box: SET.sub(r"\1", box[1]), text))
    return text if bare == text else bare.strip()


def _without(text: str, special: Sequence[str]) -> str:
    for token in special:
        text = text.replace(token, "")
    return text.strip() if special else text


def readable(text: str) -> str:
    """The text with lone surrogates replaced: JSON can carry them, but a database can't store them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def after_colon(words: str) -> str:
    """A server's words as they can be stored: no half of a pair of surrogates, no NUL."""
    words = readable(words).replace("\x00", "\ufffd")
    return f": {' '.join(words.split())[:LONGEST_WORDS]}" if words.strip() else ""


ANSWER, REPLY, PREDICTION = "answer", "reply", "prediction"
LOG_PROBS, MARGIN, SURPRISE = "log_probs", "margin", "surprise"
NUMBERS = (LOG_PROBS, MARGIN)  # the kinds for strategies by likelihood
THOUGHTS, ENDED, TIMES = "thoughts", "ended", "times"
FINDINGS = ("reading", "problem", "score", "tokens_in", "tokens_out")  # in exports; uploads may hold them unread
