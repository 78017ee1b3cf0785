"""Additions to the generated schema: the `fields` parameter, error responses and limits of parameters."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from leaderboard.api.query import ChosenFields

MISTAKES = {
    "400": "An unknown parameter or value; the response names it and lists the known ones.",
    "401": "The key is missing, unknown, revoked or expired.",
    "403": "Not permitted, or not yet; the response says why.",
    "404": "Not found; if possible, the response lists what exists.",
    "405": "This method is not allowed at this address.",
    "406": "There is no such format.",
    "415": "The body has an unsupported media type.",
    "429": "Too many calls: `Retry-After` gives the seconds to wait.",
}


class Described(AutoSchema):
    """Adds the `fields` parameter to calls whose serializer supports it."""

    def get_override_parameters(self) -> list[Any]:
        serializer = self.get_response_serializers() if hasattr(self.view, "get_serializer") else None
        if not isinstance(serializer, ChosenFields):
            return []
        names = list(serializer.get_fields())
        listed = {"type": "array", "items": {"type": "string", "enum": names}}
        what = "fields to return, comma-separated; all by default"
        return [OpenApiParameter("fields", listed, description=what, style="form", explode=False)]


def with_mistakes(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The schema with the error responses added to every call."""
    forms = {"application/json": {"schema": {"type": "object"}}, "text/csv": {"schema": {"type": "string"}}}
    for call in _calls(result):
        for code, what in MISTAKES.items():
            call["responses"].setdefault(code, {"description": what, "content": forms})
    return result


def with_limits(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The schema with no null characters in query texts, and no required fields where `fields` selects them."""
    for call in _calls(result):
        for each in call.get("parameters", ()):
            if each["in"] == "query" and each["schema"] == {"type": "string"}:
                each["schema"] = {"type": "string", "pattern": "^[^\\u0000]*$"}
    for serializer in ChosenFields.__subclasses__():
        result["components"]["schemas"].get(serializer.__name__.removesuffix("Serializer"), {}).pop("required", None)
    return result


def _calls(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (call for methods in schema["paths"].values() for call in methods.values())
