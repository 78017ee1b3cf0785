"""The functions that the YAML files here name. Run by lmms-eval, which is told this folder by --include_path."""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "scorer")]

from benchsite_rules import TaskRules  # noqa: E402

from evaluation.submissions.files.native.harness_samples import lm_eval  # noqa: E402

Doc = dict[str, Any]


@cache
def _rules(task: str) -> TaskRules:
    return TaskRules(HERE, task)


def doc_to_messages(doc: Doc, **_kwargs: Any) -> list[dict[str, Any]]:
    """The conversation for chat models."""
    system = [{"role": "system", "content": [{"type": "text", "text": doc["system"]}]}] if doc["system"] else []
    return [*system, {"role": "user", "content": [_content(*part) for part in _parts(doc)]}]


def doc_to_text(doc: Doc, **_kwargs: Any) -> str:
    """All texts; models of the simple kind are told them after the clips."""
    return "\n".join(value for kind, value in _parts(doc) if kind == "text")


def doc_to_visual(doc: Doc, **_kwargs: Any) -> list[Any]:
    """The clips for models of the simple kind, if the prompt is clips and then one text."""
    kinds = [kind for kind, _value in _parts(doc)]
    if doc["system"] or "text" in kinds[:-1] or "audio" in kinds:
        raise ValueError(f"{doc['task']} has words before its clips, sound or a system prompt: take a chat model")
    return [_content(kind, value)["url"] for kind, value in _parts(doc) if kind != "text"]


def doc_to_target(doc: Doc) -> str:
    """The label for the log; '' where it is not here."""
    found = _rules(doc["task"]).labels.get(doc["item"])
    return (found.expected or "") if found else ""


def process_results(doc: Doc, results: list[str]) -> dict[str, Doc]:
    """The score of the reply; `item` is what names the question when the file is sent."""
    rules = _rules(doc["task"])
    answer, score = rules.score(doc["item"], lm_eval({"doc": doc, "resps": results[:1]}))
    scored = {} if score is None else {"answer": answer, "score": score}  # lmms-eval computes with each score it finds
    return {"accuracy" if rules.labels else "replies": {"item": doc["item"], **scored}}


def mean_score(found: list[Doc]) -> float:
    """The mean over the questions whose labels are here."""
    scores = [one["score"] for one in found if "score" in one]
    return sum(scores) / len(scores) if scores else float("nan")


def count(found: list[Doc]) -> int:
    """The number of replies: the site scores them."""
    return len(found)


def _parts(doc: Doc) -> Iterator[tuple[str, str]]:
    for part in json.loads(doc["turns"])[0]:
        yield from part.items()


def _content(kind: str, value: str) -> dict[str, Any]:
    if kind == "text":
        return {"type": "text", "text": value}
    if kind == "image":
        return {"type": "image", "url": Image.open(HERE / value).convert("RGB")}
    return {"type": kind, "url": str(HERE / value)}
