"""Detects from a saved model's folder or GGUF file whether earlier runs prompted it with two start tokens."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.gguf_header import header_of
from evaluation.adapters.weights import GGUF

OF_TOKENIZER = "tokenizer.ggml."
START, TOKENS, KIND, ADDS = (OF_TOKENIZER + name for name in ("bos_token_id", "tokens", "model", "add_bos_token"))
TEMPLATE_OF_FILE = "tokenizer.chat_template"
TEMPLATE, TOKENIZER, RULES = "chat_template.jinja", "tokenizer_config.json", "tokenizer.json"


def was_doubled(path: str) -> bool:
    """Whether the model's template and tokenizer both add the start token; False if its files don't say."""
    folder = Path(settings.VAR_DIR) / path
    if folder.suffix.lower() == GGUF:
        return _was_doubled_by_file(folder, folder.stat().st_mtime_ns if folder.is_file() else 0)
    files = [folder / name for name in (TEMPLATE, TOKENIZER, RULES)]
    return _was_doubled(folder, tuple(file.stat().st_mtime_ns if file.is_file() else 0 for file in files))


@lru_cache(maxsize=256)
def _was_doubled(folder: Path, changed: tuple[int, ...]) -> bool:
    config = _json(folder / TOKENIZER)
    start = config.get("bos_token")
    start = start.get("content") if isinstance(start, dict) else start
    if not isinstance(start, str) or not start:
        return False
    template = _text(folder / TEMPLATE) or str(config.get("chat_template") or "")
    is_in_template = "bos_token" in template or start in template
    return is_in_template and (config.get("add_bos_token") is True or start in _added(_json(folder / RULES)))


@lru_cache(maxsize=256)
def _was_doubled_by_file(file: Path, changed: int) -> bool:
    """Like `was_doubled`, for a GGUF file; if it does not say, SentencePiece tokenizers are taken to add the token."""
    facts = header_of(file, (START, TOKENS, KIND, ADDS, TEMPLATE_OF_FILE))
    tokens, place, template = facts.get(TOKENS) or [], facts.get(START), str(facts.get(TEMPLATE_OF_FILE) or "")
    if not isinstance(place, int) or not place < len(tokens):
        return False
    is_in_template = "bos_token" in template or str(tokens[place]) in template
    return is_in_template and bool(facts.get(ADDS, facts.get(KIND) == "llama"))


def _added(rules: dict[str, Any]) -> set[str]:
    """The special tokens that the tokenizer itself adds around a text."""
    found, waiting = set(), [rules.get("post_processor")]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict):
            continue
        waiting += one.get("processors") or []
        for piece in one.get("single") or []:
            if isinstance(piece, dict) and "SpecialToken" in piece:
                found.add(piece["SpecialToken"].get("id"))
    return found


def _json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(file) or "{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
