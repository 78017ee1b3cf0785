"""What one sample of another harness says: its item, its replies, their seed and filter. No database."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.replies import ANSWER, LOG_PROBS, PREDICTION, REPLY, SURPRISE, RawReply
from evaluation.replies.server_errors import error_within

NAMES = ("item", "public_id", "id", "key", "question_id", "qid")
OF_VIDEOS = ("video_id", "filename", "name", "file_name", "video_path", "video")
NO_ANSWER = "Failed to obtain answer via API."  # VLMEvalKit's word for a request that failed
UNKNOWN = "unknown"  # inspect's word where a provider gave none
WRONG = -1  # a seed that is none
OTHER_KINDS = (ANSWER, PREDICTION, LOG_PROBS, SURPRISE)  # in our own export


@dataclass(frozen=True, slots=True)
class HarnessSample:
    """A sample: a reply for each repeat, or one answer of another `kind`, such as the log-likelihoods of the options.

    `seed` is that of the first reply; None if the tool names none. `problem` says why there is no reply.
    """

    item: Any
    replies: tuple[RawReply, ...] = ()
    seed: int | None = None
    filter: str = ""
    kind: str = REPLY
    text: str = ""  # of another kind
    problem: str = ""


def every_eval_ever(record: dict[str, Any]) -> HarnessSample:
    """`sample_id`, and each text of `output.raw` or the model's last message; `metadata` has seed, end, our kind."""
    output, metadata = record.get("output"), _as_dict(record.get("metadata"))
    if isinstance(output, dict):
        pairs = _paired(list(_leaves(output.get("raw"))), list(_leaves(output.get("reasoning_trace"))))
    else:
        turns = [turn for turn in _as_list(record.get("messages")) if _within(turn, "role") == "assistant"]
        pairs = [(_within(turn, "content"), _within(turn, "reasoning_trace")) for turn in turns[-1:]]
    item, seed, wanted = record.get("sample_id"), _seed_in(metadata), _text(metadata.get("filter"))
    if (kind := metadata.get("kind")) in OTHER_KINDS:
        return HarnessSample(item, seed=seed, filter=wanted, kind=kind, text=_text(pairs[0][0]))
    ended = _text(metadata.get("ended")) or _known(metadata.get("stop_reason"))
    replies = tuple(_reply(text, thoughts, ended) for text, thoughts in pairs)
    return HarnessSample(item, _failed(record, output) or replies, seed, wanted)


def _paired(texts: list[Any], thoughts: list[Any]) -> list[tuple[Any, Any]]:
    """Each text with its own thoughts; one text with all of them if their numbers differ."""
    if len(texts) != len(thoughts):
        whole = "\n\n".join(thought for thought in thoughts if isinstance(thought, str))
        thoughts = [whole, *[None] * (len(texts) - 1)]
    return list(zip(texts or [None], thoughts, strict=False))


def _seed_in(metadata: Mapping[str, Any]) -> int | None:
    """The seed as in our own export, else the epoch, which counts from 1; both are written as text."""
    name = next((name for name in ("seed", "epoch") if metadata.get(name) is not None), "")
    text = _text(metadata.get(name))
    if not name:
        return None
    return int(text) - (name == "epoch") if text.isdecimal() and len(text) < 11 else WRONG


def lm_eval(record: dict[str, Any]) -> HarnessSample:
    """A line of lm-eval or lmms-eval: every reply in `resps`, or in `filtered_resps` where lmms-eval leaves it out.

    lmms-eval leaves `doc` out as well: then the item's name is in what a metric says, or `doc_id` is all there is. A
    number there is a place in a data set that is not at hand, so it names no item.
    """
    parts = (record.get("doc"), *(value for name, value in record.items() if name != "doc"))
    named, place = next((name for part in parts if (name := named_in(part)) is not None), None), record.get("doc_id")
    if named is None and type(place) is int:
        return HarnessSample(None, problem=f"the sample holds no `doc`, and its `doc_id` {place} names no item")
    item = place if named is None else named
    responses, wanted = record.get("resps") or record.get("filtered_resps"), _text(record.get("filter"))
    if not (values := _likelihoods(responses)):
        return HarnessSample(item, tuple(map(_reply, _leaves(responses))), filter=wanted)
    options = _continuations(record)
    if len(set(options)) == len(values):
        text = json.dumps(dict(zip(options, values, strict=True)))
        return HarnessSample(item, filter=wanted, kind=LOG_PROBS, text=text)
    what = f"the sample holds log-likelihoods of {len(values)} options and does not name them: send `log_probs`"
    return HarnessSample(item, problem=what)


def _likelihoods(responses: Any) -> list[float]:
    """The numbers of `[log-likelihood, is_greedy]` for each option; [] if these are replies."""
    found = []
    for entry in _as_list(responses):
        while isinstance(entry, list) and len(entry) == 1:
            (entry,) = entry
        if not isinstance(entry, list) or len(entry) != 2 or _text(entry[1]) not in ("True", "False"):
            return []
        try:
            found.append(float(entry[0]))
        except (TypeError, ValueError):
            return []
    return found


def _continuations(record: dict[str, Any]) -> list[str]:
    """The text whose likelihood was measured, in each request; else the choices in `doc`."""
    requests = record.get("arguments")
    requests = list(requests.values()) if isinstance(requests, dict) else _as_list(requests)
    texts = [
        request.get("arg_1") if isinstance(request, dict) else [*_as_list(request), None, None][1]
        for request in requests
    ]
    if not texts:
        texts = _as_list(_within(record, "doc", "choices"))
    return [text.strip() for text in texts if isinstance(text, str)]


def inspect_log(record: dict[str, Any]) -> HarnessSample:
    """`id`, each of the model's choices, and the epoch, which counts from 1."""
    replies = tuple(map(_of_choice, _as_list(_within(record, "output", "choices"))))
    epoch = record.get("epoch", 1)
    seed = (epoch - 1) * max(len(replies), 1) if type(epoch) is int else WRONG
    limit = _within(record, "limit", "type")
    stopped = f"the sample has no reply: stopped by its limit ({limit})" if limit else ""
    failed = _failed(record, record.get("output"))
    return HarnessSample(record.get("id"), failed or replies, seed, problem=stopped)


def _of_choice(choice: Any) -> RawReply:
    content, ended = _within(choice, "message", "content"), _known(_within(choice, "stop_reason"))
    if not isinstance(content, list):
        return _reply(content, finish=ended)
    texts = [_within(part, "text") for part in content if _within(part, "type") == "text"]
    thoughts = [_thoughts(part) for part in content if _within(part, "type") == "reasoning"]
    return _reply("".join(map(_text, texts)) if texts else None, "\n\n".join(filter(None, thoughts)), ended)


def _known(finish: Any) -> Any:
    return None if finish == UNKNOWN else finish


def _thoughts(part: Mapping[str, Any]) -> str:
    """The readable thoughts: of redacted ones the summary."""
    text = part.get("summary") if part.get("redacted") else part.get("reasoning")
    return text if isinstance(text, str) else ""


def vlm_eval_kit(record: Mapping[str, Any]) -> HarnessSample:
    """A row of VLMEvalKit: the item's name, else `index`; `prediction`, and `thinking` beside it."""
    item, text = named_in(record), record.get("prediction")
    if isinstance(text, int | float):
        text = str(text)
    problem = "the request to the model failed" if isinstance(text, str) and NO_ANSWER in text else ""
    replies = _reply(None if problem else text, record.get("thinking"))
    return HarnessSample(record.get("index") if item is None else item, (replies,), problem=problem)


def named_in(record: Any) -> Any:
    """The item's name in these fields, or that of its video; None without one."""
    return next((name for field in (*NAMES, *OF_VIDEOS) if (name := _within(record, field)) is not None), None)


def _reply(text: Any, thoughts: Any = "", finish: str | None = None) -> RawReply:
    """A reply; thoughts alone are a reply without text."""
    thoughts = thoughts if isinstance(thoughts, str) else ""
    content = text if isinstance(text, str) else None
    return RawReply("" if text is None and thoughts else content, thoughts, finish)


def _text(value: Any) -> str:
    """The text or number as text; '' for anything else."""
    return str(value) if isinstance(value, str | int | float) else ""


def _failed(*parts: Any) -> tuple[RawReply, ...]:
    """The failure that stands in the first of these parts, whatever stands beside it; () without one."""
    return next(((RawReply(None, error=error),) for part in parts if (error := error_within(part))), ())


def _leaves(value: Any) -> Iterator[Any]:
    """What nested lists hold, from left to right."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        else:
            yield one


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _within(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
