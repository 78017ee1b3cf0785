"""Frozen boards: a list, one of them under its citable address, and its file."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from benchmarks.addresses import page_of
from leaderboard.models import Snapshot

PAGE = 25


def snapshots(request: HttpRequest) -> HttpResponse:
    """Newest first."""
    found = Snapshot.objects.order_by("-created_at").defer("content")
    page = page_of(request, found, PAGE)
    return render(request, "leaderboard/snapshots.html", {"section": "boards", "page": page})


def snapshot(request: HttpRequest, slug: str) -> HttpResponse:
    """The table as it was frozen; nothing on this page is computed."""
    found = get_object_or_404(Snapshot, slug=slug)
    content = found.content
    rows = [
        (row, [row["overall"], *(row["cells"].get(column) for column in content["columns"])])
        for row in (*content["rows"], *content["published"])
    ]
    context = {"section": "boards", "snapshot": found, "content": content, "rows": rows}
    context |= {"titles": [content["titles"][column] for column in content["columns"]]}
    context |= {"entry": entry_of(found, request.build_absolute_uri())}
    return render(request, "leaderboard/snapshot.html", context)


def entry_of(found: Snapshot, address: str) -> str:
    """The BibTeX entry of a frozen board."""
    content = found.content
    title = f"{content['benchmark']} board, level {content['level']}, asked {content['strategy']}"
    lines = (
        f"@misc{{{found.slug},",
        f"  title        = {{{title}, frozen on {content['made'][:10]}}},",
        f"  howpublished = {{\\url{{{address}}}}},",
        f"  note         = {{SHA-256 {found.sha256}}}",
        "}",
    )
    return "\n".join(lines)


def snapshot_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole snapshot, to keep and to verify."""
    found = get_object_or_404(Snapshot, slug=slug)
    answer = HttpResponse(json.dumps(found.content, indent=1, ensure_ascii=False), content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="{found.slug}.json"'
    return answer
