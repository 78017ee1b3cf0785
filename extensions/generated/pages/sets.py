"""Pages of clip sets: the list with the upload, and each set with its state, card, findings, changes and clips."""

import tomllib
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.errors import BenchmarkError
from benchmarks.gallery.query import page_of
from benchmarks.policy import LIMITS
from benchmarks.storage.ranged_responses import serve_stored
from extensions.generated.clipsets import moderation, uploads
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, PromptPack
from extensions.generated.naming import are_named
from extensions.generated.pages.figures import BoardAddress

SENDS, DECIDES = "generated.add_clipset", "generated.change_clipset"
PUBLIC_STATES = (ClipSetState.LISTED, ClipSetState.WITHDRAWN)
SECTION = {"section": "boards"}
CLIPS_A_PAGE = 12
REMEDIES = tomllib.loads((Path(uploads.__file__).with_name("remedies.toml")).read_text(encoding="utf-8"))
MORE = ("templater", "sampling", "seeds", "licence", "provider", "date", "source", "report", "comments")  # of cards


class ClipSetForm(forms.Form):
    """A clip set's whole archive; the page's script sends it in parts, by the API."""

    pack = forms.ModelChoiceField(
        PromptPack.objects.exclude(prompts=None).order_by("title"),
        to_field_name="slug",
        label="Prompts",
        empty_label=None,
    )
    archive = forms.FileField(
        label="ZIP",
        help_text=f"card.toml, manifest.csv and the clips; at most {LIMITS['clip set'].words}",
        error_messages={"required": "Choose the ZIP of the clip set."},
    )
    right = forms.BooleanField(label="I may show these clips to raters and on this site")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sets(request: HttpRequest) -> HttpResponse:
    """The sets that the reader may see; POST takes a whole archive."""
    may_send = request.user.has_perm(SENDS)
    if request.method == "POST" and not may_send:
        raise PermissionDenied
    form = ClipSetForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _received(request, form.cleaned_data)
        except BenchmarkError as error:
            form.add_error("archive", str(error))
    rows = visible_to(request).select_related("pack", "uploader").annotate(count=Count("clips")).order_by("-pk")
    facts = {
        "page": page_of(request, rows, 50),
        "form": form if may_send else None,
        "decides": request.user.has_perm(DECIDES),
    }
    return render(request, "generated/sets.html", SECTION | facts, status=422 if form.errors else 200)


def _received(request: HttpRequest, sent: dict[str, Any]) -> HttpResponse:
    assert request.user.pk is not None, "only signed-in people have a permission"
    archive = sent["archive"]
    found = {"archive": archive.name, "size": archive.size, "uploader_id": request.user.pk}
    clip_set = uploads.begin(pack=sent["pack"], **found)
    archive.seek(clip_set.received)
    while content := archive.read(uploads.PART):
        clip_set.received = uploads.add_part(clip_set, clip_set.received, content)
    return redirect(clip_set)


def visible_to(request: HttpRequest) -> QuerySet[ClipSet]:
    """What was listed; to those who sent a set also theirs, and to staff all."""
    if request.user.has_perm(DECIDES):
        return ClipSet.objects.all()
    return ClipSet.objects.filter(Q(state__in=PUBLIC_STATES) | Q(uploader_id=request.user.pk, uploader__isnull=False))


@never_cache
@require_safe
def clip_set(request: HttpRequest, slug: str) -> HttpResponse:
    """One set. While it waits, its key is its address, which leads to the new one later."""
    found = get_object_or_404(visible_to(request).select_related("pack", "generator"), Q(slug=slug) | Q(key=slug))
    if found.slug != slug:
        return redirect(found)
    clips = found.clips.select_related("prompt", "clip_set").order_by("prompt__key", "take", "pk")
    facts = {
        "set": found,
        "errors": [finding | {"remedy": REMEDIES.get(finding["code"], "")} for finding in _findings(found, "error")],
        "more": [(name.capitalize(), found.card[name]) for name in MORE if name in found.card],
        "notes": _findings(found, "note"),
        "changes": found.changes.all(),
        "figures": _figures_of(found),
        "count": len(clips),
        "page": page_of(request, clips, CLIPS_A_PAGE) if may_see_clips(request, found) else None,
        "decides": request.user.has_perm(DECIDES),
        "is_own": _is_own(request, found),
    }
    return render(request, "generated/set.html", SECTION | facts)


def _figures_of(found: ClipSet) -> dict[str, Any] | None:
    """Its row on the board that its pack's address opens; None where it has none."""
    address = BoardAddress(found.pack, found.pack.rounds.first())
    if found.state != ClipSetState.LISTED or address.round is None or not address.columns:
        return None
    board = address.board(address.columns[0])
    rows = [row for row in (*board["ranked_rows"], *board["line_rows"]) if row[0].row.slug == found.slug]
    return {"line": rows[0][0], "cells": rows[0][1], "column": address.columns[0]} if rows else None


def _findings(found: ClipSet, weight: str) -> list[dict[str, str]]:
    return [finding for finding in found.findings if finding["weight"] == weight]


def _is_own(request: HttpRequest, found: ClipSet) -> bool:
    return found.uploader_id is not None and found.uploader_id == request.user.pk


def may_see_clips(request: HttpRequest, found: ClipSet) -> bool:
    """Whether the reader may see who made which clip of a set."""
    if request.user.has_perm(DECIDES) or _is_own(request, found):
        return found.state in (ClipSetState.CHECKED, ClipSetState.LISTED)
    return found.state == ClipSetState.LISTED and are_named(found.clips.all())


@require_safe
def clip(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """The file of one clip."""
    found = get_object_or_404(visible_to(request), slug=slug)
    chosen = get_object_or_404(GeneratedClip.objects.select_related("clip_set"), clip_set=found, pk=pk)
    sent = (
        serve_stored(request, chosen.stored, "video/mp4", cache="private, no-store")
        if may_see_clips(request, found)
        else None
    )
    if sent is None:
        raise Http404("no such file")
    return sent


@login_required
@require_POST
def decision(request: HttpRequest, slug: str) -> HttpResponse:
    """List or withdraw a set, or append a line to its changes; whoever sent one may withdraw it."""
    found = get_object_or_404(visible_to(request), slug=slug)
    act, decides, is_own = request.POST.get("act"), request.user.has_perm(DECIDES), _is_own(request, found)
    what, requester = request.POST.get("what", "")[:450], request.POST.get("asked_by", "")[:120]
    if not (decides or (is_own and act == "withdraw")):
        raise PermissionDenied
    assert request.user.pk is not None, "the view is for signed-in people"
    try:
        if act == "list":
            moderation.list_set(clip_set=found, by_id=request.user.pk)
        elif act == "withdraw":
            by = moderation.STAFF if decides else moderation.UPLOADER
            moderation.withdraw(clip_set=found, reason=what, requester=by, by_id=request.user.pk)
        else:
            moderation.dispute(clip_set=found, requester=requester, what=what, by_id=request.user.pk)
    except BenchmarkError as error:
        messages.error(request, str(error))
    return redirect(found)
