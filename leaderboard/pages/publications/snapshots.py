"""Pages of snapshots (frozen boards): the list, one snapshot under its citable URL, and its file."""

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models.fields.json import KT
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from benchmarks.gallery.query import page_of
from leaderboard.board.overviews.board_claim import unprinted_line
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.exports.provenance import SITE, entry
from leaderboard.exports.writers import attached
from leaderboard.models import RowKind, Snapshot
from leaderboard.pages.boards import benchmark_or_404, not_there
from leaderboard.publications.citable import RENDERINGS, of_snapshot, title_of, view_title
from leaderboard.publications.snapshot import NothingToFreeze, content_of, is_out_of_sight, public_key, store_snapshot
from leaderboard.standings.refresh import refresh

PAGE = 25
VIEW = {"level": KT("content__level"), "strategy": KT("content__strategy")}
NOT_PRINTED = "not printed"  # text of a frozen row whose paper has no number


def snapshots(request: HttpRequest) -> HttpResponse:
    """Page that lists all snapshots, newest first."""
    found = Snapshot.objects.order_by("-created_at").defer("content").annotate(**VIEW)
    page = page_of(request, found, PAGE)
    context: dict[str, Any] = {"section": "boards", "page": page, "listed": [_listed(one) for one in page.object_list]}
    if "benchmark" in request.GET:
        try:
            context["view"] = _view(request.GET)
        except BadAddress as mistake:
            return not_there(request, str(mistake), reverse("snapshots"))
    return render(request, "leaderboard/snapshots.html", context)


def _listed(one: Any) -> tuple[Snapshot, str]:
    """A snapshot with the title of its view; its content, which may have megabytes, is not read."""
    view = {"benchmark": one.benchmark, "level": one.level, "strategy": one.strategy}
    return one, view_title(view)


def _view(parameters: Mapping[str, str]) -> View:
    """The view that a form or a link names; BadAddress if there is none."""
    return view_of(benchmark_or_404(parameters.get("benchmark", "")), parameters)


@require_POST
@login_required
def freeze(request: HttpRequest) -> HttpResponse:
    """Freeze the view that the form names, for staff; its figures are computed first, as by the command."""
    if not request.user.is_staff:
        raise PermissionDenied
    try:
        view = _view(request.POST)
        refresh()
        return redirect(store_snapshot(content_of(view)))
    except (BadAddress, NothingToFreeze) as mistake:
        return not_there(request, str(mistake), reverse("snapshots"))


def key(request: HttpRequest) -> HttpResponse:
    """The public key with which this site signs its snapshots."""
    return HttpResponse(f"{public_key()}\n", content_type="text/plain; charset=utf-8")


def snapshot(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of one snapshot's table; nothing on it is recomputed."""
    found = get_object_or_404(Snapshot, slug=slug)
    return _page(request, found, is_closed=is_out_of_sight(found.content))


def _page(request: HttpRequest, found: Snapshot, *, is_closed: bool, status: int = 200) -> HttpResponse:
    content = found.content
    unprinted = [row for row in content["published"] if not row["cells"] and _is_without_figure(row["overall"])]
    rows = [
        (
            row | {"kind": RowKind(row["kind"])},
            [row["overall"], *(row["cells"].get(column) for column in content["columns"])],
        )
        for row in (*content["rows"], *content["published"])
        if row not in unprinted
    ]
    context = {"section": "boards", "snapshot": found, "content": content, "rows": rows, "unprinted": unprinted}
    context |= {
        "titles": ["Overall", *(content["titles"][column] for column in content["columns"])],
        "title": view_title(content),
    }
    context |= {"unprinted_line": unprinted_line(len(unprinted))}
    context |= {"entry": entry_of(found, request.build_absolute_uri())}
    context["is_closed"] = is_closed
    return render(request, "leaderboard/snapshot.html", context, status=status)


def _is_without_figure(overall: dict[str, Any] | None) -> bool:
    return overall is None or overall.get("printed") == NOT_PRINTED


def entry_of(found: Snapshot, address: str) -> str:
    """The BibTeX entry of a frozen board."""
    year, note = f"{found.created_at:%Y}", f"SHA-256 {found.sha256}"
    return entry(found.slug, title_of(found), address, author=SITE, year=year, note=note)


def metadata(request: HttpRequest, slug: str, wanted: str) -> HttpResponse:
    """The snapshot's CITATION.cff, or its metadata for archives that give DOIs."""
    write, name, kind = RENDERINGS[wanted]
    content = write(of_snapshot(get_object_or_404(Snapshot, slug=slug)))
    return attached(content, name if wanted == "cff" else f"{slug}-{name}", kind)


def snapshot_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole snapshot as a JSON file, for verification; 403 while an open study asks its items."""
    found = get_object_or_404(Snapshot, slug=slug)
    if is_out_of_sight(found.content):
        return _page(request, found, is_closed=True, status=403)
    content = json.dumps(found.content, indent=1, ensure_ascii=False)
    return attached(content, f"{found.slug}.json", "application/json")
