"""Formats of the API: choosing one by `format`, and CSV with a line for each row and dotted names for nested values.

REST framework imports this module while views are imported, so it imports none.
"""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer

from measures.spreadsheet_cells import defused


class StrictFormats(DefaultContentNegotiation):
    """Selects the renderer by `format`; an unknown format is a 404 that lists the known ones."""

    def filter_renderers(self, renderers: list[BaseRenderer], format: str) -> list[BaseRenderer]:
        found = [each for each in renderers if each.format == format]
        if not found:
            there = ", ".join(dict.fromkeys(each.format for each in renderers))
            raise NotFound(f"format={format[:20]} does not exist here; there is: {there}")
        return found


class CSVRenderer(BaseRenderer):
    """Renders a list's rows, or one object as a row. If more follow, the last line and the `Link` header say where."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """Return UTF-8 CSV with a header line; no cell can run as a formula in a spreadsheet."""
        self._tell_neighbours(data, renderer_context)
        rows = [flat(row) for row in rows_of(data)]
        heads = list(dict.fromkeys(head for row in rows for head in row))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(defused(head) for head in heads)
        writer.writerows([_cell(row.get(head)) for head in heads] for row in rows)
        if isinstance(data, Mapping) and data.get("next"):
            text.write(f"# more rows follow: {data['next']}\n")
        return text.getvalue().encode()

    def _tell_neighbours(self, data: Any, context: Any) -> None:
        if not isinstance(data, Mapping) or "results" not in data:
            return
        links = [f'<{data[name]}>; rel="{rel}"' for name, rel in (("next", "next"), ("previous", "prev")) if data[name]]
        if links:
            context["response"]["Link"] = ", ".join(links)


def rows_of(data: Any) -> list[Mapping[str, Any]]:
    """The rows of a response: a page's results, a list, or the one object."""
    if isinstance(data, Mapping):
        inner = next((data[name] for name in ("results", "rows", "boards") if isinstance(data.get(name), list)), [data])
        return list(inner)
    return list(data)


def flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} as {"a.b": 1}."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{name}.")
        else:
            found[f"{before}{name}"] = value
    return found


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        plain = all(isinstance(each, str | int | float) for each in value)
        return defused(";".join(map(str, value)) if plain else json.dumps(value, ensure_ascii=False))
    return defused(value)
