"""Pages of snapshots (frozen boards): the list, one snapshot under its citable URL, and its file."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from benchmarks.gallery.query import page_of
from leaderboard.exports.escaping import bibtex, bibtex_address
from leaderboard.models import Snapshot
from leaderboard.publications.snapshot import is_out_of_sight

PAGE = 25


def snapshots(request: HttpRequest) -> HttpResponse:
    """Page that lists all snapshots, newest first."""
    found = Snapshot.objects.order_by("-created_at").defer("content")
    page = page_of(request, found, PAGE)
    return render(request, "leaderboard/snapshots.html", {"section": "boards", "page": page})


def snapshot(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of one snapshot's table; nothing on it is recomputed."""
    found = get_object_or_404(Snapshot, slug=slug)
    return _page(request, found, is_closed=is_out_of_sight(found.content))


def _page(request: HttpRequest, found: Snapshot, *, is_closed: bool, status: int = 200) -> HttpResponse:
    content = found.content
    rows = [
        (row, [row["overall"], *(row["cells"].get(column) for column in content["columns"])])
        for row in (*content["rows"], *content["published"])
    ]
    context = {"section": "boards", "snapshot": found, "content": content, "rows": rows}
    context |= {"titles": [content["titles"][column] for column in content["columns"]]}
    context |= {"entry": entry_of(found, request.build_absolute_uri())}
    context["is_closed"] = is_closed
    return render(request, "leaderboard/snapshot.html", context, status=status)


def entry_of(found: Snapshot, address: str) -> str:
    """The BibTeX entry of a frozen board."""
    content = found.content
    title = f"{content['benchmark']} board, level {content['level']}, asked {content['strategy']}"
    lines = (
        f"@misc{{{found.slug},",
        f"  title        = {{{bibtex(title)}, frozen on {content['made'][:10]}}},",
        f"  howpublished = {{\\url{{{bibtex_address(address)}}}}},",
        f"  note         = {{SHA-256 {found.sha256}}}",
        "}",
    )
    return "\n".join(lines)


def snapshot_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole snapshot as a JSON file, for verification; 403 while an open study asks its items."""
    found = get_object_or_404(Snapshot, slug=slug)
    if is_out_of_sight(found.content):
        return _page(request, found, is_closed=True, status=403)
    answer = HttpResponse(json.dumps(found.content, indent=1, ensure_ascii=False), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{found.slug}.json"'
    return answer
