"""JSON as PostgreSQL's `jsonb` keeps it: shorter keys first, and no NUL, lone surrogate or NaN."""

import json
import re
from typing import Any

from django.db.utils import DataError

NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")  # after an even number of backslashes


def as_jsonb(value: Any, encoder: type[json.JSONEncoder] | None = None) -> str:
    """The value's JSON with its keys in the order of `jsonb`; DataError for what `jsonb` can't hold."""
    try:
        text = json.dumps(in_order(value), cls=encoder, ensure_ascii=False, allow_nan=False)
        text.isascii() or text.encode()
    except ValueError as error:  # a NaN, or a lone surrogate
        raise DataError(f"JSON can't hold it: {error}") from None
    if "\\u0000" in text and NUL.search(text):
        raise DataError("JSON can't hold a NUL")
    return text


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        texts = {key if isinstance(key, str) else json.dumps(key): of for key, of in value.items()}
        return {key: in_order(texts[key]) for key in sorted(texts, key=_place)}
    if isinstance(value, list | tuple):
        return [in_order(part) for part in value]
    return value


def _place(key: str) -> tuple[int, bytes]:
    letters = key.encode(errors="surrogatepass")
    return len(letters), letters
