"""The papers' tables as pages and files; their address names the layout, the pack and the kinds of rows."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from leaderboard import formats
from leaderboard.address import FORMATS, BadAddress
from leaderboard.exports import ROWS, UnknownLayout, layouts_of, table_named
from leaderboard.views import benchmark_or_404, not_there
from leaderboard.words import FORMATS as FORMAT_NAMES


def layout(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """One named table, as a page or as a file."""
    benchmark = benchmark_or_404(slug)
    try:
        return _shown(request, slug, name)
    except (BadAddress, UnknownLayout) as mistake:
        return not_there(request, str(mistake), reverse("board", args=[benchmark.slug]))


def _shown(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    known = layouts_of(slug)
    if name not in known:
        raise BadAddress(f"there is no table {name[:60]!r} of {slug}; there is: {', '.join(known)}")
    given = {key: request.GET[key] for key in ("pack", "rows") if request.GET.get(key)}
    rows = tuple(given["rows"].split(",")) if "rows" in given else ROWS
    table = table_named(name, pack_name=given.get("pack", ""), rows=rows)
    if wanted := request.GET.get("format"):
        if wanted not in FORMATS:
            raise BadAddress(f"format={wanted[:60]} does not exist here; there is: {', '.join(FORMATS)}")
        return formats.response(table, wanted, name=name.replace(":", "-"))
    context = {
        "section": "boards",
        "benchmark": benchmark_or_404(slug),
        "name": name,
        "table": table,
        "query": urlencode(given),
        "formats": FORMAT_NAMES.items(),
    }
    return render(request, "leaderboard/layout.html", context)
